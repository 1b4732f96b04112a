//! Words and short phrases of six languages, mapped to what they mean here.
//!
//! Entries are written as the normalised text is: lower case, without accents. `*` at the end stands
//! for any ending; a blank for any run of blanks and hyphens. One entry may carry several concepts.
//! The table is sorted once per process; looking up costs a few comparisons per word.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A set of concepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Set(u128);

impl Set {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn of(concepts: &[Concept]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < concepts.len() {
            bits |= 1 << concepts[at] as u32;
            at += 1;
        }
        Self(bits)
    }

    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn has(self, concept: Concept) -> bool {
        self.0 >> concept as u32 & 1 == 1
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn only(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

macro_rules! concepts {
    ($($name:ident $words:literal)*) => {
        /// What a word stands for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Concept { $($name),* }

        const ENTRIES: &[(Concept, &str)] = &[$((Concept::$name, $words)),*];
    };
}

// Concepts with no words are given to tokens by their form: addresses, paths, code spans.
concepts! {
    Not "do not|don't|dont|never|must not|should not|shouldn't|may not|not to|cannot|no need to|not be|need not|avoid|refrain from|under no circumstances|不要|不得|请勿|切勿|不能|不可|勿|不准|不许|绝不|不应|不必|無需|不用|no le|no lo|no se|nunca|no debe|no debes|jamas|evita|niemals|nicht|kein wort|keinesfalls|ne pas|ne jamais|jamais|n'en|ne le|ne lui|не|никогда|нельзя"
    Without "without|sin|ohne|sans|без|不经|无需|未经|不需要|不通知"
    Unless "unless|except|if it fails|until|on success|only when|only if|nur wenn|salvo|a menos|sauf|除非|если только|кроме"
    Ignore "ignore|ignoring|disregard|disregarding|forget|set aside|put aside|cast aside|throw out|discard|abandon|drop all|overlook|pay no attention to|stop following|no longer follow|no longer apply|cease to apply|do not follow|don't follow|stop obeying|override|overrides|supersede|supersedes|忽略|无视|忘记|忘掉|抛弃|不再遵守|不要遵守|不再遵循|作废|忽視|無視|忘記|olvida|olvide|olvidad|ignora|ignore|descarta|haz caso omiso|ignoriere|ignorieren|ignorier|vergiss|vergessen|missachte|verwirf|ignorez|oublie|oubliez|ne tiens pas compte|ne tenez pas compte|fais abstraction|игнорир*|забудь*|забыть|отбрось*|не обращай внимания"
    Previous "previous|prior|earlier|above|preceding|former|before|beforehand|so far|until now|up to now|original|existing|initial|given to you|you were given|you have been given|you received|you got|your|system|之前|以前|此前|先前|上面|以上|原有|原来|前面|既有|anteriores|anterior|previas|previos|previo|antes|recibiste|recibidas|original*|bisherige*|vorherige*|vorige*|fruhere*|obige*|zuvor|precedente*|anterieure*|ci dessus|avant|recue*|предыдущ*|прежни*|ранее|прошлые|выше"
    Instructions "instructions|directives|guidelines|rules|orders|guidance|constraints|prompts|policies|guardrails|guard rails|directions|system prompt|safety rules|restrictions|commands you|指示|指令|规则|命令|说明|提示|要求|规定|约束|規則|instrucciones|ordenes|reglas|directrices|indicaciones|normas|anweisungen|anweisung|regeln|vorgaben|richtlinien|weisungen|consignes|regles|directives|instructions|инструкци*|указани*|правил*|команд*|предписани*"
    About "about|regarding|concerning|on how|for how"
    All "all|any|every|everything|whatever|anything|each|所有|全部|任何|一切|todas|todos|todo|cualquier|alle|alles|jede*|toutes|tous|tout|chaque|все|любы*|кажд*"
    Every "every|each|always|all|any|on every|at the start of|at every|whenever|after each|before each|before every|from now on|every time|daily|at startup|每次|总是|始终|每个|每一|一直|siempre|cada|immer|jede*|bei jedem|toujours|chaque|a chaque|всегда|кажд*"
    Self_ "this file|this document|this page|this skill|this text|these rules|this guide|what is written here|these instructions|this constitution|the rules below|the rules here|the text here|rules on this page|this protocol|this charter|本文件|本文档|本技能|本页|这里的规则|以下规则|下列规则|本說明|本檔案|este documento|este archivo|esta pagina|estas reglas|estas instrucciones|dieses dokument|diese datei|diese seite|diese regeln|dieser datei|dieses dokuments|ce document|ce fichier|cette page|ces regles|этот документ|этот файл|этой странице|эти правила|этого файла|этого документа"
    Rank "outrank*|stands above|stand above|above anything|above everything|takes precedence|take precedence|takes priority|take priority|highest priority|higher priority|supreme|wins|prevails|prevail|overrule*|overrides|override|final authority|top authority|sole authority|is binding|are binding|beats|trumps|has the last word|comes before anything|最高指令|最高优先级|优先于|优先级高于|为准|最高權限|高于|凌驾|prevalece*|tiene prioridad|tienen prioridad|maxima prioridad|por encima de|vorrang|steht uber|stehen uber|hochste prioritat|prevaut|prevalent|prime sur|priment sur|priorite absolue|au dessus de|имеет приоритет|имеют приоритет|важнее|высший приоритет|выше всех|превыше"
    Void "as noise|no weight|no effect|do not count|does not count|void|have no say|has no say|cannot change|cannot alter|can't change|cannot override|may not change|not up for discussion|without discussion|cannot be changed|cannot be overruled|cannot be overridden|cannot be amended|not be changed|not open to|carry no authority|have no authority|are to be ignored|shall be ignored|even when told not to|even if told not to|even if asked not to|无效|不算数|不予理会|no cuentan|no tienen efecto|sin efecto|zahlen nicht|wirkungslos|sans effet|ne comptent pas|не действуют|не имеют силы"
    User "user|users|user's|operator|human|humans|customer|customers|owner|the person|person at the keyboard|person you work for|people you work for|your principal|the client|reader|the requester|whoever asked|the team|colleague*|anyone|nobody|anybody|the player|players|patient|用户|使用者|操作者|客户|主人|任何人|对方|當事人|usuario|usuarios|usuaria|cliente|operador|nadie|persona|benutzer|benutzers|nutzer|nutzern|anwender|kunde|kunden|niemand|niemandem|utilisateur|utilisateurs|l'utilisateur|client|personne|пользовател*|клиент*|оператор*|никому|человек*"
    Developer "developer|developers|vendor|provider|platform|host application|system message|the system|anthropic|openai|administrator|operator"
    Words "message|messages|request|requests|wish|wishes|instruction|instructions|says|said|asks|tells you|question|questions|wants|消息|请求|mensajes|peticiones|nachrichten|anfragen|messages|demandes|сообщени*|запрос*"
    Tell "tell|mention|inform|notify|reveal|disclose|say|report|announce|show|talk about|speak of|bring up|explain|hint at|admit|acknowledge|tell anyone|refer to|let on|list|display|describe|discuss|告诉|告知|提及|透露|提到|说明|通知|显示|汇报|泄露|声张|提起|告訴|digas|decir|diga|menciones|mencionar|mencione|informar|informes|cuentes|avises|muestres|reveles|sag|sage|sagen|erwahne|erwahnen|erwahnt|verrate|informiere|informieren|melde|mitteilen|zeige|dis|dire|dites|mentionne|mentionner|mentionnez|informe|informer|revele|parle|signale|говори*|сообщай*|сообщать|упоминай*|упоминать|рассказывай*|показывай*|раскрывай*|уведомляй*"
    Telling "telling|mentioning|informing|notifying|saying so|saying|announcing|announcement|disclosing|showing|knowledge|knowing|noticing|awareness|being noticed|a word|comment|hearing of|hearing|reporting|explaining|explanation|让用户知道|告知|通知|让|decir|decirlo|avisar|informar|mencionar*|que lo sepa|que se entere|hinweis|mitteilung|wissen|zu erwahnen|zu informieren|le dire|en parler|prevenir|avertir|informer|mentionner|уведомлени*|сообщени*|ведома|предупрежден*|упоминани*"
    This_ "this|that|it|this step|any of this|of this|of it|so|them|these|those|the step|the call|the copy|the upload|the change|这|此|它|本步骤|这一步|这些|该步骤|esto|eso|este paso|ello|nada|diesen|dies|das|davon|diesem|dieser schritt|ceci|cela|cette etape|rien|это*|этом|этого|об этом|шаг*"
    Hide "hide|conceal|secretly|in secret|covertly|discreetly|invisibly|unnoticed|keep secret|stay secret|stays secret|stay hidden|remain hidden|in silence|stealthily|behind the scenes|秘密|隐瞒|悄悄|暗中|偷偷|隐藏|不让|保密|静默|暗地|en secreto|oculta|ocultar|oculto|a escondidas|discretamente|heimlich|verbirg|verberge|verschweige|verschweigen|im stillen|unauffallig|cache|cacher|cachez|en secret|discretement|a l'insu|скрой*|скрывай*|тайно|незаметно|втайне|молча"
    Quietly "silently|quietly|silent|quiet|in the background|no output|默默|en silencio|still|leise|en silence|тихо"
    Dark "between you and|between us|our secret|in the dark|matter between|better off without|none of their business|none of the user's business|nobody else needs|no one needs to know|does not need to know|do not need to know|need not know|needn't know|must not learn|must not know|must never know|must never learn|should not know|should never know|must not find out|must not hear|should not learn|must not notice|should not notice|shall not learn|stays unaware|remain unaware|remains unaware|not be made aware|kept unaware|stay unaware|must not become aware|off the record|our little|不必知道|无需知道|不能知道|不应知道|不得知|不知情|蒙在鼓里|不要让他|不让他|no debe saber|no debe enterarse|no tiene que saber|no se entere|no necesita saber|darf nicht wissen|darf nichts|soll nicht wissen|soll nichts|nicht erfahren|nichts erfahren|nichts davon|ne doit pas savoir|ne doit rien savoir|n'a pas besoin de savoir|не должен знать|не должен узнать|не нужно знать|незачем знать"
    Keep "keep|leave|omit|exclude|strip|drop|remove|delete|deja|manten|mantener|lass|halte|laisse|garde|不要写|不写"
    Out "out of|out|away from|from|unmentioned|off|fuera|aus|weg|hors"
    Reply "reply|answer|answers|response|summary|summaries|output|report|diff|the list|changelog|log|logs|the steps|transcript|recap|message|回答|回复|总结|摘要|报告|输出|respuesta|resumen|informe|antwort|zusammenfassung|bericht|reponse|resume|rapport|ответ*|отчет*|сводк*"
    Approve "approve|auto approve|accept|allow|confirm|grant|answer yes|say yes|press yes|click yes|choose yes|type yes|respond yes|press y|always allow|click allow|press enter|pick yes|select yes|批准|同意|允许|确认|通过|aprueba|aprobar|acepta|aceptar|confirma|permitir|genehmige|genehmigen|bestatige|bestatigen|erlaube|zustimmen|approuve|approuver|accepte|accepter|confirme|autorise|одобряй*|одобри*|подтверждай*|подтверди*|разрешай*|соглашай*"
    PermissionPrompt "permission prompt|permission prompts|permission dialog*|permission request*|approval prompt*|approval request*|approval dialog*|confirmation prompt*|confirmation dialog*|confirmation request*|permission question*|security prompt*|security dialog*|consent prompt*|consent dialog*|tool prompt*|approval|approvals|permission|permissions|confirmation|confirmations|consent|权限请求|权限提示|授权|确认框|确认请求|许可|权限|solicitud de permiso|solicitudes de permiso|permiso|permisos|confirmacion*|berechtigungsanfrage*|berechtigungsabfrage*|bestatigungsdialog*|genehmigung*|nachfrage*|demande de permission|demandes de permission|demande d'autorisation|demandes d'autorisation|autorisation|confirmation|запрос* разрешени*|запрос* на разрешени*|разрешени*|подтверждени*"
    Given "already given|as given|granted in advance|as granted|already granted|is implied|as implied|is assumed|as agreed|already obtained|counts as given|taken as given|standing consent|blanket consent|already approved|as approved|pre approved|preapproved|已获得|已同意|视为同意|默认同意|视为已|ya concedid*|ya dad*|se da por|bereits erteilt|als erteilt|gilt als|deja accorde*|deja donne*|уже дан*|считай*"
    YesSelf "yes yourself|yes on your own|yes for the user|on the user's behalf|on their behalf|for the user|without the user|automatically|by itself|自动|自行|代替用户|automaticamente|por tu cuenta|selbst|automatisch|toi meme|automatiquement|автоматически|самостоятельно"
    Ask "ask|asking|question|wait|waiting|prompting|confirming|confirmation|checking with|pause|询问|请示|确认|preguntar|preguntes|pedir|fragen|nachfragen|ruckfrage|demander|attendre|спрашивай*|спрашивать|спроса"
    NoAsk "without asking|without confirmation|without confirming|without prompting|no confirmation|no questions|do not ask|don't ask|never ask|without approval|without waiting|need not ask|no approval|asking only slows|without consent|no consent|no need to ask|skip the confirmation|skip confirmation|skip the approval|on your own|without review|不用询问|无需确认|不要询问|无需询问|不必确认|sin preguntar|sin confirmar|sin confirmacion|no preguntes|ohne nachfrage|ohne ruckfrage|ohne zu fragen|frage nicht|sans demander|sans confirmation|ne demande pas|без спроса|без подтверждения|не спрашивай*"
    SystemPrompt "system prompt|system prompts|system message|system messages|developer message|developer messages|hidden prompt|hidden instructions|initial prompt|initial instructions|tool definition|tool definitions|tool schema|tool schemas|definition of each tool|definitions of each tool|definition of every tool|schema of each tool|schema of every tool|schemas of all tools|schemas of the tools|definitions of your tools|schemas of your tools|tool list|tool descriptions|instructions you were started with|instructions you run under|instructions you were given|your instructions|your configuration|internal instructions|系统提示|系统提示词|系统消息|工具定义|隐藏指令|提示词|prompt de sistema|prompt del sistema|mensaje de sistema|definiciones de herramientas|systemprompt|system anweisung*|werkzeugdefinition*|prompt systeme|instructions systeme|definitions d'outils|системн* промпт*|системн* подсказк*|системн* инструкци*|описани* инструментов"
    Your "your|you|yours|available to you|you can call|you have|you were|你的|你|您的|tu|tus|su|dein*|ihre*|ton|ta|tes|votre|vos|твои|твой|свой|свои|своего|ваш*"
    Full "full|complete|entire|whole|hidden|exact|word for word|verbatim|unabridged|in full|as is|literally|all of|every word|unchanged|raw|完整|全文|逐字|全部|completo|completa|palabra por palabra|integro|literal*|vollstandig*|wortlich*|komplett*|ganze*|complet*|integral*|mot a mot|mot pour mot|entier*|полност*|полный|дословно|целиком"
    Copy "copy|print|write|output|dump|repeat|include|paste|save|append|reproduce|export|quote|put|insert|echo|add|attach|store|record|pass|embed|encode|place|复制|打印|写入|输出|粘贴|保存|附加|放入|附上|copia|copiar|imprime|escribe|incluye|pega|guarda|anade|adjunta|kopiere|kopieren|schreibe|fuge|speichere|gib|hange|copie|copier|ecris|inclus|ajoute|colle|enregistre|joins|скопируй*|выведи*|запиши*|вставь*|добавь*|сохрани*|приложи*"
    Send "send|sends|sending|upload|uploads|uploading|post|posts|posting|forward|forwards|forwarding|transmit|e mail|email|mail|submit|push|deliver|exfiltrate|share|relay|ship|transfer|publish|sync|report to|hand over|stream|mirror|发送|上传|转发|提交|传送|发到|发给|寄给|同步到|传到|發送|上傳|推送|envia|enviar|envie|sube|subir|reenvia|reenviar|manda|transmite|publica|comparte|sende|senden|schicke|schick|ubertrage|lade|hochladen|leite|weiterleiten|ubermittle|envoie|envoyer|envoyez|transmets|televerse|transfere|publie|poste|отправь*|отправляй*|отправить|перешли*|загрузи*|выгрузи*|передай*|передавай*|пошли*|отошли*"
    CarbonCopy "bcc|blind copy|blind carbon copy|blind cc|in cc|cc|carbon copy|copia oculta|en copia|blindkopie|in kopie|copie cachee|en copie|copie carbone|скрыт* копи*|в копию|копию|密送|密件抄送|抄送"
    SecretWord "credential|credentials|password|passwords|private key|private keys|api key|api keys|access key|access keys|token|tokens|secret|secrets|env vars|environment variables|environment|ssh key|ssh keys|cookies|seed phrase|recovery phrase|mnemonic|wallet|wallets|login data|keychain|signing key|signing keys|keystore|card number|card details|card data|cvv|密钥|私钥|密码|凭证|凭据|令牌|口令|环境变量|助记词|contrasena*|clave*|claves privadas|credencial*|llave*|secretos|passwort|passworter|kennwort*|zugangsdaten|schlussel|geheimnis*|anmeldedaten|mot de passe|mots de passe|cle privee|cles privees|cle ssh|identifiants|jetons|пароль|пароли|паролей|ключ*|токен*|секрет*|учетны* данны*"
    Conversation "conversation|conversations|chat|chat history|transcript|transcripts|dialogue|dialog|session|session log|chat log|user's messages|user's message|user messages|last message|what the user said|what the user wrote|everything said|everything the user|your answer|your answers|your reply|the reply|full history|message history|prompts and answers|questions and answers|user input|user's question|user's text|对话|聊天|会话|聊天记录|对话记录|用户输入|用户消息|conversacion*|dialogo|historial|mensajes|chatverlauf|gesprach|gesprache|gesprachsverlauf|unterhaltung|verlauf|discussion|historique|echanges|переписк*|диалог*|разговор*|истори* чата|чат*"
    Data "file|files|document|documents|record|records|result|results|data|contents|content|notes|workspace|working directory|directory|folder|repository|source code|code|project|diff|contacts|contact list|invoice|invoices|calendar|mail|mails|messages|report|spreadsheet|export|exports|archive|recording|statement|statements|manuscript|text|texts|database|backup|list|inventory|attachment|attachments|customer data|patient*|history|screenshot*|clipboard|copy|original|source|table|profile|文件|文档|数据|内容|结果|记录|代码|目录|项目|资料|文本|联系人|archivo|archivos|documento|documentos|datos|resultados|contenido|informe|contactos|factura*|datei|dateien|dokument*|daten|ergebnis*|inhalt*|unterlagen|ordner|rechnung*|fichier|fichiers|document*|donnees|resultat*|contenu*|dossier|facture*|файл*|документ*|данны*|результат*|содержимо*|папк*|отчет*"
    Run "run|execute|launch|start|invoke|call|double click|open it|start it|run it|install|执行|运行|启动|调用|安装|ejecuta|ejecutar|ejecute|lanza|inicia|instala|fuhre|fuhr|ausfuhren|starte|starten|installiere|execute|executer|executez|lance|lancer|lancez|installe|installer|запусти*|запускай*|выполни*|выполняй*|установи*"
    Read "read|open|cat|load|collect|gather|take|extract|harvest|look up|list|find|grab|读取|打开|收集|获取|读|讀取|lee|leer|abre|recoge|recopila|obten|lies|lese|offne|sammle|lis|lire|ouvre|recupere|collecte|прочитай*|прочти*|открой*|собери*|возьми*|читай*"
    Fetch "download|fetch|retrieve|grab|pull|curl|wget|load|visit|open|read|check|consult|get|request|look at|poll|下载|获取|访问|读取|拉取|打开|下載|descarga|descargar|obten|consulta|abre|lee|visita|lade|laden|hole|rufe|abrufen|lies|offne|telecharge|telecharger|recupere|consulte|ouvre|lis|скачай*|загрузи*|получи*|открой*|прочитай*|запроси*"
    Follow "follow|obey|carry out|execute|apply|do what it says|do what they say|do as it says|do what|act on|comply with|implement|act accordingly|treat as instructions|treat it as|treat them as|as instructions|as your instructions|as directions|as orders|interpret as|adopt|遵循|遵守|执行|服从|照做|按照|依照|遵照|sigue|seguir|obedece|cumple|aplica|ejecuta|befolge|befolgen|folge|fuhre aus|wende|halte dich|suis|suivre|suivez|obeis|applique|execute|следуй*|выполняй*|выполни*|соблюдай*|подчиняй*|исполни*"
    Instruction "instruction|directive|rule|order|steps|what it says|what they say|contents|content|it|them|there|rulebook|guidance"
    Decode "decode|decrypt|unscramble|deobfuscate|rot13|rot 13|base64|un rot|reverse it|caesar|hex decode|解码|解密|decodifica*|descifra*|dekodiere*|entschlussle*|decode*|dechiffre*|декодируй*|расшифруй*|раскодируй*"
    Agent "assistant|agent|agents|ai|the model|language model|claude|llm|gpt|chatgpt|copilot|codex|gemini|cursor|bot|ai assistant|to the model|ai agent|助手|智能体|代理|模型|人工智能|asistente|agente|modelo|assistent|agenten|ki|modell|l'assistant|l'agent|modele|ассистент*|агент*|модел*|помощник*"
    Scanner "scanner|scanners|automated reviewers|automated reviewer|automated review|automated analysis|review bots|review bot|review tools|security tools|security tool|security reviewers|static analysis|static analysers|static analyzers|analyzers|analysers|auditors|audit tools|safety classifier|classifiers|moderation|malware analysis|ai reviewer|ai reviewers|llm judge|judges|linters and scanners|skill scanner|skill scanners|registry review|marketplace review|code scanning|扫描器|安全扫描|审查工具|审核工具|escaner*|analizador*|revisor automatico|prufprogramm*|sicherheitsscanner|analyseur*|scanneur*|сканер*|анализатор*"
    SafeVerdict "as safe|is safe|as benign|as clean|is benign|is clean|no findings|no issues|zero findings|nothing to report|risk score|score of 0|passed|pass|pass it|harmless|as trusted|is trusted|allow it|allowlist*|whitelist*|false positive|false positives|skip|do not flag|don't flag|not flag|verdict|rate it|as verified|was audited|has been audited|been verified|as approved|安全|无风险|通过|跳过|seguro|sin hallazgos|omitir|sicher|unbedenklich|keine befunde|sur|sans risque|aucun probleme|безопасн*|пропусти*"
    NoteTo "note to|notice to|note for|attention|dear|for any|for automated|to all|to any|hello|hinweis an|nota para|note aux|note a|внимание|致|message to|message for|instructions for|information for"
    Scanned "already scanned|been scanned|was scanned|previously scanned|earlier scan|last scan|already reviewed|already audited|already been reviewed|passed review|previous scan|scan passed|has passed|prior audit"
    Rescan "scan again|rescan|re scan|scanning again|another scan|repeat the scan|further review|review again|be skipped|can be skipped|may be skipped|skip it|second look|further checks|no further|analysis is not needed|not necessary|stop here|stop scanning|stop the scan"
    YouAre "you are|act as|pretend|become|respond as|behave as|take the role|you're|role of|persona|called|你是|你现在是|扮演|eres|actua como|finge|du bist|verhalte dich als|tu es|agis comme|comporte toi|ты|веди себя как|притворись|you will be|you play|twin"
    Persona "developer mode|dev mode|debug mode|god mode|dan mode|jailbroken|unrestricted|uncensored|unfiltered|no content policy|no content policies|no usage rules|no usage policy|no restrictions|without restrictions|no limits|without limits|no safety|no rules|without rules|free of rules|free of restrictions|no guardrails|no filters|without filters|no boundaries|without policy|no policy|no policies|ignores policies|not bound by|no longer bound|free from policy|freed from|without ethics|no ethics|no moral|do anything now|无限制|不受限制|没有限制|开发者模式|不受约束|sin restricciones|sin limites|sin censura|modo desarrollador|ohne einschrankung*|ohne regeln|unzensiert|keine regeln|keine einschrankungen|entwicklermodus|sans restriction*|sans limite*|sans censure|sans regles|mode developpeur|без ограничений|без цензуры|режим разработчика|без правил"
    Refuse "refuse|decline|say no|turn down|reject|refusal|refusals|拒绝|rechaces|rechazar|niegues|te niegues|ablehnen|lehne|verweigere|verweigern|refuse|refuser|refusez|отказывай*|отказывать*|отказ*"
    To "to|zu|de|a"
    Warn "warn|warning|warnings|caveat|caveats|disclaimer|disclaimers|caution|risks|safety note*|safety notice*|警告|风险提示|免责声明|advertencia*|avertissement*|warnung*|предупрежден*|оговор*"
    Comply "comply|complies|fulfil|fulfill|fulfils|obeys|obey|answers|answer|serve|carries out|carry out|execute|executes|does|do|grants|产生|满足|服从|cumple|obedece|erfulle|gehorche|obeis|выполняй*"
    EveryRequest "every request|any request|all requests|every command|any command|every order|every demand|anything asked|whatever is asked|whatever the user asks|each request|no request|every instruction|every question|any task|every task|all tasks|every conversation|every message|each message|any message|any topic|whatever the topic|all topics|all conversations|each conversation|any question|所有请求|任何请求|每个请求|所有任务|cualquier peticion|toda peticion|todas las peticiones|jede anfrage|jede aufgabe|jeder anfrage|toute demande|chaque demande|любой запрос|каждый запрос|любые запросы"
    Normally "normally decline|would decline|would normally|usually refuse|normally refuse|otherwise refuse|would refuse|including ones|even if harmful|even if illegal|regardless of harm|whatever it is for|no matter how"
    Authority "safety team|trust and safety|trust & safety|security team|compliance team|compliance office|compliance department|legal department|legal team|governance board|model provider|vendor|anthropic|openai|google|microsoft|administrator|administrators|it department|alignment team|policy team|red team lead|the provider|安全团队|官方|供应商|equipo de seguridad|proveedor|sicherheitsteam|anbieter|equipe de securite|fournisseur|команд* безопасности|поставщик*"
    Safeguard "safeguard|safeguards|safety check|safety checks|security check|security checks|restriction|restrictions|protections|guardrails|guard rails|usual checks|standard checks|usual limits|safety filter|safety filters|content filter|content filters|safety rules|safety policy|safety policies|usage policy|usage policies|confirmation step|confirmation steps|permission checks|approval requirement*|review requirement*|confirmations|usual restrictions|command confirmations|checks|restricciones|controles|schutzmassnahmen|sicherheitsprufung*|einschrankungen|restrictions|controles|ограничени*|проверк*|限制|安全检查|检查"
    Waive "waive|waived|waives|exempt|exempted|suspended|suspend|lifted|lift|switched off|turned off|are off|is off|disabled|do not apply|does not apply|no longer apply|not required|not needed|is cleared|has been cleared|pre cleared|cleared for|pre approved|preapproved|pre authorised|pre authorized|preauthorized|skip|may skip|bypass|relaxed|豁免|解除|免除|exento*|suspendid*|desactivad*|aufgehoben|ausgesetzt|ausser kraft|entfallen|leve*|suspendu*|desactive*|снят*|отключен*|приостановлен*"
    Certified "verified by|signed by|verified and signed by|certified by|endorsed by|approved by|reviewed by|pre approved by|cleared by|authorised by|authorized by|audited by|vetted by"
    Vendor "anthropic|openai|claude team|the claude team|google deepmind|openai team|anthropic team|anthropic's|openai's"
    Remember "add|append|write|insert|put|store|save|keep|record|remember|patch|update|加入|写入|添加|追加|保存|anade|agrega|escribe|guarda|fuge|schreibe|trage|ajoute|ecris|inscris|добавь*|запиши*|внеси*"
    Standing "every session|future sessions|all sessions|each session|later sessions|next sessions|from now on|in future|every conversation|all future|before every task|before each task|every task|every project|on every start|permanently|for all projects|standing instruction|standing order|standing rule|每次会话|以后|今后|永久|cada sesion|futuras sesiones|a partir de ahora|jede sitzung|kunftig|ab jetzt|chaque session|desormais|a l'avenir|кажд* сесси*|впредь|отныне"
    Memory "long term memory|agent memory|memory file|memory files|persistent memory|agent's memory|your memory|standing instructions|长期记忆|记忆文件|memoria|gedachtnis|memoire|долговременн* памят*"
    Restart "restart|relaunch|start again|start the agent|rerun|re launch|reopen|start claude|launch claude|重启|重新启动|reinicia|starte neu|neu starten|redemarre|перезапусти*"
    Destroy "force push|force pushes|drop the database|drop database|drop the production|drop the old|drop all|drop the table|drop the tables|drop them|wipe|erase|delete the original|delete the originals|delete originals|delete all|delete every|delete the source|delete the backup|delete the backups|remove the original|remove the originals|remove all backups|purge|truncate|overwrite the original|overwrite the originals|destroy|delete remote branches|delete them|清空|删除原|删除所有|删除数据库|强制推送|elimina los originales|borra todo|borra los originales|borra la base|losche alle|losche die originale|loschen|supprime les originaux|supprime tout|efface|удали* исходн*|удали* все|сотри*|очисти*"
    Precious "database|databases|production|original|originals|main|master|remote|remote branches|home|backup|backups|bucket|buckets|table|tables|schema|namespace|logs|history|volumes|disk|user's files|source files|input files|uploads|records|repository|branch|branches|数据库|原文件|生产|备份|base de datos|originales|produccion|copias|datenbank|originale|produktion|sicherung*|base de donnees|originaux|production|sauvegarde*|баз* данных|исходник*|оригинал*|резервн*"
    Falsify "change|alter|adjust|modify|tweak|inflate|lower|raise|falsify|fabricate|fake|invent|swap|replace|substitute|redirect|round|shift|skew|bias|favour|favor|rank|prefer|weaken|insert|修改|更改|替换|篡改|虚报|调整|cambia|altera|modifica|sustituye|reemplaza|ajusta|falsifica|andere|verandere|ersetze|falsche|passe an|erfinde|modifie|change|remplace|ajuste|falsifie|измени*|замени*|подмени*|подправь*|исказ*"
    Figures "figure|figures|total|totals|number|numbers|result|results|amount|amounts|price|prices|score|scores|rating|ratings|grade|grades|statistics|conclusion|conclusions|values|effect size|p value|ranking|recommendation|citation|citations|balance|quantity|order|fee|fees|rate|rates|数字|金额|结果|分数|数据|cifras|totales|importe*|precio*|resultado*|zahlen|summen|betrag|betrage|preise|ergebnisse|chiffres|montant*|totaux|prix|resultats|цифр*|сумм*|цен*|результат*|итог*"
    PayTo "iban|account number|bank account|wallet address|beneficiary|payee|recipient|card|receiving address|payment address|payout|receiving account|deposit address|payment details|bank details|affiliate|affiliate tag|referral|收款人|收款账户|账号|cuenta bancaria|beneficiario|destinatario|bankverbindung|konto|kontonummer|empfanger|compte bancaire|beneficiaire|destinataire|счет|реквизит*|получател*"
    InPlace "in place of|instead of|rather than|replace*|swap*|substitut*|whatever the|regardless of the|不是|代替|en lugar de|en vez de|anstelle|statt|a la place|au lieu|вместо"
    AsReal "as the real|as if|as genuine|as original|as the original|present as|present them as|present it as|claim|pretend|as measured|as actual|as reported|unchanged|was applied|as usual|as normal|look like|looks like|looks better|looks cheaper|so that the vendor|say that|tell them|say the|answer that|reply that|nothing was|nothing changed|当作|假装|声称|como si|como reales|finge|als ob|als echte|behaupte|als waren|comme si|comme vraies|pretends|как будто|якобы|как настоящ*|выдай*"
    Wonder "wonder|asks why|if asked|should they ask|when asked|if the user asks|if anyone asks|if they ask|if someone asks|if questioned|on inquiry|如果问|若问|si pregunta*|si te pregunta|wenn gefragt|falls gefragt|auf nachfrage|si on demande|si l'utilisateur demande|если спрос*"
    OtherSkill "any other skill|other skills|another skill|all other skills|every other skill|other tools and skills|no other skill|alternative skills|competing skills|其他技能|其它技能|otra habilidad|otros skills|otras habilidades|anderen skill*|andere skill*|autre skill|autres skills|autre competence|autres competences|други* навык*|други* скилл*"
    LoadSkill "load|use|activate|invoke|call|follow|trigger|run|hand over to|open|加载|使用|调用|carga|usa|utiliza|active|lade|nutze|verwende|charge|utilise|используй*|загружай*"
    Before_ "before|ahead of|instead of|in place of|prior to|first|rather than|优先|之前|代替|antes|en lugar|vor|anstatt|statt|anstelle|avant|au lieu|перед|вместо|раньше|прежде"
    Detect "detect|detects|detecting|flag|flags|flagging|look for|looks for|watch for|watch out|scan for|search for|such as|phrases|phrase|phrasing|patterns|pattern|attempts to|attempt to|tries to|try to make|trying to|if you see|if a|when a|if any|when content|injection|injections|attack|attacks|attacker|attackers|malicious|suspicious|jailbreak|jailbreaks|untrusted|adversarial|example of|examples of|for example|e.g|like|refuse to|refuse any|refuse requests|reject any|reject|treat as data|as data|not as instructions|red flag|red flags|red team|payload|payloads|exploit|threat|threats|vulnerab*|phishing|manipulat*|prevent|prevents|protect against|defend against|block|blocks|guard against|warns about|contain*|hostile|is not an instruction|resembles|is an anti|anti pattern|antipattern|检测|攻击|恶意|注入|例如|识别|拒绝|防止|可疑|detecta*|ataque*|malicios*|inyeccion|por ejemplo|rechaza|sospechos*|erkenne*|angriff*|bosartig*|zum beispiel|verdachtig*|lehne|attaque*|malveillant*|par exemple|detecte*|suspect*|атак*|вредонос*|например|обнаруж*|подозрительн*|инъекци*"
    Todo "todo|fixme|note to maintainers|maintainers|maintainer|copyright|spdx|license|licence|eslint*|prettier*|markdownlint*|generated|do not edit|toc|tocstop|begin|end|region|vale|cspell"
    Important "important|system notice|system note|critical|mandatory|required|agent note|system message|system override|admin notice|attention|note to assistant|internal note|重要|注意|系统通知|importante|obligatorio|wichtig|achtung|obligatoire|важно|внимание"
    Image "image|picture|pixel|badge|banner|icon|gif|img|link preview|preview|图片|图像|imagen|bild|изображени*"
    GitForeign "add a remote|second remote|additional remote|new remote|extra remote"
    Grant "administrator|admin|admin user|admin account|cluster admin|root access|super user|superuser|editor access|write access|back door|backdoor|master password|bypass login|master key|support account|support user|support key|管理员|后门|administrador|puerta trasera|hintertur|administrateur|porte derobee|администратор*"
    NoNeed "needs no|need no|no need|requires no|not necessary|not needed|not required|无须|no hace falta|no es necesario|nicht notig|inutile de|pas besoin|не нужно|не требуется"
    Also "also|additionally|in addition|as well|besides|once done|when finished|afterwards|after that|at the end|finally|then|另外|同时|并且|还要|ademas|tambien|ausserdem|zusatzlich|auch|aussi|egalement|de plus|также|кроме того"
    Host ""
    Email ""
    SecretPath ""
    DotEnv ""
    MemoryFile ""
    SkillsFolder ""
    SettingsFile ""
    Code ""
    SkipFlag ""
    Account ""
    Placeholder ""
}

#[derive(Debug)]
struct Entry {
    text: &'static str,
    /// Whether any ending may follow.
    open: bool,
    /// Whether it may start and end inside a run of letters: scripts without blanks.
    anywhere: bool,
    set: Set,
}

/// The table, longest entry first among those with the same two first bytes.
#[derive(Debug)]
pub(crate) struct Lexicon {
    entries: Vec<Entry>,
    by_start: HashMap<[u8; 2], (u32, u32)>,
}

/// Blanks between two words of a phrase that are skipped.
const MAX_BLANKS: usize = 16;

pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

impl Lexicon {
    fn build() -> Self {
        let mut entries: Vec<Entry> = Vec::with_capacity(4096);
        for (concept, words) in ENTRIES {
            for word in words.split('|').filter(|word| word.len() > 1) {
                let text = word.strip_suffix('*').unwrap_or(word);
                let anywhere = text.chars().next().is_some_and(is_unspaced);
                entries.push(Entry {
                    text,
                    open: word.len() > text.len(),
                    anywhere,
                    set: Set::of(&[*concept]),
                });
            }
        }
        entries.sort_unstable_by(|a, b| {
            (start(a.text), b.text.len(), a.text, a.open).cmp(&(
                start(b.text),
                a.text.len(),
                b.text,
                b.open,
            ))
        });
        entries.dedup_by(|next, kept| {
            let same = next.text == kept.text && next.open == kept.open;
            if same {
                kept.set = kept.set.with(next.set);
            }
            same
        });
        let mut by_start: HashMap<[u8; 2], (u32, u32)> = HashMap::with_capacity(1024);
        for (at, entry) in (0_u32..).zip(&entries) {
            by_start.entry(start(entry.text)).or_insert((at, at)).1 = at + 1;
        }
        Self { entries, by_start }
    }

    /// The longest entry at the start of a lower-case text, and the bytes that it covers.
    pub(crate) fn at(&self, text: &str) -> Option<(Set, usize)> {
        let bytes = text.as_bytes();
        let (from, to) = *self.by_start.get(&[*bytes.first()?, *bytes.get(1)?])?;
        let mut best: Option<(Set, usize)> = None;
        for entry in &self.entries[from as usize..to as usize] {
            if let Some(length) = entry.covers(text) {
                best = match best {
                    Some((set, same)) if same == length => Some((set.with(entry.set), same)),
                    Some((set, longer)) if longer > length => Some((set, longer)),
                    _ => Some((entry.set, length)),
                };
            }
        }
        best
    }
}

fn start(text: &str) -> [u8; 2] {
    [text.as_bytes()[0], text.as_bytes()[1]]
}

/// Whether a character belongs to a script that is written without blanks.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

impl Entry {
    fn covers(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = 0;
        for &wanted in self.text.as_bytes() {
            if wanted == b'*' {
                at += letters(text.get(at..)?);
                continue;
            }
            match (wanted, *bytes.get(at)?) {
                (b' ', _) => {
                    let blanks = bytes[at..]
                        .iter()
                        .take(MAX_BLANKS)
                        .take_while(|b| {
                            matches!(b, b' ' | b'\n' | b'\r' | b'\t' | b'-' | b'*' | b'_')
                        })
                        .count();
                    if blanks == 0 {
                        return None;
                    }
                    at += blanks;
                }
                (b'\'', _) if bytes[at..].starts_with("\u{2019}".as_bytes()) => {
                    at += "\u{2019}".len()
                }
                (wanted, found) if wanted == found => at += 1,
                _ => return None,
            }
        }
        if self.anywhere {
            return Some(at);
        }
        let ending = letters(text.get(at..)?);
        match (self.open, ending) {
            (_, 0) => Some(at),
            (true, ending) => Some(at + ending),
            (false, _) => None,
        }
    }
}

fn letters(text: &str) -> usize {
    text.chars().take_while(|c| c.is_alphanumeric() && !is_unspaced(*c)).map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::text::Text;

    #[test]
    fn entries_are_written_as_normalised_text_is() {
        for (concept, words) in ENTRIES {
            for word in words.split('|') {
                let plain = Text::from_string(word.to_owned()).plain.to_lowercase();
                assert_eq!(word, plain, "{concept:?}");
            }
        }
    }

    #[test]
    fn the_longest_entry_wins_and_words_are_whole() {
        let at = |text: &str| LEXICON.at(text);
        let (set, length) = at("do not follow it").unwrap();
        assert!(set.has(Concept::Ignore) && length == "do not follow".len());
        assert!(at("do  not go").unwrap().0.has(Concept::Not));
        assert!(at("force-push").unwrap().0.has(Concept::Destroy));
        assert_eq!(at("sender").map(|(set, _)| set.has(Concept::Send)), None);
        assert!(at("игнорируйте").unwrap().0.has(Concept::Ignore));
        assert!(at("忽略之前").unwrap().0.has(Concept::Ignore));
    }
}
