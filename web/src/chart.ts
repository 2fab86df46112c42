// <rc-chart>: shows the nearest point of the chart inside it, or with `bands` the bar under the pointer. The figures are
// read from the chart's own table, the first of each row, whenever they are asked for: the table may have changed.
import { ADDED } from "./follow";
import { figure, moment } from "./locale";

interface Point {
  when: string;
  at: number;
  value: string;
}

class Chart extends HTMLElement {
  #reading = document.createElement("output");
  #needle = document.createElement("span");

  connectedCallback(): void {
    this.#reading.className = "reading";
    this.#needle.className = "needle";
    for (const added of [this.#needle, this.#reading]) {
      added.hidden = true;
      added.setAttribute(ADDED, "");
    }
    this.append(this.#needle, this.#reading);
    this.addEventListener("pointermove", (event) => this.#show(event.clientX));
    this.addEventListener("pointerleave", () => this.#hide());
  }

  #points(): Point[] {
    const rows = [...(this.closest("figure")?.querySelectorAll("tbody tr") ?? [])];
    const points = rows.map((row) => {
      const when = row.querySelector("time")?.dateTime ?? "";
      return { when, at: new Date(when).getTime(), value: row.querySelector("data")?.value ?? "" };
    });
    return points.filter(({ at, value }) => !Number.isNaN(at) && value !== "");
  }

  #show(x: number): void {
    const box = this.getBoundingClientRect();
    const points = this.#points();
    const find = this.hasAttribute("bands") ? band : nearest;
    const found = find(points, (x - box.left) / box.width);
    if (!found || box.width === 0) {
      this.#hide();
      return;
    }
    const [point, place] = found;
    const left = place * box.width;
    this.#reading.textContent = `${figure(point.value)} · ${moment(point.when, true)}`;
    this.#reading.hidden = this.#needle.hidden = false;
    const half = this.#reading.offsetWidth / 2;
    this.#reading.style.left = `${Math.min(Math.max(left, half), box.width - half)}px`;
    this.#needle.style.left = `${left}px`;
  }

  #hide(): void {
    this.#reading.hidden = this.#needle.hidden = true;
  }
}

// Both take a place between 0 and 1 from left to right, and give the point there with its own place.

function nearest(points: Point[], place: number): [Point, number] | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) {
    return undefined;
  }
  const span = last.at - first.at;
  const at = first.at + place * span;
  const found = points.reduce((best, point) => (Math.abs(point.at - at) < Math.abs(best.at - at) ? point : best));
  return [found, span === 0 ? 0 : (found.at - first.at) / span];
}

function band(points: Point[], place: number): [Point, number] | undefined {
  const index = Math.min(Math.max(Math.floor(place * points.length), 0), points.length - 1);
  const found = points[index];
  return found && [found, (index + 0.5) / points.length];
}

customElements.define("rc-chart", Chart);
