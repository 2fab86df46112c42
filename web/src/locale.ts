// Formats numbers and times in the browser's locale. Days and months are UTC, like the rate limits; instants are local time.

const numbers = new Intl.NumberFormat();
const decimals = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1 });
const instants = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "numeric", minute: "2-digit" });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const months = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

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

/** Rewrites all numbers and times below `root` in the browser's locale. */
export function localize(root: ParentNode): void {
  for (const element of root.querySelectorAll("data[value], tspan[data-value]")) {
    element.textContent = formatNumber(element.getAttribute("value") ?? element.getAttribute("data-value") ?? "");
  }
  for (const element of root.querySelectorAll("time[datetime]")) {
    const text = formatTime(element.getAttribute("datetime") ?? "");
    if (text !== undefined) {
      element.textContent = text;
    }
  }
}
