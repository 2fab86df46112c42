// Measures pages on a slow phone with a cold cache: largest contentful paint, layout shift, bytes. Prints a table and checks
// nothing: times depend on the machine. `scripts/page-speed PROGRAM` runs it.
import { base, closeBrowser, withBrowser } from "./setup.mjs";

const BYTES_PER_SECOND = 50_000;
const LATENCY_MS = 20;
const ROUNDS = 3;

async function measure(browser, path) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: LATENCY_MS, downloadThroughput: BYTES_PER_SECOND, uploadThroughput: BYTES_PER_SECOND });
  let [bytes, html] = [0, 0];
  const types = new Map();
  cdp.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength;
    html += types.get(requestId) === "Document" ? encodedDataLength : 0;
  });
  await page.addInitScript(() => {
    window.seen = { lcp: 0, shift: 0, element: "" };
    new PerformanceObserver((list) => {
      const last = list.getEntries().at(-1);
      window.seen.lcp = last.startTime;
      window.seen.element = last.element?.tagName ?? "";
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.seen.shift += entry.value))).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(base + path, { waitUntil: "load", timeout: 120_000 });
  await page.waitForLoadState("networkidle");
  const seen = await page.evaluate(() => window.seen);
  await context.close();
  return { ...seen, bytes, html };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

await withBrowser(async (browser) => {
  const page = await browser.newPage();
  const first = async (list, prefix) => {
    await page.goto(base + list);
    const links = await page.locator(`main a[href^="${prefix}"]`).evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    return links.find((link) => !link.includes("?")) ?? list;
  };
  const paths = [
    "/", "/servers", await first("/servers?sort=players", "/servers/"), "/players", await first("/players?sort=playtime", "/players/"),
    "/leaderboards", "/skins", await first("/skins", "/skins/"), "/capes", await first("/capes", "/capes/"), "/search?q=sky", "/status", "/changelog",
    "/docs", "/playground", "/sign-in",
  ];
  await page.close();
  console.log("page".padEnd(40), "LCP ms".padStart(8), "element".padStart(10), "shift".padStart(8), "HTML kB".padStart(9), "total kB".padStart(9));
  for (const path of paths) {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push(await measure(browser, path));
    }
    const pick = (key) => median(rounds.map((round) => round[key]));
    console.log(path.padEnd(40), pick("lcp").toFixed(0).padStart(8), rounds[0].element.padStart(10), pick("shift").toFixed(4).padStart(8), (pick("html") / 1000).toFixed(1).padStart(9), (pick("bytes") / 1000).toFixed(1).padStart(9));
  }
});
await closeBrowser();
