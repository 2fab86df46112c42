// Enhances pages that also work without scripts: localized numbers and times, chart tooltips, live updates, search.
import "./acts";
import "./chart";
import "./contents";
import "./copy";
import "./live";
import "./moderation";
import "./samples";
import "./passkey";
import "./search";
import "./suggest";
import "./theme";
import "./upload/element";
import "./viewer/element";
import { localize } from "./locale";

// On a narrow screen an open table of contents would fill the first screen. Until this runs, the style sheet hides it there.
const contents = document.querySelector(".toc");
contents?.toggleAttribute("open", !matchMedia("(max-width: 60rem)").matches);
contents?.classList.add("ready");

localize(document);
