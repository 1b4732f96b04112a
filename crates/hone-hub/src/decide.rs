//! Origin × verdict, and whether a person must say yes again.

use hone_guard::Verdict;
use hone_guard::policy::{Action, Judgement, Policy};
use hone_library::Origin;

use crate::compare::News;

/// Why a skill is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// It is new.
    New,
    /// It replaces an installed version.
    Update,
    /// A lock file names it, and what the lock file says is text from strangers.
    Restore,
}

/// What happens to a skill, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) action: Action,
    pub(crate) why: String,
}

/// Decides. Whatever the table says, an update that can do more than before asks, and so does a commit
/// of a trusted source that only a lock file names while something was found in it: many hosts serve
/// commits of strangers' copies under the address of the original.
pub(crate) fn decide(
    policy: &Policy,
    origin: Origin,
    judgement: &Judgement<'_>,
    news: &News,
    occasion: Occasion,
) -> Decision {
    let ruling = policy.decide(origin, judgement.verdict);
    let (mut action, mut why) = (ruling.action, ruling.why);
    let asks = match occasion {
        Occasion::Update if !news.is_empty() => {
            Some(format!("This version can do more: {}.", news.words()))
        }
        Occasion::Restore if origin == Origin::Trusted && judgement.verdict > Verdict::Safe => {
            Some(
                "Only the lock file says that this commit belongs to the trusted source."
                    .to_owned(),
            )
        }
        Occasion::New | Occasion::Update | Occasion::Restore => None,
    };
    if let Some(reason) = asks {
        action = action.max(Action::Ask);
        if action == Action::Ask {
            why = format!("{reason} A person decides; without one, it waits.");
        }
    }
    Decision { action, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(origin: Origin, verdict: Verdict, news: &News, occasion: Occasion) -> Action {
        let judgement = Judgement { verdict, findings: Vec::new(), dismissed: Vec::new() };
        decide(&Policy::default(), origin, &judgement, news, occasion).action
    }

    #[test]
    fn more_abilities_ask_and_never_loosen() {
        use Occasion::{New, Restore, Update};
        let none = News::default();
        let more = News { hosts: vec!["x.example".to_owned()], ..News::default() };
        for (origin, verdict, news, occasion, action) in [
            (Origin::Community, Verdict::Safe, &more, New, Action::Allow),
            (Origin::Community, Verdict::Safe, &none, Update, Action::Allow),
            (Origin::Community, Verdict::Safe, &more, Update, Action::Ask),
            (Origin::Trusted, Verdict::Caution, &more, Update, Action::Ask),
            (Origin::Community, Verdict::Caution, &more, Update, Action::Block),
            (Origin::Trusted, Verdict::Dangerous, &more, Update, Action::Block),
            (Origin::Trusted, Verdict::Caution, &more, Restore, Action::Ask),
            (Origin::Trusted, Verdict::Safe, &more, Restore, Action::Allow),
            (Origin::Community, Verdict::Caution, &none, Restore, Action::Block),
        ] {
            assert_eq!(
                decided(origin, verdict, news, occasion),
                action,
                "{origin:?} {verdict} {occasion:?}"
            );
        }
    }
}
