// Texts that scripts show, in the language of the page. The type makes a missing translation an error.

const english = {
  copy: "Copy",
  copied: "Copied",
  copyBlocked: "Your browser blocked copying",
  stopped: "This page is no longer updated; it shows {}. Reload it to continue.",
  retrying: "The server cannot be reached. The numbers on this page are from {}; trying again.",
  noResults: "No results.",
  servers: "Servers",
  players: "Players",
  suggestions: "Suggestions",
};

const texts: Record<string, typeof english> = {
  en: english,
  tr: {
    copy: "Kopyala",
    copied: "Kopyalandı",
    copyBlocked: "Tarayıcınız kopyalamayı engelledi",
    stopped: "Bu sayfa artık güncellenmiyor; {} verilerini gösteriyor. Devam etmek için yenileyin.",
    retrying: "Sunucuya ulaşılamıyor. Bu sayfadaki sayılar {} itibarıyladır; yeniden deneniyor.",
    noResults: "Sonuç yok.",
    servers: "Sunucular",
    players: "Oyuncular",
    suggestions: "Öneriler",
  },
  ru: {
    copy: "Копировать",
    copied: "Скопировано",
    copyBlocked: "Браузер запретил копирование",
    stopped: "Страница больше не обновляется; на ней данные на {}. Перезагрузите её, чтобы продолжить.",
    retrying: "Сервер недоступен. Числа на странице — на {}; повторяем попытку.",
    noResults: "Ничего не найдено.",
    servers: "Серверы",
    players: "Игроки",
    suggestions: "Подсказки",
  },
};

export const text = texts[document.documentElement.lang] ?? english;
