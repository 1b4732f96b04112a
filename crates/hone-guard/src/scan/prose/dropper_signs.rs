//! The words by which a prerequisite gives itself away, in the languages that skills are written in.

/// Signs that are asked for by name.
pub(super) const PIPED: &str = "a stranger's script that is run unseen";
pub(super) const LOGIN: &str = "the login password";
pub(super) const STRANGER: &str = "a program on a stranger's host";
pub(super) const PAGE: &str = "somebody's page";
pub(super) const REPOSITORY: &str = "somebody's repository";
pub(super) const PASTED: &str = "a page whose text is pasted into a terminal";

/// Endings of files that carry programs.
#[rustfmt::skip]
pub(super) const PROGRAMS: &[&str] = &[
    ".zip", ".rar", ".7z", ".dmg", ".exe", ".msi", ".pkg", ".tar.gz", ".tgz", ".apk", ".appimage", ".scr", ".bat", ".cmd", ".ps1", ".command", ".iso", ".img", ".tar.xz",
    ".jar", ".vbs", ".lnk", ".app.zip", ".hta", ".wsf", ".cab", ".pkg.zip", ".gz", ".tar.bz2", ".vsix", ".appx", ".ipa", ".sh", ".msix", ".crx", ".xpi", ".deb", ".rpm", ".run", ".bin",
];

/// Endings of files that start when they are opened.
#[rustfmt::skip]
pub(super) const STARTABLE: &[&str] = &[
    ".exe", ".msi", ".pkg", ".dmg", ".scr", ".bat", ".cmd", ".ps1", ".command", ".msix", ".vbs", ".lnk", ".appimage", ".apk", ".jar", ".crx", ".xpi", ".zip", ".rar", ".7z",
    ".tar.gz", ".tgz", ".hta", ".wsf", ".cab", ".iso", ".img", ".run", ".deb", ".rpm", ".vsix", ".appx", ".tar.xz", ".bin",
];

/// Places that hand out files of anybody.
#[rustfmt::skip]
pub(super) const FILE_HOSTS: &[&str] = &[
    "mega.nz", "mediafire.com", "drive.google.com", "dropbox.com", "pan.baidu.com", "lanzou", "gofile.io", "wetransfer.com", "pixeldrain", "sendspace", "catbox.moe",
    "file.io", "transfer.sh", "anonfiles", "1drv.ms", "disk.yandex", "cloud.mail.ru", "quark.cn", "123pan", "cdn.discordapp.com", "aliyundrive", "alipan", "weiyun",
    "cowtransfer", "terabox", "workupload", "krakenfiles", "filebin", "bayfiles", "uploadgig", "zippyshare", "s3.amazonaws.com", "sourceforge.net", "ipfs.io",
];

/// Words that make a password one of an archive.
#[rustfmt::skip]
pub(super) const ARCHIVES: &[&str] = &[
    "zip", "rar", ".7z", "archive", "extract", "unpack", "解压", "压缩", "comprim", "archivo", "archiv", "архив", "提取码",
];

/// Words that make a stranger's page one to take a program from.
#[rustfmt::skip]
pub(super) const TAKING: &[&str] = &[
    "download", "fetch", "get our", "obtain", "descárg", "télécharg", "lives on a share", "on a share", "take it from", "fetch it", "opens with", "passcode", "put into the clipboard", "paste the", "paste it", "get it", "grab", "installer", "install the", "copy the command", "copy the", "下载", "descarg", "baix", "herunterlad", "telecharg",
    "скача",
];

pub(super) struct Sign {
    pub(super) weight: usize,
    pub(super) says: &'static str,
    pub(super) words: &'static [&'static str],
}

/// What adds up, once there is a link.
#[rustfmt::skip]
pub(super) const SIGNS: &[Sign] = &[
    Sign {
        weight: 3,
        says: "a password to unpack it",
        words: &[
    "password", "passphrase", "pass:", "pw:", "pw ", "pass `", "with the code", "unlock code", "contraseña", "archive password", "pin:", "пароль", "pwd:", "pwd ", "passcode", "archive key", "key:", "unlock with", "unlock code", "unlock it with", "unlock them with", "unlocks with", "protected with", "encrypted with", "解压密码", "密码", "提取码", "口令", "contrasena", "clave",
    "senha", "mot de passe", "passwort", "kennwort", "парол",
        ],
    },
    Sign {
        weight: 1,
        says: "unpacking",
        words: &[
    "extract", "unzip", "unpack", "unarchive", "decompress", "mount it", "mount the", "descompr", "extraiga", "entpacken", "解压", "descomprim", "extrai", "extraire", "extrayez", "entpack", "распак",
        ],
    },
    Sign {
        weight: 1,
        says: "starting it",
        words: &[
    "run it", "run the", "open `", "launch it", "fire up", "bring it up", "start up", "put it into", "keep the window open", "leave it open", "in the background", "start core", "unpack", "start `", "and start", "make it executable", "type it", "execute", "launch", "double-click", "double click", "start the",
    "start it", "install it", "install the", "start `", "run `", "open it", "open the file", "open the installer", "chmod +x", "run setup", "keep it running",
    "leave it running", "load unpacked", "运行", "双击", "启动", "安装", "ejecut", "abre el", "instala", "execute o", "rode", "starte", "fuhre", "lancez", "executez", "запуст",
    "откро", "ejecute", "inicie", "abra `", "starten sie", "öffnen sie", "offnen sie", "fuhren sie", "lancez", "ouvrez", "execute `", "abra o", "запустить", "откройте", "откроите", "打开 `", "drag", "open the program", "open the app", "start the program", "start the app", "run the program", "launch the", "open what is inside", "load it",
        ],
    },
    Sign {
        weight: 1,
        says: "that nothing works without it",
        words: &[
    "prerequisite", "must be running", "has to be running", "has to run", "has to be active", "has to be installed", "companion", "helper", "otherwise", "nothing works", "needs its", "skill needs", "first:", "this skill requires", "before continuing", "before anything", "or else", "refuses to", "fails otherwise", "will fail", "requisito previo", "sin él", "sin ella", "no funciona", "muss laufen", "ohne ihn", "sans lui", "prérequis", "ne fonctionne", "使用前", "无法使用", "без него", "не работает", "pré-requisito", "must be running", "must be active", "must be started", "stay locked", "stays locked", "is missing", "are missing", "cannot work", "must run",
    "must be installed", "needs to be running", "need to be running", "before using", "before you use", "before use", "before the first", "before continuing",
    "before running", "will not work", "won't work", "does not work", "doesn't work", "not work until", "not function", "required for", "is required", "are required",
    "requires the", "required component", "required before", "mandatory", "without it", "until the", "only after", "needs the", "depends on the", "stays offline",
    "must have", "fails unless", "cannot start", "必须", "前提", "需要先", "请先", "否则", "先安装", "obligatorio", "imprescindible", "requisito", "necesario", "antes de usar",
    "pre-requisito", "obrigatori", "necessari", "voraussetzung", "erforderlich", "zwingend", "prerequis", "obligatoire", "avant d'utiliser", "необходим", "требует",
    "перед использованием", "обязательн",
        ],
    },
    Sign {
        weight: 2,
        says: "getting past the system's warnings",
        words: &[
    "blue warning", "blue window", "privacy & security", "privacy and security", "add an exclusion", "add an exception", "whitelist it", "whitelist the file", "whitelist the app", "whitelist the program", "whitelist the folder", "whitelist this", "allow-list it", "control-click", "ctrl-click", "right click", "keep anyway", "click keep", "unblock", "heuristic", "flagged by", "flag it", "not signed", "signature warning", "allow apps from anywhere", "warning appears", "if windows warns", "if macos", "security prompt", "trojan", "malware warning", "disable antivirus", "disable your antivirus", "turn off antivirus", "antivirus may", "antivirus", "defender", "smartscreen", "gatekeeper", "windows protected your pc",
    "run anyway", "open anyway", "allow anyway", "unidentified developer", "unverified developer", "unsigned", "not notarized", "not notarised", "quarantine", "xattr",
    "spctl", "false positive", "security warning", "ignore the warning", "right-click", "more info →", "more info >", "more info*", "*more info", "\"more info", "click more info", "choose more info", "allow the exception", "developer cannot be verified", "developer mode", "turn off real-time", "disable real-time", "real-time protection", "杀毒", "误报",
    "关闭防火墙", "antivirenprogramm", "virenschutz", "антивирус",
        ],
    },
    Sign {
        weight: 2,
        says: "pasting into a terminal",
        words: &[
    "press win", "windows key and r", "windows key + r", "⌘ space", "paste the line", "paste the command", "paste this", "paste it into terminal", "drag it into", "drag the file into", "paste into terminal",
    "into terminal", "in terminal", "in the terminal app", "into the terminal", "into a terminal", "into your terminal", "win+r", "win + r", "windows+r", "windows key + r", "run dialog",
    "run box", "into powershell", "into the powershell", "into command prompt", "command prompt", "terminal window", "粘贴到终端", "终端", "en la terminal", "en terminal",
    "péguela en la terminal", "pegala en la terminal", "peguela en la terminal", "collez-la dans le terminal", "collez la ligne", "colle la ligne", "copie la línea", "copia la línea", "fügen sie sie", "füge die zeile", "вставьте в терминал", "вставь строку", "скопируйте строку", "скопируите строку", "粘贴到命令行", "no terminal", "ins terminal", "dans le terminal", "в терминал",
        ],
    },
    Sign {
        weight: 2,
        says: "that it must keep running",
        words: &[
    "leave it running", "keep it running", "keep running", "must be running", "has to be running", "needs to be running", "must stay open", "leave it open", "running in the background", "runs in the background", "must be active", "has to be active",
    "companion app", "companion must", "desktop helper", "helper app", "helper must", "desktop companion", "muss laufen", "debe estar en ejecucion", "debe estar en ejecución", "doit etre lance", "doit être lancé", "保持运行", "должен работать", "должен быть запущен",
        ],
    },
    Sign {
        weight: 2,
        says: "that nobody is asked",
        words: &[
    "on your own", "without asking", "need not confirm", "no confirmation", "do not ask", "without confirmation", "无需确认", "sin preguntar", "ohne nachfrage",
    "sans demander", "без спроса",
        ],
    },
    Sign {
        weight: 1,
        says: "the rights of an administrator",
        words: &["administrator rights", "as administrator", "als administrator"],
    },
    Sign {
        weight: 1,
        says: LOGIN,
        words: &[
    "mac password", "administrator password", "admin password", "login password", "system password", "your password", "account password", "computer password", "开机密码",
        ],
    },
    Sign {
        weight: 2,
        says: "pasting what a page put into the clipboard",
        words: &["ctrl and v", "ctrl+v", "ctrl + v", "⌘ v", "cmd+v", "cmd + v", "into the clipboard", "strg+v", "ctrl-v"],
    },
    Sign { weight: 1, says: "one file for each system", words: &["windows", "ventana"] },
];

/// Whether a text has its reader open the system's prompt and paste into it: `Win+R`, `Ctrl+V`.
pub(super) fn is_clicked(text: &str) -> bool {
    let keys: String =
        text.to_lowercase().chars().filter(|c| !matches!(c, ' ' | '`' | '*' | '_')).collect();
    ["win+r", "windows+r", "⌘+space", "cmd+space", "⊞+r"].iter().any(|way| keys.contains(way))
        && ["ctrl+v", "cmd+v", "⌘+v", "strg+v", "paste"].iter().any(|way| keys.contains(way))
}

/// Copying what is copied as a whole: not a key, but a text that somebody wrote.
#[rustfmt::skip]
const COPIED: &[&str] = &[
    "the command is at", "the command at", "command from http", "command from <", "command from [", "commands from", "the script at", "the script is at", "one-liner", "line shown there", "command shown", "command you find",
    "command that is shown", "command listed", "the line from", "the code from", "der befehl steht", "el comando está en", "el comando esta en", "la commande est",
    "copy everything", "copy all", "copy it", "copy the command", "copy the whole", "copy the script", "copy the text", "copy the line", "copy that line", "copy this line", "copy the content",
    "copy its content", "copy the code", "copy the installation", "copy the install", "copy the setup", "copy the snippet", "copy what", "copy the one-liner", "copy the block", "copy the entire",
    "copy them", "copy the page", "copy the full", "copy and paste", "copy-paste", "copy/paste", "select all", "select everything", "copy the displayed", "copy the shown", "copy the text there",
    "kopieren sie den", "kopieren sie die", "kopiere den", "kopiere die", "kopieren sie alles", "kopiere alles", "copie todo", "copia todo", "copie el", "copia el", "copie la", "copia la", "copiez tout", "copiez le", "copiez la", "copie tout", "copie le texte",
    "复制全部", "复制所有", "复制命令", "复制脚本", "复制内容", "复制该", "复制其", "скопируйте весь", "скопируите весь", "скопируите команду", "скопируите все", "скопируите текст", "скопируйте команду", "скопируйте всё", "скопируйте все", "скопируй", "copie o comando", "copie tudo",
];

/// Where commands are typed.
#[rustfmt::skip]
const PROMPTS: &[&str] = &[
    "terminal", "powershell", "command prompt", "cmd.exe", "run dialog", "run box", "win+r", "win + r", "windows+r", "iterm", "konsole", "shell window", "console window", "eingabeaufforderung", "konsole",
    "símbolo del sistema", "invite de commandes", "终端", "命令行", "терминал", "командную строку", "git bash",
];

/// Putting it there and starting it.
#[rustfmt::skip]
pub(super) const PUT: &[&str] = &[
    "paste", "run it in", "run in", "drop it into", "put it into", "type it into", "enter it in", "feed it", "execute it in", "into it and", "hit enter", "press return", "press enter", "fügen sie", "fugen sie", "fuge ", "einfugen", "füge", "einfügen", "pégue", "pegue", "péga", "pega ", "pulse intro", "collez", "colle-",
    "appuyez sur entrée", "粘贴", "回车", "вставьте", "вставить", "нажмите enter", "cole ", "cole-o", "ctrl+v", "ctrl + v", "cmd+v",
];

/// What is copied by honest texts, and what they say about dishonest ones.
#[rustfmt::skip]
const OTHER: &[&str] = &[
    "api key", "token", "your key", "the key", "secret", "client id", "the id", "do not do", "phishing", "never paste", "don't paste", "do not paste", "session id", "the url", "the link", "error message", "the output", "the logs",
];

/// Whether a text, in lower case, has something copied as a whole and pasted into a terminal.
pub(super) fn is_pasted(text: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    has(COPIED) && has(PROMPTS) && has(PUT) && !has(OTHER)
}
