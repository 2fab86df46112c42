// The contents of the reference mark the chapter that is being read, and scroll with it.

const nav = document.querySelector<HTMLElement>(".reference .contents nav");
const links = new Map<string, HTMLAnchorElement>();
for (const link of nav?.querySelectorAll<HTMLAnchorElement>('li a[href^="#"]') ?? []) {
  links.set(link.hash.slice(1), link);
}

/** The part of the window, from the top, in which a chapter counts as being read. */
const READING_AREA = "-80px 0px -65% 0px";

if (links.size > 0) {
  const visible = new Set<Element>();
  const chapters = [...document.querySelectorAll(".chapter[id]")].filter((chapter) => links.has(chapter.id));
  const update = () => {
    // The last chapters cannot be scrolled to the top of the window.
    const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const current = isAtEnd ? chapters.at(-1) : chapters.find((chapter) => visible.has(chapter));
    if (current) {
      mark(current.id);
    }
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        isIntersecting ? visible.add(target) : visible.delete(target);
      }
      update();
    },
    { rootMargin: READING_AREA },
  );
  chapters.forEach((chapter) => observer.observe(chapter));
  addEventListener("scroll", update, { passive: true });
}

function mark(id: string): void {
  for (const [name, link] of links) {
    name === id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
  }
  const [link, pane] = [links.get(id), nav?.closest<HTMLElement>(".contents")];
  if (link && pane && pane.scrollHeight > pane.clientHeight) {
    const [inner, outer] = [link.getBoundingClientRect(), pane.getBoundingClientRect()];
    // Only the pane: scrollIntoView would move the page, too.
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      pane.scrollTop += inner.top - outer.top - outer.height / 2;
    }
  }
}
