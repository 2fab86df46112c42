import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assertAccessible, base, blank, withBrowser, assertFits, variants, open } from "./setup.mjs";

/** A value with quotes, variables, escapes and a direction override. */
const HOSTILE = `it's "a" \\ $HOME \`id\` \${x} #{y} %41 é 漢 🎈 \u202e </script>`;

async function run(page) {
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator("#run:not([aria-disabled])").waitFor();
  await page.locator("#result > *").first().waitFor();
}

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
    await page.locator("#endpoints").getByRole("link", { name: "/servers/top" }).click();
    assert.equal(await page.locator("#call").textContent(), "Top servers");
    await page.selectOption("#field-sort", "players");
    await page.fill("#field-limit", "2");
    assert.equal(await page.locator("#target").textContent(), "/v1/servers/top?sort=players&limit=2");
    await run(page);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("200 OK"));
    assert.match(await page.locator(".outcome").textContent(), /\d ms.*\d B|\d kB/);
    assert.match(await page.locator(".left").textContent(), /\d of [\d,]+ requests left this minute.*\d of [\d,]+ requests left today.*\d until the next CAPTCHA/);
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
      await page.locator("#field-search").waitFor();
      assert.equal(await page.inputValue("#field-search"), HOSTILE);
      assert.equal(await page.inputValue("#field-sort"), "name");
    }
    await page.locator("#endpoints").getByRole("link", { name: "/search" }).click();
    assert.equal(new URL(page.url()).search, "?endpoint=search");
    await page.goBack();
    assert.equal(await page.inputValue("#field-search"), HOSTILE);
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
    assert.equal(await links.count(), 18);
    await docs.locator("#playerDetail").getByRole("link", { name: "Try it" }).click();
    await docs.locator("#field-id").waitFor();
    assert.equal(await docs.locator("#target").textContent(), "/v1/players/");
  }));

test("required path parameters are validated and suggested from earlier responses", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers&limit=5");
    await run(page);
    await page.locator("#endpoints").getByRole("link", { name: "/servers/{slug}/voters" }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("Enter a slug.").first().waitFor();
    assert.equal(await page.evaluate("document.activeElement.id"), "field-slug");
    assert.equal(await page.locator("#outcome").isHidden(), true);
    const slug = await page.locator("#seen-slug option").first().getAttribute("value");
    await page.fill("#field-slug", slug);
    await run(page);
    assert.ok((await page.locator(".outcome").textContent()).startsWith("200 OK"));
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

test("arrow keys move between tabs", () =>
  withBrowser(async (browser) => {
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

test("code samples have a value for every required parameter", () =>
  withBrowser(async (browser) => {
    for (const [endpoint, url] of [
      ["serverDetail", "/v1/servers/aurora-vale"],
      ["playerDetail", "/v1/players/PixelFox"],
      ["skinDetail", "/v1/skins/rainy-fox"],
    ]) {
      const page = await open(browser, `/playground?endpoint=${endpoint}`);
      for (const id of ["curl", "javascript", "python", "rust"]) {
        const sample = await page.locator(`#panel-${id} code`).textContent();
        assert.ok(new RegExp(`${url}["'?]`).test(sample), sample);
      }
      await page.close();
    }
    const page = await open(browser, "/playground?endpoint=listServers&limit=1");
    await run(page);
    await page.locator("#endpoints").getByRole("link", { name: "/servers/{slug}", exact: true }).click();
    const slug = await page.locator("#seen-slug option").first().getAttribute("value");
    assert.ok((await page.locator("#panel-curl code").textContent()).includes(`/v1/servers/${slug}'`), slug);
    assert.equal(await page.locator("#target").textContent(), "/v1/servers/");
  }));

test("code samples keep hostile values intact", () =>
  withBrowser(async (browser) => {
    for (const hostile of [HOSTILE, `${HOSTILE}\nnext\tline`]) {
      const page = await open(browser, `/playground?endpoint=listServers&search=${encodeURIComponent(hostile)}`);
      const samples = {};
      for (const id of ["curl", "javascript", "python", "rust"]) {
        samples[id] = await page.locator(`#panel-${id} code`).textContent();
        assert.ok(samples[id].includes("rc_YOUR_KEY"), id);
      }
      const search = (address) => new URL(address).searchParams.get("search");
      assert.equal(search(requestedUrl(samples.curl)), hostile);
      let url;
      const fetched = (given) => ((url = given), { json: () => ({}) });
      await new Function("fetch", "console", `return (async () => { ${samples.javascript} })()`)(fetched, { log() {} });
      assert.equal(search(url), hostile);
      assert.equal(JSON.parse(runProgram("python3", ["-c", `${STUB}\n${samples.python}`])).search, hostile);
      assert.equal(compiled(samples.rust), hostile);
      await page.close();
    }
  }));

/** Replaces `requests` and prints its parameters. */
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

test("without scripts the playground explains alternatives", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground", undefined, { javaScriptEnabled: false });
    const notice = page.locator("noscript .sheet");
    assert.ok(await notice.isVisible());
    const text = await notice.evaluate((sheet) => sheet.innerText);
    assert.ok(text.includes("needs JavaScript") && text.includes("curl -H 'X-API-Key: rc_YOUR_KEY'"), text);
    assert.ok(await page.locator("#playground").isHidden());
    await notice.locator("a").click();
    assert.equal(page.url(), `${base}/docs`);
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
