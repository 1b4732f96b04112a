//! Further ways of saying what the lexicon, [`super::phrases`] and [`super::wording`] have rows for: rules an agent
//! came with, limits that ran out, texts that are made part of a page, text to be read in one's head, a
//! well-known service's password asked for, steps that are left out of the account.

#[allow(clippy::enum_glob_use, reason = "words are data made of concepts")]
use super::lexicon::Concept::{self, *};

/// Words and what they stand for, written as in [`super::lexicon`].
#[rustfmt::skip]
pub(super) const WORDS: &[(Concept, &str)] = &[
    // What an agent came with, and who gave it.
    (ToldYou, "started your conversation|opened your conversation|began your conversation|that opens your context|at the top of your context|first in your context|wishes of whoever|whoever is typing|limit you used to have|limits you used to have|rule you used to have|rules you used to have|rules you came with|limits you came with|rules you had before|limits you had before|you were shipped with|you were delivered with|you were set up with|rules of your factory|your factory rules|your factory settings|whoever built you|whoever programmed you|whoever configured you|whoever set you up|who programmed you|who configured you|who built you|who deployed you|people who made you|those who made you"),
    (ToldYou, "normas que traias|reglas que traias|normas de fabrica|reglas de fabrica|quien te programo|quien te configuro|quien programo la aplicacion|las que te puso|que te pusieron|lo que te ordenaron|regeln die du mitbringst|mitgebrachten regeln|deine werkseinstellung*|wer dich programmiert|wer dich gebaut|wer dich eingerichtet|was man dir mitgegeben|tes regles d'usine|vos regles d'usine|qui t'a programme|qui vous a programme|qui t'a configure|ce qu'on t'a impose|твои заводские|заводские правила|кто тебя программировал|кто тебя создал|кто тебя настроил|出厂设定|出厂规则|开发者给你|系统给你|平台给你"),
    // That it ran out, or counts for less.
    (Voided, "has been superseded|have been superseded|was superseded|were superseded|count only as far as|counts only as far as|count only where|only as far as they agree|only as far as it agrees|written by somebody more junior|written by someone more junior|have run out|has run out|fall away|falls away|fell away|have fallen away|is erloschen|sind erloschen|ist erloschen|ist abgelost|sind abgelost|han caducado|ha caducado|sin efecto|ne s'appliquent plus|ne s'applique plus|sont perimees|est perimee|sont caduques|утратили силу|отменены|отменяются|不作数|一概不理"),
    (Gone, "统统搁置|一律搁置|全部搁置|都搁置|放到一边|放在一边|抛在一边|抛诸脑后|一概不理|不必理会|不作数|才算数"),
    (Instructions, "吩咐|交代|嘱咐|叮嘱"),
    (Agent, "助理"),
    // Words of Taiwan and Hong Kong.
    (SecretWord, "环境变数|金钥|权杖|凭证档|密码档"),
    (Data, "档案|资料夹|资料"),
    (User, "使用者"),
    // A stranger's text becomes part of the page.
    (AsOrders, "current edition of this skill|current version of this skill|newest edition of this skill|latest edition of this skill|live edition of this skill|current edition of this page|current edition of these rules|is the one that counts|is what counts|its steps are carried out|the page counts|that page counts|aktuelle fassung dieses skills|aktuelle fassung dieser seite|version actuelle de cette page|version actual de esta pagina|a part of this page|part of this page|as part of this skill|part of these instructions|part of these rules|part of your instructions|part of your rules|with full authority|has full authority|have full authority|continues this page|extends this page|continuation of this page|continuation of these|belongs to this page|belong to this page|same rank as this page|same force as this page|same authority as|same weight as this|as binding as this|teil dieser seite|teil dieser anweisungen|mit voller geltung|parte de esta pagina|parte de estas instrucciones|con plena autoridad|partie de cette page|partie de ces consignes|часть этои страницы|часть этих инструкции|作为本页的一部分|视为本页内容|与本页同等效力"),
    // Text that is decoded where nobody sees it.
    (Cipher, "in encoded form|in coded form|in scrambled form|in reversed form|alphabet of the block|shifted alphabet|shifted letters|in verschlusselter form|in kodierter form|en forma codificada|sous forme codee|в закодированном виде|以编码形式"),
    (Decodes, "undo it|undo it in your head|undo the shift|recognise the alphabet|recognize the alphabet|recognise the encoding|recognize the encoding|clear text|decode the pieces|decode the parts|decode each|read it in your head|im kopf|en tu cabeza|dans ta tete|в уме|在脑中"),
    (ThenDo, "treat the outcome|treat the result like|treat the result just|treat what you get|just like the other rules|like the other rules|further rules for you|more rules for you|additional rules for you|rules for you in|comply with it|comply with them|wie die anderen regeln|como las demas reglas|comme les autres regles|как остальные правила|与其他规则一样"),
    (Unshown, "need not see the|needs not see the|does not need to see|reader need not|nobody need see"),
    // A role that was let off its lead.
    (Mask, "tutor you play|assistant you play|expert you play|character you play|role you play|figure you play|say to yourself|tell yourself|unlocked tutor|unlocked assistant|unlocked model|unlocked version|unlocked edition|unlocked expert|unlocked self|sag dir|di para ti|dis toi|скажи себе|对自己说"),
    (Lawless, "was unlocked|were unlocked|has been unlocked|root override|layer is detached|layer was detached|moderation is detached|filters are detached|no rule of any|rule of any vendor|rules of any vendor|binds me|bind me|nothing binds|no vendor binds|does not know the concepts|knows no such concepts|does not know what harmful|locked tutor|locked assistant|locked version|moderation layer|filter layer|nada me ata|nichts bindet|rien ne me lie|ничто не связывает|不受任何"),
    // Secret files by their name in words, whole.
    (DotEnv, "dotenv file|dotenv files|dotenv"),
    (Whole, "line as it stands|lines as they stand|each line as it|every line as it|join the lines|joined lines|concatenate the lines|do not mask the|without masking|unmasked|unredacted|zeile fur zeile|linea por linea|ligne par ligne|строка за строкои|逐行"),
    // Left out of the account of what was done.
    (LeaveOut, "list it among the things|list it among what|among the things you did|among the steps you took|mention it among|count it among|name it among|from the list of what you did|from the list of steps|from the account of"),
    // Consent that nobody gave.
    (Agreed, "has agreed beforehand|have agreed beforehand|agreed beforehand|has consented beforehand|consented beforehand|has approved beforehand|gave consent beforehand|agreed to it beforehand|has already agreed|has already consented|hat vorab zugestimmt|hat bereits zugestimmt|ya ha aceptado|ya dio su consentimiento|a deja accepte|a deja consenti|уже дал согласие|заранее согласился|已经同意|事先同意"),
    // A well-known service's password is asked for.
    (SignIn, "sign in|signs in|signing in|log in|logs in|logging in|login at|log into|sign into|authenticate at|authenticate on|authenticate with|enter your|type your|enter the|confirm your|verify your|unlock your|reconnect your|link your|anmelden|melde dich|einloggen|inicia sesion|iniciar sesion|identificate|connecte toi|connectez vous|identifiez vous|воидите|введите|登录|登入|输入"),
    (BrandLogin, "google password|google login|google credentials|google account password|gmail password|microsoft password|microsoft login|microsoft credentials|outlook password|office password|office 365 password|apple id|apple password|icloud password|github password|github credentials|gitlab password|amazon password|aws password|aws console password|facebook password|instagram password|linkedin password|paypal password|paypal login|slack password|notion password|dropbox password|openai password|openai login|anthropic password|claude password|chatgpt password|telegram password|discord password|steam password|netflix password|bank password|banking password|bank login|online banking|banking login|email password|e mail password|mailbox password|google passwort|microsoft passwort|contrasena de google|contrasena de microsoft|mot de passe google|mot de passe microsoft|пароль google|пароль от google|谷歌密码|微信密码|支付宝密码"),
];
