// <rc-chart>: shows the nearest point of the chart inside it. The figures are read from the chart's own table.

interface Point {
  when: Date;
  value: number;
}

const numbers = new Intl.NumberFormat();
const moments = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "numeric", minute: "2-digit" });

class Chart extends HTMLElement {
  #points: Point[] = [];
  #reading = document.createElement("output");
  #needle = document.createElement("span");

  connectedCallback(): void {
    const rows = this.closest("figure")?.querySelectorAll("tbody tr") ?? [];
    for (const row of rows) {
      const when = new Date(row.querySelector("time")?.dateTime ?? "");
      const value = Number(row.querySelector("data")?.value);
      if (!Number.isNaN(when.getTime()) && !Number.isNaN(value)) {
        this.#points.push({ when, value });
      }
    }
    this.#reading.className = "reading";
    this.#needle.className = "needle";
    this.#reading.hidden = this.#needle.hidden = true;
    this.append(this.#needle, this.#reading);
    this.addEventListener("pointermove", (event) => this.#show(event.clientX));
    this.addEventListener("pointerleave", () => this.#hide());
  }

  #show(x: number): void {
    const box = this.getBoundingClientRect();
    const [first, last] = [this.#points[0], this.#points.at(-1)];
    if (!first || !last || box.width === 0) {
      return;
    }
    const span = last.when.getTime() - first.when.getTime();
    const at = first.when.getTime() + ((x - box.left) / box.width) * span;
    let nearest = first;
    for (const point of this.#points) {
      if (Math.abs(point.when.getTime() - at) < Math.abs(nearest.when.getTime() - at)) {
        nearest = point;
      }
    }
    const left = span === 0 ? 0 : ((nearest.when.getTime() - first.when.getTime()) / span) * box.width;
    this.#reading.textContent = `${numbers.format(nearest.value)} · ${moments.format(nearest.when)}`;
    this.#reading.hidden = this.#needle.hidden = false;
    const half = this.#reading.offsetWidth / 2;
    this.#reading.style.left = `${Math.min(Math.max(left, half), box.width - half)}px`;
    this.#needle.style.left = `${left}px`;
  }

  #hide(): void {
    this.#reading.hidden = this.#needle.hidden = true;
  }
}

customElements.define("rc-chart", Chart);
