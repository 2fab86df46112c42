// Renders a response: status, time, size, remaining quota, headers and body.
import { copyButton } from "./copy-button";
import { element } from "./dom";
import type { RunResult } from "./run";
import { fill, text as texts } from "./translations";
import { tree } from "./json-tree";

const numbers = new Intl.NumberFormat();
const precise = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const KILO = 1000;

/** Short descriptions of common statuses. */
const STATUS_TEXTS: Record<number, string> = {
  200: texts.ok,
  400: texts.invalid,
  401: texts.unauthorized,
  403: texts.forbidden,
  404: texts.notFound,
  429: texts.tooMany,
  500: texts.serverError,
  503: texts.unavailable,
};

/** `baseUrl` is the public base URL of the API, which tells own pictures from foreign links. */
export function render(result: RunResult, baseUrl: string): HTMLElement[] {
  const body = parse(result.text);
  const isSuccess = result.status < 400;
  const header = (name: string) => result.headers.find(([key]) => key === name)?.[1];
  const status = element("span", { class: `pill ${isSuccess ? "good" : "bad"}` }, `${result.status} ${STATUS_TEXTS[result.status] ?? ""}`.trim());
  const line = element("p", { class: "outcome row" }, status, time(result), size(result));
  const parts: HTMLElement[] = [line];
  if (!isSuccess) {
    parts.push(element("p", { class: "message" }, explain(body, header("retry-after"))));
  }
  parts.push(...details(result.headers));
  const pretty = () => (body === undefined ? result.text : JSON.stringify(body, null, 2));
  parts.push(
    element("div", { class: "bar" }, element("h3", {}, texts.body), copyButton(texts.copyJson, pretty)),
    body === undefined ? element("pre", { tabindex: "0" }, result.text) : tree(body, baseUrl),
  );
  return parts;
}

/** The remaining quota and all headers. */
export function details(list: [string, string][]): HTMLElement[] {
  const quota = remainingQuota((name) => list.find(([key]) => key === name)?.[1]);
  const left = element("ul", { class: "left soft small" }, ...quota.map((text) => element("li", {}, text)));
  return quota.length > 0 ? [left, headers(list)] : [headers(list)];
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
  const message = typeof error === "string" ? `${error}.` : texts.noMessage;
  return retryAfter ? `${message} ${fill(texts.tryAgain, duration(Number(retryAfter)))}` : message;
}

function duration(seconds: number): string {
  const [count, unit] = seconds < 120 ? [seconds, "second"] : seconds < 7200 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  return new Intl.NumberFormat(undefined, { style: "unit", unit: unit as string, unitDisplay: "long", maximumFractionDigits: 0 }).format(
    Math.ceil(count as number),
  );
}

function time({ milliseconds }: RunResult): HTMLElement {
  return element("span", {}, `${numbers.format(Math.max(1, Math.round(milliseconds)))} ms`);
}

function size({ text, packed }: RunResult): HTMLElement {
  const whole = new TextEncoder().encode(text).length;
  const kilo = (bytes: number) => (bytes < KILO ? `${numbers.format(bytes)} B` : `${precise.format(bytes / KILO)} kB`);
  const compressed = packed > 0 && packed < whole ? `, ${fill(texts.compressed, kilo(packed))}` : "";
  return element("span", {}, `${kilo(whole)}${compressed}`);
}

function remainingQuota(header: (name: string) => string | undefined): string[] {
  const number = (name: string) => (header(name) === undefined ? undefined : numbers.format(Number(header(name))));
  const window = (name: string, label: string) => {
    const [left, limit] = [number(`x-ratelimit-remaining-${name}`), number(`x-ratelimit-limit-${name}`)];
    return left === undefined || limit === undefined ? [] : [fill(label, left, limit)];
  };
  const runs = number("x-playground-runs-left");
  const check = runs === undefined ? [] : [fill(texts.untilCaptcha, runs)];
  return [...window("minute", texts.leftMinute), ...window("day", texts.leftDay), ...window("month", texts.leftMonth), ...check];
}

function headers(list: [string, string][]): HTMLElement {
  const rows = list.map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, element("code", {}, name)), element("td", {}, value)),
  );
  const table = element("table", { class: "headers" }, element("tbody", {}, ...rows));
  return element("details", {}, element("summary", {}, fill(texts.headers, list.length)), table);
}
