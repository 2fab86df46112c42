// What came back: status, time, size, what is left, headers and body.
import { copyButton } from "./copy";
import { element } from "./dom";
import type { Ran } from "./run";
import { tree } from "./tree";

const numbers = new Intl.NumberFormat();
const precise = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const KILO = 1000;

/** What common outcomes mean, for people. */
const MEANINGS: Record<number, string> = {
  200: "OK",
  400: "A value is not right",
  401: "The check has to be solved again",
  403: "Not allowed",
  404: "There is no such thing",
  429: "Too many calls",
  500: "Something went wrong here",
  503: "Not available right now",
};

export function show(ran: Ran): HTMLElement[] {
  const body = parse(ran.text);
  const good = ran.status < 400;
  const header = (name: string) => ran.headers.find(([known]) => known === name)?.[1];
  const status = element("span", { class: `pill ${good ? "good" : "bad"}` }, `${ran.status} ${MEANINGS[ran.status] ?? ""}`.trim());
  const line = element("p", { class: "outcome row" }, status, time(ran), size(ran));
  const parts: HTMLElement[] = [line];
  if (!good) {
    parts.push(element("p", { class: "message" }, explain(body, header("retry-after"))));
  }
  const left = remaining(header);
  if (left.length > 0) {
    parts.push(element("ul", { class: "left soft small" }, ...left.map((text) => element("li", {}, text))));
  }
  parts.push(headers(ran.headers));
  const pretty = () => (body === undefined ? ran.text : JSON.stringify(body, null, 2));
  parts.push(
    element("div", { class: "bar" }, element("h3", {}, "Body"), copyButton("Copy the JSON", pretty)),
    body === undefined ? element("pre", { tabindex: "0" }, ran.text) : tree(body),
  );
  return parts;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explain(body: unknown, retryAfter: string | undefined): string {
  const error = (body as { error?: unknown } | undefined)?.error;
  const told = typeof error === "string" ? `${error}.` : "The server gave no reason.";
  return retryAfter ? `${told} You can run it again in ${wait(Number(retryAfter))}.` : told;
}

function wait(seconds: number): string {
  const [count, unit] = seconds < 120 ? [seconds, "second"] : seconds < 7200 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  return new Intl.NumberFormat(undefined, { style: "unit", unit: unit as string, unitDisplay: "long", maximumFractionDigits: 0 }).format(
    Math.ceil(count as number),
  );
}

function time({ milliseconds }: Ran): HTMLElement {
  return element("span", {}, `${numbers.format(Math.max(1, Math.round(milliseconds)))} ms`);
}

function size({ text, packed }: Ran): HTMLElement {
  const whole = new TextEncoder().encode(text).length;
  const kilo = (bytes: number) => (bytes < KILO ? `${numbers.format(bytes)} B` : `${precise.format(bytes / KILO)} kB`);
  const over = packed > 0 && packed < whole ? `, ${kilo(packed)} over the wire` : "";
  return element("span", {}, `${kilo(whole)}${over}`);
}

function remaining(header: (name: string) => string | undefined): string[] {
  const number = (name: string) => (header(name) === undefined ? undefined : numbers.format(Number(header(name))));
  const window = (name: string, told: string) => {
    const [left, limit] = [number(`x-ratelimit-remaining-${name}`), number(`x-ratelimit-limit-${name}`)];
    return left === undefined || limit === undefined ? [] : [`${left} of ${limit} calls left ${told}`];
  };
  const runs = number("x-playground-runs-left");
  const check = runs === undefined ? [] : [`${runs} until the next check`];
  return [...window("minute", "this minute"), ...window("day", "today"), ...check];
}

function headers(list: [string, string][]): HTMLElement {
  const rows = list.map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, element("code", {}, name)), element("td", {}, value)),
  );
  const table = element("table", { class: "headers" }, element("tbody", {}, ...rows));
  return element("details", {}, element("summary", {}, `All ${list.length} headers`), table);
}
