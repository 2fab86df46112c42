// Formats numbers and times in the language of the page. Days and months are UTC, like the rate limits; instants are local time.

/** The reader's own variant of the page's language. */
export const locale = navigator.languages.find((tag) => tag.split("-")[0] === document.documentElement.lang) ?? document.documentElement.lang;
const numbers = new Intl.NumberFormat(locale);
const decimals = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 });
// With its zone: forms take UTC, and so do the pages without scripts.
const instants = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" });
const hours = new Intl.DateTimeFormat(locale, { weekday: "short", hour: "numeric", minute: "2-digit" });
const ages = new Intl.RelativeTimeFormat(locale, { numeric: "always", style: "short" });
const [MINUTE, HOUR, DAY] = [60, 3600, 86400];
const UNITS: [number, Intl.RelativeTimeFormatUnit][] = [[1, "second"], [MINUTE, "minute"], [HOUR, "hour"], [DAY, "day"]];
const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
const months = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });

/** A value with a fraction keeps one digit, so that columns line up. Text that is not a number stays unchanged. */
export function formatNumber(value: string): string {
  const number = Number(value);
  return Number.isNaN(number) ? value : (value.includes(".") ? decimals : numbers).format(number);
}

/** Formats a `datetime` attribute: a month, a day or an instant. `brief` omits the date for recent instants. */
export function formatTime(datetime: string, brief = false): string | undefined {
  const date = new Date(datetime);
  if (Number.isNaN(date.getTime())) {
    return undefined;
  }
  const format = datetime.length === 7 ? months : datetime.length === 10 ? days : brief ? hours : instants;
  return format.format(date);
}

/** `5 minutes ago` */
function formatAge(datetime: string): string | undefined {
  const seconds = (Date.parse(datetime) - Date.now()) / 1000;
  if (Number.isNaN(seconds)) {
    return undefined;
  }
  const [size, unit] = UNITS.find(([size]) => Math.abs(seconds) < size * (size === DAY ? Infinity : size === HOUR ? 48 : 60)) ?? [DAY, "day"];
  return ages.format(Math.trunc(seconds / size), unit);
}

/** Rewrites all numbers and times below `root` in the language of the page. */
export function localize(root: ParentNode): void {
  for (const element of root.querySelectorAll("data[value], tspan[data-value]")) {
    element.textContent = formatNumber(element.getAttribute("value") ?? element.getAttribute("data-value") ?? "");
  }
  for (const element of root.querySelectorAll("time[datetime]")) {
    const datetime = element.getAttribute("datetime") ?? "";
    const text = element.hasAttribute("data-relative") ? formatAge(datetime) : formatTime(datetime);
    if (text !== undefined) {
      element.textContent = text;
    }
  }
}
