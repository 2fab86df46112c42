// <rc-chart>: shows the value of the nearest point under the pointer or, with `bands`, of the bar. The values come from the
// chart's table (the first number of each row) on every move, because live updates change the table.
import { formatNumber, formatTime } from "./locale";
import { ADDED } from "./morph";

interface Point {
  datetime: string;
  time: number;
  value: string;
  /** What the value is made of: a line for each column that is not zero. */
  breakdown: string[];
}

class Chart extends HTMLElement {
  #tooltip = document.createElement("output");
  #cursor = document.createElement("span");
  #index = 0;

  connectedCallback(): void {
    this.#tooltip.className = "tooltip";
    this.#cursor.className = "cursor";
    for (const added of [this.#cursor, this.#tooltip]) {
      added.hidden = true;
      added.setAttribute(ADDED, "");
    }
    this.append(this.#cursor, this.#tooltip);
    this.addEventListener("pointermove", (event) => this.#show(event.clientX));
    this.addEventListener("pointerleave", () => this.#hide());
    this.addEventListener("blur", () => this.#hide());
    this.addEventListener("keydown", (event) => this.#onKey(event));
  }

  #points(): Point[] {
    const rows = [...(this.closest("figure")?.querySelectorAll("tbody tr") ?? [])];
    const names = [...(this.closest("figure")?.querySelectorAll("thead th") ?? [])].map((cell) => cell.textContent ?? "");
    const points = rows.map((row) => {
      const datetime = row.querySelector("time")?.dateTime ?? "";
      const cells = this.hasAttribute("bands") ? [...row.children].map((cell, i) => ({ name: names[i] ?? "", cell })).slice(2) : [];
      const breakdown = cells.filter(({ cell }) => Number(cell.querySelector("data")?.value) > 0).map(({ name, cell }) => `${name}: ${cell.textContent}`);
      return { datetime, time: new Date(datetime).getTime(), value: row.querySelector("data")?.value ?? "", breakdown };
    });
    return points.filter(({ time, value }) => !Number.isNaN(time) && value !== "");
  }

  #show(x: number): void {
    const box = this.getBoundingClientRect();
    const points = this.#points();
    const find = this.hasAttribute("bands") ? barAt : nearestTo;
    const found = find(points, (x - box.left) / box.width);
    if (!found || box.width === 0) {
      this.#hide();
      return;
    }
    this.#index = points.indexOf(found[0]);
    this.#showAt(...found);
  }

  #showAt(point: Point, position: number): void {
    const box = this.getBoundingClientRect();
    const left = position * box.width;
    this.#tooltip.textContent = [`${formatNumber(point.value)} · ${formatTime(point.datetime, true)}`, ...point.breakdown].join("\n");
    this.#tooltip.hidden = this.#cursor.hidden = false;
    const half = this.#tooltip.offsetWidth / 2;
    this.#tooltip.style.left = `${Math.min(Math.max(left, half), box.width - half)}px`;
    this.#cursor.style.left = `${left}px`;
  }

  /** Arrow keys read the points one by one; the tooltip is a live region. */
  #onKey(event: KeyboardEvent): void {
    const points = this.#points();
    const last = points.length - 1;
    const step = Math.max(1, Math.round(points.length / 10));
    const moves: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -step, PageDown: step, Home: -points.length, End: points.length };
    const move = moves[event.key];
    if (event.key === "Escape") {
      this.#hide();
    } else if (move !== undefined && last >= 0) {
      event.preventDefault();
      const from = this.#tooltip.hidden ? (move > 0 && event.key !== "End" ? -1 : last) : this.#index;
      this.#index = Math.min(Math.max(from + move, 0), last);
      const span = (points[last]?.time ?? 0) - (points[0]?.time ?? 0);
      const point = points[this.#index];
      if (point) {
        const position = this.hasAttribute("bands") ? (this.#index + 0.5) / points.length : span === 0 ? 0 : (point.time - (points[0]?.time ?? 0)) / span;
        this.#showAt(point, position);
      }
    }
  }

  #hide(): void {
    this.#tooltip.hidden = this.#cursor.hidden = true;
  }
}

// Both take a position from 0 (left) to 1 (right) and return the point there with its exact position.

function nearestTo(points: Point[], position: number): [Point, number] | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) {
    return undefined;
  }
  const span = last.time - first.time;
  const time = first.time + position * span;
  const found = points.reduce((best, point) => (Math.abs(point.time - time) < Math.abs(best.time - time) ? point : best));
  return [found, span === 0 ? 0 : (found.time - first.time) / span];
}

function barAt(points: Point[], position: number): [Point, number] | undefined {
  const index = Math.min(Math.max(Math.floor(position * points.length), 0), points.length - 1);
  const found = points[index];
  return found && [found, (index + 0.5) / points.length];
}

customElements.define("rc-chart", Chart);
