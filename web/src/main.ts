// Life for pages that work without it: figures and times in the reader's own way, and charts that can be pointed at.
import "./chart";
import "./copy";
import "./live";
import "./search";
import { localise } from "./locale";

// On a narrow screen the contents would fill the first page of it.
if (matchMedia("(max-width: 60rem)").matches) {
  document.querySelector(".toc")?.removeAttribute("open");
}

localise(document);
