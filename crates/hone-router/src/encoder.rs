//! A sentence model in a local folder: a text becomes a vector, and texts that mean alike lie near each
//! other.
//!
//! The folder is one of the `MiniLM` or BERT family as it is published: `model.safetensors` beside
//! `vocab.txt` or `tokenizer.json`, `config.json` and `1_Pooling/config.json` read when they are there.
//! Nothing is downloaded and no such folder is ever needed. A folder that is not understood is an error
//! that names the file; whoever gets it goes on with words alone.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2, Axis, Slice};
use safetensors::tensor::{Dtype, Metadata};
use thiserror::Error;

use crate::wordpiece::WordPiece;

/// Pieces of a text that are read; what a text is about stands at its start.
pub const MAX_PIECES: usize = 256;

/// Largest weights that are loaded, in bytes.
const MAX_WEIGHT_BYTES: u64 = 1 << 30;

/// Largest list of tensors, vocabulary or configuration, in bytes.
const MAX_TEXT_BYTES: u64 = 16 << 20;

/// Heads of attention when no configuration says so: what `MiniLM` and BERT have.
const DEFAULT_HEADS: usize = 12;

/// Keeps the deviation of a layer away from zero.
const NORM_EPSILON: f32 = 1e-12;

/// Why a folder cannot be used as a sentence model.
#[derive(Debug, Error)]
pub enum EncoderError {
    /// A file cannot be read.
    #[error("could not read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("`{}` is no part of a sentence model: {reason}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// A sentence model, ready to be asked.
#[derive(Debug)]
pub struct Encoder {
    pieces: WordPiece,
    words: WordTable,
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    pooling: Pooling,
    fingerprint: u64,
}

/// How the vectors of a text's pieces become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pooling {
    Mean,
    First,
}

/// The vectors of pieces, which are most of a model: only those of a text are read.
#[derive(Debug)]
struct WordTable {
    file: File,
    from: u64,
    dtype: Dtype,
    rows: usize,
    width: usize,
}

#[derive(Debug)]
struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
}

/// A matrix and what is added after it; rows are outputs.
#[derive(Debug)]
struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

#[derive(Debug)]
struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    mixed: Linear,
    mixed_norm: Norm,
    wide: Linear,
    narrow: Linear,
    narrow_norm: Norm,
}

impl Encoder {
    /// Opens the model in a folder.
    pub fn open(folder: &Path) -> Result<Self, EncoderError> {
        let weights = Weights::open(folder.join("model.safetensors"))?;
        let pieces = vocabulary(folder)?;
        let width = weights.shape("embeddings.word_embeddings.weight")?[1];
        let heads = configured(folder, "config.json")
            .and_then(|config| usize::try_from(config.get("num_attention_heads")?.as_u64()?).ok())
            .unwrap_or(DEFAULT_HEADS);
        if heads == 0 || width % heads != 0 {
            let reason = format!("a vector of {width} numbers has no {heads} equal parts");
            return Err(weights.broken(reason));
        }
        let is_first = configured(folder, "1_Pooling/config.json")
            .is_some_and(|config| config["pooling_mode_cls_token"] == true);
        let kinds = weights.matrix("embeddings.token_type_embeddings.weight")?;
        let mut positions = weights.matrix("embeddings.position_embeddings.weight")?;
        // All pieces are of the first kind, so its vector belongs to every position.
        if kinds.ncols() != positions.ncols() || kinds.nrows() == 0 {
            return Err(weights.broken("its tables do not fit each other".to_owned()));
        }
        positions += &kinds.row(0);
        let layers = (0..)
            .take_while(|n| weights.has(&format!("encoder.layer.{n}.output.dense.weight")))
            .map(|n| Layer::read(&weights, n))
            .collect::<Result<Vec<_>, _>>()?;
        if layers.is_empty() {
            return Err(weights.broken("there is no `encoder.layer.0`".to_owned()));
        }
        let norm = weights.norm("embeddings.LayerNorm")?;
        let fingerprint = fingerprint(&norm, &layers, is_first);
        let encoder = Self {
            pieces,
            words: weights.words()?,
            positions,
            norm,
            layers,
            heads,
            pooling: if is_first { Pooling::First } else { Pooling::Mean },
            fingerprint,
        };
        encoder.check(width).map_err(|what| EncoderError::Broken {
            path: folder.join("model.safetensors"),
            reason: format!("{what} does not fit the rest"),
        })?;
        Ok(encoder)
    }

    /// Every matrix has the size that its neighbours need.
    fn check(&self, width: usize) -> Result<(), String> {
        let norm = |norm: &Norm| norm.weight.len() == width && norm.bias.len() == width;
        if self.positions.ncols() != width || !norm(&self.norm) {
            return Err("its first layer".to_owned());
        }
        for (number, layer) in self.layers.iter().enumerate() {
            let wide = layer.wide.weight.nrows();
            let sizes = [
                (&layer.query, width, width),
                (&layer.key, width, width),
                (&layer.value, width, width),
                (&layer.mixed, width, width),
                (&layer.wide, wide, width),
                (&layer.narrow, width, wide),
            ];
            let fits = sizes.iter().all(|(linear, rows, columns)| {
                linear.weight.dim() == (*rows, *columns) && linear.bias.len() == *rows
            });
            if !fits || !norm(&layer.mixed_norm) || !norm(&layer.narrow_norm) {
                return Err(format!("layer {number}"));
            }
        }
        Ok(())
    }

    /// What tells this model from others: vectors of two models are not compared.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How many numbers a vector has.
    pub fn width(&self) -> usize {
        self.words.width
    }

    /// The vector of a text, of length 1; an error when the file went away.
    pub fn encode(&self, text: &str) -> std::io::Result<Vec<f32>> {
        let most = MAX_PIECES.min(self.positions.nrows());
        let numbers = self.pieces.numbers(text, most);
        let mut x = self.words.rows(&numbers)?;
        x += &self.positions.slice_axis(Axis(0), Slice::from(..numbers.len()));
        self.norm.apply(&mut x);
        for layer in &self.layers {
            x = layer.apply(&x, self.heads);
        }
        let vector = match self.pooling {
            Pooling::First => x.row(0).to_owned(),
            Pooling::Mean => x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(self.width())),
        };
        let length = vector.dot(&vector).sqrt().max(f32::MIN_POSITIVE);
        Ok(vector.iter().map(|value| value / length).collect())
    }
}

impl Layer {
    fn read(weights: &Weights, number: usize) -> Result<Self, EncoderError> {
        let at = |name: &str| format!("encoder.layer.{number}.{name}");
        Ok(Self {
            query: weights.linear(&at("attention.self.query"))?,
            key: weights.linear(&at("attention.self.key"))?,
            value: weights.linear(&at("attention.self.value"))?,
            mixed: weights.linear(&at("attention.output.dense"))?,
            mixed_norm: weights.norm(&at("attention.output.LayerNorm"))?,
            wide: weights.linear(&at("intermediate.dense"))?,
            narrow: weights.linear(&at("output.dense"))?,
            narrow_norm: weights.norm(&at("output.LayerNorm"))?,
        })
    }

    fn apply(&self, x: &Array2<f32>, heads: usize) -> Array2<f32> {
        let (query, key, value) = (self.query.of(x), self.key.of(x), self.value.of(x));
        let width = x.ncols() / heads;
        let scale = 1.0 / (width as f32).sqrt();
        let mut context = Array2::zeros(x.dim());
        for head in 0..heads {
            let part = Slice::from(head * width..(head + 1) * width);
            let of = |whole: &'_ Array2<f32>| whole.slice_axis(Axis(1), part).to_owned();
            let mut attention = of(&query).dot(&of(&key).t());
            for mut row in attention.rows_mut() {
                row *= scale;
                softmax(row.as_slice_mut().unwrap_or_default());
            }
            context.slice_axis_mut(Axis(1), part).assign(&attention.dot(&of(&value)));
        }
        let mut mixed = self.mixed.of(&context);
        mixed += x;
        self.mixed_norm.apply(&mut mixed);
        let mut wide = self.wide.of(&mixed);
        wide.mapv_inplace(gelu);
        let mut out = self.narrow.of(&wide);
        out += &mixed;
        self.narrow_norm.apply(&mut out);
        out
    }
}

impl Linear {
    fn of(&self, x: &Array2<f32>) -> Array2<f32> {
        let mut out = x.dot(&self.weight.t());
        out += &self.bias;
        out
    }
}

impl Norm {
    fn apply(&self, x: &mut Array2<f32>) {
        for mut row in x.rows_mut() {
            let count = row.len().max(1) as f32;
            let mean = row.sum() / count;
            row -= mean;
            let deviation = (row.dot(&row) / count + NORM_EPSILON).sqrt();
            row /= deviation;
            row *= &self.weight;
            row += &self.bias;
        }
    }
}

fn softmax(row: &mut [f32]) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in row.iter_mut() {
        *value = (*value - most).exp();
        sum += *value;
    }
    for value in row {
        *value /= sum;
    }
}

/// x times the share of a normal distribution below x.
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function, off by at most 1.5e-7 (Abramowitz and Stegun 7.1.26).
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let powers = [0.254_829_6, -0.284_496_74, 1.421_413_7, -1.453_152, 1.061_405_4];
    let sum = powers.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

impl WordTable {
    fn rows(&self, numbers: &[u32]) -> std::io::Result<Array2<f32>> {
        let bytes = self.width * bytes_of(self.dtype);
        let mut row = vec![0; bytes];
        let mut values = Vec::with_capacity(numbers.len() * self.width);
        for &number in numbers {
            // A vocabulary with more pieces than the table has rows ends in the unknown.
            let number = if (number as usize) < self.rows { u64::from(number) } else { 0 };
            self.file.read_exact_at(&mut row, self.from + number * bytes as u64)?;
            values.extend(floats(&row, self.dtype));
        }
        Array2::from_shape_vec((numbers.len(), self.width), values)
            .map_err(|error| std::io::Error::other(error.to_string()))
    }
}

/// The tensors of a file.
struct Weights {
    path: PathBuf,
    file: File,
    metadata: Metadata,
    /// Where tensors begin in the file.
    from: u64,
    /// What stands before every name.
    prefix: &'static str,
}

impl Weights {
    fn open(path: PathBuf) -> Result<Self, EncoderError> {
        let unread = |source| EncoderError::Read { path: path.clone(), source };
        let broken = |reason: String| EncoderError::Broken { path: path.clone(), reason };
        let file = File::open(&path).map_err(unread)?;
        let size = file.metadata().map_err(unread)?.len();
        if size > MAX_WEIGHT_BYTES {
            return Err(broken(format!("it has more than {MAX_WEIGHT_BYTES} bytes")));
        }
        let mut length = [0; 8];
        let header = match file.read_exact_at(&mut length, 0) {
            Ok(()) => u64::from_le_bytes(length),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => u64::MAX,
            Err(error) => return Err(unread(error)),
        };
        if header > MAX_TEXT_BYTES || header + 8 > size {
            return Err(broken("it does not begin like a safetensors file".to_owned()));
        }
        let mut list = vec![0; usize::try_from(header).unwrap_or(0)];
        file.read_exact_at(&mut list, 8).map_err(unread)?;
        let metadata: Metadata =
            serde_json::from_slice(&list).map_err(|error| broken(error.to_string()))?;
        if metadata.data_len() as u64 + header + 8 != size {
            return Err(broken("its size is not what its list of tensors says".to_owned()));
        }
        let has_prefix = metadata.info("bert.embeddings.word_embeddings.weight").is_some();
        let prefix = if has_prefix { "bert." } else { "" };
        Ok(Self { path, file, metadata, from: header + 8, prefix })
    }

    fn broken(&self, reason: String) -> EncoderError {
        EncoderError::Broken { path: self.path.clone(), reason }
    }

    fn has(&self, name: &str) -> bool {
        self.metadata.info(&format!("{}{name}", self.prefix)).is_some()
    }

    fn info(&self, name: &str) -> Result<&safetensors::tensor::TensorInfo, EncoderError> {
        let name = format!("{}{name}", self.prefix);
        let info = self
            .metadata
            .info(&name)
            .ok_or_else(|| self.broken(format!("there is no tensor `{name}`")))?;
        if bytes_of(info.dtype) == 0 {
            let reason = format!("`{name}` holds {:?}; F32, F16 and BF16 are read", info.dtype);
            return Err(self.broken(reason));
        }
        Ok(info)
    }

    /// The shape of a matrix.
    fn shape(&self, name: &str) -> Result<[usize; 2], EncoderError> {
        let info = self.info(name)?;
        let wrong = |_| self.broken(format!("`{name}` is no matrix"));
        let shape: [usize; 2] = info.shape.as_slice().try_into().map_err(wrong)?;
        if shape.contains(&0) {
            return Err(self.broken(format!("`{name}` is empty")));
        }
        Ok(shape)
    }

    fn values(&self, name: &str) -> Result<Vec<f32>, EncoderError> {
        let info = self.info(name)?;
        let (from, to) = info.data_offsets;
        let mut bytes = vec![0; to.saturating_sub(from)];
        self.file
            .read_exact_at(&mut bytes, self.from + from as u64)
            .map_err(|source| EncoderError::Read { path: self.path.clone(), source })?;
        Ok(floats(&bytes, info.dtype).collect())
    }

    fn matrix(&self, name: &str) -> Result<Array2<f32>, EncoderError> {
        let [rows, columns] = self.shape(name)?;
        Array2::from_shape_vec((rows, columns), self.values(name)?)
            .map_err(|error| self.broken(format!("`{name}`: {error}")))
    }

    fn linear(&self, name: &str) -> Result<Linear, EncoderError> {
        let weight = self.matrix(&format!("{name}.weight"))?;
        let bias = Array1::from_vec(self.values(&format!("{name}.bias"))?);
        Ok(Linear { weight, bias })
    }

    fn norm(&self, name: &str) -> Result<Norm, EncoderError> {
        let weight = Array1::from_vec(self.values(&format!("{name}.weight"))?);
        let bias = Array1::from_vec(self.values(&format!("{name}.bias"))?);
        Ok(Norm { weight, bias })
    }

    fn words(self) -> Result<WordTable, EncoderError> {
        const NAME: &str = "embeddings.word_embeddings.weight";
        let [rows, width] = self.shape(NAME)?;
        let info = self.info(NAME)?;
        let (from, dtype) = (self.from + info.data_offsets.0 as u64, info.dtype);
        Ok(WordTable { file: self.file, from, dtype, rows, width })
    }
}

/// Bytes of one number; 0 for numbers that are not read.
fn bytes_of(dtype: Dtype) -> usize {
    match dtype {
        Dtype::F32 => 4,
        Dtype::F16 | Dtype::BF16 => 2,
        _ => 0,
    }
}

fn floats(bytes: &[u8], dtype: Dtype) -> Box<dyn Iterator<Item = f32> + '_> {
    let halves = || bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    match dtype {
        Dtype::F32 => Box::new(
            bytes
                .chunks_exact(4)
                .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])),
        ),
        Dtype::BF16 => Box::new(halves().map(|half| f32::from_bits(u32::from(half) << 16))),
        _ => Box::new(halves().map(half)),
    }
}

/// A number of 16 bits: sign, five bits of exponent, ten of mantissa.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, mantissa) = (bits >> 10 & 0x1f, f32::from(bits & 0x3ff));
    sign * match exponent {
        0 => mantissa * 2.0_f32.powi(-24),
        0x1f if mantissa == 0.0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => (1.0 + mantissa / 1024.0) * 2.0_f32.powi(i32::from(exponent) - 15),
    }
}

/// The small tensors of a model, which differ between any two that were trained.
fn fingerprint(norm: &Norm, layers: &[Layer], is_first: bool) -> u64 {
    let small = layers.iter().flat_map(|layer| {
        [&layer.query.bias, &layer.mixed.bias, &layer.wide.bias, &layer.narrow_norm.weight]
    });
    let all = [&norm.weight, &norm.bias].into_iter().chain(small);
    let step = |hash: u64, bits: u32| (hash ^ u64::from(bits)).wrapping_mul(0x0000_0100_0000_01b3);
    let start = step(0xcbf2_9ce4_8422_2325, u32::from(is_first));
    all.flatten().fold(start, |hash, value| step(hash, value.to_bits()))
}

fn vocabulary(folder: &Path) -> Result<WordPiece, EncoderError> {
    let (text, json) = (folder.join("vocab.txt"), folder.join("tokenizer.json"));
    let path = if text.is_file() { text } else { json };
    let bytes = bounded(&path)?;
    let broken = |reason: String| EncoderError::Broken { path: path.clone(), reason };
    let lacking = |piece: &str| broken(format!("it has no piece `{piece}`"));
    if path.extension().is_some_and(|extension| extension == "txt") {
        let text = std::str::from_utf8(&bytes).map_err(|error| broken(error.to_string()))?;
        return WordPiece::new(text.lines().zip(0..)).map_err(lacking);
    }
    let json: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))?;
    let pieces = json["model"]["vocab"]
        .as_object()
        .filter(|_| json["model"]["type"] == "WordPiece")
        .ok_or_else(|| broken("it has no vocabulary of the kind `WordPiece`".to_owned()))?;
    let numbered = pieces.iter().filter_map(|(piece, number)| {
        Some((piece.as_str(), u32::try_from(number.as_u64()?).ok()?))
    });
    WordPiece::new(numbered).map_err(lacking)
}

/// A configuration file, if it is there and understood.
fn configured(folder: &Path, name: &str) -> Option<serde_json::Value> {
    serde_json::from_slice(&bounded(&folder.join(name)).ok()?).ok()
}

fn bounded(path: &Path) -> Result<Vec<u8>, EncoderError> {
    let unread = |source| EncoderError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unread)?;
    file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        let reason = format!("it has more than {MAX_TEXT_BYTES} bytes");
        return Err(EncoderError::Broken { path: path.to_owned(), reason });
    }
    Ok(bytes)
}
