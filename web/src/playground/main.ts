// The playground page: enhances the form that the server rendered. It runs the call, shows the answer and keeps the code
// samples current. The URL always contains the whole call.
import { answer, forget, keep, moveTo } from "./response-history";
import { missing, pageUrl, target } from "./call";
import { GENERATORS } from "./code-samples";
import { announce, copyButton } from "./copy-button";
import { byId, element } from "./dom";
import { currentForm, markMissing, readCall, setValue } from "./form";
import { highlight } from "./highlight";
import { connectKeyField, markMissingKey, ownKey } from "./own-key";
import { render } from "./result";
import { run, RunError } from "./run";
import { abandonStream, runStream } from "./stream";
import type { StreamView } from "./stream-view";
import { fill, text as texts } from "./translations";

/** Counts page loads, so that a slow one does not replace a newer one. */
let latestLoad = 0;
/** The query of the call on the page. A link within the page changes the address, but not the call. */
let shown = location.search;

function start(): void {
  byId("trouble").remove();
  byId("endpoints").addEventListener("click", onEndpointClick);
  addEventListener("popstate", () => {
    if (location.search !== shown) {
      void load(location.href);
    }
  });
  enhance();
  restoreAnswer();
}

/** Adds to the part of the page that changes with the endpoint. */
function enhance(): void {
  const form = currentForm();
  byId("links").append(copyButton(texts.copyLink, () => new URL(pageUrl(readCall(form)), location.href).href));
  form.addEventListener("input", updateCall);
  // On change, not on input: browsers limit how often a page may replace its URL.
  form.addEventListener("change", () => show(pageUrl(readCall(form))));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void runCall();
  });
  form.addEventListener("click", (event) => {
    const example = (event.target as Element).closest<HTMLElement>(".example");
    if (example) {
      event.preventDefault();
      setValue(form, example.dataset.for ?? "", example.dataset.value ?? "");
    }
  });
  connectKeyField(() => void runCall());
}

function onEndpointClick(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
    return;
  }
  event.preventDefault();
  history.pushState(null, "", link.href);
  void load(link.href).then(() => {
    if (matchMedia("(max-width: 60rem)").matches) {
      link.closest("details")?.removeAttribute("open");
    }
    byId("call").focus();
  });
}

/** Shows the call of another page URL: the server renders it. */
async function load(url: string): Promise<void> {
  const number = ++latestLoad;
  shown = new URL(url, location.href).search;
  let page: Document;
  try {
    const response = await fetch(url, { headers: { Accept: "text/html" } });
    page = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    location.assign(url);
    return;
  }
  const bench = page.getElementById("bench");
  if (number !== latestLoad) {
    return;
  }
  if (!bench) {
    location.assign(url);
    return;
  }
  // The element of the CAPTCHA stays: it may be in use.
  const human = document.querySelector("rc-human");
  byId("bench").replaceWith(document.adoptNode(bench));
  abandonStream();
  if (human) {
    document.querySelector("rc-human")?.replaceWith(human);
  }
  const name = currentForm().dataset.name;
  for (const each of byId("endpoints").querySelectorAll("a")) {
    const isCurrent = new URL(each.href).searchParams.get("endpoint") === name;
    isCurrent ? each.setAttribute("aria-current", "page") : each.removeAttribute("aria-current");
  }
  document.title = `${byId("call").textContent} · ${texts.title} · Rollcall`;
  enhance();
  restoreAnswer();
}

/** Puts the call on the page into the address. */
function show(url: string): void {
  moveTo(url);
  shown = location.search;
}

function restoreAnswer(): void {
  const kept = answer();
  if (kept) {
    byId("result").replaceChildren(...render(kept, currentForm().dataset.base ?? ""));
  }
}

/** Updates the request line and the code samples. */
function updateCall(): void {
  const form = currentForm();
  const call = readCall(form);
  byId("target").textContent = `/v1${target(call)}`;
  if (missing(call).length > 0) {
    return;
  }
  for (const panel of byId("samples").querySelectorAll<HTMLElement>("[data-language]")) {
    const code = GENERATORS[panel.dataset.language ?? ""]?.(form.dataset.base ?? "", call);
    if (code !== undefined) {
      panel.querySelector("code")?.replaceChildren(...highlight(code));
    }
  }
}

async function runCall(): Promise<void> {
  const form = currentForm();
  const runButton = byId("run");
  if (runButton.getAttribute("aria-disabled") === "true") {
    return;
  }
  const call = readCall(form);
  const missingNames = missing(call);
  markMissing(form, missingNames);
  if (missingNames.length > 0) {
    announce(fill(texts.enter, missingNames.join(", ")));
    return;
  }
  const missingKey = call.endpoint.needsKey ? markMissingKey() : undefined;
  if (missingKey !== undefined) {
    announce(missingKey);
    return;
  }
  show(pageUrl(call));
  const address = location.href;
  const result = byId("result");
  const baseUrl = form.dataset.base ?? "";
  const showStream = ({ parts }: StreamView) => {
    forget();
    result.replaceChildren(...parts);
    result.removeAttribute("aria-busy");
    scrollIntoViewIfNeeded(result);
  };
  // Not `disabled`, which would take the keyboard focus away.
  runButton.setAttribute("aria-disabled", "true");
  result.setAttribute("aria-busy", "true");
  try {
    const response = call.endpoint.isStream ? await runStream(call, ownKey(), baseUrl, showStream) : await run(call, ownKey());
    if (response && location.href === address) {
      keep(response);
      result.replaceChildren(...render(response, baseUrl));
      announce(`${fill(texts.received, response.status)} ${errorMessage(response.text)}`.trim());
      scrollIntoViewIfNeeded(result);
    }
  } catch (error) {
    // Another endpoint may have taken its place.
    if (result.isConnected) {
      const message = error instanceof RunError ? error.message : texts.pageFault;
      result.replaceChildren(element("p", { class: "message" }, message));
      announce(message);
      scrollIntoViewIfNeeded(result);
    }
    if (!(error instanceof RunError)) {
      throw error;
    }
  } finally {
    runButton.removeAttribute("aria-disabled");
    result.removeAttribute("aria-busy");
  }
}

/** The error message of a response, for screen readers. */
function errorMessage(text: string): string {
  try {
    return String(JSON.parse(text).error ?? "");
  } catch {
    return "";
  }
}

/** Scrolls unless a good part of the answer is visible already. */
function scrollIntoViewIfNeeded(result: HTMLElement): void {
  const part = result.closest("section");
  if (part?.isConnected && part.getBoundingClientRect().top > innerHeight / 2) {
    const reduceMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
    part.scrollIntoView({ block: "start", behavior: reduceMotion ? "auto" : "smooth" });
  }
}

start();
