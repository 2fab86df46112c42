// The playground: picks an endpoint, fills its form, runs the call, and keeps all of it in the address.
import type { Human } from "../human/main";
import { address, type Call, missing, read, target } from "./call";
import { copyButton, say } from "./copy";
import { type Document, type Endpoint, load } from "./document";
import { byId, element, words } from "./dom";
import { complain, fields, values } from "./form";
import { show } from "./result";
import { run, Trouble } from "./run";
import { LANGUAGES } from "./samples";
import { noticed, suggestions } from "./seen";
import { tabs } from "./tabs";

const form = byId<HTMLFormElement>("form");
const result = byId("result");
const button = byId<HTMLButtonElement>("run");
const samples = LANGUAGES.map((language) => ({ language, code: element("code") }));

let call: Call;

async function start(): Promise<void> {
  const document = await load();
  byId("samples").append(
    tabs(
      "Language",
      samples.map(({ language: { id, name }, code }) => {
        const copy = copyButton("Copy the code", () => code.textContent ?? "");
        // Of several buttons with one name only one is ever there.
        return { id, name, panel: element("div", {}, element("pre", { tabindex: "0", "aria-label": name }, code), copy) };
      }),
    ),
  );
  byId("links").append(copyButton("Copy a link to this call", () => new URL(address(call), location.href).href));
  const restore = () => {
    const found = read(location.search, document.endpoints);
    if (found) {
      choose(document, found);
    }
  };
  list(document, restore);
  addEventListener("popstate", restore);
  form.addEventListener("input", () => {
    call = { ...call, values: values(form, call.endpoint) };
    write(document);
  });
  // Not at every stroke of a key: some browsers count how often an address changes.
  form.addEventListener("change", () => history.replaceState(null, "", address(call)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void runIt();
  });
  restore();
  byId("playground").hidden = false;
}

/** The endpoints, as links that can be opened elsewhere, too. */
function list({ endpoints }: Document, restore: () => void): void {
  const nav = byId("endpoints");
  const tags = [...new Set(endpoints.map((endpoint) => endpoint.tag))];
  for (const tag of tags) {
    const links = endpoints.filter((endpoint) => endpoint.tag === tag).map((endpoint) => element("li", {}, link(endpoint)));
    nav.append(element("p", { class: "part" }, tag), element("ul", {}, ...links));
  }
  nav.addEventListener("click", (event) => {
    const chosen = (event.target as Element).closest("a");
    if (chosen && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      history.pushState(null, "", chosen.href);
      restore();
      if (matchMedia("(max-width: 60rem)").matches) {
        nav.closest("details")?.removeAttribute("open");
      }
      byId("call").focus();
    }
  });
}

function link(endpoint: Endpoint): HTMLAnchorElement {
  const where = element("code", {}, endpoint.path);
  return element("a", { href: address({ endpoint, values: {} }), title: endpoint.summary }, where);
}

function choose(document: Document, chosen: Call): void {
  call = chosen;
  const { endpoint } = call;
  byId("call").textContent = endpoint.summary;
  byId("about").replaceChildren(...words(endpoint.description));
  byId<HTMLAnchorElement>("reference").href = `/docs#${endpoint.name}`;
  byId("fields").replaceChildren(...fields(call, suggestions(endpoint)));
  for (const each of byId("endpoints").querySelectorAll("a")) {
    const here = new URL(each.href).searchParams.get("endpoint") === endpoint.name;
    here ? each.setAttribute("aria-current", "page") : each.removeAttribute("aria-current");
  }
  window.document.title = `${endpoint.summary} · Playground · Rollcall`;
  result.replaceChildren();
  byId("outcome").hidden = true;
  write(document);
}

/** What follows from the call as it stands. */
function write({ base }: Document): void {
  byId("target").textContent = `/v1${target(call)}`;
  for (const { language, code } of samples) {
    code.textContent = language.write(base, call);
  }
}

async function runIt(): Promise<void> {
  if (button.getAttribute("aria-disabled") === "true") {
    return;
  }
  const wanting = missing(call);
  complain(form, wanting);
  if (wanting.length > 0) {
    say(`This call needs a ${wanting.join(" and a ")}.`);
    return;
  }
  const ran = call;
  history.pushState(null, "", address(ran));
  // Not disabled: that would take the focus from whoever uses the keyboard.
  button.setAttribute("aria-disabled", "true");
  result.setAttribute("aria-busy", "true");
  try {
    const answer = await run(ran, document.querySelector("rc-human") as Human);
    if (ran.endpoint !== call.endpoint) {
      return;
    }
    byId("outcome").hidden = false;
    result.replaceChildren(...show(answer));
    noticed(ran.endpoint, answer.text);
    say(`The answer has come, with status ${answer.status}. ${mistake(answer.text)}`.trim());
  } catch (trouble) {
    byId("outcome").hidden = false;
    const told = trouble instanceof Trouble ? trouble.message : "Something went wrong on this page. Please load it anew.";
    result.replaceChildren(element("p", { class: "message" }, told));
    say(told);
    if (!(trouble instanceof Trouble)) {
      throw trouble;
    }
  } finally {
    bringIntoSight(byId("outcome"));
    button.removeAttribute("aria-disabled");
    result.removeAttribute("aria-busy");
  }
}

/** What an answer says went wrong, for those who listen. */
function mistake(text: string): string {
  try {
    return String(JSON.parse(text).error ?? "");
  } catch {
    return "";
  }
}

/** Unless a good part of it can be seen already. */
function bringIntoSight(part: HTMLElement): void {
  if (!part.hidden && part.getBoundingClientRect().top > innerHeight / 2) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    part.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
  }
}

customElements.whenDefined("rc-human").then(start).catch((error: Error) => {
  byId("trouble").hidden = false;
  byId("trouble").textContent = `The playground cannot start: ${error.message}`;
});
