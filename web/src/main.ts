// Enhances pages that also work without scripts: localized numbers and times, chart tooltips, live updates, search.
import "./inline-forms";
import "./chart";
import "./table-of-contents";
import "./copy-button";
import "./live";
import "./moderation";
import "./sample-language";
import "./passkey";
import "./docs-search";
import "./search-suggestions";
import "./theme";
import "./upload/element";
import "./viewer/element";
import { localize } from "./locale";

// On a narrow screen an open table of contents would fill the first screen. Until this runs, the style sheet hides it there.
const contents = document.querySelector(".toc");
contents?.toggleAttribute("open", !matchMedia("(max-width: 60rem)").matches);
contents?.classList.add("ready");

localize(document);
