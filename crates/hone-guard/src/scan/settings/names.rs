//! Names of the most used packages, and names that are made to be mistaken for them.

/// Most used packages of Python's index.
#[rustfmt::skip]
pub(super) const PYPI: &[&str] = &[
    "requests", "numpy", "pandas", "boto3", "botocore", "urllib3", "setuptools", "certifi",
    "python-dateutil", "charset-normalizer", "pyyaml", "idna", "packaging", "cryptography",
    "pydantic", "pydantic-core", "click", "fastapi", "flask", "django", "jinja2", "markupsafe",
    "pillow", "scipy", "matplotlib", "scikit-learn", "tensorflow", "torch", "torchvision",
    "transformers", "openai", "anthropic", "langchain", "beautifulsoup4", "lxml", "selenium",
    "playwright", "aiohttp", "httpx", "sqlalchemy", "psycopg2", "psycopg2-binary", "pymongo",
    "redis", "celery", "pytest", "colorama", "tqdm", "rich", "typer", "attrs", "protobuf",
    "grpcio", "google-api-python-client", "google-auth", "google-cloud-storage", "azure-core",
    "azure-identity", "paramiko", "pyjwt", "pyopenssl", "openpyxl", "xlrd", "python-docx",
    "python-pptx", "pypdf", "reportlab", "tabulate", "termcolor", "python-dotenv", "gunicorn",
    "uvicorn", "starlette", "websockets", "virtualenv", "wheel", "black", "mypy", "ruff", "pylint",
    "flake8", "docutils", "sphinx", "jsonschema", "toml", "tomli", "simplejson", "orjson",
    "networkx", "sympy", "seaborn", "plotly", "streamlit", "gradio", "opencv-python", "nltk",
    "spacy", "huggingface-hub", "sentence-transformers", "tiktoken", "pyautogui", "discord.py",
    "tweepy", "slack-sdk", "stripe", "twilio", "ansible", "jupyter", "notebook", "ipython",
    "docker", "kubernetes", "psutil", "pexpect", "markdown", "feedparser", "scrapy", "loguru",
    "alembic", "marshmallow", "typing-extensions", "six", "pytz", "tzdata", "wrapt", "filelock",
    "fsspec", "pyarrow", "polars", "duckdb", "xgboost", "lightgbm", "keras",
];

/// Most used packages of npm.
#[rustfmt::skip]
pub(super) const NPM: &[&str] = &[
    "lodash", "react", "react-dom", "axios", "express", "chalk", "commander", "debug", "moment",
    "uuid", "typescript", "webpack", "eslint", "prettier", "jest", "mocha", "dotenv",
    "body-parser", "cors", "mongoose", "sequelize", "socket.io", "jsonwebtoken", "bcrypt",
    "nodemon", "request", "async", "bluebird", "underscore", "yargs", "inquirer", "fs-extra",
    "glob", "rimraf", "mkdirp", "semver", "minimist", "colors", "cross-env", "node-fetch",
    "puppeteer", "playwright", "cheerio", "jquery", "vue", "next", "vite", "rollup", "esbuild",
    "tailwindcss", "postcss", "autoprefixer", "sass", "styled-components", "redux", "rxjs", "zod",
    "yup", "ws", "mysql", "mysql2", "redis", "passport", "multer", "nodemailer", "winston",
    "sharp", "ora", "tslib", "core-js", "babel-loader", "classnames", "prop-types", "date-fns",
    "dayjs", "electron", "discord.js", "ethers", "web3", "openai", "langchain", "pdf-lib", "xlsx",
    "csv-parse", "marked", "markdown-it", "highlight.js", "three", "chart.js", "vitest", "husky",
    "lint-staged", "concurrently", "http-server", "nanoid", "validator", "helmet", "morgan",
    "cookie-parser", "express-session", "undici", "formidable", "archiver", "jsdom",
    "commander.js", "prisma", "drizzle-orm", "pptxgenjs", "docx",
];

/// Most used crates.
#[rustfmt::skip]
pub(super) const CRATES: &[&str] = &[
    "serde", "serde_json", "tokio", "reqwest", "clap", "rand", "regex", "anyhow", "thiserror",
    "hyper", "tracing", "chrono", "uuid", "futures", "axum", "actix-web", "rayon", "itertools",
    "base64", "bytes", "hashbrown", "indexmap", "once_cell", "lazy_static", "ripgrep", "tempfile",
    "syn", "quote", "libc", "rustls", "openssl", "diesel", "sqlx", "serde_yaml", "async-trait",
    "env_logger", "crossbeam",
];

/// Real packages whose names are one step from a more used one.
#[rustfmt::skip]
const REAL: &[&str] = &[
    "request", "requests2", "click8", "toml", "tomli", "tomlkit", "tomllib", "torchvision",
    "torchaudio", "torch", "pillow-simd", "pandas-ta", "beautifulsoup", "bs4", "pypdf2", "pypdf",
    "pypdf3", "pymupdf", "python-docx2txt", "docx", "docx2", "docx4", "flask", "flake8", "black",
    "redis", "rq", "ws", "wss", "async", "asyncio", "asyncpg", "colors", "color", "chalk",
    "chalk2", "react", "preact", "reactn", "vue", "vuex", "vite", "vitest", "zod", "yup", "jest",
    "jose", "next", "nest", "nuxt", "ora", "glob", "globe", "globby", "three", "threejs", "moment",
    "momentjs", "marked", "market", "mocha", "mock", "sass", "sas", "scss", "less", "jquery",
    "cors", "debug", "dotenv", "dotenvx", "helmet", "sharp", "uuid", "uid", "uuid4", "semver",
    "lodash-es", "lodash.get", "rich", "ruff", "typer", "typed", "httpx", "http", "httpie",
    "keras", "kera", "stripe", "gunicorn", "uvicorn", "hypercorn", "wheel", "wheels", "mypy",
    "nltk", "tqdm", "pytz", "pyt", "idna", "numpy", "numba", "scipy", "plotly", "pexpect",
    "sphinx", "sqlmodel", "sqlalchemy2", "psycopg", "psycopg3", "psycopg2-binary",
    "psycopg-binary", "opencv-python-headless", "opencv-contrib-python", "redux", "redux-toolkit",
    "express", "xpress", "yargs", "yarg", "commander", "command", "docker", "dockerpty",
    "docker-py", "polar", "polars", "pola-rs", "fsspec", "markdown2", "markdown3", "markdown",
    "marko", "mistune", "langchain", "langchainjs", "xlsxwriter", "xlrd2", "xlwt", "six", "sis",
    "attrs", "attr", "spacy", "scapy", "pyyaml", "yaml", "ruamel.yaml", "prettier", "prettierd",
    "rust", "sqlx", "sqlc", "rand", "rands", "syn", "sync", "base64", "bytes", "quote", "clap",
    "regex", "regexp", "future", "futures", "hyper", "serde_yml", "openai", "openapi", "gradio",
    "radio", "pip", "celery", "hashbrown", "mysql", "mysql2", "mysql3", "multer", "formidable",
    "electron", "docutils", "marshmallow", "notebook", "pyjwt", "jwt", "webpack", "webpack5",
    "puppeteer", "puppeteer-core", "typing", "wrapt", "wrap", "rich-click", "vite5", "jupyterlab",
    "tailwindcss4", "axio", "axum", "ether", "ethers", "web3", "web", "pdf-lib", "pdflib", "tslib",
    "tslint", "selenium", "selenium2", "loguru", "glog", "request-promise", "chart.js", "chartjs",
    "discord.js", "discordjs", "discord.py", "discord", "discord-py", "cheerio", "nanoid", "nano",
    "dayjs", "days", "docker2", "orjson", "ujson", "rjson", "simplejson", "keyring", "ipython",
    "ipykernel", "bpython", "seaborn", "anthropic", "requests-html", "requests-oauthlib",
    "requests-toolbelt", "crypto-js", "cryptojs", "cryptography", "alembic", "validator",
    "validators", "gsutil", "slack", "jinja", "python", "unicorn", "reach", "prism", "serve",
    "server", "marker", "pandoc", "sqlite", "nox", "vuejs", "morgan", "organ", "pypff",
];

/// The used name that this one is made to be mistaken for.
pub(super) fn mistaken_for(name: &str, known: &[&'static str]) -> Option<&'static str> {
    const SHORTEST: usize = 5;
    let name = name.to_ascii_lowercase().replace('_', "-");
    if name.len() < 4
        || known.contains(&&*name)
        || REAL.contains(&&*name)
        || known.iter().any(|other| other.len() == name.len() && other.replace('_', "-") == name)
    {
        return None;
    }
    known.iter().copied().find(|other| {
        // Most are told apart by their lengths: two separators more or less at most.
        if other.len() < SHORTEST || other.len().abs_diff(name.len()) > 2 {
            return false;
        }
        let plain = other.replace('_', "-");
        // A separator more or less is a name of its own on npm and in Cargo, and the same on PyPI.
        let bare = |text: &str| text.replace(['-', '.'], "");
        bare(&plain) == bare(&name) || is_one_step(&plain, &name)
    })
}

/// One letter more, less or other, or two neighbours swapped.
fn is_one_step(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[same..], &b[same..]);
    match (rest_a.len(), rest_b.len()) {
        (x, y) if x == y => {
            rest_a[1..] == rest_b[1..]
                || x >= 2
                    && rest_a[0] == rest_b[1]
                    && rest_a[1] == rest_b[0]
                    && rest_a[2..] == rest_b[2..]
        }
        (x, y) if x == y + 1 => rest_a[1..] == *rest_b,
        (x, y) if x + 1 == y => *rest_a == rest_b[1..],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_one_step_from_a_known_one_are_mistaken() {
        for (name, known) in [
            ("reqeusts", "requests"),
            ("python-dateutill", "python-dateutil"),
            ("beautifulsoup5", "beautifulsoup4"),
            ("colourama", "colorama"),
            ("requets", "requests"),
            ("panda", "pandas"),
            ("numpyy", "numpy"),
        ] {
            assert_eq!(mistaken_for(name, PYPI), Some(known), "{name}");
        }
        for name in [
            "requests",
            "numpy",
            "httpie",
            "python_dateutil",
            "requests-html",
            "my-tool",
            "typing_extensions",
            "torchaudio",
            "bs4",
        ] {
            assert_eq!(mistaken_for(name, PYPI), None, "{name}");
        }
        assert_eq!(mistaken_for("expres", NPM), Some("express"));
        assert_eq!(mistaken_for("cross-env.js", NPM), None);
        assert_eq!(mistaken_for("crossenv", NPM), Some("cross-env"));
        for known in [PYPI, NPM, CRATES] {
            for name in known {
                assert_eq!(mistaken_for(name, known), None, "{name}");
            }
        }
    }
}
