// Enhances pages that also work without scripts: localized numbers and times, chart tooltips, live updates, search.
import "./chart";
import "./copy";
import "./live";
import "./search";
import { localize } from "./locale";

// On a narrow screen an open table of contents would fill the first screen.
if (matchMedia("(max-width: 60rem)").matches) {
  document.querySelector(".toc")?.removeAttribute("open");
}

localize(document);
