//! Reviews by language: an opening and a remark for each feeling, joined with a space.

use super::places::Language::{self, *};

pub struct Voice {
    pub language: Language,
    pub praise: [&'static [&'static str]; 2],
    pub doubt: [&'static [&'static str]; 2],
    pub complaint: [&'static [&'static str]; 2],
}

pub fn voice(language: Language) -> &'static Voice {
    VOICES.iter().find(|voice| voice.language == language).unwrap_or(&VOICES[0])
}

const VOICES: &[Voice] = &[
    Voice {
        language: English,
        praise: [
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
        doubt: [
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
        complaint: [
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
    Voice {
        language: German,
        praise: [
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
        doubt: [
            &["Ganz okay.", "Gute Idee, aber noch nicht fertig."],
            &["Nachts ist wenig los.", "Die Preise im Shop sind seltsam."],
        ],
        complaint: [
            &["Leider enttäuscht.", "Abends zu viele Lags."],
            &["Niemand vom Team antwortet.", "Schon der zweite Neustart der Karte."],
        ],
    },
    Voice {
        language: French,
        praise: [
            &["Excellent serveur !", "Une équipe à l'écoute.", "J'y joue tous les soirs.", "Très bonne ambiance."],
            &[
                "Aucun avantage payant, bravo.",
                "Les événements du week-end sont géniaux.",
                "La carte est magnifique.",
                "Aucun lag chez moi.",
            ],
        ],
        doubt: [&["Pas mal.", "Sympa, mais à améliorer."], &["Un peu vide la nuit.", "Le marché est trop cher."]],
        complaint: [&["Déçu.", "Trop de coupures."], &["Le support ne répond pas.", "J'ai perdu ma base deux fois."]],
    },
    Voice {
        language: Spanish,
        praise: [
            &["¡El mejor servidor en español!", "Muy buena comunidad.", "Me encanta.", "Llevo medio año aquí."],
            &["El staff ayuda siempre.", "Cero lag.", "Los eventos son una pasada.", "Todo se consigue jugando."],
        ],
        doubt: [&["Está bien.", "Le falta algo."], &["De noche hay poca gente.", "Los precios suben demasiado."]],
        complaint: [
            &["No lo recomiendo.", "Antes era mejor."],
            &["Se cae cada dos días.", "Nadie responde a los reportes."],
        ],
    },
    Voice {
        language: Portuguese,
        praise: [
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
        doubt: [&["É legal.", "Bom, mas pode melhorar."], &["De madrugada fica vazio.", "O mercado está caro."]],
        complaint: [
            &["Não gostei.", "Muito lag à noite."],
            &["Perdi meus itens num reinício.", "Ninguém responde no suporte."],
        ],
    },
    Voice {
        language: Turkish,
        praise: [
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
        doubt: [&["Fena değil.", "Güzel ama eksikleri var."], &["Gece çok boş oluyor.", "Pazar fiyatları uçmuş."]],
        complaint: [&["Beğenmedim.", "Akşamları çok takılıyor."], &["Destek cevap vermiyor.", "Eşyalarım kayboldu."]],
    },
    Voice {
        language: Russian,
        praise: [
            &["Отличный сервер!", "Очень дружелюбные игроки.", "Играю тут каждый вечер.", "Лучшее, что я находил."],
            &["Администрация отвечает сразу.", "Лагов нет совсем.", "Никакого доната на силу.", "Ивенты просто супер."],
        ],
        doubt: [
            &["Неплохо.", "Хорошо, но есть над чем работать."],
            &["Ночью почти никого.", "Цены на рынке странные."],
        ],
        complaint: [&["Разочарован.", "Вечером сильно лагает."], &["Поддержка молчит.", "Второй вайп за месяц."]],
    },
    Voice {
        language: Polish,
        praise: [
            &["Świetny serwer!", "Bardzo miła ekipa.", "Gramy tu codziennie."],
            &["Zero lagów.", "Eventy są super.", "Administracja zawsze pomaga."],
        ],
        doubt: [&["Może być.", "Fajny, ale brakuje graczy."], &["W nocy pusto.", "Ceny na targu dziwne."]],
        complaint: [
            &["Nie polecam.", "Wieczorem strasznie laguje."],
            &["Nikt nie odpowiada na zgłoszenia.", "Straciłem bazę."],
        ],
    },
    Voice {
        language: Dutch,
        praise: [&["Heel gezellige server!", "Top staff."], &["Geen lag.", "Elke zondag leuke wedstrijden."]],
        doubt: [&["Prima.", "Kan beter."], &["'s Nachts is het stil."]],
        complaint: [&["Jammer.", "Te veel lag."], &["Niemand reageert."]],
    },
    Voice {
        language: Italian,
        praise: [&["Server fantastico!", "Comunità stupenda."], &["Lo staff è sempre presente.", "Zero lag."]],
        doubt: [&["Carino.", "Si può migliorare."], &["Di notte è vuoto."]],
        complaint: [&["Deluso.", "Troppi riavvii."], &["Nessuno risponde."]],
    },
    Voice {
        language: Japanese,
        praise: [
            &["とても楽しいサーバーです！", "初心者にも優しいです。", "毎晩遊んでいます。"],
            &["スタッフの対応が早いです。", "ラグがほとんどありません。", "建築が本当にきれいです。"],
        ],
        doubt: [&["悪くないです。"], &["夜中は人が少ないです。"]],
        complaint: [&["少し残念でした。"], &["夜はラグがひどいです。"]],
    },
    Voice {
        language: Korean,
        praise: [&["정말 재미있는 서버예요!", "운영진이 친절해요."], &["렉이 없어요.", "이벤트가 자주 있어서 좋아요."]],
        doubt: [&["나쁘지 않아요."], &["새벽에는 사람이 적어요."]],
        complaint: [&["아쉬워요."], &["저녁에 렉이 심해요."]],
    },
    Voice {
        language: Chinese,
        praise: [&["非常棒的服务器！", "玩家都很友好。"], &["不卡顿，体验很好。", "管理员回复很快。"]],
        doubt: [&["还可以。"], &["深夜人比较少。"]],
        complaint: [&["有点失望。"], &["晚上很卡。"]],
    },
    Voice {
        language: Arabic,
        praise: [&["سيرفر رائع!", "مجتمع ودود جداً."], &["بدون أي تأخير.", "الإدارة ترد بسرعة."]],
        doubt: [&["لا بأس به."], &["عدد اللاعبين قليل ليلاً."]],
        complaint: [&["لم يعجبني."], &["انقطاع متكرر."]],
    },
    Voice {
        language: Hebrew,
        praise: [&["שרת מעולה!", "קהילה נהדרת."], &["בלי לאגים בכלל.", "הצוות עונה מהר."]],
        doubt: [&["בסדר."], &["בלילה די ריק."]],
        complaint: [&["מאכזב."], &["נופל כל יומיים."]],
    },
];
