// <rc-suggest>: suggestions below a search field, as an ARIA combobox. The arrow keys choose, Enter opens the choice or sends
// the form, Escape closes the list.
import { formatNumber } from "./locale";
import { text } from "./translations";

interface Suggestion {
  path: string;
  name: string;
  picture: string;
  players?: number;
}

type Suggestions = Record<"servers" | "players", Suggestion[]>;

const MIN_CHARACTERS = 2;
/** The pause after a key before the server is asked. */
const PAUSE_MS = 120;
let count = 0;

class Suggest extends HTMLElement {
  #input: HTMLInputElement | null = null;
  readonly #list = document.createElement("div");
  readonly #status = document.createElement("output");
  #options: HTMLAnchorElement[] = [];
  #chosen = -1;
  #timer = 0;
  #request: AbortController | undefined;
  readonly #answers = new Map<string, Suggestions>();

  connectedCallback(): void {
    const input = (this.#input = this.querySelector("input"));
    if (!input || this.#list.isConnected) {
      return;
    }
    this.#list.id = `suggestions-${(count += 1)}`;
    this.#list.className = "suggestions";
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("aria-label", text.suggestions);
    this.#list.hidden = true;
    this.#status.className = "hidden";
    this.append(this.#list, this.#status);
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", this.#list.id);
    input.setAttribute("aria-expanded", "false");
    input.addEventListener("input", () => this.#ask());
    input.addEventListener("keydown", (event) => this.#onKey(event));
    input.addEventListener("focus", () => this.#ask());
    input.addEventListener("blur", () => this.#close());
    // The field must keep the focus, or the list would close before the click arrives.
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
  }

  disconnectedCallback(): void {
    clearTimeout(this.#timer);
    this.#request?.abort();
  }

  #ask(): void {
    clearTimeout(this.#timer);
    this.#request?.abort();
    const query = this.#input?.value.trim() ?? "";
    if ([...query].length < MIN_CHARACTERS) {
      this.#close();
      return;
    }
    const known = this.#answers.get(query);
    if (known) {
      this.#show(known);
    } else {
      this.#timer = setTimeout(() => void this.#load(query), PAUSE_MS);
    }
  }

  async #load(query: string): Promise<void> {
    const request = (this.#request = new AbortController());
    try {
      const response = await fetch(`/search/suggest?q=${encodeURIComponent(query)}`, { signal: request.signal });
      if (!response.ok) {
        // Limited or overloaded: the form still searches.
        this.#close();
        return;
      }
      const found = (await response.json()) as Suggestions;
      this.#answers.set(query, found);
      if (!request.signal.aborted && document.activeElement === this.#input) {
        this.#show(found);
      }
    } catch {
      // Aborted by the next key, or no network.
    }
  }

  #show(found: Suggestions): void {
    this.#options = [];
    this.#list.replaceChildren();
    for (const kind of ["servers", "players"] as const) {
      if (found[kind].length > 0) {
        this.#list.append(this.#group(kind, found[kind]));
      }
    }
    this.#choose(-1);
    const isEmpty = this.#options.length === 0;
    this.#status.textContent = isEmpty ? text.noResults : `${text.suggestions}: ${this.#options.length}`;
    this.#list.hidden = isEmpty;
    this.#input?.setAttribute("aria-expanded", String(!isEmpty));
  }

  #group(kind: "servers" | "players", suggestions: Suggestion[]): HTMLElement {
    const group = document.createElement("div");
    group.setAttribute("role", "group");
    const title = document.createElement("p");
    title.id = `${this.#list.id}-${kind}`;
    title.setAttribute("role", "presentation");
    title.textContent = text[kind];
    group.setAttribute("aria-labelledby", title.id);
    group.append(title, ...suggestions.map((suggestion) => this.#option(suggestion)));
    return group;
  }

  #option(suggestion: Suggestion): HTMLAnchorElement {
    const option = document.createElement("a");
    option.id = `${this.#list.id}-${this.#options.length}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.tabIndex = -1;
    option.href = suggestion.path;
    const picture = document.createElement("img");
    picture.src = suggestion.picture;
    picture.alt = "";
    picture.width = picture.height = 28;
    const name = document.createElement("bdi");
    name.textContent = suggestion.name;
    option.append(picture, name);
    if (suggestion.players !== undefined) {
      const players = document.createElement("span");
      players.className = "soft small";
      players.textContent = formatNumber(String(suggestion.players));
      option.append(players);
    }
    this.#options.push(option);
    return option;
  }

  #choose(index: number): void {
    this.#options[this.#chosen]?.setAttribute("aria-selected", "false");
    this.#chosen = index;
    const option = this.#options[index];
    if (option) {
      option.setAttribute("aria-selected", "true");
      option.scrollIntoView({ block: "nearest" });
      this.#input?.setAttribute("aria-activedescendant", option.id);
    } else {
      this.#input?.removeAttribute("aria-activedescendant");
    }
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) {
      return;
    }
    const isOpen = !this.#list.hidden;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && !isOpen) {
      event.preventDefault();
      this.#ask();
    } else if (step !== 0) {
      event.preventDefault();
      // -1 is the field itself, between the last and the first option.
      const places = this.#options.length + 1;
      this.#choose(((this.#chosen + 1 + step + places) % places) - 1);
    } else if (event.key === "Enter" && isOpen && this.#chosen >= 0) {
      event.preventDefault();
      this.#options[this.#chosen]?.click();
    } else if (event.key === "Escape" && isOpen) {
      // The first Escape closes the list; the next one clears the field, as in every search field.
      event.preventDefault();
      this.#close();
    }
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#list.hidden = true;
    this.#choose(-1);
    this.#input?.setAttribute("aria-expanded", "false");
  }
}

customElements.define("rc-suggest", Suggest);
