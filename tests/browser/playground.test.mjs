import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { accessible, base, blank, browsing, fits, looks, open } from "./setup.mjs";

/** Values that end quotes, begin variables, or are read backwards. */
const NASTY = `it's "a" \\ $HOME \`id\` \${x} #{y} %41 é 漢 🎈 \u202e </script>`;

async function run(page) {
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator("#run:not([aria-disabled])").waitFor();
  await page.locator("#result > *").first().waitFor();
}

/** Opens the playground where an answer may be an error, which the browser notes on its console. */
async function openForErrors(browser, path, look) {
  const page = await blank(browser, look);
  page.on("pageerror", (error) => {
    throw new Error(`${path}: ${error}`);
  });
  page.on("console", (message) => {
    assert.ok(message.type() !== "error" || message.text().startsWith("Failed to load resource"), message.text());
  });
  await page.goto(base + path);
  return page;
}

test("a call is made without a key: pick, fill in, run, look at it", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/playground");
    await page.locator("#endpoints").getByRole("link", { name: "/servers/top" }).click();
    assert.equal(await page.locator("#call").textContent(), "Top servers");
    await page.selectOption("#field-sort", "players");
    await page.fill("#field-limit", "2");
    assert.equal(await page.locator("#target").textContent(), "/v1/servers/top?sort=players&limit=2");
    await run(page);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("200 OK"));
    assert.match(await page.locator(".outcome").textContent(), /\d ms.*\d B|\d kB/);
    assert.match(await page.locator(".left").textContent(), /\d of [\d,]+ calls left this minute.*\d of [\d,]+ calls left today.*\d until the next check/);
    const names = await page.locator(".tree .name").allTextContents();
    assert.ok(names.includes("success") && names.includes("servers"), names.join());
    await page.getByText(/^All \d+ headers$/).click();
    assert.ok(await page.locator(".headers").getByText("x-ratelimit-limit-minute").isVisible());
  }));

test("the check is done once, and again when its pass is no longer good", () =>
  browsing(async (browser) => {
    const page = await openForErrors(browser, "/playground?endpoint=live");
    const checks = [];
    page.on("request", (request) => request.url().endsWith("/playground/pass") && checks.push(request.method()));
    await run(page);
    await run(page);
    assert.deepEqual(checks, ["POST"]);
    const expired = { status: 401, body: '{"success":false,"error":"Expired"}' };
    await page.route("**/playground/v1/**", (route) => route.fulfill(expired), { times: 1 });
    await run(page);
    assert.deepEqual(checks, ["POST", "POST"]);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("200 OK"));
  }));

test("JSON folds and unfolds from the keyboard, and is copied whole", () =>
  browsing(async (browser) => {
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
    assert.equal(await last.locator("> ul").count(), 0, "what is folded is made too early");
    await last.locator("> summary").click();
    await last.locator("> ul .name", { hasText: /^slug$/ }).waitFor();
    await page.getByRole("button", { name: "Copy the JSON" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.equal(copied.data.servers.length, 3);
  }));

test("an address holds the whole call: shared, loaded anew, back and forth", () =>
  browsing(async (browser) => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await open(browser, "/playground?endpoint=listServers", undefined, { permissions });
    await page.fill("#field-search", NASTY);
    await page.selectOption("#field-sort", "name");
    await page.getByRole("button", { name: "Copy a link to this call" }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    for (const restore of [() => page.goto(link), () => page.reload()]) {
      await restore();
      await page.locator("#field-search").waitFor();
      assert.equal(await page.inputValue("#field-search"), NASTY);
      assert.equal(await page.inputValue("#field-sort"), "name");
    }
    await page.locator("#endpoints").getByRole("link", { name: "/search" }).click();
    assert.equal(new URL(page.url()).search, "?endpoint=search");
    await page.goBack();
    assert.equal(await page.inputValue("#field-search"), NASTY);
    await page.goForward();
    await page.locator("#call", { hasText: "Search servers and players" }).waitFor();
    assert.equal(await page.locator("#endpoints [aria-current]").textContent(), "/search");
    const other = await open(browser, "/playground?endpoint=nothing&x=y");
    await other.locator("#call", { hasText: "List servers" }).waitFor();
  }));

test("every endpoint of the reference has its way here", () =>
  browsing(async (browser) => {
    const docs = await open(browser, "/docs");
    const links = docs.locator('a[href^="/playground?endpoint="]');
    assert.equal(await links.count(), 18);
    await docs.locator("#playerDetail").getByRole("link", { name: "Try it" }).click();
    await docs.locator("#field-id").waitFor();
    assert.equal(await docs.locator("#target").textContent(), "/v1/players/");
  }));

test("what a path needs is asked for, and suggested from what was seen", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers&limit=5");
    await run(page);
    await page.locator("#endpoints").getByRole("link", { name: "/servers/{slug}/voters" }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("This call needs a slug.").first().waitFor();
    assert.equal(await page.evaluate("document.activeElement.id"), "field-slug");
    assert.equal(await page.locator("#outcome").isHidden(), true);
    const slug = await page.locator("#seen-slug option").first().getAttribute("value");
    await page.fill("#field-slug", slug);
    await run(page);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("200 OK"));
  }));

test("errors are told in words", () =>
  browsing(async (browser) => {
    const page = await openForErrors(browser, "/playground?endpoint=listServers&limit=abc&sort=wrong");
    assert.equal(await page.inputValue("#field-sort"), "wrong");
    await run(page);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("400 A value is not right"));
    assert.equal(await page.locator(".message").textContent(), 'limit must be a whole number from 1 to 100, not "abc".');
    const answers = [
      [{ status: 429, headers: { "retry-after": "34" }, body: '{"success":false,"error":"Slowly"}' }, /^Slowly\. You can run it again in 34 seconds\.$/],
      [{ status: 503, body: '{"success":false,"error":"Away"}' }, /^Away\.$/],
      [{ status: 500, body: "<h1>broken</h1>" }, /^The server gave no reason\.$/],
    ];
    for (const [answer, told] of answers) {
      await page.route("**/playground/v1/**", (route) => route.fulfill(answer));
      await run(page);
      assert.match(await page.locator(".message").textContent(), told);
      await page.unroute("**/playground/v1/**");
    }
    await page.route("**/playground/v1/**", (route) => route.abort());
    await run(page);
    assert.match(await page.locator(".message").textContent(), /^The server cannot be reached\./);
    await page.unroute("**/playground/v1/**");
    await page.reload();
    await page.locator("#run").waitFor();
    const refused = { status: 503, body: '{"success":false,"error":"The check cannot be verified right now"}' };
    await page.route("**/playground/pass", (route) => route.fulfill(refused));
    await run(page);
    assert.equal(await page.locator(".message").textContent(), "The check cannot be verified right now.");
  }));

test("an answer of a megabyte is there at once", () =>
  browsing(async (browser) => {
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

test("tabs are walked with the arrows", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/playground");
    const tab = (name) => page.getByRole("tab", { name });
    await tab("curl").focus();
    for (const [key, name] of [["ArrowRight", "JavaScript"], ["End", "Rust"], ["ArrowRight", "curl"], ["ArrowLeft", "Rust"], ["Home", "curl"]]) {
      await page.keyboard.press(key);
      assert.equal(await page.evaluate("document.activeElement.textContent"), name);
      assert.equal(await tab(name).getAttribute("aria-selected"), "true");
      assert.equal(await page.getByRole("tabpanel").count(), 1);
      assert.equal(await page.locator('[role="tab"][tabindex="0"]').count(), 1);
    }
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate("document.activeElement.closest('[role=tabpanel]') !== null"));
  }));

test("code holds values as they are, whatever is in them", () =>
  browsing(async (browser) => {
    for (const nasty of [NASTY, `${NASTY}\nnext\tline`]) {
      const page = await open(browser, `/playground?endpoint=listServers&search=${encodeURIComponent(nasty)}`);
      const samples = {};
      for (const id of ["curl", "javascript", "python", "rust"]) {
        samples[id] = await page.locator(`#panel-${id} code`).textContent();
        assert.ok(samples[id].includes("rc_YOUR_KEY"), id);
      }
      const search = (address) => new URL(address).searchParams.get("search");
      assert.equal(search(asked(samples.curl)), nasty);
      let url;
      const fetched = (given) => ((url = given), { json: () => ({}) });
      await new Function("fetch", "console", `return (async () => { ${samples.javascript} })()`)(fetched, { log() {} });
      assert.equal(search(url), nasty);
      assert.equal(JSON.parse(ran("python3", ["-c", `${STUB}\n${samples.python}`])).search, nasty);
      assert.equal(compiled(samples.rust), nasty);
      await page.close();
    }
  }));

/** Stands in for `requests`, and prints what it was given. */
const STUB = `
import sys, types, json
stub = types.ModuleType("requests")
def get(url, params, headers):
    sys.stdout.write(json.dumps(params))
    class Answer:
        def json(self): sys.stdout.flush(); sys.exit(0)
    return Answer()
stub.get = get
sys.modules["requests"] = stub`;

function ran(program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** The address that a curl of the shell's would ask for, as curl puts it together. */
function asked(sample) {
  const words = ran("bash", ["-c", `curl() { printf '%s\\0' "$@"; }\n${sample}`]).split("\0");
  const address = words.find((word) => word.startsWith("http"));
  const data = words.filter((_, i) => words[i - 1] === "--data-urlencode").map((word) => word.split(/=(.*)/s));
  return data.length === 0 ? address : `${address}?${new URLSearchParams(data.map(([name, value]) => [name, value]))}`;
}

/** What the first value of the query is to Rust. */
function compiled(sample) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  const pairs = sample.match(/\.query\(&(\[.*\])\)/s)[1];
  writeFileSync(join(folder, "a.rs"), `fn main() { print!("{}", ${pairs}[0].1); }`);
  ran("rustc", ["--edition", "2024", "-o", join(folder, "a"), join(folder, "a.rs")]);
  return ran(join(folder, "a"), []);
}

test("it is open to everyone, in light and dark, on phone and desk: empty, with an answer, with an error", () =>
  browsing(async (browser) => {
    for (const look of looks) {
      const what = `${look.scheme} ${look.width}`;
      const page = await openForErrors(browser, "/playground?endpoint=listServers&limit=2", look);
      await page.locator("#run").waitFor();
      await accessible(page, `empty ${what}`);
      await fits(page, `empty ${what}`);
      await run(page);
      await page.getByText(/^All \d+ headers$/).click();
      await accessible(page, `answer ${what}`);
      await fits(page, `answer ${what}`);
      await page.fill("#field-limit", "0");
      await run(page);
      await page.locator(".message").waitFor();
      await accessible(page, `error ${what}`);
      await fits(page, `error ${what}`);
      await page.close();
    }
  }));

test("without scripts it says why it needs them, and where to go", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/playground", undefined, { javaScriptEnabled: false });
    const told = page.locator("noscript .sheet");
    assert.ok(await told.isVisible());
    const text = await told.evaluate((sheet) => sheet.innerText);
    assert.ok(text.includes("needs JavaScript") && text.includes("curl -H 'X-API-Key: rc_YOUR_KEY'"), text);
    assert.ok(await page.locator("#playground").isHidden());
    await told.locator("a").click();
    assert.equal(page.url(), `${base}/docs`);
  }));

test("figures are written in the reader's own way", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers&limit=100", undefined, { locale: "de-DE" });
    await run(page);
    assert.match(await page.locator(".outcome").textContent(), /\d,\d kB/);
  }));

test("in a form of another page the check is done when it is sent", () =>
  browsing(async (browser) => {
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
        // Comes after the check's own: the first time it is held back, then it goes on.
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
