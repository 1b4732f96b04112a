//! What a person's words say about the work: against what was done, on with it, or something new.
//!
//! Told by first words, in English, German, Spanish, French, Russian and Chinese. It is a guess, and whoever
//! learns sees what came of it.

/// Words at the beginning of a message that say that something was done wrong.
#[rustfmt::skip]
const AGAINST: [&str; 38] = [
    "no", "nope", "not", "don't", "dont", "stop", "wrong", "instead", "undo", "revert", "actually",
    "rather", "never",
    "nein", "nicht", "falsch", "stopp", "stattdessen", "niemals",
    "incorrecto", "mal", "nunca", "deshaz",
    "non", "pas", "faux", "annule", "arrête", "jamais", "plutôt",
    "нет", "не", "неправильно", "неверно", "стоп", "отмени", "никогда", "вместо",
];

/// The same in Chinese, where words are not set apart: a message begins so, or has it near its beginning.
const AGAINST_FIRST: [&str; 6] = ["不", "别", "错", "停", "撤销", "重做"];
const AGAINST_NEAR: [&str; 4] = ["不对", "不是", "不要", "错了"];

/// Words of a message that are looked at for those, and characters.
const FIRST_WORDS: usize = 8;
const FIRST_CHARS: usize = 8;

/// Words at the beginning of a message that goes on with what was asked before.
#[rustfmt::skip]
const GOING_ON: [&str; 66] = [
    "yes", "yeah", "yep", "y", "ok", "okay", "sure", "right", "correct", "exactly", "go",
    "continue", "proceed", "thanks", "thank", "great", "good", "nice", "perfect", "cool", "and",
    "also", "then", "finally", "plus", "again", "retry", "try", "same",
    "ja", "weiter", "danke", "gut", "genau", "und", "auch", "dann",
    "sí", "vale", "gracias", "bien", "sigue", "continúa", "perfecto", "también", "luego",
    "oui", "merci", "parfait", "et", "aussi", "puis", "encore", "super",
    "да", "хорошо", "спасибо", "продолжай", "отлично", "и", "также", "потом", "дальше", "ещё", "еще",
    "так",
];

/// The same in Chinese.
const GOING_ON_FIRST: [&str; 11] =
    ["好", "是的", "对", "继续", "谢谢", "可以", "嗯", "然后", "还有", "再", "没问题"];

/// Words that go on when little follows, and begin something new when much does.
const EITHER: [&str; 7] = ["now", "next", "jetzt", "nun", "ahora", "maintenant", "теперь"];

/// A message of fewer words is no task of its own.
const MIN_WORDS: usize = 3;

/// A message of fewer words behind one of [`EITHER`] goes on.
const MIN_NEW_WORDS: usize = 8;

/// Whether a message begins with a word against what was done.
pub fn is_against(text: &str) -> bool {
    let text = text.trim_start();
    let near: String = text.chars().take(FIRST_CHARS).collect();
    if AGAINST_FIRST.iter().any(|start| text.starts_with(start))
        || AGAINST_NEAR.iter().any(|word| near.contains(word))
    {
        return true;
    }
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '!' | ':' | ';'))
        .filter(|word| !word.is_empty())
        .take(FIRST_WORDS)
        .any(|word| AGAINST.contains(&word.to_lowercase().replace('\u{2019}', "'").as_str()))
}

/// Whether a message asks for something new.
pub(super) fn is_new(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_lowercase();
    if GOING_ON.contains(&first.as_str())
        || GOING_ON_FIRST.iter().any(|start| text.trim_start().starts_with(start))
    {
        return false;
    }
    let count = length(&first) + words.map(length).sum::<usize>();
    count >= if EITHER.contains(&first.as_str()) { MIN_NEW_WORDS } else { MIN_WORDS }
}

/// How many words a run of letters is: one, or half as many as it has characters of Chinese.
fn length(run: &str) -> usize {
    let han = run.chars().filter(|c| ('\u{3400}'..='\u{9fff}').contains(c)).count();
    han.div_ceil(2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_against_is_known_in_six_languages() {
        for text in [
            "No, the other one",
            "that is wrong",
            "Nein, das Datum fehlt",
            "no, ordénalos por fecha",
            "Non, trie-les par date",
            "Нет, по дате",
            "不对,表头不算一行",
            "这个不对",
        ] {
            assert!(is_against(text), "{text}");
        }
        for text in
            ["sort them by date", "sortiere sie", "ordénalos", "трижды проверь", "按日期排序"]
        {
            assert!(!is_against(text), "{text}");
        }
    }

    #[test]
    fn going_on_is_told_from_something_new() {
        for text in [
            "thanks!",
            "now run the tests as well",
            "und jetzt die Tests",
            "gracias, sigue así",
            "merci, continue",
            "да, продолжай дальше",
            "好的,继续",
            "测试",
        ] {
            assert!(!is_new(text), "{text}");
        }
        for text in [
            "Draw the sales of last month",
            "now write a migration that adds a column to orders",
            "Zeichne die Verkäufe",
            "dibuja las ventas",
            "dessine les ventes",
            "нарисуй график продаж",
            "画出上个月的销售图",
        ] {
            assert!(is_new(text), "{text}");
        }
        // At the bound of words, and below it.
        assert!(is_new("now one two three four five six seven"));
        assert!(!is_new("now one two three four five six"));
    }
}
