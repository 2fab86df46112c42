// The playground page: choose an endpoint, fill in its form, run the call. The URL always contains the whole call.
import type { Captcha } from "../captcha/main";
import { type Call, missing, pageUrl, parse, target, withExamples } from "./call";
import { LANGUAGES } from "./code-samples";
import { announce, copyButton } from "./copy-button";
import { byId, element, withCode } from "./dom";
import { fields, markMissing, values } from "./form";
import { type Api, type Endpoint, load } from "./openapi";
import { render } from "./result";
import { run, RunError } from "./run";
import { remember, suggestions } from "./suggestions";
import { tabs } from "./tabs";

const form = byId<HTMLFormElement>("form");
const result = byId("result");
const runButton = byId<HTMLButtonElement>("run");
const samples = LANGUAGES.map((language) => ({ language, code: element("code") }));

let call: Call;

async function start(): Promise<void> {
  const api = await load();
  byId("samples").append(
    tabs(
      "Language",
      samples.map(({ language: { id, name }, code }) => {
        const copy = copyButton("Copy code", () => code.textContent ?? "");
        // Only one of the panels, and thus of these buttons, is visible at a time.
        return { id, name, panel: element("div", {}, element("pre", { tabindex: "0", "aria-label": name }, code), copy) };
      }),
    ),
  );
  byId("links").append(copyButton("Copy link to this call", () => new URL(pageUrl(call), location.href).href));
  const restore = () => {
    const found = parse(location.search, api.endpoints);
    if (found) {
      select(api, found);
    }
  };
  listEndpoints(api, restore);
  addEventListener("popstate", restore);
  form.addEventListener("input", () => {
    call = { ...call, values: values(form, call.endpoint) };
    updateCall(api);
  });
  // On change, not on input: browsers limit how often a page may replace its URL.
  form.addEventListener("change", () => history.replaceState(null, "", pageUrl(call)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void runCall();
  });
  restore();
  byId("playground").hidden = false;
}

/** Lists the endpoints as links, so that they can be opened in a new tab. */
function listEndpoints({ endpoints }: Api, restore: () => void): void {
  const nav = byId("endpoints");
  const tags = [...new Set(endpoints.map((endpoint) => endpoint.tag))];
  for (const tag of tags) {
    const links = endpoints.filter((endpoint) => endpoint.tag === tag).map((endpoint) => element("li", {}, link(endpoint)));
    nav.append(element("p", { class: "part" }, tag), element("ul", {}, ...links));
  }
  nav.addEventListener("click", (event) => {
    const clicked = (event.target as Element).closest("a");
    if (clicked && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      history.pushState(null, "", clicked.href);
      restore();
      if (matchMedia("(max-width: 60rem)").matches) {
        nav.closest("details")?.removeAttribute("open");
      }
      byId("call").focus();
    }
  });
}

function link(endpoint: Endpoint): HTMLAnchorElement {
  const path = element("code", {}, endpoint.path);
  return element("a", { href: pageUrl({ endpoint, values: {} }), title: endpoint.summary }, path);
}

function select(api: Api, selected: Call): void {
  call = selected;
  const { endpoint } = call;
  byId("call").textContent = endpoint.summary;
  byId("about").replaceChildren(...withCode(endpoint.description));
  byId<HTMLAnchorElement>("reference").href = `/docs#${endpoint.name}`;
  byId("fields").replaceChildren(...fields(call, suggestions(endpoint)));
  for (const each of byId("endpoints").querySelectorAll("a")) {
    const isCurrent = new URL(each.href).searchParams.get("endpoint") === endpoint.name;
    isCurrent ? each.setAttribute("aria-current", "page") : each.removeAttribute("aria-current");
  }
  document.title = `${endpoint.summary} · Playground · Rollcall`;
  result.replaceChildren();
  byId("outcome").hidden = true;
  updateCall(api);
}

/** Updates the request line and the code samples. */
function updateCall({ baseUrl }: Api): void {
  byId("target").textContent = `/v1${target(call)}`;
  // Copied code must run, so it has a value where the form has none yet.
  const complete = withExamples(call, suggestions(call.endpoint));
  for (const { language, code } of samples) {
    code.textContent = language.generate(baseUrl, complete);
  }
}

async function runCall(): Promise<void> {
  if (runButton.getAttribute("aria-disabled") === "true") {
    return;
  }
  const missingNames = missing(call);
  markMissing(form, missingNames);
  if (missingNames.length > 0) {
    announce(`Enter a ${missingNames.join(" and a ")}.`);
    return;
  }
  const current = call;
  history.pushState(null, "", pageUrl(current));
  // Not `disabled`, which would take the keyboard focus away.
  runButton.setAttribute("aria-disabled", "true");
  result.setAttribute("aria-busy", "true");
  try {
    const response = await run(current, document.querySelector("rc-human") as Captcha);
    if (current.endpoint !== call.endpoint) {
      return;
    }
    byId("outcome").hidden = false;
    result.replaceChildren(...render(response));
    remember(current.endpoint, response.text);
    announce(`Response received with status ${response.status}. ${errorMessage(response.text)}`.trim());
  } catch (error) {
    byId("outcome").hidden = false;
    const message = error instanceof RunError ? error.message : "An error occurred on this page. Please reload it.";
    result.replaceChildren(element("p", { class: "message" }, message));
    announce(message);
    if (!(error instanceof RunError)) {
      throw error;
    }
  } finally {
    scrollIntoViewIfNeeded(byId("outcome"));
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

/** Scrolls unless a good part of the element is visible already. */
function scrollIntoViewIfNeeded(part: HTMLElement): void {
  if (!part.hidden && part.getBoundingClientRect().top > innerHeight / 2) {
    const reduceMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
    part.scrollIntoView({ block: "start", behavior: reduceMotion ? "auto" : "smooth" });
  }
}

customElements.whenDefined("rc-human").then(start).catch((error: Error) => {
  byId("trouble").hidden = false;
  byId("trouble").textContent = `The playground cannot start: ${error.message}`;
});
