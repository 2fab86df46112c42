// Actions of a user: sign up, sign in, create keys.
import { createHmac } from "node:crypto";
import { base, open, until } from "./setup.mjs";

export const PASSWORD = "seven quiet lanterns drift";
let count = 0;

/** The dashboard of a user who has just signed up. Signing up needs scripts for its CAPTCHA; without them the user signs in. */
export async function signedUp(browser, options = {}) {
  if (options.javaScriptEnabled === false) {
    const { username } = await signedUp(browser);
    const page = await open(browser, "/sign-in", undefined, options);
    await signIn(page, username, PASSWORD);
    return { page, username };
  }
  const page = await open(browser, "/sign-up", undefined, options);
  const username = `guest-${process.pid}-${(count += 1)}`;
  await fill(page, { username, password: PASSWORD, again: PASSWORD });
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  return { page, username };
}

export async function signIn(page, username, password) {
  await page.goto(`${base}/sign-in`);
  await fill(page, { username, password });
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

export async function fill(page, fields) {
  for (const [id, text] of Object.entries(fields)) {
    await page.fill(`#${id}`, text);
  }
}

/** Creates a key and returns its secret; ends on the page of the key. */
export async function createKey(page, name) {
  await page.goto(`${base}/dashboard`);
  await page.fill("#name", name);
  await page.getByRole("button", { name: "Create key" }).click();
  return readSecret(page);
}

/** Opens a tab of the page of a key. */
export async function openTab(page, name) {
  await page.getByRole("navigation", { name: "Pages of this key" }).getByRole("link", { name, exact: true }).click();
  await page.locator(".subnav [aria-current]", { hasText: name }).waitFor();
}

/** Reads the secret and continues to the page of the key. */
export async function readSecret(page) {
  const secret = await page.locator("#secret").textContent();
  await page.getByRole("link", { name: "I have saved the secret" }).click();
  return secret;
}

export async function call(secret, path = "/servers") {
  return fetch(`${base}/v1${path}`, { headers: { "X-API-Key": secret } });
}

/** Waits until the API answers with this status and limit: changes of a key take up to a second. */
export async function waitForStatus(secret, status, perMinute) {
  return until(`the key gets ${status}${perMinute === undefined ? "" : ` with ${perMinute} per minute`}`, async () => {
    const response = await call(secret);
    const limit = response.headers.get("X-RateLimit-Limit-Minute");
    return response.status === status && (perMinute === undefined || limit === perMinute) && response;
  });
}

/** The TOTP code that an authenticator app shows. */
export function totpCode(secret, at = Date.now()) {
  const bits = [...secret].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const digest = createHmac("sha1", key).update(step).digest();
  const offset = digest[19] & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
