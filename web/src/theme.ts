// Changes the theme without loading the page again; the link does the same without scripts.

for (const link of document.querySelectorAll<HTMLAnchorElement>("[data-theme-choice]")) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    event.preventDefault();
    const theme = link.dataset.themeChoice ?? "system";
    if (theme === "system") {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = theme;
    }
    for (const other of document.querySelectorAll("[data-theme-choice]")) {
      other.toggleAttribute("aria-current", other === link);
    }
    link.setAttribute("aria-current", "true");
    // Sets the cookie; the answer is a redirect to a page that is not needed.
    void fetch(link.href, { redirect: "manual" });
  });
}
