// Figures and times in the reader's own way. Days and months are UTC, as the limits are; instants are in the reader's time.

const numbers = new Intl.NumberFormat();
const tenths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1 });
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "numeric", minute: "2-digit" });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const months = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

/** What is given with a fraction keeps one, so that columns line up; what is no figure stays as it is. */
export function figure(value: string): string {
  const known = Number(value);
  return Number.isNaN(known) ? value : (value.includes(".") ? tenths : numbers).format(known);
}

/** What a `datetime` says: a month, a day or an instant; nothing when it is none. `brief` is for one that is near. */
export function moment(datetime: string, brief = false): string | undefined {
  const date = new Date(datetime);
  if (Number.isNaN(date.getTime())) {
    return undefined;
  }
  const format = datetime.length === 7 ? months : datetime.length === 10 ? days : brief ? hours : moments;
  return format.format(date);
}

/** Writes everything below `root` anew in the reader's way. */
export function localise(root: ParentNode): void {
  for (const element of root.querySelectorAll("data[value], tspan[data-value]")) {
    element.textContent = figure(element.getAttribute("value") ?? element.getAttribute("data-value") ?? "");
  }
  for (const element of root.querySelectorAll("time[datetime]")) {
    const text = moment(element.getAttribute("datetime") ?? "");
    if (text !== undefined) {
      element.textContent = text;
    }
  }
}
