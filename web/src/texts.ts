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
  show3d: "View in 3D",
  loading3d: "Loading …",
  no3d: "3D is not available in this browser.",
  model3d: "3D model. Drag it or use the arrow keys to turn it, plus and minus to zoom.",
  walk: "Walk",
  showPicture: "Picture",
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
    show3d: "3D görünüm",
    loading3d: "Yükleniyor …",
    no3d: "Bu tarayıcıda 3D kullanılamıyor.",
    model3d: "3D model. Döndürmek için sürükleyin ya da ok tuşlarını kullanın; yakınlaştırmak için artı ve eksi.",
    walk: "Yürüt",
    showPicture: "Resim",
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
    show3d: "Показать в 3D",
    loading3d: "Загрузка …",
    no3d: "В этом браузере 3D недоступно.",
    model3d: "3D-модель. Поворачивайте её мышью или стрелками, масштаб — плюс и минус.",
    walk: "Ходьба",
    showPicture: "Картинка",
  },
};

export const text = texts[document.documentElement.lang] ?? english;
