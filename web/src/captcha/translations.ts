// Texts of the CAPTCHA in the language of the page. Apart from the other scripts' texts: this script is loaded on its own.

const english = {
  solving: "Your browser is solving a CAPTCHA. This takes a moment …",
  providerPrompt: "Please solve the CAPTCHA below.",
  insecure: "The CAPTCHA needs a secure connection: open this page with https.",
  unsolved: "Your browser could not solve the CAPTCHA. Please try again.",
  unreachable: "The server cannot be reached. Check your connection and try again.",
  blocked: "The CAPTCHA cannot be loaded. A content blocker or firewall may block it.",
  failed: "The CAPTCHA was not solved. Please try again.",
};

const texts: Record<string, typeof english> = {
  en: english,
  tr: {
    solving: "Tarayıcınız bir CAPTCHA çözüyor. Bu biraz sürer …",
    providerPrompt: "Lütfen aşağıdaki CAPTCHA'yı çözün.",
    insecure: "CAPTCHA güvenli bir bağlantı gerektirir: bu sayfayı https ile açın.",
    unsolved: "Tarayıcınız CAPTCHA'yı çözemedi. Lütfen yeniden deneyin.",
    unreachable: "Sunucuya ulaşılamıyor. Bağlantınızı denetleyip yeniden deneyin.",
    blocked: "CAPTCHA yüklenemiyor. Bir içerik engelleyici ya da güvenlik duvarı engelliyor olabilir.",
    failed: "CAPTCHA çözülmedi. Lütfen yeniden deneyin.",
  },
  ru: {
    solving: "Браузер решает CAPTCHA. Это займёт немного времени …",
    providerPrompt: "Пожалуйста, решите CAPTCHA ниже.",
    insecure: "Для CAPTCHA нужно защищённое соединение: откройте эту страницу по https.",
    unsolved: "Браузеру не удалось решить CAPTCHA. Попробуйте ещё раз.",
    unreachable: "Сервер недоступен. Проверьте соединение и попробуйте ещё раз.",
    blocked: "CAPTCHA не загружается. Возможно, её блокирует фильтр содержимого или межсетевой экран.",
    failed: "CAPTCHA не решена. Попробуйте ещё раз.",
  },
};

export const text = texts[document.documentElement.lang] ?? english;
