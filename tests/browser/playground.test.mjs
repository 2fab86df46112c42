import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createKey, signedUp, waitForStatus } from "./account.mjs";
import { assertAccessible, base, blank, withBrowser, assertFits, variants, open } from "./setup.mjs";

/** A value with quotes, variables, escapes and a direction override. */
const HOSTILE = `it's "a" \\ $HOME \`id\` \${x} #{y} %41 é 漢 🎈 \u202e </script>`;

async function run(page) {
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator("#run:not([aria-disabled])").waitFor();
  await page.locator("#result .outcome, #result .message").first().waitFor();
}

/** Chooses an endpoint and waits for its form. */
async function choose(page, path, summary) {
  await page.locator("#endpoints").getByRole("link", { name: path, exact: true }).click();
  await page.locator("#call", { hasText: summary }).waitFor();
}

/** Waits until a field has this value. */
async function hasValue(page, field, value) {
  await page.waitForFunction(([id, wanted]) => document.getElementById(id)?.value === wanted, [field, value]);
}

const LANGUAGES = ["curl", "javascript", "python", "rust", "go"];

/** Opens the playground and tolerates failed requests, which the browser logs as console errors. */
async function openForErrors(browser, path, variant) {
  const page = await blank(browser, variant);
  page.on("pageerror", (error) => {
    throw new Error(`${path}: ${error}`);
  });
  page.on("console", (message) => {
    assert.ok(message.type() !== "error" || message.text().startsWith("Failed to load resource"), message.text());
  });
  await page.goto(base + path);
  return page;
}

test("a call without a key: choose, fill in, run, see the response", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground");
    await choose(page, "/servers/top", "Top servers");
    await page.selectOption("#field-sort", "players");
    await page.fill("#field-limit", "2");
    assert.equal(await page.locator("#target").textContent(), "/v1/servers/top?sort=players&limit=2");
    await run(page);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("200 OK"));
    assert.match(await page.locator(".outcome").textContent(), /\d ms.*\d B|\d kB/);
    assert.match(await page.locator(".left").textContent(), /\d of [\d,]+ requests remaining this minute.*\d of [\d,]+ requests remaining today.*\d until the next CAPTCHA/);
    const names = await page.locator(".tree .name").allTextContents();
    assert.ok(names.includes("success") && names.includes("servers"), names.join());
    await page.getByText(/^All \d+ headers$/).click();
    assert.ok(await page.locator(".headers").getByText("x-ratelimit-limit-minute").isVisible());
  }));

test("the CAPTCHA is solved once, and again when the pass expires", () =>
  withBrowser(async (browser) => {
    const page = await openForErrors(browser, "/playground?endpoint=live");
    const passes = [];
    page.on("request", (request) => request.url().endsWith("/playground/pass") && passes.push(request.method()));
    await run(page);
    await run(page);
    assert.deepEqual(passes, ["POST"]);
    const expired = { status: 401, body: '{"success":false,"error":"Expired"}' };
    await page.route("**/playground/v1/**", (route) => route.fulfill(expired), { times: 1 });
    await run(page);
    assert.deepEqual(passes, ["POST", "POST"]);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("200 OK"));
  }));

test("JSON collapses with the keyboard and can be copied", () =>
  withBrowser(async (browser) => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await open(browser, "/playground?endpoint=listServers&limit=3", undefined, { permissions });
    await run(page);
    const list = page.locator(".tree details", { has: page.locator("> summary .name", { hasText: /^servers$/ }) }).last();
    const summary = list.locator("> summary");
    assert.match(await summary.textContent(), /^servers: \[ 3 items \]$/);
    await summary.focus();
    await page.keyboard.press("Enter");
    assert.equal(await list.evaluate((details) => details.open), false);
    await page.keyboard.press("Enter");
    assert.equal(await list.evaluate((details) => details.open), true);
    const last = list.locator("> ul > li > details").last();
    assert.equal(await last.locator("> ul").count(), 0, "collapsed parts are rendered too early");
    await last.locator("> summary").click();
    await last.locator("> ul .name", { hasText: /^slug$/ }).waitFor();
    await page.getByRole("button", { name: "Copy JSON" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.equal(copied.data.servers.length, 3);
  }));

test("the URL contains the whole call: sharing, reload, back and forward", () =>
  withBrowser(async (browser) => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await open(browser, "/playground?endpoint=listServers", undefined, { permissions });
    await page.fill("#field-search", HOSTILE);
    await page.selectOption("#field-sort", "name");
    await page.getByRole("button", { name: "Copy link to this call" }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    for (const restore of [() => page.goto(link), () => page.reload()]) {
      await restore();
      await hasValue(page, "field-search", HOSTILE);
      assert.equal(await page.inputValue("#field-sort"), "name");
    }
    await choose(page, "/search", "Search servers and players");
    assert.equal(new URL(page.url()).search, "?endpoint=search");
    await page.goBack();
    await hasValue(page, "field-search", HOSTILE);
    await page.goForward();
    await page.locator("#call", { hasText: "Search servers and players" }).waitFor();
    assert.equal(await page.locator("#endpoints [aria-current]").textContent(), "/search");
    const other = await open(browser, "/playground?endpoint=nothing&x=y");
    await other.locator("#call", { hasText: "List servers" }).waitFor();
  }));

test("every endpoint of the reference links to the playground", () =>
  withBrowser(async (browser) => {
    const docs = await open(browser, "/docs");
    const links = docs.locator('a[href^="/playground?endpoint="]');
    assert.equal(await links.count(), 27);
    await docs.locator("#playerDetail").getByRole("link", { name: "Try it" }).click();
    await docs.locator("#field-id").waitFor();
    assert.match(await docs.locator("#target").textContent(), /^\/v1\/players\/[^/?]+$/);
  }));

test("required parameters are filled in, suggested and checked", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=serverVoters");
    await run(page);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("200 OK"));
    await page.fill("#field-slug", "");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("Enter a value for slug.").first().waitFor();
    assert.equal(await page.evaluate("document.activeElement.id"), "field-slug");
    const slugs = page.locator("#seen-slug option");
    assert.ok((await slugs.count()) > 3);
    await page.fill("#field-slug", await slugs.nth(1).getAttribute("value"));
    await run(page);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("200 OK"));
  }));

test("an example is inserted with a click", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=topServers");
    const example = page.locator('.example[data-for="country"]');
    const country = await example.getAttribute("data-value");
    await example.click();
    assert.equal(await page.inputValue("#field-country"), country);
    assert.equal(await page.locator("#target").textContent(), `/v1/servers/top?country=${encodeURIComponent(country)}`);
    assert.equal(new URL(page.url()).searchParams.get("country"), country);
  }));

test("an address of the API opens as a filled-in call", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?call=/v1/servers%3Fsort%3Dvotes%26limit%3D2");
    assert.equal(await page.inputValue("#field-sort"), "votes");
    await run(page);
    assert.match(await page.locator(".tree").textContent(), /servers: \[ 2 items \]/);
  }));

test("the same call twice is one history entry, and Back and reload keep the answer", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers&limit=1");
    const before = await page.evaluate("history.length");
    await run(page);
    await run(page);
    assert.equal(await page.evaluate("history.length"), before);
    await page.fill("#field-limit", "2");
    await run(page);
    await run(page);
    assert.equal(await page.evaluate("history.length"), before + 1);
    await choose(page, "/live", "Live statistics");
    await page.goBack();
    await hasValue(page, "field-limit", "2");
    await page.getByText("[ 2 items ]").first().waitFor();
    await page.goBack();
    await hasValue(page, "field-limit", "1");
    await page.getByText("[ 1 item ]").first().waitFor();
    await page.reload();
    await page.getByText("[ 1 item ]").first().waitFor();
  }));

test("links and own pictures of an answer can be opened, and nothing else", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers");
    const server = {
      iconUrl: `${base}/media/icon/${"0".repeat(32)}.png`,
      website: "https://elsewhere.example/?a=<b>",
      foreign: "https://elsewhere.example/media/icon/0.png",
      script: "javascript:alert(1)",
      data: "data:text/html,<script>alert(1)</script>",
      text: "see https://elsewhere.example",
    };
    const body = JSON.stringify({ success: true, data: { servers: [server] } });
    await page.route("**/media/**", (route) => route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }));
    await page.route("**/playground/v1/**", (route) => route.fulfill({ body, contentType: "application/json" }));
    await run(page);
    const links = await page.locator(".tree a").evaluateAll((all) => all.map(({ href, target, rel }) => ({ href, target, rel })));
    assert.deepEqual(links, [server.iconUrl, "https://elsewhere.example/?a=%3Cb%3E", server.foreign].map((href) => ({ href, target: "_blank", rel: "noopener noreferrer nofollow" })));
    assert.deepEqual(await page.locator(".tree img").evaluateAll((all) => all.map((img) => img.getAttribute("src"))), [new URL(server.iconUrl).pathname]);
  }));

test("calls with my own key go to the API itself, and the key stays in memory", () =>
  withBrowser(async (browser) => {
    const page = await openForErrors(browser, "/playground?endpoint=live");
    const sent = [];
    page.on("request", (request) => /\/v1\/live$/.test(request.url()) && sent.push([new URL(request.url()).pathname, request.headers()["x-api-key"]]));
    await page.getByText("Use my API key").click();
    await page.fill("#own-key", "rc_wrong");
    await run(page);
    assert.deepEqual(sent, [["/v1/live", "rc_wrong"]]);
    assert.equal(await page.locator(".message").textContent(), "Invalid API key.");
    assert.ok(!page.url().includes("rc_wrong"));
    assert.equal(await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie, history.state]).includes('rc_wrong')"), false);
    await page.reload();
    assert.equal(await page.inputValue("#own-key"), "");
  }));

const NEEDS_KEY = "This endpoint needs an API key of your own. Create a key in the dashboard";
const STREAM_URL = "**/v1/events/stream*";

/** A key that the API accepts. */
async function ownKey(browser) {
  const { page } = await signedUp(browser);
  const key = await createKey(page, "for the playground");
  await waitForStatus(key, 200);
  await page.close();
  return key;
}

/** The body of a stream with this many events, which ends as a lost connection does. */
function streamed(count) {
  const event = (i) => ({ id: `e${i}`, type: "player.joined", at: "2026-01-31T09:30:00.000Z", server: { id: "s", slug: "s", name: `Server ${i}` }, player: null, data: { joinedAt: "2026-01-31T09:30:00.000Z" } });
  const blocks = Array.from({ length: count }, (_, i) => `id: e${i}\nevent: player.joined\ndata: ${JSON.stringify(event(i))}\n\n`);
  return `retry: 3000\n\n${blocks.join("")}`;
}

test("/key and the event stream run with my own key, and say so without one", () =>
  withBrowser(async (browser) => {
    const key = await ownKey(browser);
    const page = await openForErrors(browser, "/playground?endpoint=keyStatus");
    const sent = [];
    page.on("request", (request) => /\/v1\//.test(request.url()) && sent.push([request.url(), request.headers()["x-api-key"]]));
    assert.equal(await page.locator("#bench .notice").textContent(), NEEDS_KEY);
    await page.locator("#links button").waitFor();
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator("#missing-own-key").waitFor();
    assert.equal(await page.evaluate("document.activeElement.id"), "own-key");
    assert.equal(await page.locator("#own-key").getAttribute("aria-invalid"), "true");
    assert.deepEqual(sent, []);

    await page.keyboard.type(key);
    await page.keyboard.press("Enter");
    await page.locator(".outcome", { hasText: "200 OK" }).waitFor();
    assert.ok(await page.locator("#missing-own-key").isHidden());
    assert.match(await page.locator(".tree").textContent(), /name: "for the playground"/);

    await choose(page, "/events/stream", "Stream events");
    await page.fill("#field-after", "start");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("The stream was stopped after 50 events.").first().waitFor();
    assert.equal(await page.locator(".events > li").count(), 50);
    assert.equal(await page.getByRole("button", { name: "Stop", exact: true }).count(), 0);
    await page.locator(".events summary").first().click();
    await page.locator(".events .tree .name", { hasText: /^id$/ }).first().waitFor();

    assert.deepEqual(sent, [[`${base}/v1/key`, key], [`${base}/v1/events/stream?after=start`, key]]);
    assert.ok(!page.url().includes(key) && !(await page.locator("#samples").textContent()).includes(key));
    assert.equal(await page.evaluate((secret) => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state]).includes(secret), key), false);
  }));

test("a stream shows events as they arrive until it is stopped, with the keyboard too", () =>
  withBrowser(async (browser) => {
    const key = await ownKey(browser);
    const page = await openForErrors(browser, "/playground?endpoint=eventsStream");
    await page.locator("#links button").waitFor();
    await page.fill("#own-key", key);
    await page.locator("#run").focus();
    await page.keyboard.press("Enter");
    // The game servers of the demo are polled every 15 seconds: players join and leave.
    await page.locator(".events > li").first().waitFor();
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    assert.equal(await page.locator("#run").getAttribute("aria-disabled"), "true");
    await stop.focus();
    await page.keyboard.press("Enter");
    await page.getByText("You stopped the stream.").first().waitFor();
    assert.equal(await page.evaluate("document.activeElement.id"), "run");
    assert.equal(await page.locator("#run").getAttribute("aria-disabled"), null);
    assert.equal(await stop.count(), 0);
  }));

test("a stream ends after a minute, with another endpoint, and as the service says", () =>
  withBrowser(async (browser) => {
    const key = await ownKey(browser);
    const page = await openForErrors(browser, "/playground?endpoint=eventsStream");
    await page.locator("#links button").waitFor();
    await page.clock.install();
    await page.fill("#own-key", key);
    const start = async () => {
      await page.getByRole("button", { name: "Run" }).click();
      await page.locator("#result").getByText("Connected.").waitFor();
    };
    // Rare, so that the limit of events is not reached before.
    await page.fill("#field-type", "post.approved");
    await start();
    await page.clock.fastForward(59_000);
    assert.ok(await page.getByRole("button", { name: "Stop", exact: true }).isVisible());
    await page.clock.fastForward(1_000);
    await page.getByText("The stream was stopped after 60 seconds.").first().waitFor();

    await start();
    const closed = page.waitForEvent("requestfailed", (request) => request.url().includes("/v1/events/stream"));
    await choose(page, "/live", "Live statistics");
    await closed;

    await choose(page, "/events/stream", "Stream events");
    const end = 'event: end\ndata: {"status":429,"error":"Too many requests","retryAfter":20}\n\n';
    for (const [body, sentence] of [
      [streamed(2) + end, "The service ended the stream: Too many requests."],
      [streamed(2), "The connection was lost. Run the call again."],
      [streamed(60), "The stream was stopped after 50 events."],
    ]) {
      await page.route(STREAM_URL, (route) => route.fulfill({ body, contentType: "text/event-stream" }));
      await page.getByRole("button", { name: "Run" }).click();
      await page.locator("#result .notice", { hasText: sentence }).waitFor();
      assert.equal(await page.locator(".events > li").count(), Math.min(50, body.split("event: player").length - 1));
      await page.unroute(STREAM_URL);
    }
    await page.fill("#own-key", "rc_wrong");
    await run(page);
    assert.equal(await page.locator(".message").textContent(), "Invalid API key.");
  }));

test("an endpoint with my own key is accessible, and so is its stream", () =>
  withBrowser(async (browser) => {
    for (const variant of variants) {
      const what = `${variant.scheme} ${variant.width}`;
      const page = await openForErrors(browser, "/playground?endpoint=eventsStream", variant);
      await page.locator("#links button").waitFor();
      await page.getByRole("button", { name: "Run" }).click();
      await page.locator("#missing-own-key").waitFor();
      await assertAccessible(page, `without a key ${what}`);
      await assertFits(page, `without a key ${what}`);
      await page.fill("#own-key", "rc_any");
      await page.route(STREAM_URL, (route) => route.fulfill({ body: streamed(5), contentType: "text/event-stream" }));
      await page.getByRole("button", { name: "Run" }).click();
      await page.locator("#result .notice").waitFor();
      await page.locator(".events summary").first().click();
      await assertAccessible(page, `stream ${what}`);
      await assertFits(page, `stream ${what}`);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/stream-${variant.scheme}-${variant.width}.png`, fullPage: true });
      await page.close();
    }
  }));

test("a script that cannot load is explained", () =>
  withBrowser(async (browser) => {
    const page = await blank(browser);
    await page.route("**/assets/playground-*.js", (route) => route.abort());
    await page.goto(`${base}/playground`);
    await page.getByText("The script of this page has not loaded").waitFor();
    assert.ok(await page.locator("#field-limit").isVisible());
    const other = await openForErrors(browser, "/playground?endpoint=live");
    assert.equal(await other.locator("#trouble").count(), 0);
  }));

test("errors are explained", () =>
  withBrowser(async (browser) => {
    const page = await openForErrors(browser, "/playground?endpoint=listServers&limit=abc&sort=wrong");
    assert.equal(await page.inputValue("#field-sort"), "wrong");
    await run(page);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("400 Invalid parameter"));
    assert.equal(await page.locator(".message").textContent(), 'limit must be a whole number from 1 to 100, not "abc".');
    const responses = [
      [{ status: 429, headers: { "retry-after": "34" }, body: '{"success":false,"error":"Slowly"}' }, /^Slowly\. Try again in 34 seconds\.$/],
      [{ status: 503, body: '{"success":false,"error":"Away"}' }, /^Away\.$/],
      [{ status: 500, body: "<h1>broken</h1>" }, /^The server returned no error message\.$/],
    ];
    for (const [response, message] of responses) {
      await page.route("**/playground/v1/**", (route) => route.fulfill(response));
      await run(page);
      assert.match(await page.locator(".message").textContent(), message);
      await page.unroute("**/playground/v1/**");
    }
    await page.route("**/playground/v1/**", (route) => route.abort());
    await run(page);
    assert.match(await page.locator(".message").textContent(), /^The server cannot be reached\./);
    await page.unroute("**/playground/v1/**");
    await page.reload();
    await page.locator("#run").waitFor();
    const rejected = { status: 503, body: '{"success":false,"error":"The CAPTCHA cannot be verified right now"}' };
    await page.route("**/playground/pass", (route) => route.fulfill(rejected));
    await run(page);
    assert.equal(await page.locator(".message").textContent(), "The CAPTCHA cannot be verified right now.");
  }));

test("a response of a megabyte renders immediately", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers");
    const item = { slug: "x", text: "y".repeat(900), list: [1, 2, 3] };
    const body = JSON.stringify({ success: true, data: { servers: Array(1200).fill(item) } });
    assert.ok(body.length > 1_000_000);
    await page.route("**/playground/v1/**", (route) => route.fulfill({ body, contentType: "application/json" }));
    await run(page);
    assert.ok((await page.locator(".tree *").count()) < 2000);
    await page.getByRole("button", { name: "1100 more" }).click();
    await page.getByRole("button", { name: "1000 more" }).waitFor();
  }));

test("the language of the code is chosen with arrow keys and remembered", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground");
    const choice = (name) => page.getByRole("radio", { name });
    await choice("curl").focus();
    for (const [key, name, id] of [["ArrowRight", "JavaScript", "javascript"], ["ArrowLeft", "curl", "curl"], ["ArrowLeft", "Go", "go"]]) {
      await page.keyboard.press(key);
      assert.ok(await choice(name).isChecked());
      assert.deepEqual(await page.locator("#samples .code:visible").evaluateAll((all) => all.map((each) => each.id)), [`panel-${id}`]);
    }
    await page.goto(`${base}/docs`);
    await page.locator("#serverDetail-go").waitFor({ state: "visible" });
    assert.ok(await page.locator("#serverDetail-curl").isHidden());
  }));

test("the page writes the same code as the server", () =>
  withBrowser(async (browser) => {
    const hostile = encodeURIComponent(`${HOSTILE}\tline`);
    for (const path of ["?endpoint=serverDetail", "?endpoint=live", "?endpoint=search", "?endpoint=keyStatus", "?endpoint=eventsStream&type=vote.created", `?endpoint=listServers&limit=3&search=${hostile}`]) {
      const page = await open(browser, `/playground${path}`);
      const codes = () => page.locator("#samples code").allTextContents();
      const rendered = await codes();
      await page.locator("#links button").waitFor();
      await page.locator("#form").evaluate((form) => form.dispatchEvent(new Event("input", { bubbles: true })));
      assert.deepEqual(await codes(), rendered);
      await page.close();
    }
  }));

test("code samples keep hostile values intact", () =>
  withBrowser(async (browser) => {
    for (const hostile of [HOSTILE, `${HOSTILE}\nnext\tline`]) {
      const page = await open(browser, `/playground?endpoint=listServers&search=${encodeURIComponent(hostile)}`);
      const samples = {};
      for (const id of LANGUAGES) {
        samples[id] = await page.locator(`#panel-${id} code`).textContent();
        assert.ok(samples[id].includes("rc_YOUR_KEY"), id);
      }
      const search = (address) => new URL(address).searchParams.get("search");
      assert.equal(search(requestedUrl(samples.curl)), hostile);
      let url;
      const fetched = (given) => ((url = given), { json: () => ({}) });
      await new Function("fetch", "console", samples.javascript.replace(/main\(\);$/, "return main();"))(fetched, { log() {} });
      assert.equal(search(url), hostile);
      assert.equal(search(runProgram("python3", ["-c", `${STUB}\n${samples.python}`])), hostile);
      assert.equal(search(JSON.parse(/NewRequest\("GET", ("(?:[^"\\]|\\.)*")/.exec(samples.go)[1])), hostile);
      assert.equal(compiled(samples.rust), hostile);
      await page.close();
    }
  }));

/** Prints the address instead of opening it. */
const STUB = `
import sys, urllib.request
def print_address(request):
    sys.stdout.write(request.full_url)
    sys.stdout.flush()
    sys.exit(0)
urllib.request.urlopen = print_address`;

function runProgram(program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** The URL that curl would request. */
function requestedUrl(sample) {
  const words = runProgram("bash", ["-c", `curl() { printf '%s\\0' "$@"; }\n${sample}`]).split("\0");
  const address = words.find((word) => word.startsWith("http"));
  const data = words.filter((_, i) => words[i - 1] === "--data-urlencode").map((word) => word.split(/=(.*)/s));
  return data.length === 0 ? address : `${address}?${new URLSearchParams(data.map(([name, value]) => [name, value]))}`;
}

/** The first query value as compiled Rust prints it. */
function compiled(sample) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  const pairs = sample.match(/\.query\(&(\[.*\])\)/s)[1];
  writeFileSync(join(folder, "a.rs"), `fn main() { print!("{}", ${pairs}[0].1); }`);
  runProgram("rustc", ["--edition", "2024", "-o", join(folder, "a"), join(folder, "a.rs")]);
  return runProgram(join(folder, "a"), []);
}

test("the playground is accessible: empty, with a response, with an error", () =>
  withBrowser(async (browser) => {
    for (const variant of variants) {
      const what = `${variant.scheme} ${variant.width}`;
      const page = await openForErrors(browser, "/playground?endpoint=listServers&limit=2", variant);
      await page.locator("#run").waitFor();
      await assertAccessible(page, `empty ${what}`);
      await assertFits(page, `empty ${what}`);
      await run(page);
      await page.getByText(/^All \d+ headers$/).click();
      await assertAccessible(page, `response ${what}`);
      await assertFits(page, `response ${what}`);
      await page.fill("#field-limit", "0");
      await run(page);
      await page.locator(".message").waitFor();
      await assertAccessible(page, `error ${what}`);
      await assertFits(page, `error ${what}`);
      await page.close();
    }
  }));

test("without scripts the form is there and writes the code", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers", undefined, { javaScriptEnabled: false });
    assert.match(await page.locator("noscript").evaluate((each) => each.innerText), /needs JavaScript/);
    assert.ok(await page.locator("#trouble").isHidden());
    await page.selectOption("#field-sort", "name");
    await page.getByRole("button", { name: "Run" }).click();
    await page.waitForURL(/sort=name/);
    assert.ok((await page.locator("#panel-curl code").textContent()).includes("--data-urlencode 'sort=name'"));
    await page.locator("#endpoints").getByRole("link", { name: "/live", exact: true }).click();
    assert.equal(await page.locator("#call").textContent(), "Live statistics");
  }));

test("numbers are localized", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers&limit=100", undefined, { locale: "de-DE" });
    await run(page);
    assert.match(await page.locator(".outcome").textContent(), /\d,\d kB/);
  }));

test("a form with the CAPTCHA solves it on submit", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground");
    await page.locator("#run").waitFor();
    const sent = await page.evaluate(async () => {
      const form = document.createElement("form");
      const human = document.createElement("rc-human");
      human.setAttribute("for", "sign-in");
      human.setAttribute("worker", document.querySelector("rc-human").getAttribute("worker"));
      form.append(human);
      document.body.append(form);
      return new Promise((resolve) => {
        // Runs after the listener of the CAPTCHA, which holds back the first submit.
        form.addEventListener("submit", (event) => {
          if (!event.defaultPrevented) {
            event.preventDefault();
            resolve(new FormData(form).get("human"));
          }
        });
        form.requestSubmit();
        form.requestSubmit();
      });
    });
    const { challenge, solution } = JSON.parse(sent);
    assert.equal(challenge.parameters.data.for, "sign-in");
    assert.ok(solution.derivedKey.startsWith(challenge.parameters.keyPrefix));
  }));
