// Life for pages that work without it: figures and times in the reader's own way, and charts that can be pointed at.
import "./chart";
import "./search";

const numbers = new Intl.NumberFormat();
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

// On a narrow screen the contents would fill the first page of it.
if (matchMedia("(max-width: 60rem)").matches) {
  document.querySelector(".toc")?.removeAttribute("open");
}

for (const element of document.querySelectorAll("data[value]")) {
  element.textContent = numbers.format(Number(element.getAttribute("value")));
}
for (const element of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(element.getAttribute("datetime") ?? "");
  if (!Number.isNaN(moment.getTime())) {
    element.textContent = moments.format(moment);
  }
}
