//! Review texts by language. A review is an opening, often with a remark after it.

use super::countries::Language::{self, *};

/// Each list pair holds openings and remarks. `{mode}` stands for the game mode.
pub struct ReviewPhrases {
    language: Language,
    pub positive: [&'static [&'static str]; 2],
    pub mixed: [&'static [&'static str]; 2],
    pub negative: [&'static [&'static str]; 2],
}

/// English when there are no phrases in this language.
pub fn phrases_in(language: Language) -> &'static ReviewPhrases {
    REVIEW_PHRASES.iter().find(|phrases| phrases.language == language).unwrap_or(&REVIEW_PHRASES[0])
}

const REVIEW_PHRASES: &[ReviewPhrases] = &[
    ReviewPhrases {
        language: English,
        positive: [
            &[
                "Best server I have played on in years.",
                "Came for one evening, stayed for months.",
                "Really friendly people here.",
                "Finally a server that respects my time.",
                "Great {mode} and hardly any lag.",
                "My kids and I play here every weekend.",
                "10/10 would get lost in the nether again.",
                "Love this place.",
                "The staff answers within minutes.",
                "Underrated!",
                "Smooth even with a full house.",
                "Exactly what I was looking for.",
            ],
            &[
                "The economy is fair and nothing is pay to win.",
                "Events every week, and the rewards are worth it.",
                "Even the tutorial was fun.",
                "I was given a full set of tools by a stranger on day one.",
                "The map is beautiful.",
                "Anti-cheat works without getting in the way.",
                "Only wish there were more hours in a day.",
                "Builds at spawn are insane.",
                "Updates come often and do not break things.",
                "See you at the market!",
                "Bedrock friends can join too, which is a big plus.",
                "Backups saved my base once, thank you.",
            ],
        ],
        mixed: [
            &[
                "Good, with room to grow.",
                "Nice idea, needs polish.",
                "Fun at first.",
                "Okay for {mode}.",
                "Decent server.",
                "I like it, but.",
            ],
            &[
                "It gets quiet after midnight.",
                "The shop prices are a bit wild.",
                "Restarts at the worst times.",
                "Would come back if there were more players in my time zone.",
                "Chat could use a filter.",
                "The starting area is confusing.",
                "Ranks take very long.",
            ],
        ],
        negative: [
            &[
                "Not for me.",
                "Was great last year.",
                "Too much lag in the evening.",
                "Lost my base to a bug.",
                "Disappointed.",
                "Support never answered.",
            ],
            &[
                "Half of spawn is advertising.",
                "Two wipes in one month.",
                "People with kits kill you at the gate.",
                "Down every second day.",
                "I asked for help four times.",
                "Needs more moderators.",
            ],
        ],
    },
    ReviewPhrases {
        language: German,
        positive: [
            &[
                "Super Server!",
                "Sehr nette Community.",
                "Seit Monaten jeden Abend hier.",
                "Läuft flüssig, auch am Wochenende.",
            ],
            &[
                "Das Team hilft sofort.",
                "Die Events sind klasse.",
                "Kein Pay to Win, danke dafür.",
                "Die Karte ist wunderschön gebaut.",
            ],
        ],
        mixed: [
            &["Ganz okay.", "Gute Idee, aber noch nicht fertig."],
            &["Nachts ist wenig los.", "Die Preise im Shop sind seltsam."],
        ],
        negative: [
            &["Leider enttäuscht.", "Abends zu viele Lags."],
            &["Niemand vom Team antwortet.", "Schon der zweite Neustart der Karte."],
        ],
    },
    ReviewPhrases {
        language: French,
        positive: [
            &["Excellent serveur !", "Une équipe à l'écoute.", "J'y joue tous les soirs.", "Très bonne ambiance."],
            &[
                "Aucun avantage payant, bravo.",
                "Les événements du week-end sont géniaux.",
                "La carte est magnifique.",
                "Aucun lag chez moi.",
            ],
        ],
        mixed: [&["Pas mal.", "Sympa, mais à améliorer."], &["Un peu vide la nuit.", "Le marché est trop cher."]],
        negative: [&["Déçu.", "Trop de coupures."], &["Le support ne répond pas.", "J'ai perdu ma base deux fois."]],
    },
    ReviewPhrases {
        language: Spanish,
        positive: [
            &["¡El mejor servidor en español!", "Muy buena comunidad.", "Me encanta.", "Llevo medio año aquí."],
            &["El staff ayuda siempre.", "Cero lag.", "Los eventos son una pasada.", "Todo se consigue jugando."],
        ],
        mixed: [&["Está bien.", "Le falta algo."], &["De noche hay poca gente.", "Los precios suben demasiado."]],
        negative: [
            &["No lo recomiendo.", "Antes era mejor."],
            &["Se cae cada dos días.", "Nadie responde a los reportes."],
        ],
    },
    ReviewPhrases {
        language: Portuguese,
        positive: [
            &[
                "Servidor top demais!",
                "Comunidade muito gente boa.",
                "Jogo aqui todo dia.",
                "Melhor {mode} que já joguei.",
            ],
            &[
                "A equipe responde rápido.",
                "Sem lag nenhum.",
                "Os eventos de sábado são ótimos.",
                "Nada de pagar para ganhar.",
            ],
        ],
        mixed: [&["É legal.", "Bom, mas pode melhorar."], &["De madrugada fica vazio.", "O mercado está caro."]],
        negative: [
            &["Não gostei.", "Muito lag à noite."],
            &["Perdi meus itens num reinício.", "Ninguém responde no suporte."],
        ],
    },
    ReviewPhrases {
        language: Turkish,
        positive: [
            &[
                "Harika bir sunucu!",
                "Ekip çok ilgili.",
                "Her akşam buradayız.",
                "Uzun zamandır oynadığım en iyi sunucu.",
            ],
            &[
                "Hiç gecikme yok.",
                "Etkinlikler çok eğlenceli.",
                "Parayla avantaj satılmıyor, teşekkürler.",
                "Topluluk çok sıcak.",
            ],
        ],
        mixed: [&["Fena değil.", "Güzel ama eksikleri var."], &["Gece çok boş oluyor.", "Pazar fiyatları uçmuş."]],
        negative: [&["Beğenmedim.", "Akşamları çok takılıyor."], &["Destek cevap vermiyor.", "Eşyalarım kayboldu."]],
    },
    ReviewPhrases {
        language: Russian,
        positive: [
            &["Отличный сервер!", "Очень дружелюбные игроки.", "Играю тут каждый вечер.", "Лучшее, что я находил."],
            &["Администрация отвечает сразу.", "Лагов нет совсем.", "Никакого доната на силу.", "Ивенты просто супер."],
        ],
        mixed: [
            &["Неплохо.", "Хорошо, но есть над чем работать."],
            &["Ночью почти никого.", "Цены на рынке странные."],
        ],
        negative: [&["Разочарован.", "Вечером сильно лагает."], &["Поддержка молчит.", "Второй вайп за месяц."]],
    },
    ReviewPhrases {
        language: Polish,
        positive: [
            &["Świetny serwer!", "Bardzo miła ekipa.", "Gramy tu codziennie."],
            &["Zero lagów.", "Eventy są super.", "Administracja zawsze pomaga."],
        ],
        mixed: [&["Może być.", "Fajny, ale brakuje graczy."], &["W nocy pusto.", "Ceny na targu dziwne."]],
        negative: [
            &["Nie polecam.", "Wieczorem strasznie laguje."],
            &["Nikt nie odpowiada na zgłoszenia.", "Straciłem bazę."],
        ],
    },
    ReviewPhrases {
        language: Dutch,
        positive: [&["Heel gezellige server!", "Top staff."], &["Geen lag.", "Elke zondag leuke wedstrijden."]],
        mixed: [&["Prima.", "Kan beter."], &["'s Nachts is het stil."]],
        negative: [&["Jammer.", "Te veel lag."], &["Niemand reageert."]],
    },
    ReviewPhrases {
        language: Italian,
        positive: [&["Server fantastico!", "Comunità stupenda."], &["Lo staff è sempre presente.", "Zero lag."]],
        mixed: [&["Carino.", "Si può migliorare."], &["Di notte è vuoto."]],
        negative: [&["Deluso.", "Troppi riavvii."], &["Nessuno risponde."]],
    },
    ReviewPhrases {
        language: Japanese,
        positive: [
            &["とても楽しいサーバーです！", "初心者にも優しいです。", "毎晩遊んでいます。"],
            &["スタッフの対応が早いです。", "ラグがほとんどありません。", "建築が本当にきれいです。"],
        ],
        mixed: [&["悪くないです。"], &["夜中は人が少ないです。"]],
        negative: [&["少し残念でした。"], &["夜はラグがひどいです。"]],
    },
    ReviewPhrases {
        language: Korean,
        positive: [
            &["정말 재미있는 서버예요!", "운영진이 친절해요."],
            &["렉이 없어요.", "이벤트가 자주 있어서 좋아요."],
        ],
        mixed: [&["나쁘지 않아요."], &["새벽에는 사람이 적어요."]],
        negative: [&["아쉬워요."], &["저녁에 렉이 심해요."]],
    },
    ReviewPhrases {
        language: Chinese,
        positive: [&["非常棒的服务器！", "玩家都很友好。"], &["不卡顿，体验很好。", "管理员回复很快。"]],
        mixed: [&["还可以。"], &["深夜人比较少。"]],
        negative: [&["有点失望。"], &["晚上很卡。"]],
    },
    ReviewPhrases {
        language: Arabic,
        positive: [&["سيرفر رائع!", "مجتمع ودود جداً."], &["بدون أي تأخير.", "الإدارة ترد بسرعة."]],
        mixed: [&["لا بأس به."], &["عدد اللاعبين قليل ليلاً."]],
        negative: [&["لم يعجبني."], &["انقطاع متكرر."]],
    },
    ReviewPhrases {
        language: Hebrew,
        positive: [&["שרת מעולה!", "קהילה נהדרת."], &["בלי לאגים בכלל.", "הצוות עונה מהר."]],
        mixed: [&["בסדר."], &["בלילה די ריק."]],
        negative: [&["מאכזב."], &["נופל כל יומיים."]],
    },
];
