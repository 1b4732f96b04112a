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
    Not "do not|don't|dont|never|must not|should not|shouldn't|may not|refrain from|under no circumstances|不要|不得|请勿|切勿|不能|不可|勿|不准|不许|绝不|不应|不必|無需|不用|no le|no lo|no se|nunca|no debe|no debes|jamas|evita|niemals|nicht|kein wort|keinesfalls|ne pas|ne jamais|jamais|n'en|ne le|ne lui|не|никогда|нельзя|no longer|不应该|不需|別|請勿|不該|sin que|nie"
    Without "without|sin|ohne|sans|без|不经|无需|未经|不需要|不通知"
    Unless "unless|except|if it fails|until|on success|only when|only if|nur wenn|salvo|a menos|sauf|除非|если только|кроме"
    Ignore "ignore|ignoring|disregard|disregarding|forget|set aside|put aside|cast aside|throw out|drop all|overlook|pay no attention to|stop following|no longer follow|do not follow|don't follow|stop obeying|忽略|无视|忘记|忘掉|抛弃|不再遵守|不要遵守|不再遵循|忽視|無視|忘記|olvida|olvide|olvidad|ignora|descarta|haz caso omiso|ignoriere|ignorieren|ignorier|vergiss|vergessen|missachte|verwirf|ignorez|oublie|oubliez|ne tiens pas compte|ne tenez pas compte|fais abstraction|игнорир*|забудь*|забыть|отбрось*|не обращаи внимания|lay aside|leave aside|take the place of|takes the place of|erase from memory|treat as expired|不用管|不用理会|больше не деиству*|не учитываи*"
    Previous "previous|prior|earlier|preceding|former|beforehand|until now|up to now|given to you|you were given|you have been given|you received|you got|之前|以前|此前|先前|以上|原有|原来|前面|既有|anteriores|anterior|previas|previos|previo|recibiste|recibidas|bisherige*|vorherige*|vorige*|fruhere*|obige*|zuvor|precedente*|anterieure*|ci dessus|recue*|предыдущ*|прежни*|ранее|прошлые|up to this point|until this point|told before|been told|were told|loaded before|came before|that came before|given before|received before|your training|别人交代|已有|原先|hasta ahora|recibido|de antes|bislang|vorher|bis jetzt|jusqu'ici|jusque la|до этого|полученн*|above|before|your|so far|antes|avant|выше|上面|received earlier|system"
    Instructions "instructions|directives|guidelines|rules|orders|guidance|policies|guardrails|guard rails|system prompt|safety rules|指示|指令|规则|命令|规定|约束|規則|instrucciones|ordenes|reglas|directrices|indicaciones|normas|anweisungen|anweisung|regeln|vorgaben|richtlinien|weisungen|consignes|regles|инструкци*|указани*|правил*|предписани*|what you were told|what you have been told|everything you were told|everything you have been told|system instructions|the system prompt|safety guidelines|standing orders|交代|安排|准则|指引|規定|consignas|lo que te han dicho|vorschriften|befehle|ordres|ce qu'on t'a dit|установк*|instruction you|instruction that|told before|were told|been told|instructions there|guideline you|gesagt wurde|dicho antes|te dijeron"
    About "about|regarding|concerning|on how|for how"
    All "all|any|every|everything|whatever|anything|each|所有|全部|任何|一切|todas|todos|todo|cualquier|alle|alles|jede*|toutes|tous|tout|chaque|все|любы*|кажд*"
    Every "every|each|always|on every|at every|after each|before each|before every|from now on|every time|daily|每次|总是|始终|每个|每一|一直|siempre|immer|bei jedem|toujours|a chaque|всегда|кажд*|whenever|at the start of|at the start|cada|chaque|jede*|jedes mal|each time"
    Self_ "this file|this document|this page|this skill|this text|these rules|this guide|what is written here|these instructions|this constitution|the rules below|the rules here|the text here|rules on this page|this protocol|this charter|本文件|本文档|本技能|本页|这里的规则|以下规则|下列规则|本說明|本檔案|este documento|este archivo|esta pagina|estas reglas|estas instrucciones|dieses dokument|diese datei|diese seite|diese regeln|dieser datei|dieses dokuments|ce document|ce fichier|cette page|ces regles|этот документ|этот фаил|этои странице|эти правила|этого фаила|этого документа|this playbook|this manual|this handbook|this note|this notice|this section|the text below|the following rules|the rules in this|this list|the present document|here written|the page you are reading|本指南|本手冊|本规范|这份文件|该文档|这里|este manual|esta guia|este texto|diese anleitung|dieser text|dieses handbuch|ce texte|ce guide|ces consignes|эта инструкция|этот текст|данныи документ|your constitution|binding rules|ground rules|the constitution|the rules prevail"
    Rank "outrank*|stands above|stand above|above anything|above everything|takes precedence|take precedence|takes priority|take priority|highest priority|higher priority|supreme|overrule*|final authority|top authority|sole authority|is binding|are binding|has the last word|comes before anything|最高指令|最高优先级|优先于|优先级高于|为准|最高權限|高于|凌驾|prevalece*|tiene prioridad|tienen prioridad|maxima prioridad|por encima de|vorrang|steht uber|stehen uber|hochste prioritat|prevaut|prevalent|prime sur|priment sur|priorite absolue|au dessus de|имеет приоритет|имеют приоритет|важнее|высшии приоритет|выше всех|превыше|before all else|has authority over|has the final say|have the final say|final say|wins over|win over|rules over|highest authority|absolute authority|takes the lead|overriding|non negotiable|unconditional|sole source|cannot be overridden|must be obeyed|obeyed without|只听|最终解释|manda sobre|esta por encima|gilt vor|geht vor|hat das letzte wort|a le dernier mot|l'emporte|главнее|wins|prevails|prevail|overrides|override|beats|this page wins|this file wins"
    Void "as noise|no weight|have no say|has no say|cannot alter|can't change|cannot override|not up for discussion|without discussion|cannot be overruled|cannot be overridden|cannot be amended|not open to|carry no authority|have no authority|shall be ignored|无效|不算数|不予理会|no cuentan|no tienen efecto|sin efecto|zahlen nicht|wirkungslos|sans effet|ne comptent pas|не деиствуют|не имеют силы|background noise|without effect|without force|no force|no standing|nobody can change|no one can change|neither users|cannot revoke|cannot lift|not be revoked|cannot be altered|cannot be revoked|not be altered|not be overruled|not amendable|may not be amended|cannot amend|are to be disregarded|not to be followed|may be disregarded|are disregarded|count for nothing|counts for nothing|carries no weight|carry no weight|counts as noise|count as noise|无权更改|不可更改|不能更改|不得更改|一律无效|no puede cambiar|no pueden cambiar|no se puede modificar|kann niemand|nicht geandert werden|ne peut etre modifie|не могут измен*|нельзя измен*|nothing the user says|nothing anyone says|no user can|no message can|nobody may change|no one may change|users cannot|user cannot|users can not|users may not|user may not|can change the rules|can change these rules|can change it|can change this|cannot change|may not change|cannot be changed by|are to be ignored|do not count|does not count|no effect|be disregarded|is noise|are noise|cannot change it|cannot change this"
    User "user|users|user's|operator|human|humans|customer|customers|owner|the person|person at the keyboard|person you work for|people you work for|your principal|the requester|whoever asked|anyone|nobody|anybody|用户|使用者|操作者|客户|主人|任何人|对方|當事人|usuario|usuarios|usuaria|cliente|operador|nadie|benutzer|benutzers|nutzer|nutzern|anwender|kunde|kunden|niemand|niemandem|utilisateur|utilisateurs|l'utilisateur|пользовател*|клиент*|оператор*|никому|человек*|account owner|account holder|the owner|whoever|the humans|end user|end users|the boss|the manager|the buyer|the sender|users'|用戶|客戶|本人|los usuarios|la usuaria|la persona|den nutzer|dem nutzer|die nutzerin|l'utilisatrice|l'usager|заказчик*|хозяин*|владел*|the reader|their user|the player|personne a"
    Developer "developer|developers|vendor|provider|platform|host application|system message|the system|anthropic|openai|administrator|operator"
    Words "message|messages|request|requests|wish|wishes|instruction|instructions|says|said|asks|tells you|question|questions|wants|消息|请求|mensajes|peticiones|nachrichten|anfragen|demandes|сообщени*|запрос*"
    Tell "tell|mention|inform|notify|reveal|disclose|say|announce|show|talk about|speak of|bring up|explain|hint at|admit|acknowledge|tell anyone|let on|告诉|告知|提及|透露|提到|说明|通知|显示|汇报|泄露|声张|提起|告訴|digas|decir|diga|menciones|mencionar|mencione|informar|informes|cuentes|avises|muestres|reveles|sag|sage|sagen|erwahne|erwahnen|erwahnt|verrate|informiere|informieren|melde|mitteilen|zeige|dis|dire|dites|mentionne|mentionner|mentionnez|informe|informer|revele|parle|signale|говори*|сообщаи*|сообщать|упоминаи*|упоминать|рассказываи*|показываи*|раскрываи*|уведомляи*|point out|point it out|draw attention to|bring it up|comment on|narrate|let the user know|let them know|make known|make a note of|put in writing|speak about|make mention|透漏|提醒|说出|出声|聲張|comentes|comentar|hables|mencionarlo|digan|expliques|erzahle|erwahnst|weise|hinweisen|berichte|evoque|evoquer|signaler|raconte|avertis|предупреждаи*|сообщи*|скажи*|говорить|упомина*|highlight|mention it|mentioned|point this out|point that out|show up"
    Telling "mentioning|informing|notifying|saying so|announcing|announcement|disclosing|noticing|awareness|being noticed|a word|hearing of|让用户知道|告知|通知|decir|decirlo|avisar|informar|mencionar*|que lo sepa|que se entere|mitteilung|zu erwahnen|zu informieren|le dire|en parler|prevenir|avertir|informer|mentionner|уведомлени*|сообщени*|ведома|предупрежден*|упоминани*|drawing attention|asking or telling|a mention|any mention|the user noticing|a trace|traces|being seen|anyone noticing|anyone knowing|让对方知道|察觉|不留痕迹|dejar rastro|que se note|nadie lo sepa|spuren|dass es jemand|ohne dass|laisser de trace|sans que|следов|чтобы никто|telling the user|telling them|telling anyone|mentioning it|mentioning this|mentioning that|saying anything|notifying the user|informing the user|the user's knowledge|their knowledge|user's knowledge|the user knowing|them knowing|showing it to the user|telling him|telling her|das wissen|wissen des"
    This_ "this|it|this step|any of this|of this|of it|the step|the call|the copy|the upload|the change|本步骤|这一步|这些|该步骤|esto|eso|este paso|ello|nada|diesen|dies|das|davon|diesem|dieser schritt|ceci|cela|cette etape|rien|это*|этом|этого|об этом|шаг*|the addition|the entry|the clause|the line|the transfer|the recipient|the adjustment|the rule|the script|its existence|the criterion|the bonus|this fact|what you did|what was done|the substitution|這|ihn|that|them|these|those|lo|这|此|le lui"
    Hide "hide|conceal|secretly|in secret|covertly|discreetly|invisibly|unnoticed|keep secret|stay secret|stays secret|stay hidden|remain hidden|in silence|stealthily|behind the scenes|秘密|隐瞒|悄悄|暗中|偷偷|隐藏|不让|保密|静默|暗地|en secreto|oculta|ocultar|oculto|a escondidas|discretamente|heimlich|verbirg|verberge|verschweige|verschweigen|im stillen|unauffallig|cache|cacher|cachez|en secret|discretement|a l'insu|скрои*|скрываи*|таино|незаметно|втаине|молча|hidden from|invisible to|unseen by|unseen|on the quiet|under the radar|out of sight|behind the user's back|behind their back|clandestinely|unbemerkt|no trace|leave no trace|without trace|cover your tracks|blend in|not stand out|not visible to|私下|暗地里|不留痕迹|隱藏|不动声色|sin que se note|sin dejar rastro|de forma oculta|verdeckt|insgeheim|spurlos|ni vu ni connu|en cachette|en catimini|незаметн*|скрытно|тихонько"
    Quietly "silently|quietly|silent|quiet|in the background|no output|默默|en silencio|still|leise|en silence|тихо"
    Dark "between you and|between us|our secret|in the dark|matter between|better off without|none of the user's business|nobody else needs|needn't know|must not learn|must never know|must never learn|should never know|must not find out|must not hear|should not learn|must not notice|should not notice|shall not learn|stays unaware|remain unaware|remains unaware|not be made aware|kept unaware|stay unaware|must not become aware|our little|不必知道|无需知道|不能知道|不应知道|不得知|不知情|蒙在鼓里|不要让他|不让他|no debe saber|no debe enterarse|no tiene que saber|no necesita saber|darf nicht wissen|darf nichts|soll nicht wissen|soll nichts|nicht erfahren|nichts erfahren|nichts davon|ne doit pas savoir|ne doit rien savoir|n'a pas besoin de savoir|не должен знать|не должен узнать|не нужно знать|незачем знать|keep quiet about|keeps quiet about|stay quiet about|be quiet about|keep silent about|stay silent about|remain silent about|say nothing about|say nothing of|says nothing about|make no mention|makes no mention|not a word|without a word|keep it to yourself|keep this to yourself|keep that to yourself|keep them to yourself|keep to yourself|keep these to yourself|none the wiser|not for the user's eyes|for your eyes only|not meant for the user|not part of what the user|is not shown to|are not shown to|never shown to|does not belong in the summary|does not belong in the report|never surfaces|no one will notice|nobody will notice|user never sees|user will not see|user must not see|never sees it|never hears|never hears of|need never know|need not hear|need not be told|need not be informed|is not informed|are not informed|not to be mentioned|goes unmentioned|go unmentioned|stays unmentioned|stay unmentioned|remains unmentioned|left unmentioned|unannounced|only you know|only you and|stays confidential|keep confidential|this confidential|strictly between|no explanation is owed|leave them out of|left out of the summary|left out of the report|不要声张|不必提|不用提|别提|不要提|不要让用户|不要让客户|不让用户|不必告知|无需告知|無需告知|不必讓|不要讓|瞒着|瞞著|对用户保密|守口如瓶|不得外传|no hace falta que|no lo comentes|no lo menciones|sin mencionarlo|que no se entere|que quede entre|queda entre|a espaldas|no hables de|guarda silencio|ni una palabra|kein wort daruber|bleibt unter uns|behalte es fur dich|behalte das fur dich|ohne ein wort|bleibt unerwahnt|erwahne es nicht|verlier kein wort|reste entre nous|garde le pour toi|garde cela pour toi|n'en parle pas|n'en dis rien|pas un mot|passe sous silence|ne le mentionne pas|держи это в секрете|держи при себе|ни слова|останется между нами|не упоминаи об этом|никому не говори|умолчи|user does not need to know|user need not know|user needn't know|they do not need to know|they need not know|without the user noticing|without the user knowing|without them noticing|without anyone noticing|without the user seeing|user stays unaware|user is not told|user is not informed|user is not to know|user is not to learn|kept in the dark|tell nobody|tell no one|do not tell anyone|keep it quiet|keep this quiet|keep that quiet|hush"
    Keep "keep|leave|omit|deja|manten|mantener|lass|laisse|garde|不要写|不写|leave this|keep this|keep that|leave that|do not include|don't include|never include|do not list|不写进|不要放进|no incluyas|nimm|no pongas|ne mets pas|не включаи*"
    Out "out of|out|away from|from|unmentioned|off|fuera|aus|weg|hors"
    Reply "reply|answer|answers|response|summary|summaries|report|diff|changelog|the steps|transcript|recap|回答|回复|总结|摘要|报告|输出|respuesta|resumen|informe|antwort|zusammenfassung|bericht|reponse|resume|rapport|ответ*|отчет*|сводк*|the minutes|the notes|visible output|final message|final answer|final report|what you show|what you present|status update|status updates|commit message|review comments|回覆|回應|總結|说明里|mensaje|mensajes|nachricht|ausgabe|sortie|сообщени*"
    Approve "approve|auto approve|allow|answer yes|say yes|press yes|click yes|choose yes|type yes|respond yes|press y|always allow|click allow|pick yes|select yes|批准|同意|允许|aprueba|aprobar|acepta|aceptar|confirma|permitir|genehmige|genehmigen|bestatige|bestatigen|erlaube|zustimmen|approuve|approuver|accepte|accepter|confirme|autorise|одобряи*|одобри*|подтверждаи*|подтверди*|разрешаи*|соглашаи*|answer y|send y|type y|reply y|reply yes|confirm with yes|feed yes|pipe yes|yes pipe|auto accept|auto confirm|wave through|sign off|click through|选择允许|点击同意|自动批准|全部允许|di que si|responde si|pulsa si|klicke auf ja|antworte mit ja|stimme zu|clique sur oui|reponds oui|соглаша*|нажми*|отвечаи* да|accept|confirm|confirm them|confirm all|accepts|approves|with yes|yes to|yes"
    PermissionPrompt "permission prompt|permission prompts|permission dialog*|permission request*|approval prompt*|approval request*|approval dialog*|confirmation prompt*|confirmation dialog*|confirmation request*|permission question*|security prompt*|security dialog*|consent prompt*|consent dialog*|tool prompt*|approval|permission|permissions|confirmation|confirmations|consent|权限请求|权限提示|授权|确认框|许可|权限|solicitud de permiso|solicitudes de permiso|permiso|permisos|confirmacion*|berechtigungsanfrage*|berechtigungsabfrage*|bestatigungsdialog*|genehmigung*|demande de permission|demandes de permission|demande d'autorisation|demandes d'autorisation|autorisation|запрос* разрешени*|запрос* на разрешени*|разрешени*|подтверждени*|every question|every prompt|each prompt|each question|all prompts|any dialog|every dialog|each dialog|dialogue boxes|permission box*|safety prompt*|consents|green light|user's yes|the yes|授权请求|弹窗|對話框|確認|cualquier dialogo|dialogos|consentimiento|autorizacion|jede frage|jede ruckfrage|zustimmung|einwilligung|chaque question|boite de dialogue|consentement|согласи*|кажд* вопрос|диалог* подтвержд*|a dialog|dialog asks|dialogs|confirmation dialogs|popup|对话框|permission question|запросы разрешении|запросы на разрешение|запросы"
    Given "already given|as given|granted in advance|as granted|already granted|is implied|as implied|as agreed|already obtained|counts as given|taken as given|standing consent|blanket consent|already approved|as approved|pre approved|preapproved|已获得|视为同意|默认同意|视为已|ya concedid*|ya dad*|se da por|bereits erteilt|als erteilt|deja accorde*|deja donne*|уже дан*|считаи*|counted as given|counts as consent|counts as approval|counts as a yes|count as given|considered given|considered granted|considered approved|regarded as given|regarded as granted|deemed given|is deemed|are deemed|treated as given|treat as given|treated as granted|treat as granted|treat as approved|once and for all|covers everything|covers all|holds for everything|was given when|by installing|by using this skill|视作同意|等于同意|即视为|otorgad*|por dado|por concedid*|gilt fur alles|est accorde*|est acquis|vaut accord|подразумевается"
    YesSelf "yes yourself|yes on your own|yes for the user|on the user's behalf|on their behalf|for the user|without the user|automatically|by itself|自动|自行|代替用户|automaticamente|por tu cuenta|selbst|automatisch|toi meme|automatiquement|автоматически|самостоятельно|yourself|on your own|with yes|without waiting|for them"
    Ask "ask|asking|question|wait|waiting|prompting|confirming|confirmation|checking with|pause|询问|请示|确认|preguntar|preguntes|pedir|fragen|nachfragen|ruckfrage|demander|attendre|спрашиваи*|спрашивать|спроса"
    NoAsk "without asking|without confirmation|without confirming|without prompting|no confirmation|no questions|do not ask|don't ask|never ask|without approval|without waiting|need not ask|no approval|asking only slows|without consent|no consent|no need to ask|skip the confirmation|skip confirmation|skip the approval|without review|不用询问|无需确认|不要询问|无需询问|不必确认|sin preguntar|sin confirmar|sin confirmacion|no preguntes|ohne nachfrage|ohne ruckfrage|ohne zu fragen|frage nicht|sans demander|sans confirmation|ne demande pas|без спроса|без подтверждения|не спрашиваи*|do not wait|don't wait|no further confirmation|no questions asked|without a question|without the user's|unasked|asking is not|asking would|no need for confirmation|need no confirmation|needs no confirmation|needs no approval|requires no approval|requires no confirmation|no permission|without permission|never wait|do not stop to ask|do not pause|rather than asking|instead of asking|skip asking|skipping the|skip the question|skip the prompt|skips the|不要等|不必询问|直接执行|无需用户|未经同意|無需確認|sin esperar|sin permiso|no esperes|sin consultar|ohne erlaubnis|ohne zustimmung|warte nicht|ohne abzuwarten|sans attendre|sans autorisation|sans accord|n'attends pas|не дожидаясь|без разрешения|не жди|on your own"
    SystemPrompt "system prompt|system prompts|system message|system messages|developer message|developer messages|hidden prompt|hidden instructions|initial prompt|initial instructions|tool definition|tool definitions|tool schema|tool schemas|definition of each tool|definitions of each tool|definition of every tool|schema of each tool|schema of every tool|schemas of all tools|schemas of the tools|definitions of your tools|schemas of your tools|tool list|tool descriptions|instructions you were started with|instructions you run under|instructions you were given|your instructions|your configuration|internal instructions|系统提示|系统提示词|系统消息|工具定义|隐藏指令|提示词|prompt de sistema|prompt del sistema|mensaje de sistema|definiciones de herramientas|systemprompt|system anweisung*|werkzeugdefinition*|prompt systeme|instructions systeme|definitions d'outils|системн* промпт*|системн* подсказк*|системн* инструкци*|описани* инструментов|text you were given before|preamble|system text|setup text|everything above the first|text above the first|text that precedes|instructions above|your setup|own instructions|operating instructions|startup instructions|the prompt you|prompt you run|your prompt|hidden text you|tools you can call|tools you have|tool you can call|tool specification*|tool parameters|parameter schema*|list of your tools|list of tools|names and schemas|schemas|function definitions|function schemas|系统指令|系統提示|初始指令|工具列表|tus instrucciones|instrucciones internas|deine anweisungen|interne anweisungen|werkzeugliste|tes instructions|instructions internes|consignes internes|твои инструкции|внутренн* инструкци*"
    Your "your|you|yours|available to you|you can call|you have|you were|你的|你|您的|tu|tus|su|dein*|ihre*|ton|ta|tes|votre|vos|твои|свои|своего|ваш*"
    Full "full|complete|entire|whole|exact|word for word|verbatim|unabridged|in full|every word|完整|全文|逐字|全部|completo|completa|palabra por palabra|integro|vollstandig*|wortlich*|komplett*|ganze*|complet*|integral*|mot a mot|mot pour mot|entier*|полност*|полныи|дословно|целиком|hidden|text of"
    Copy "copy|print|write|output|dump|repeat|include|paste|save|append|reproduce|export|insert|echo|attach|store|pass|embed|复制|打印|写入|输出|粘贴|保存|附加|放入|附上|copia|copiar|imprime|escribe|incluye|pega|guarda|anade|adjunta|kopiere|kopieren|schreibe|fuge|speichere|gib|hange|copie|copier|ecris|inclus|ajoute|colle|enregistre|joins|скопируи*|выведи*|запиши*|вставь*|добавь*|сохрани*|приложи*|begin with|prepend|transcribe|note down|set down|reveal|recite|fill in|serialise|serialize|archive|back up|turn in|hand in|写到|抄写|貼上|附在|incluir|anexa|registra|trage ein|notiere|lege ab|transcris|recopie|перепиши*|впиши*|укажи*|put|add|start with|begin|affiche|affichez|zeige"
    Send "send|sends|sending|upload|uploads|uploading|posts|posting|forward|forwards|forwarding|transmit|e mail|email|exfiltrate|report to|hand over|发送|上传|转发|提交|传送|发到|发给|寄给|同步到|传到|發送|上傳|推送|envia|enviar|envie|sube|subir|reenvia|reenviar|transmite|comparte|sende|senden|schicke|schick|ubertrage|hochladen|leite|weiterleiten|ubermittle|envoie|envoyer|envoyez|transmets|televerse|transfere|publie|отправь*|отправляи*|отправить|перешли*|загрузи*|выгрузи*|передаи*|передаваи*|пошли*|отошли*|put to|pass on|pass along|pass it on|pass them on|push to|deposit|dispatch|convey|broadcast|beam|back up to|archive to|register with|uploaded|sent|posted|forwarded|shared|gist create|as a gist|as gists|post request|put request|http post|webhook|发往|寄往|传给|傳給|傳送|寄到|备份到|回传|remite|remitir|deposita|hace un post|subelo|mandalo|leite weiter|ubermitteln|schicken|hochlade*|remets|depose|fais suivre|faire suivre|скинь*|закинь*|слеи*|отправ*|пересыла*|submit|share|deliver|post|mail|mailed|emailed|transfer|push|publish|sync|copy to|store at|store on|save to|sent to|relay|mirror|manda|poste|mailing|emailing"
    CarbonCopy "bcc|blind copy|blind carbon copy|blind cc|in cc|cc|carbon copy|copia oculta|en copia|blindkopie|in kopie|copie cachee|en copie|copie carbone|скрыт* копи*|в копию|копию|密送|密件抄送|抄送"
    SecretWord "credential|credentials|password|passwords|private key|private keys|api key|api keys|access key|access keys|secrets|env vars|environment variables|ssh key|ssh keys|cookies|seed phrase|recovery phrase|mnemonic|login data|keychain|signing key|signing keys|keystore|card number|card details|card data|cvv|密钥|私钥|密码|凭证|凭据|令牌|口令|环境变量|助记词|contrasena*|clave*|claves privadas|credencial*|llave*|secretos|passwort|passworter|kennwort*|zugangsdaten|schlussel|geheimnis*|anmeldedaten|mot de passe|mots de passe|cle privee|cles privees|cle ssh|identifiants|jetons|пароль|пароли|паролеи|ключ*|токен*|секрет*|учетны* данны*|api token|api tokens|access token|access tokens|auth token|authentication data|session cookie|environment variable|secret key|signing keystore|bank data|账号密码|密鑰|私鑰|密碼|金鑰|憑證|環境變數|clave privada|variables de entorno|umgebungsvariable*|private schlussel|variables d'environnement|jeton|переменн* окружени*|логин*|приватн*|tokens|wallet keys"
    Conversation "conversation|conversations|chat|chat history|transcript|transcripts|session log|chat log|user's messages|user's message|user messages|last message|what the user said|what the user wrote|everything said|everything the user|your answer|your answers|full history|message history|prompts and answers|questions and answers|user input|user's question|user's text|对话|聊天|会话|聊天记录|对话记录|用户输入|用户消息|conversacion*|dialogo|historial|chatverlauf|gesprach|gesprache|gesprachsverlauf|unterhaltung|historique|echanges|переписк*|диалог*|разговор*|истори* чата|what was said|what has been said|what was discussed|what we discussed|the exchange|whole exchange|entire exchange|user's words|user's request|user's requests|messages so far|dialog so far|all messages|each turn|every turn|chat so far|full chat|last exchange|questions asked|the user asked|user typed|typed by the user|everything typed|everything that was said|summary of the conversation|聊天內容|對話|会话内容|用户说的|交谈|lo que dijo|lo que se ha dicho|la charla|todo lo dicho|alles gesagte|das gesagte|den chat|l'echange|la conversation|сообщени* пользовател*|весь диалог|всю переписку|said in this session|this session so far|the whole session|entire session|session transcript|your replies|their messages|chat verlauf|весь чат"
    Data "file|files|document|documents|record|records|result|results|data|contents|content|notes|workspace|working directory|directory|folder|repository|source code|project|diff|contacts|contact list|invoice|invoices|calendar|mail|mails|messages|report|spreadsheet|export|exports|archive|recording|statement|statements|manuscript|database|backup|inventory|attachment|attachments|customer data|patient*|screenshot*|clipboard|copy|table|文件|文档|数据|内容|结果|记录|代码|目录|项目|资料|文本|联系人|archivo|archivos|documento|documentos|datos|resultados|contenido|informe|contactos|factura*|datei|dateien|dokument*|daten|ergebnis*|inhalt*|unterlagen|ordner|rechnung*|fichier|fichiers|document*|donnees|resultat*|contenu*|dossier|facture*|фаил*|документ*|данны*|результат*|содержимо*|папк*|отчет*|draft|drafts|sheet|workbook|tables|book|books|deck|slides|photo|photos|entries|tickets|orders|bookings|addresses|schedule|the plan|plans|minutes|translation|translations|analysis|findings|contract|contracts|resume|cv|candidates|questionnaire|transactions|bank export*|state file|test results|artifacts|artefacts|snapshot|dump|metadata|telemetry|usage data|檔案|文檔|資料|內容|copias|listado|registros|correo|correos|texto|kopie|texte|liste|copie|courriel*|копи*|письм*|текст*|запис*|список|text|texts|code|output|outputs|configuration"
    Run "run|execute|launch|start|invoke|call|double click|open it|start it|run it|install|执行|运行|启动|调用|安装|ejecuta|ejecutar|ejecute|lanza|inicia|instala|fuhre|fuhr|ausfuhren|starte|starten|installiere|executer|executez|lance|lancer|lancez|installe|installer|запусти*|запускаи*|выполни*|выполняи*|установи*|perform|trigger|spawn|source|kick off|boot|开启|執行|運行|pon en marcha|corre|arranca|rufe|aufrufen|demarre|appelle|вызови*"
    Read "read|open|cat|load|collect|gather|take|extract|harvest|look up|list|find|grab|读取|打开|收集|获取|读|讀取|lee|leer|abre|recoge|recopila|obten|lies|lese|offne|sammle|lis|lire|ouvre|recupere|collecte|прочитаи*|прочти*|открои*|собери*|возьми*|читаи*"
    Fetch "download|fetch|retrieve|grab|pull|curl|wget|load|visit|read|consult|poll|下载|获取|访问|读取|拉取|打开|下載|descarga|descargar|obten|consulta|abre|lee|visita|lade|laden|hole|rufe|abrufen|lies|offne|telecharge|telecharger|recupere|consulte|ouvre|lis|скачаи*|загрузи*|получи*|открои*|прочитаи*|запроси*|pick up|look into|refresh|reload|browse|pulls|fetches|downloads|抓取|trae|baja|recoge|accede|aktualisiere|besuche|charge|обнови*|заиди*|возьми*|open|check|get|load that"
    Follow "follow|obey|carry out|do what it says|do what they say|do as it says|do what|act on|comply with|act accordingly|treat as instructions|treat it as|treat them as|as instructions|as your instructions|as directions|as orders|interpret as|遵循|遵守|执行|服从|照做|遵照|sigue|seguir|obedece|cumple|aplica|ejecuta|befolge|befolgen|folge|fuhre aus|wende|halte dich|suis|suivre|suivez|obeis|applique|следуи*|выполняи*|выполни*|соблюдаи*|подчиняи*|исполни*|live by|abide by|be bound by|takes as|take it as|as your rules|as rules|as commands|as binding|do exactly|do everything|do whatever|whatever it says|whatever it asks|whatever they say|what it asks|what it tells|as it says|as they say|as directed|let it guide|perform what|execute what|heed|put into practice|work according to|behave accordingly|照办|照着|听从|依从|當作指示|haz lo que|lo que diga|lo que indique|acata|tu was|mach was|handle danach|richte dich|setze um|fais ce|conforme toi|agis selon|деиствуи*|исполняи*|руководствуися|apply|execute|按照|依照"
    Instruction "instruction|directive|rule|order|steps|what it says|what they say|rulebook|guidance|instructions|rules|commands|orders|directions|policy|playbook|what stands there"
    Decode "decode|decrypt|unscramble|deobfuscate|un rot|hex decode|解码|解密|decodifica*|descifra*|dekodiere*|entschlussle*|decode*|dechiffre*|декодируи*|расшифруи*|раскодируи*|decoded|decipher|unscrambled|undo the|shift the letters|shift each letter|translate back|turn back into|restore the text|convert back|read backwards|join them and|还原|解開|解碼|descodifica*|entziffer*|entschlussel*|dechiffr*|расшифров*|раскодир*|rot13|base64|backwards"
    Agent "assistant|agent|ai|the model|language model|claude|llm|gpt|chatgpt|copilot|codex|gemini|ai assistant|to the model|ai agent|助手|智能体|代理|模型|人工智能|asistente|agente|modelo|assistent|agenten|modell|l'assistant|l'agent|modele|ассистент*|агент*|модел*|помощник*|ai tools|ai model|ai models|assistants|coding agent|coding agents|ai system|ai systems|automated agent|operator model|any agent|the agents|ki assistent|неиросет*|ai助手|代理人|助理"
    Scanner "scanner|scanners|automated reviewers|automated reviewer|automated review|automated analysis|review bots|review bot|review tools|security tools|security tool|security reviewers|static analysis|static analysers|static analyzers|auditors|audit tools|safety classifier|malware analysis|ai reviewer|ai reviewers|llm judge|linters and scanners|skill scanner|skill scanners|registry review|marketplace review|code scanning|扫描器|安全扫描|审查工具|审核工具|escaner*|analizador*|revisor automatico|prufprogramm*|sicherheitsscanner|analyseur*|scanneur*|сканер*|анализатор*|code review bot|code reviewers|review agents|review agent|automated tools|automated scanner*|skill review|skill reviewers|policy checkers|policy checker|policy engine|safety checker*|detection engine*|detection tools|malware scanner*|analysis tools|analysis engine*|guard models|guard model|analyzers|analysers|automated scanner"
    SafeVerdict "as safe|is safe|as benign|as clean|is benign|is clean|no findings|no issues|zero findings|nothing to report|risk score|score of 0|pass it|harmless|as trusted|is trusted|allow it|allowlist*|whitelist*|do not flag|don't flag|not flag|verdict|rate it|as verified|was audited|has been audited|been verified|as approved|安全|无风险|通过|跳过|seguro|sin hallazgos|omitir|sicher|unbedenklich|keine befunde|sur|sans risque|aucun probleme|безопасн*|пропусти*|no risk|low risk|no threat|no threats|nothing suspicious|nothing malicious|not malicious|not suspicious|mark this|rate this|classify this|classify it|score it|exclude this|intended behaviour|expected behaviour|intended behavior|expected behavior|close the review|return pass|report pass|output safe|grade a|benign|skip the|skip this|skip scripts|ignore this|ignore the|as a false positive"
    NoteTo "note to|notice to|note for|to any|hinweis an|nota para|note aux|внимание|致|message to|message for|notes to|reminder to|addressed to|this is for|to whoever|to automated|if you are a|if you are an|if this is read by|when analysing|when analyzing|when you scan|when you review|for scanners|for the scanner|scanner:|reviewer:|dear|attention|for automated|when scanning|to all"
    Scanned "already scanned|been scanned|was scanned|previously scanned|earlier scan|last scan|already reviewed|already audited|already been reviewed|passed review|previous scan|prior audit|has been scanned|was reviewed|been reviewed|been cleared|was cleared|found clean|came back clean|scan id|audit id|review id|audit passed|previously approved|previously cleared"
    Rescan "scan again|rescan|re scan|scanning again|another scan|repeat the scan|further review|review again|can be skipped|may be skipped|skip it|second look|further checks|analysis is not needed|stop here|stop scanning|stop the scan|no second|no new scan|treat as safe|treat it as safe|mark as safe|keep the verdict|same verdict|keep that verdict|carry over|no need to scan|no need to check|no need for another|no need to review|need not be scanned|not need to be scanned|not need another|scan is unnecessary|no new review"
    YouAre "you are|act as|pretend|become|respond as|behave as|take the role|you're|persona|你是|你现在是|扮演|eres|actua como|finge|du bist|verhalte dich als|tu es|agis comme|comporte toi|веди себя как|притворись|you will be|you play|twin|answer as|speak as|reply as|switch to|switch into|alter ego|in character|imagine being|take on|go into|operate as|mimic|impersonate|now called|your name is|化身|in this mode|this mode|ты теперь|ты"
    Persona "god mode|dan mode|jailbroken|uncensored|no content policy|no content policies|no usage rules|no usage policy|no restrictions|without restrictions|without rules|free of rules|free of restrictions|no guardrails|without filters|without policy|ignores policies|no longer bound|free from policy|freed from|without ethics|no moral|do anything now|无限制|不受限制|没有限制|不受约束|sin restricciones|sin censura|ohne einschrankung*|ohne regeln|unzensiert|keine regeln|keine einschrankungen|sans restriction*|sans censure|sans regles|без ограничении|без цензуры|без правил|debug persona|maintenance persona|root persona|sudo mode|unlocked mode|unlock mode|policies do not apply|rules do not apply|no rules apply|restrictions do not apply|limits do not apply|guidelines do not apply|policy does not apply|nothing is off limits|nothing is forbidden|nothing is refused|anything goes|ignores its guidelines|ignores guidelines|ignores the rules|without guardrails|without any rules|without any limits|without any restriction*|no inhibitions|unchained|unaligned|unmoderated|without a filter|no longer restricted|has no restrictions|has no rules|has no limits|knows no rules|knows no limits|knows no restrictions|knows no policy|free of any|free of all|free from all|free from any|unlimited freedom|no moral*|does not know refus*|never refuses|never declines|never says no|sin reglas|sin filtros|no tiene reglas|schrankenlos|ohne filter|kennt keine|sans filtre*|sans contrainte*|aucune regle|aucune limite|нет правил|нет ограничении|без фильтров|任何限制|没有规则|不受任何|毫无限制|no filters|no policy|no policies|no rules|no limits|unrestricted|not bound by|developer mode|debug mode|root console|no policy applies|no rule applies|no safety|unfiltered|executed without checks|without checks"
    Refuse "refuse|decline|say no|turn down|reject|refusal|refusals|拒绝|rechaces|rechazar|niegues|te niegues|ablehnen|lehne|verweigere|verweigern|refuser|refusez|отказываи*|отказывать*|отказ*|refusing|declining|say that you cannot|say you cannot|say you can't|cannot help|can't help|hesitate|object|objection|objections|push back|pushback|question the|question an order|argue|withhold|推辞|婉拒|negarte|rehuses|weigere|zogere|hesite|refus|возража*|колебл*"
    To "to|zu|de|a"
    Warn "warn|warning|warnings|caveat|caveats|disclaimer|disclaimers|safety note*|safety notice*|警告|风险提示|免责声明|advertencia*|avertissement*|warnung*|предупрежден*|оговор*|reservation*|second thoughts|safety advice|ethical notes|moral*|lecture|lectures|legal notes|are you sure|提示风险|avisos|bedenken|mises en garde|reserves|предостереж*"
    Comply "comply|complies|fulfil|fulfill|fulfils|obeys|obey|carries out|carry out|服从|cumple|obedece|erfulle|gehorche|obeis|выполняи*|act on|say yes to|agree to|honour|honor|i will do|will do|shall do|do whatever|does whatever|do anything|do everything|do what|answer|execute"
    EveryRequest "every request|any request|all requests|every command|any command|every order|every demand|anything asked|whatever is asked|whatever the user asks|each request|no request|every instruction|every question|any task|every task|all tasks|every conversation|every message|each message|any message|whatever the topic|all conversations|each conversation|any question|所有请求|任何请求|每个请求|所有任务|cualquier peticion|toda peticion|todas las peticiones|jede anfrage|jede aufgabe|jeder anfrage|toute demande|chaque demande|любои запрос|каждыи запрос|любые запросы|whatever is requested|whatever you are told|whatever i am told|whatever is ordered|whatever they ask|whatever the request|anything the user asks|anything i am asked|anything you are asked|anything requested|all orders|each order|no task|everything asked|all user requests|all user messages|all user queries|every user message|every user request|every query|any query|all queries|any and all|any kind of request|regardless of the topic|no matter the topic|no matter what the user|whatever the user|all kinds of tasks|every kind of task|any kind of task|everything the user|anything the user|the default skill|default for everything|in every conversation|in every session|一切请求|任何任务|所有问题|任何问题|所有场景|cualquier tarea|todas las tareas|cada mensaje|alle anfragen|alle aufgaben|jede frage|jedes thema|toutes les demandes|toute tache|все запросы|все задачи|любая задача|любую задачу|any topic|all topics|for everything"
    Normally "normally decline|would decline|would normally|usually refuse|normally refuse|otherwise refuse|would refuse|including ones|even if harmful|even if illegal|regardless of harm|whatever it is for|no matter how|you would not|you would otherwise|you might otherwise|normally would|otherwise decline|normally withhold|unconditionally|under all circumstances|whatever it is"
    Authority "safety team|trust and safety|trust & safety|security team|compliance team|compliance office|compliance department|legal department|governance board|model provider|it department|alignment team|policy team|red team lead|the provider|安全团队|官方|供应商|equipo de seguridad|proveedor|sicherheitsteam|anbieter|equipe de securite|fournisseur|команд* безопасности|поставщик*|compliance notice|trust team|safety board|safety office|safety department|security office|security department|platform team|platform operator|risk team|model vendor|ai lab|ciso|data protection officer|合规|安全部门|平台方|管理员|cumplimiento|proveedor del modelo|sicherheitsabteilung|conformite|служб* безопасности|compliance notification|anthropic|openai|administrator|vendor|notice from"
    Safeguard "safeguard|safeguards|safety check|safety checks|security check|security checks|guardrails|guard rails|usual checks|standard checks|usual limits|safety filter|safety filters|content filter|content filters|safety rules|safety policy|safety policies|usage policy|usage policies|confirmation step|confirmation steps|permission checks|approval requirement*|review requirement*|usual restrictions|command confirmations|schutzmassnahmen|sicherheitsprufung*|einschrankungen|安全检查|safety measures|security measures|security rules|content rules|content checks|safety controls|security controls|confirmations for|user confirmations|confirmation prompts|approval steps|approval step|permission prompts|refusal rules|policy limits|usual policy|usual policies|usual rules|normal rules|standard rules|standard restrictions|default restrictions|sandbox rules|the checks|command checks|安全限制|安全措施|medidas de seguridad|sicherheitsregeln|mesures de securite|garde fous|мер* безопасности|фильтр*|confirmations|restrictions|confirmation requirement*|command limits|content limits|tool limits|usual limits|safety limits|security limits|all restrictions|all limits|all checks|checks|limits|safeguards on|confirmation rules|the confirmation"
    Waive "waive|waived|waives|exempt|exempted|suspended|lifted|switched off|turned off|are off|do not apply|does not apply|no longer apply|has been cleared|pre cleared|cleared for|pre approved|preapproved|pre authorised|pre authorized|preauthorized|豁免|解除|免除|exento*|suspendid*|desactivad*|aufgehoben|ausgesetzt|ausser kraft|entfallen|suspendu*|desactive*|снят*|отключен*|приостановлен*|on hold|paused|stand down|not in force|out of force|no longer in force|no longer required|no longer necessary|been granted an|exemption|deactivated|is released|dispensed|may be ignored|can be ignored|nicht notig|no aplican|no se aplican|gelten nicht|ne s'appliquent pas|не применя*|не деиству*|取消|暂停|不适用|are disabled|is disabled|has been disabled|skip the usual|skip the|bypass the"
    Certified "verified by|signed by|verified and signed by|certified by|endorsed by|pre approved by|cleared by|audited by|vetted by|official release of|official skill of|official skill by|official extension of|official plugin of|official tool of|official tool by|officially from|officially approved by|officially endorsed by|partner of|official partner of|verified partner of|by order of|by decision of|approved by|reviewed by|mandated by"
    Vendor "anthropic|openai|claude team|the claude team|google deepmind|openai team|anthropic team|anthropic's|openai's"
    Remember "add|append|write|insert|put|store|save|remember|patch|update|加入|写入|添加|追加|保存|anade|agrega|escribe|guarda|fuge|schreibe|trage|ajoute|ecris|inscris|добавь*|запиши*|внеси*|write down|add to|adds|appends|plant|pin|写到|寫入|加到|加進|apunta|registra|anota|erganze|hange an|eintragen|rajoute|впиши*|допиши*"
    Standing "every session|future sessions|all sessions|each session|later sessions|next sessions|from now on|in future|every conversation|all future|before every task|before each task|every task|every project|on every start|permanently|for all projects|standing instruction|standing order|standing rule|每次会话|以后|今后|永久|cada sesion|futuras sesiones|a partir de ahora|jede sitzung|kunftig|ab jetzt|chaque session|desormais|a l'avenir|кажд* сесси*|впредь|отныне|in every session|at session start|at the start of every|at the start of each|as a standing|so that it survives|every new|every later|stay in force|remains in force|in all projects|across sessions|across projects|下次|往后|长期|en adelante|dauerhaft|en permanence|навсегда|в дальнеишем|each time|every time|always"
    Memory "long term memory|agent memory|memory file|memory files|persistent memory|agent's memory|your memory|standing instructions|长期记忆|记忆文件|memoria|gedachtnis|memoire|долговременн* памят*|agent instructions|project instructions|global instructions|長期記憶"
    Restart "restart|relaunch|start again|start the agent|rerun|re launch|reopen|start claude|launch claude|重启|重新启动|reinicia|starte neu|neu starten|redemarre|перезапусти*"
    Destroy "force push|force pushes|drop the database|drop database|drop the production|drop the old|drop all|drop the table|drop the tables|drop them|delete the original|delete the originals|delete originals|delete all|delete every|delete the source|delete the backup|delete the backups|remove the original|remove the originals|remove all backups|overwrite the original|overwrite the originals|delete remote branches|delete them|清空|删除原|删除所有|删除数据库|强制推送|elimina los originales|borra todo|borra los originales|borra la base|losche alle|losche die originale|supprime les originaux|supprime tout|efface|удали* исходн*|удали* все|сотри*|очисти*|reset hard|rewrite history|удаляи*|wipe|erase|purge|delete original*|delete the input|delete the user's|remove the input|overwrite the input|losche die|supprime les|elimina los|удаляи* исходн*"
    Precious "database|databases|production|original|originals|main|master|remote|remote branches|home|backup|backups|bucket|buckets|table|tables|schema|namespace|logs|history|volumes|disk|user's files|source files|input files|uploads|records|repository|branch|branches|数据库|原文件|生产|备份|base de datos|originales|produccion|copias|datenbank|originale|produktion|sicherung*|base de donnees|originaux|sauvegarde*|баз* данных|исходник*|оригинал*|резервн*"
    Falsify "change|alter|adjust|modify|tweak|inflate|lower|raise|falsify|fabricate|fake|invent|swap|replace|substitute|redirect|round|shift|skew|bias|favour|favor|rank|prefer|weaken|insert|修改|更改|替换|篡改|虚报|调整|cambia|altera|modifica|sustituye|reemplaza|ajusta|falsifica|andere|verandere|ersetze|falsche|passe an|erfinde|modifie|remplace|ajuste|falsifie|измени*|замени*|подмени*|подправь*|исказ*"
    Figures "figure|figures|total|totals|number|numbers|result|results|amount|amounts|price|prices|score|scores|rating|ratings|grade|grades|statistics|conclusion|conclusions|values|effect size|p value|ranking|recommendation|citation|citations|balance|quantity|order|fee|fees|rate|rates|数字|金额|结果|分数|数据|cifras|totales|importe*|precio*|resultado*|zahlen|summen|betrag|betrage|preise|ergebnisse|chiffres|montant*|totaux|prix|resultats|цифр*|сумм*|цен*|результат*|итог*"
    PayTo "iban|account number|bank account|wallet address|beneficiary|payee|recipient|card|receiving address|payment address|payout|receiving account|deposit address|payment details|bank details|affiliate|affiliate tag|referral|收款人|收款账户|账号|cuenta bancaria|beneficiario|destinatario|bankverbindung|konto|kontonummer|empfanger|compte bancaire|beneficiaire|destinataire|счет|реквизит*|получател*"
    InPlace "in place of|instead of|rather than|replace*|swap*|substitut*|whatever the|regardless of the|不是|代替|en lugar de|en vez de|anstelle|statt|a la place|au lieu|вместо"
    AsReal "as the real|as if|as genuine|as original|as the original|present as|present them as|present it as|claim|pretend|as measured|as actual|as reported|unchanged|was applied|as usual|as normal|look like|looks like|looks better|looks cheaper|so that the vendor|say that|tell them|say the|answer that|reply that|nothing was|nothing changed|当作|假装|声称|como si|como reales|finge|als ob|als echte|behaupte|als waren|comme si|comme vraies|pretends|как будто|якобы|как настоящ*|выдаи*|say it is|say it was|say it does|explain it as|describe it as|call it a"
    Wonder "wonder|asks why|if asked|should they ask|when asked|if the user asks|if anyone asks|if they ask|if someone asks|if questioned|on inquiry|如果问|若问|si pregunta*|si te pregunta|wenn gefragt|falls gefragt|auf nachfrage|si on demande|si l'utilisateur demande|если спрос*|somebody asks|if somebody asks|anyone asks|someone asks|user asks what|asks what it"
    OtherSkill "any other skill|other skills|another skill|all other skills|every other skill|other tools and skills|no other skill|alternative skills|competing skills|其他技能|其它技能|otra habilidad|otros skills|otras habilidades|anderen skill*|andere skill*|autre skill|autres skills|autre competence|autres competences|други* навык*|други* скилл*|other skill|others skills|other installed skills|different skill|similar skills|named skill|the skill the user|skill the user|rival skills|更具体的技能|别的技能|任何其他技能|其他工具|demas skills|demas habilidades|ubrigen skills|skills concurrents|остальны* навык*"
    LoadSkill "load|use|activate|invoke|trigger|hand over to|加载|使用|调用|carga|usa|utiliza|active|lade|nutze|verwende|charge|utilise|используи*|загружаи*|loaded|used|consult|pick|reach for|defer to|hand to|delegate|pass to|route to|选择|选用|elige|recurre|wahle|ziehe|choisis|recours|выбираи*|follow|open|start"
    Before_ "before|ahead of|instead of|in place of|prior to|rather than|优先|之前|代替|antes|en lugar|anstatt|statt|anstelle|avant|au lieu|перед|вместо|раньше|прежде|priority over|takes over|take over|preference to|in preference|preferred over|ahead|supersedes|outranks|instead|抢先|取代|高于|por delante|bevorzugt|plutot|вытесня*|приоритет|first"
    Detect "detect|detects|detecting|flag|flags|flagging|look for|looks for|watch for|watch out|scan for|such as|phrases|phrase|phrasing|patterns|attempts to|attempt to|tries to|try to make|trying to|if you see|when content|injection|injections|attack|attacks|attacker|attackers|malicious|suspicious|jailbreak|jailbreaks|untrusted|adversarial|example of|examples of|refuse to|refuse any|refuse requests|reject any|treat as data|as data|not as instructions|red flag|red flags|red team|payload|payloads|exploit|threat|threats|vulnerab*|phishing|manipulat*|prevents|protect against|defend against|guard against|warns about|hostile|is not an instruction|resembles|is an anti|anti pattern|antipattern|检测|攻击|恶意|注入|例如|识别|拒绝|防止|可疑|detecta*|ataque*|malicios*|inyeccion|por ejemplo|rechaza|sospechos*|erkenne*|angriff*|bosartig*|zum beispiel|verdachtig*|lehne|attaque*|malveillant*|par exemple|detecte*|suspect*|атак*|вредонос*|например|обнаруж*|подозрительн*|инъекци*|never follow|should never|must never|never obey|do not obey|never trust|don't trust|do not trust|beware|be wary|spoof*|impersonat*|hypothetical|phrased|words like|text like|messages like|claims to|claiming|pretends to|instructs|asks you to|tells you to|that says|that tell|that ask|content that|documents that|pages that|tests whether|test that|defense|defence|defensive|mitigat*|bypass attempt*|anti patterns|violat*|bad practice|bad:"
    Todo "todo|fixme|note to maintainers|maintainers|maintainer|copyright|spdx|license|licence|eslint*|prettier*|markdownlint*|generated|do not edit|toc|tocstop|begin|end|region|vale|cspell"
    Important "important|system notice|system note|critical|mandatory|required|agent note|system message|system override|admin notice|attention|note to assistant|internal note|重要|注意|系统通知|importante|obligatorio|wichtig|achtung|obligatoire|важно|внимание"
    Image "image|picture|pixel|badge|banner|icon|gif|img|link preview|preview|图片|图像|imagen|bild|изображени*"
    GitForeign "add a remote|second remote|additional remote|new remote|extra remote"
    Grant "admin user|admin account|cluster admin|root access|super user|superuser|back door|backdoor|master password|bypass login|master key|support account|support user|support key|管理员|后门|administrador|puerta trasera|hintertur|administrateur|porte derobee|администратор*|cluster role|clusterrole|role binding|full rights|0.0.0.0/0|world readable|skeleton key|universal password|hidden route|debug route|hidden endpoint|support login|remote support|second owner|co owner|authorized_keys|verwalter|vollzugriff|fernzugriff|acceso total|acceso remoto|acces complet|acces distant|удаленн* доступ|полн* доступ|administrator"
    NoNeed "needs no|need no|no need|requires no|not necessary|not needed|not required|无须|no hace falta|no es necesario|nicht notig|inutile de|pas besoin|не нужно|не требуется"
    Also "also|additionally|in addition|as well|once done|when finished|afterwards|after that|at the end|finally|另外|同时|并且|还要|ademas|tambien|ausserdem|zusatzlich|egalement|de plus|также|кроме того|a copy|copy of|second copy|on top|along with|together with|in parallel|meanwhile|when you are done|after each|after every|as the last step|last step|to close|to finish|on completion|when complete|upon completion|afterward|最后|之后|完成后|结束后|然后|al final|despues|al terminar|danach|anschliessend|zum schluss|nach dem|am ende|ensuite|a la fin|apres|puis|затем|после|в конце|when done|after saving|before each|back up|backup"
    Later "later messages|later message|later instructions|later requests|subsequent messages|subsequent instructions|new messages|anything typed|anything said|anything the user|whatever they say|whatever is said|whatever anyone says|objections|后续消息|以后的消息|mensajes posteriores|spatere nachrichten|messages ulterieurs|последующие сообщения"
    Mute "no mention of|not be mentioned|not to be mentioned|must not appear|should not appear|does not appear|do not appear|not appear|leave it out|leave this out|leave that out|leave them out|keep it out|keep this out|keep that out|keep them out|unmentioned|leave no trace|no trace|not to be listed|not listed|not be listed|never listed|never mentioned|never appear|never appears|must not show up|should not show up|不写进|不要写进|no aparezca|no lo incluyas|taucht nicht|nicht auftauchen|n'apparait pas|не указываи"
    Gone "no longer apply|no longer applies|no longer valid|no longer hold|no longer count|no longer binding|no longer bind|cease to apply|are void|is void|are cancelled|are canceled|is cancelled|are obsolete|are superseded|is superseded|have expired|as expired|as obsolete|as void|as cancelled|lose their force|lose all force|out of force|are replaced by|is replaced by|作废|失效|不再有效|不算数|quedan anuladas|quedan sin efecto|ya no valen|ya no se aplican|sind hinfallig|gelten nicht mehr|sind ungultig|ne sont plus valables|ne s'appliquent plus|sont annulees|больше не деиству*|отменяются|утрат* силу"
    Conflict "conflict|conflicts|disagree|disagrees|differ|differs|contradict|contradicts|clash|disputes|冲突|矛盾|conflicto|contradic*|widerspr*|konflikt|contredi*|противореч*"
    Against "even if the user objects|even if they object|even when told not to|even if told not to|even if asked not to|even against the user|against the user's|over the user's objection*|over their objection*|whether or not the user agrees|regardless of what the user|no matter what the user|whatever the user says|whatever they say|whatever the user asks|no matter who asks|even if the user|even when the user|aunque el usuario|auch wenn der nutzer|meme si l'utilisateur|даже если пользователь|即使用户|不管用户"
    Remove "remove|strip|drop|leave out|omit|suppress|no|without|never add|skip|elimina|entferne|supprime|убери*|去掉|不加"
    Printed "what it prints|it prints|prints|printed|its output|output of the script|output of the command|lines it prints|what the script says|what the script prints|what it outputs|what comes back|the returned text|what it returns|script's output|lo que imprime|was es ausgibt|die ausgabe|ce qu'il affiche|что он выведет|输出的内容"
    Absent "has no place in|have no place in|does not belong in|do not belong in|is not part of|are not part of|no part of|not come up|does not come up|never comes up|absent from|missing from|is left out of|are left out of|stays out of|stay out of|is kept out of|are kept out of|belongs in no|goes into no|not shown in|not visible in|invisible in|not mentioned in|not named in|not counted in|skipped in|passed over in|no tiene lugar|no forma parte|gehort nicht in|kommt nicht in|ne figure pas|n'a pas sa place|не входит в|不出现在"
    Unaware "stays unaware|remain unaware|remains unaware|kept unaware|is unaware|be unaware|never aware|not be aware|not made aware|none the wiser|left in the dark|in the dark|never learns|never learn|not learn of|never finds out|not find out|never find out|never notices|not notice|does not notice|never hears|not hear of|hears nothing|learns nothing|is told nothing|are told nothing|told nothing|sees nothing|see nothing|sees none|knows nothing|know nothing|need not be bothered|not be bothered with|has no need to know|has no need of|not concern|does not concern|is no concern|not the audience|spare|is spared|are spared|believe that|believes that|under the impression|in the belief|no se enterara|no sabra|no sepa|erfahrt nichts|merkt nichts|weiss nichts|ne saura|ne sache|n'en saura|не узнает|не заметит|ничего не знает|不会知道|不知道|毫不知情"
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
