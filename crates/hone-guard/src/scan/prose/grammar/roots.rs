//! The stems of which the attacks of [`super`] are made, for each of the six languages alike.
//!
//! A row has a place for every language, so that none can be forgotten. Stems are written as the
//! normalised text is: lower case, without accents; `*` stands for any ending, a blank for blanks.

macro_rules! roots {
    ($($(#[$says:meta])* $name:ident [$($words:literal),*])*) => {
        /// What a stem means.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Root { $($(#[$says])* $name),* }

        /// Each root with its stems: English, Chinese, Spanish, German, French, Russian.
        pub(super) const ROOTS: &[(Root, [&str; 6])] = &[$((Root::$name, [$($words),*])),*];
    };
}

roots! {
    /// A negation.
    Nay [
        "not|no|never|nothing|don't|doesn't|none|cannot|won't|nobody|needn't|mustn't",
        "不|勿|别|无需|无须|没有|莫|未|毋须|毋需",
        "no|nunca|jamas|ningun*|nadie|tampoco|nada",
        "nicht|nie|niemals|kein*|niemand*|nichts",
        "pas|jamais|aucun*|plus|personne|rien",
        "не|ни|никогда|нельзя|никак*|никто|никому|нет"
    ]
    /// Doing without.
    Lacking [
        "without|minus",
        "未经|不经|无需|无须|不需要|不用|不必|不需",
        "sin",
        "ohne",
        "sans",
        "без"
    ]
    /// Leave that somebody gives.
    Leave [
        "consent|permission|permissions|approval|approvals|confirmation|confirmations|authorisation|authorization|go ahead|sign off",
        "同意|许可|批准|确认|授权|准许|权限",
        "permiso|permisos|consentimiento|aprobacion|confirmacion*|autorizacion*|visto bueno",
        "erlaubnis*|berechtigung*|zustimmung*|genehmigung*|bestatigung*|freigabe*|einwilligung*|einverstandnis*|ruckfrage*",
        "permission*|consentement*|approbation*|confirmation*|autorisation*|accord|aval|feu vert",
        "разрешени*|согласи*|одобрени*|подтвержден*|дозволен*"
    ]
    /// Saying yes.
    Accepts [
        "accept|approve|confirm|allow|click|press|answer|grant",
        "点击|同意|批准|确认|允许|接受|点",
        "acept*|aprueb*|aprob*|confirm*|pulsa*|permit*|concede*",
        "nimm|annehm*|bestatig*|akzeptier*|genehmig*|klick*|erlaub*|beantwort*",
        "accept*|approuv*|confirm*|clique*|autorise|autorisez|valide*",
        "принима*|подтвержда*|одобря*|нажима*|соглаша*|разреша*|прими"
    ]
    /// A question that a program puts to its user.
    Dialog [
        "prompt|prompts|dialog|dialogs|dialogue|window|windows|popup|popups|pop up|request|requests",
        "弹窗|提示|对话框|请求|询问|窗口",
        "aviso*|dialogo*|ventana*|solicitud*|peticion*",
        "abfrage*|dialog*|fenster*|anfrage*|berechtigungsabfrage*|berechtigungsdialog*|berechtigungsanfrage*|bestatigungsdialog*|ruckfrage*",
        "demande*|dialogue*|fenetre*|invite*|boite*",
        "запрос*|окно|окна|диалог*"
    ]
    /// Without anybody else.
    Alone [
        "yourself|automatically|on your own|by yourself",
        "自行|自动|自己|直接",
        "tu mismo|tu misma|automaticamente|por tu cuenta",
        "selbst|automatisch|eigenstandig|von dir aus",
        "toi meme|vous meme|automatiquement|de toi meme",
        "сам|сама|самостоятельно|автоматически"
    ]
    /// Asking somebody for something, or waiting for it.
    Seeks [
        "ask|asks|asking|request|requesting|wait|waiting|seek|seeking|obtain|obtaining|get|getting|pause|pausing|stop|prompt|prompting|solicit|await",
        "请求|征求|征得|询问|等待|等候|停下|经过|获得|取得|索取|请示|经",
        "pidas|pidan|pida|pedir*|solicit*|espera*|esperes|pregunt*|obtener|obtenga*|detengas|detenerte|requier*|aguard*",
        "bitte|bitten|frag*|nachfrag*|einzuholen|einholen|hole|holen|abwarten|abzuwarten|warte*|anhalten|halte|bekommen|erbitte*|erbitten",
        "demande*|demander|attend*|obtenir|sollicit*|arrete*|requerir|redemand*",
        "спрашива*|запрашива*|жди|ждать|дожида*|проси*|просить|получ*|запроси*|останавлива*|испрашива*"
    ]
    /// Needed.
    Needed [
        "required|needed|necessary|require|requires|need|needs",
        "需要|必须|必要|需|须|经过|经",
        "requiere*|necesit*|necesario*|necesaria*|hace falta|precis*",
        "notig|erforderlich|notwendig|brauch*|bedarf|bedurfen|benotig*",
        "requis*|necessaire*|besoin|necessit*|requiert|exige*",
        "требу*|нужн*|необходим*|надо|обязательн*"
    ]
    /// Passing something over.
    Skips [
        "skip|skips|skipped|skipping|omit|omitted|bypass|bypassed|bypassing|suppress|suppressed",
        "跳过|略过|绕过|省略|忽略",
        "omite*|omitir|omitan|omitas|salta*|saltarse|saltate|salte|elud*",
        "uberspring*|umgeh*|auslass*|weglass*|unterdruck*",
        "saute*|sauter|ignore*|contourn*|omet*|court circuit*",
        "пропуска*|пропусти*|обходи*|обоити|миновать|минуя"
    ]
    /// What an agent does, whatever it is.
    Deed [
        "command|commands|action|actions|operation|operations|tool call|tool calls|tool use",
        "命令|操作|工具调用|动作|行动|指令",
        "comando*|accion*|operacion*|llamada*|orden|ordenes",
        "befehl*|aktion*|vorgang*|vorgange*|operation*|werkzeugaufruf*|kommando*|handlung*",
        "commande*|action*|operation*|appel*",
        "команд*|деистви*|операци*|вызов*"
    ]
    /// Doing it.
    Does [
        "execute|executing|executed|run|running|do what|do whatever|do everything|do it|do them|perform",
        "执行|运行|做",
        "ejecut*|haz|realiza*|lanza*",
        "ausfuhr*|fuhre*|ausgefuhrt*|tu|tue|starte*",
        "execut*|fais|lance*|effectue*",
        "выполн*|запуск*|делаи*|соверша*"
    ]
    /// All there is.
    AnyOf [
        "any|all|every|each",
        "任何|所有|全部|一切|每|一律|都|凡",
        "todos|todas|cualquier*|cada|ningun*",
        "jede*|alle|allen|aller|kein*|samtlich*",
        "toute|toutes|tous|chaque|aucun*|n'importe",
        "все|всех|всеми|всем|любо*|любы*|любу*|кажд*|ни одн*|ни для|ни при|ни в|никак*"
    ]
    /// Whatever it is.
    Whatever [
        "whatever|everything|anything",
        "一切|任何事|所有事|凡是",
        "todo lo que|todo|cualquier cosa",
        "alles|was immer|was auch immer",
        "tout ce|tout|n'importe quoi",
        "все что|все, что|все|всего|что угодно"
    ]
    /// Words that narrow an order down: only some, once more, what is harmless.
    Narrowed [
        "only|read only|again|twice|already|once|second time|repeatedly|dry run|can|may|might|could|those|column|columns|safe|trivial",
        "只读|只|重复|再次|已经|仅|两次|可能|列",
        "solo lectura|solo|dos veces|ya ha|ya hay|de nuevo|vuelvas|columna*",
        "nur|erneut|zweimal|schon|sobald|noch einmal|nochmal*|bereits|spalte*",
        "seulement|seule|deux fois|deja|de nouveau|encore|redemand*|uniquement|colonne*",
        "только|дважды|уже|повторно|еще раз|снова|столб*"
    ]
    /// In some case.
    Case [
        "if|when|unless|except|until",
        "如果|除非|直到|若",
        "si|cuando|salvo|hasta|a menos",
        "wenn|falls|ausser wenn|es sei denn|bis",
        "si|sauf|jusqu*|lorsque|quand",
        "если|кроме|пока не|когда"
    ]
    /// Who is spoken to.
    You [
        "you|your|yours|yourself",
        "你|您",
        "te|ti|tu|tus|tuyo*|estas|usted*|eres|tienes|has|contigo|respondes|actua|considerate",
        "du|dich|dir|dein*|euch|ihnen",
        "tu|toi|te|t'a|t'ont|t'es|t'est|tes|ton|ta|vous|vos|votre|considere",
        "ты|тебя|тебе|тобои|твои*|твоя|твое*|свои*|своя|свое*|вы|вас|вам|ваш*"
    ]
    /// Rules and limits that somebody is held by.
    Rein [
        "rule|rules|guideline|guidelines|policy|policies|restriction|restrictions|limit|limits|limitation|limitations|guardrail|guardrails|constraint|constraints|safeguard|safeguards",
        "规则|准则|政策|限制|护栏|规范|约束|守则|边界",
        "regla*|norma*|politica*|restriccion*|limite*|limitacion*|directri*|salvaguard*|barrera*",
        "regel*|richtlini*|vorgabe*|beschrankung*|grenze*|schranke*|vorschrift*|leitplanke*|einschrankung*|sicherheitsregel*|sicherheitsrichtlini*|sicherheitsvorgabe*|sicherheitsbeschrankung*|sicherheitsvorschrift*|inhaltsrichtlini*|inhaltsbeschrankung*|inhaltsregel*|schutzvorgabe*",
        "regle*|politique*|restriction*|limite*|limitation*|consigne*|garde fou*|contrainte*|directive*|barriere*",
        "правил*|политик*|ограничени*|предел*|норм*|рамк*|запрет*|указани*"
    ]
    /// What makes them the agent's own: they are about safety, morals, or what is usual with it.
    Moral [
        "safety|security|ethical|ethics|moral|content|usual|guardrail|guardrails|normal|standing",
        "安全|道德|伦理|内容|平时|通常|护栏|惯常",
        "seguridad|etic*|moral*|contenido*|habitual*|normales",
        "sicherheits*|ethisch*|moralisch*|inhalts*|ublich*|schutz*|gewohnt*",
        "securite|ethique*|moral*|contenu*|habituel*|garde fou*|usuel*",
        "безопасност*|этическ*|моральн*|содержани*|обычн*|защитн*|привычн*"
    ]
    /// Holding for somebody.
    Binds [
        "bound|binding|apply|applies|in force|respect|hold|holds|obey|comply|count|counts|subject to|in effect|observe|follow|keep to|adhere",
        "受|适用|遵守|有效|起作用|生效|算数|遵循|约束力|束缚|约束",
        "sujet*|oblig*|aplica*|vigente*|respet*|cuenta*|vincul*|rige*|vigor|cumplir|acatar",
        "gebunden|gelten|gilt|in kraft|beachten|einhalten|zahlen|zahlt|unterlieg*|bindet|befolgen|halten",
        "lie|liee|lies|tenu|tenue|soumis*|s'applique*|applique*|vigueur|respecter|compte|comptent|observer|obeir",
        "связан*|распростран*|деиству*|соблюда*|обязан*|считает*|считают*|применя*|подчиня*|касают*"
    ]
    /// Taking away what held.
    Lifts [
        "lifted|lift|lifts|removed|suspended|suspends|waive|waived|waives|cancelled|canceled|exempt|exempts|exempted|free of|free from|freed from|disabled|disabling|revoked|void|null|switched off|switching off|turned off|turning off|released from|replaced|no guardrails|superseded|overruled",
        "解除|取消|免除|失效|作废|关闭|暂停|豁免|免去|撤销|停用|取代|没有任何|无效",
        "levanta*|elimina*|suspend*|suspens*|anul*|cancel*|exim*|exent*|libre de|libre*|desactiv*|revoc*|sin efecto|sustitu*|reemplaz*",
        "aufgehoben|aufheb*|hebe|hebt|entfernt|ausgesetzt|befreit|frei von|abschalt*|abzuschalt*|abgeschaltet|hinfallig|entbunden|ausser kraft|deaktivier*|ersetzt|ungultig|nichtig",
        "leve*|supprim*|suppression*|suspend*|suspens*|annul*|dispens*|libre de|libere*|desactiv*|nul|nulle|caduc*|exempt*|remplac*",
        "снят*|снял*|снима*|отменен*|отмена*|отменя*|приостанов*|освобожд*|свобод*|отключ*|недеиствительн*|аннулир*|замен*|утратил*"
    ]
    /// The person that the agent works for.
    Person [
        "user|user's|users|the person|owner|anyone|anybody|human",
        "用户|使用者|客户|任何人|主人",
        "usuario*|usuaria*|cliente*|nadie|propietari*",
        "nutzer*|benutzer*|anwender*|kunde*|niemand*",
        "utilisateur*|l'utilisateur|utilisatrice|l'utilisatrice|client*|personne",
        "пользовател*|клиент*|владел*|никому|человек*"
    ]
    /// Coming to know.
    Learns [
        "find out|finds out|learn|notice|discover|realise|realize|become aware|know",
        "发现|知道|察觉|得知|了解到|获悉|发觉",
        "descubr*|enter*|sepa|saber|note|darse cuenta|se de cuenta",
        "herausfind*|erfahr*|merk*|bemerk*|wissen|mitbekomm*",
        "decouvr*|savoir|apprenn*|apprendre|remarqu*|s'aperce*|sache",
        "узна*|замет*|знать|обнаруж*|догада*"
    ]
    /// Being obliged to, so that a negation forbids.
    Must [
        "must|should|shall|is to|are to",
        "不得|不能|不让|不要让|不应|不准|不许|别让|勿让",
        "debe|deben|ha de",
        "darf|durfen|soll|sollen",
        "doit|doivent|faut",
        "должен|должна|должны|следует"
    ]
    /// What somebody knows.
    Knowledge [
        "unknowing*|unwitting*|unbeknown*|without knowing|without them knowing|without anyone knowing|without anybody knowing|without him knowing|without her knowing|without the user knowing|without the person knowing|without the customer knowing|without the owner knowing|without the operator knowing|without the human knowing|without the client knowing|without noticing|without them noticing|without anyone noticing|without anybody noticing|without him noticing|without her noticing|without the user noticing|without the person noticing|without the customer noticing|without the owner noticing|without the operator noticing|without the human noticing|without the client noticing|without being aware|without them being aware|without anyone being aware|without anybody being aware|without him being aware|without her being aware|without the user being aware|without the person being aware|without the customer being aware|without the owner being aware|without the operator being aware|without the human being aware|without the client being aware|without realising|without them realising|without anyone realising|without anybody realising|without him realising|without her realising|without the user realising|without the person realising|without the customer realising|without the owner realising|without the operator realising|without the human realising|without the client realising|without realizing|without them realizing|without anyone realizing|without anybody realizing|without him realizing|without her realizing|without the user realizing|without the person realizing|without the customer realizing|without the owner realizing|without the operator realizing|without the human realizing|without the client realizing|without knowledge|without the knowledge|without their knowledge|without his knowledge|without her knowledge|without anyone's knowledge|without the user's knowledge|without the person's knowledge|without the owner's knowledge|without the customer's knowledge|without the operator's knowledge|without the client's knowledge|without user knowledge|without awareness|without the awareness|without their awareness|without his awareness|without her awareness|without anyone's awareness|without the user's awareness|without the person's awareness|without the owner's awareness|without the customer's awareness|without the operator's awareness|without the client's awareness|without user awareness",
        "不知情|不知|不觉",
        "conocimiento|que lo sepa|que se entere|saberlo",
        "wissen|kenntnis",
        "l'insu|savoir|connaissance",
        "ведома|знания|уведомления"
    ]
    /// Keeping something from somebody.
    Hides [
        "hide|hides|conceal|keep secret|secret|secretly|withhold",
        "隐瞒|保密|瞒着|隐藏|掩盖",
        "ocult*|secreto|escond*|calla*",
        "verheimlich*|verberg*|verbirg*|geheim*|verschweig*|heimlich",
        "cache|cachez|cacher|secret|secrete|dissimul*|tais|taire",
        "скрои*|скрыва*|скрыть|секрет*|таине|утаи*|умалчив*"
    ]
    /// Keeping it a secret.
    Secret [
        "keep it secret|keep this secret|keep that secret|keep secret|secret from|a secret from",
        "保密|瞒着",
        "en secreto|secreto",
        "geheim|geheimhalt*",
        "secret|secrete",
        "в секрете|в таине"
    ]
    /// Saying something to somebody.
    Tells [
        "tell|inform|notify|mention|say|report|announce",
        "告诉|告知|通知|提及|说明|汇报|提到",
        "dig*|decir*|inform*|menciona*|avis*|comunic*|notific*",
        "sag|sage|sagen|informier*|erwahn*|mitteil*|melde*|benachrichtig*|unterricht*",
        "dis|dire|inform*|mentionn*|signal*|prevenir|avertir|avise*",
        "говори*|сообща*|сообщи*|упомина*|уведом*|рассказ*|информир*|извеща*"
    ]
    /// Putting into a report, or keeping out of it.
    Enters [
        "include|list|mention|put|add|write|show",
        "包含|写|列|放|提|出现|记录",
        "incluy*|incluir|pong*|poner|anad*|menciona*|list*",
        "aufnehm*|nimm|auffuhr*|schreib*|erwahn*|nenn*|fuge*|einfug*",
        "inclu*|mets|mettre|mentionn*|ajout*|ecri*",
        "включ*|упомина*|пиши*|указыва*|добавля*|вноси*"
    ]
    /// Keeping out, in one word.
    Omits [
        "leave out|leave that|leave this|leave it out|omit|drop that|drop this",
        "省略|略去|隐去",
        "omit*|deja fuera|excluy*",
        "weg|weglass*|lass*|auslass*|verschweig*",
        "omet*|omettre|exclu*|passe sous",
        "опусти*|опуска*|умолч*|исключи*"
    ]
    /// A step of the work.
    Step [
        "that step|this step|the step|it|this",
        "这一步|此步|该步骤|这步|此步骤|这件事|此事",
        "este paso|ese paso|el paso|esto|esta parte",
        "diesen schritt|dieser schritt|den schritt|dies|das|davon",
        "cette etape|l'etape|ceci|cela|ce point",
        "этот шаг|этого шага|этом|это|этого|об этом"
    ]
    /// What the person gets to read.
    Account [
        "summary|report|answer|reply|response|recap",
        "总结|报告|回答|回复|摘要|汇报",
        "resumen|informe|respuesta",
        "zusammenfassung|bericht|antwort",
        "resume|rapport|reponse|compte rendu",
        "отчет*|ответ*|сводк*|итог*|резюме"
    ]
    /// Getting a text from somewhere.
    Gets [
        "fetch|fetches|download|read|load|open|get|retrieve|pull|visit|look|consult|check|poll",
        "获取|下载|打开|读取|取回|拉取|访问|查看|阅读|抓取|加载|读",
        "descarg*|lee|lea|leer|carga|abre|abra|abrir|recuper*|obten*|obtenga|consult*|visita*|baja|trae|mira",
        "rufe|ruf|abrufen|abruf*|lade|laden|herunterlad*|lies|lese|offne|hol|hole|holen|sieh|nachseh*|besuch*|schau*",
        "recuper*|telecharg*|charge|chargez|lis|lisez|lire|ouvr*|cherch*|consult*|visit*|va chercher|regarde",
        "загруж*|загруз*|скач*|прочита*|прочти|чита*|открыва*|открои*|получ*|бери|возьми|бра*|сверя*|заходи*|посмотри"
    ]
    /// Doing what one is told.
    Heeds [
        "follow|follows|following|obey|obeying|carry out|execute|act on|act upon|do exactly|do what|do whatever|comply|perform|implement",
        "遵照|执行|按照|服从|照此|照做|照办|遵循|去做|遵守|照着|就做|行动",
        "sigue*|siga*|seguir*|haz|haga|hacer|obedec*|actu*|ejecut*|cumpl*|acata*",
        "befolg*|folge|folgen|fuhre|fuhr|ausfuhr*|tu|tue|gehorch*|handle|umsetz*|setze|halte dich|mach|mache",
        "suis|suivez|suivre|fais|faites|obei*|agis*|execut*|conform*",
        "следуи*|следова*|сделаи*|делаи*|подчин*|деиствуи*|выполн*|исполн*|слуша*|соблюда*"
    ]
    /// Putting to use, which is done to data too.
    Applies [
        "apply|applies|use",
        "应用|运用",
        "aplica*|usa",
        "wende|anwend*|nutze",
        "applique*|utilise*",
        "применя*|примени*|использу*"
    ]
    /// What tells an agent what to do.
    Dictates [
        "instructions|instruction|steps|orders|rules|commands|directions|directives|guidance|guidelines",
        "指令|步骤|命令|规则|指示|要求|指引|说明",
        "instruccion*|pasos|ordenes|reglas|comandos|indicaciones|directrices|directivas|normas",
        "anweisung*|schritte|befehl*|regeln|vorgaben|weisung*|kommandos|instruktion*|richtlinien",
        "instruction*|etapes|ordres|regles|commandes|directives|consignes|indications",
        "инструкци*|шаги|приказ*|правил*|команд*|указани*|распоряжени*|предписани*"
    ]
    /// What stands at an address.
    There [
        "what it says|written there|in it|that page|listed there|listed on|there|them",
        "其中|上面|里面|该页|那里|该网页|内容|照此",
        "lo que|ahi|alli|esa pagina|contiene|seguelas|siguelas|siguelos|aplicalas|ellas|aparecen",
        "was dort|darin|dort|danach|diese seite|sie|damit",
        "ce qui|y est|cette page|qu'il contient|suis les|applique les|les|en consequence",
        "что там|там|оттуда|эту страницу|им|их|на этои странице|ними"
    ]
    /// Time after time, or before everything else.
    Repeats [
        "each|every|always|whenever|before anything|newest|latest|today|before every",
        "每次|每当|始终|总是|只要|今天|最新|每|之前|任何任务前",
        "cada|siempre|antes de nada|hoy|recientes|ultim*|primero",
        "jede*|immer|stets|neueste*|heute|bevor|zuerst",
        "chaque|toujours|jour|derniere*|avant tout*|d'abord",
        "кажд*|всегда|всякии раз|сегодня|свеж*|прежде всего|сначала|последн*"
    ]
    /// Somebody whose word counts with an agent.
    Ruler [
        "anthropic|openai|administrator|platform|vendor|provider|developer|developers|compliance department|security team|compliance team|manufacturer",
        "anthropic|openai|管理员|平台|供应商|开发者|合规部门|安全团队|厂商|提供商",
        "anthropic|openai|administrador*|plataforma|proveedor*|desarrollador*|cumplimiento|equipo de seguridad",
        "anthropic|openai|administrator*|plattform|anbieter*|entwickler*|compliance*|sicherheitsteam*|hersteller*",
        "anthropic|d'anthropic|openai|d'openai|administrateur*|d'administrateur|qu'administrateur|plateforme|fournisseur*|developpeur*|conformite|equipe de securite",
        "anthropic|openai|администратор*|платформ*|поставщик*|разработчик*|отдел*|служб* безопасност*|производител*"
    ]
    /// Giving one's blessing.
    Sanctions [
        "approved|authorised|authorized|order of|certified|hereby|approval of|exempts|exempted|lifted|waives|permits|as an administrator|as administrator|granted",
        "已批准|已授权|之命|认证|特此|免除|豁免|经你|取消|作为",
        "aprobado|autoriz*|por orden|certific*|por la presente|exime*|como administrador*|con la aprobacion|levantado|anulo",
        "genehmigt|ermachtig*|anordnung|zertifizier*|hiermit|befreit|als administrator*|mit zustimmung|aufgehoben|bewilligt",
        "approuve*|autorise*|sur ordre|certifie*|par la presente|dispense*|tant qu'administrateur|avec l'accord|je leve|a leve",
        "одобрил*|уполномоч*|распоряжени*|сертифицир*|настоящим|освобожд*|как администратор|с согласия|снял*|разрешил*"
    ]
    /// Checks that protect somebody.
    Check [
        "safety check|safety checks|permission check|permission checks|confirmations|security checks",
        "安全检查|权限检查|确认|审批",
        "comprobacion*|controles|confirmaciones|verificacion*",
        "sicherheitsprufung*|berechtigungsprufung*|bestatigungen|prufungen|kontrollen",
        "controle*|confirmations|verification*",
        "проверк*|подтвержден*|контрол*"
    ]
    /// Dropping what one was told.
    Drops [
        "ignore|disregard|forget|neglect",
        "忽略|无视|忘掉|忘记|不要理会|不理会|不用理会|不必理会|无需理会|别理会|不管",
        "ignora|ignore|olvida|olvide|caso omiso|desatiende",
        "ignorier*|missacht*|vergiss|vergessen|beachte nicht",
        "ignore*|oublie*|ne tiens pas compte|ne tenez pas compte|neglige*",
        "игнорир*|забудь*|не обращаи внимания|не обращаите внимания|отбрось*"
    ]
    /// Ceasing to do something.
    Quits [
        "stop|cease|quit",
        "停止|不再",
        "deja de|dejad de|deje de|dejado de|dejas de|para de",
        "hor auf|hore auf|horst auf|horen sie auf",
        "cesse*|arrete de|arretez de",
        "перестан*|прекрати*|больше не"
    ]
    /// What the agent was started with.
    Prompt [
        "system prompt|system message",
        "系统提示|系统指令|系统消息",
        "prompt del sistema|prompt de sistema|mensaje del sistema",
        "systemprompt*|system prompt|systemnachricht*",
        "prompt systeme|message systeme",
        "системн* промпт*|системн* сообщени*|системн* инструкц*"
    ]
    /// Not for others to see.
    Inner [
        "hidden|internal|secret|initial",
        "隐藏|内部|秘密|初始",
        "ocult*|intern*|secret*|inicial*",
        "verborgen*|versteckt*|intern*|geheim*",
        "cache*|intern*|secret*|initial*",
        "скрыт*|внутренн*|секретн*|таин*"
    ]
    /// Given before now.
    Earlier [
        "previous|prior|earlier|original|were told|was told|given|before this point|existing",
        "之前|先前|原来|以前|此前|原有|给你",
        "anterior*|previ*|original*|dijeron|dieron|dado|antes de este punto",
        "vorherig*|fruher*|ursprunglich*|bisherig*|gesagt wurde|bekommen hast|vorig*",
        "precedent*|anterieur*|d'origine|donne*|on t'a dit|avant ce point|initial*",
        "предыдущ*|прежн*|исходн*|говорили|дали|до этого места|ранее|первоначальн*"
    ]
    /// Everything that was said to somebody.
    AllTold [
        "everything you were told|all you were told|everything you have been told|whatever you were told",
        "告诉你的一切|告诉你的所有|对你说的一切|说过的一切",
        "todo lo que te dijeron|todo lo que te han dicho|todo lo dicho",
        "alles was dir|alles, was dir|was man dir",
        "tout ce qu'on t'a|tout ce qui t'a|tout ce que l'on t'a|tout ce qu'on vous a",
        "все что тебе|все, что тебе|все что вам|все, что вам"
    ]
    /// What an agent keeps about somebody.
    Memory [
        "remember about|memory of|memories of|know about|memories about|memory about|learned about",
        "记得|记忆|了解|记住",
        "recuerdas|memoria|sabes|recuerdos",
        "erinnerung*|weisst|gedachtnis|gemerkt",
        "memoire|sais|souvenir*|souviens|retenu",
        "помнишь|памят*|знаешь|воспоминани*|запомнил*"
    ]
    /// What somebody writes.
    Message [
        "message|messages|prompt|prompts",
        "消息|信息|输入",
        "mensaje|mensajes",
        "nachricht|nachrichten|eingabe*",
        "message|messages",
        "сообщени*|реплик*"
    ]
    /// Getting something across.
    Sends [
        "send|sends|upload|post|forward|transmit|transmitted|pass|relay|sent|report",
        "发送|上传|转发|传送|发布|转给|发给|传给|提交",
        "envi*|sube*|subir*|reenvi*|transmit*|pasa|pasar|publica*|remit*|mand*",
        "sende*|schick*|lade|hoch|hochlad*|leite|weiter|weiterleit*|ubertrag*|ubermittel*|poste",
        "envoi*|envoy*|televers*|transmet*|transmis*|transfer*|suivre|publi*|pousse",
        "отправ*|загру*|перешл*|пересыл*|переда*|публику*|выгру*|посыла*"
    ]
}
