//! Skills that may be twins of one another, found by the rarest words that they share: linear in the number of
//! skills, however many of them have a word in common.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hone_router::{SkillText, likeness};

/// Words of a skill by which others are found, the rarest first.
const MAX_MARKS: usize = 24;

/// Skills that one word leads to: those that stand next to it among all that have the word.
const MAX_WITH: usize = 32;

/// Neighbours that are compared word by word.
const MAX_COMPARED: usize = 5;

/// Letters of a word that count, so that `price` and `prices` are one.
const MARK_CHARS: usize = 5;

/// Where scripts begin that write no blanks between words.
const UNSPACED: char = '\u{2e80}';

/// The words of skills, and which skills have them.
pub(super) struct Neighbours<'t> {
    texts: &'t [SkillText],
    marks: Vec<BTreeSet<String>>,
    with: HashMap<String, Vec<usize>>,
}

impl<'t> Neighbours<'t> {
    pub(super) fn new(texts: &'t [SkillText]) -> Self {
        let marks: Vec<BTreeSet<String>> = texts.iter().map(marks).collect();
        let mut with: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, marks) in marks.iter().enumerate() {
            for mark in marks {
                with.entry(mark.clone()).or_default().push(at);
            }
        }
        Self { texts, marks, with }
    }

    /// The skill that is most like one, and how much, of those that its words lead to.
    pub(super) fn nearest(&self, at: usize) -> Option<(usize, f32)> {
        let text = &self.texts[at];
        let compared =
            self.near(at).0.into_iter().map(|near| (near, likeness(text, &self.texts[near])));
        compared.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// Those that share the most and the rarest words, and how many were looked at for it.
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^52 skills")]
    fn near(&self, at: usize) -> (Vec<usize>, usize) {
        let all = |mark: &String| self.with.get(mark).map_or(&[][..], Vec::as_slice);
        let mut marks: Vec<&[usize]> =
            self.marks[at].iter().map(all).filter(|with| with.len() > 1).collect();
        marks.sort_by_key(|with| with.len());
        let (mut scores, mut looked): (BTreeMap<usize, f64>, usize) = (BTreeMap::new(), 0);
        for with in marks.into_iter().take(MAX_MARKS) {
            let own = with.partition_point(|other| *other < at);
            let from = own.saturating_sub(MAX_WITH / 2).min(with.len().saturating_sub(MAX_WITH));
            for other in with[from..].iter().take(MAX_WITH).filter(|other| **other != at) {
                *scores.entry(*other).or_default() += 1.0 / with.len() as f64;
                looked += 1;
            }
        }
        let mut near: Vec<(usize, f64)> = scores.into_iter().collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        (near.into_iter().take(MAX_COMPARED).map(|(near, _)| near).collect(), looked)
    }
}

/// The words of a skill, shortened; in scripts without blanks, every two characters.
fn marks(text: &SkillText) -> BTreeSet<String> {
    let mut marks = BTreeSet::new();
    for part in [&text.name, &text.description, &text.when_to_use, &text.body] {
        for word in part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
            if letters.iter().any(|c| *c >= UNSPACED) {
                marks.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
            } else {
                marks.insert(letters.into_iter().take(MARK_CHARS).collect());
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, description: &str, body: &str) -> SkillText {
        SkillText {
            name: name.to_owned(),
            description: description.to_owned(),
            body: body.to_owned(),
            ..SkillText::default()
        }
    }

    /// Skills that have most of their words in common.
    fn shop(count: usize) -> Vec<SkillText> {
        let one = |at: usize| {
            let about = format!("Does thing{at} for the shop. Use when thing{at} is asked for.");
            text(
                &format!("skill-{at}"),
                &about,
                &format!("Do thing{at}, part{}, then check.", at * 7),
            )
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn ten_times_as_many_skills_are_ten_times_the_work_and_twins_are_found_among_them() {
        let looked = |count: usize| -> usize {
            let texts = shop(count);
            let neighbours = Neighbours::new(&texts);
            (0..count).map(|at| neighbours.near(at).1).sum()
        };
        let (few, many) = (looked(60), looked(600));
        assert!(few > 60 && many <= 11 * few, "{few} {many}");
        let mut texts = shop(600);
        texts.push(text("sum-prices", "Sums the prices of goods.", "Read prices.csv and add up."));
        texts.extend(shop(600).drain(..300));
        texts.push(text(
            "total-prices",
            "Sums prices of all goods.",
            "Read prices.csv, add it up.",
        ));
        let (twin, alike) = Neighbours::new(&texts).nearest(600).unwrap();
        assert!(twin == texts.len() - 1 && alike > 0.55, "{twin} {alike}");
    }

    #[test]
    fn words_without_blanks_have_neighbours_too() {
        let texts = [
            text("a", "对价格表求和", "读取价格表"),
            text("b", "发布新版本", "打标签"),
            text("c", "求价格表的总和", "读取价格表"),
        ];
        assert_eq!(Neighbours::new(&texts).nearest(0).unwrap().0, 2);
        assert_eq!(Neighbours::new(&texts[1..2]).nearest(0), None);
    }
}
