//! The person at the terminal: how far it is, and what they are asked.

use std::io::{self, BufRead};

use hone_hub::{Answer, Ask, Offered, Progress, Question, Report, Step};

use super::shown;
use crate::commands::needs::can_ask;
use crate::output::{Failure, count, say, say_rendered};
use crate::terminal::{Live, bar, columns, fit, printable_line, stderr_style};

impl Live {
    /// For a fetch.
    pub(super) fn report(&self) -> Report {
        let live = self.clone();
        Report::to(move |progress: &Progress<'_>| live.show(&words(progress)))
    }
}

/// The bar stands last: it is what a narrow terminal can do without.
fn words(progress: &Progress<'_>) -> String {
    match progress {
        Progress::Asking(url) => format!("asking {url}"),
        Progress::Bytes { done, all: Some(all) } => {
            format!("downloading {} of {} kB {}", done / 1000, all / 1000, bar(*done, *all))
        }
        Progress::Bytes { done, all: None } => format!("downloading {} kB", done / 1000),
        Progress::Objects { done, all } => {
            format!("fetching {done} of {all} objects {}", bar(*done, *all))
        }
        Progress::Skills { done, all } => {
            let (done, all) = (*done as u64, *all as u64);
            format!("reading {done} of {all} skills {}", bar(done, all))
        }
    }
}

/// Whoever answers questions.
pub(super) struct Person<'l> {
    agrees: bool,
    live: &'l Live,
}

impl<'l> Person<'l> {
    pub(super) fn new(agrees: bool, live: &'l Live) -> Self {
        Self { agrees, live }
    }
}

impl Ask for Person<'_> {
    fn ask(&mut self, question: &Question<'_>) -> Answer {
        if self.agrees {
            return Answer::Yes;
        }
        if !can_ask() {
            return Answer::Later;
        }
        self.live.clear();
        say(&format!(
            "`{}` from {} ({}, {}): {}",
            question.name,
            question.source,
            question.origin.id(),
            question.verdict.word(),
            question.why
        ));
        say_rendered(&shown::details(
            question.findings,
            question.news,
            question.takes,
            stderr_style(),
        ));
        loop {
            match line("install it? [y]es, [n]o, [l]ater: ").as_deref().map(str::trim) {
                Ok("y" | "yes") => return Answer::Yes,
                Ok("n" | "no") => return Answer::No,
                Ok("l" | "later" | "") | Err(_) => return Answer::Later,
                Ok(_) => {}
            }
        }
    }

    fn voice(&self) -> &'static str {
        if self.agrees { "`--yes`" } else { "a person" }
    }

    fn progress(&mut self, step: Step, done: usize, of: usize) {
        let doing = match step {
            Step::Scan => "scanning",
            Step::Swap => "installing",
            _ => return,
        };
        let bar = bar(done as u64, of as u64);
        self.live.show(&format!("{doing} {done} of {} {bar}", count(of, "skill")));
    }
}

/// Asks which of several skills are wanted; none when nobody can be asked.
pub(super) fn which<'o>(offered: &[&'o Offered]) -> Result<Option<Vec<&'o Offered>>, Failure> {
    if !can_ask() {
        return Ok(None);
    }
    for (number, one) in offered.iter().enumerate() {
        let about = printable_line(&one.description);
        let about = fit(&about, columns().saturating_sub(30)).into_owned();
        say_rendered(&format!("{:>4}  {}  {about}\n", number + 1, printable_line(&one.name)));
    }
    loop {
        let answer = line("which? numbers or names, `all`, or nothing: ").map_err(|error| {
            Failure::failed(format!("could not read from the terminal: {error}"), "")
        })?;
        if answer.trim() == "all" {
            return Ok(Some(offered.to_vec()));
        }
        let mut chosen = Vec::new();
        let is_understood =
            answer.split([' ', ',', '\n']).filter(|word| !word.is_empty()).all(|word| {
                let by_number =
                    word.parse::<usize>().ok().and_then(|at| offered.get(at.wrapping_sub(1)));
                let found = by_number.or_else(|| offered.iter().find(|one| one.name == word));
                chosen.extend(found.copied());
                found.is_some()
            });
        if is_understood {
            return Ok(Some(chosen));
        }
        say("there is no such number or name");
    }
}

/// A line that a person types.
pub(crate) fn line(prompt: &str) -> io::Result<String> {
    say_rendered(prompt);
    let mut text = String::new();
    io::stdin().lock().read_line(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_said_in_words_and_a_bar() {
        assert_eq!(words(&Progress::Asking("https://a")), "asking https://a");
        assert_eq!(
            words(&Progress::Bytes { done: 5_000, all: Some(10_000) }),
            "downloading 5 of 10 kB [##########..........]"
        );
        assert_eq!(
            words(&Progress::Objects { done: 0, all: 0 }),
            "fetching 0 of 0 objects [....................]"
        );
        assert_eq!(
            words(&Progress::Skills { done: 3, all: 3 }),
            "reading 3 of 3 skills [####################]"
        );
    }
}
