// Passkeys with Chromium's virtual authenticator. Browsers bind passkeys to a host name, so the server has one of its own at
// localhost instead of an IP address.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assertAccessible, blank, until, withBrowser } from "./setup.mjs";
import { PASSWORD, fill } from "./account.mjs";

/** A port that is free now. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function withServer(work) {
  const [folder, port] = [mkdtempSync(join(tmpdir(), "rollcall-passkeys-")), await freePort()];
  const url = `http://localhost:${port}`;
  const args = ["serve", "--data", folder, "--listen", `127.0.0.1:${port}`, "--public-url", url];
  // The program takes settings from variables of this prefix, and the test runner has others with it.
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith("ROLLCALL_"));
  const env = { ...Object.fromEntries(variables), ROLLCALL_ACCOUNTS_SIGN_UP: "open" };
  const program = spawn(process.env.ROLLCALL_PROGRAM, args, { env, stdio: "ignore" });
  const ended = new Promise((resolve) => program.once("exit", resolve));
  try {
    await until("the server starts", async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok);
    await work(url);
  } finally {
    program.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
}

test("a passkey is registered, signs in alone and is removed", () =>
  withServer((url) =>
    withBrowser(async (browser) => {
      const page = await blank(browser);
      const debug = await page.context().newCDPSession(page);
      await debug.send("WebAuthn.enable");
      const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
      const { authenticatorId } = await debug.send("WebAuthn.addVirtualAuthenticator", { options });
      await page.goto(`${url}/sign-up`);
      await fill(page, { username: "keyed", password: PASSWORD, again: PASSWORD });
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      await page.goto(`${url}/dashboard/account`);
      await page.fill("#passkey-name", "virtual key");
      await page.getByRole("button", { name: "Add passkey" }).click();
      await page.getByText("Passkey added.").waitFor();
      await assertAccessible(page, "account with a passkey");
      const { credentials } = await debug.send("WebAuthn.getCredentials", { authenticatorId });
      assert.equal(credentials.length, 1);
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByText("passkey added").waitFor();
      await page.getByRole("link", { name: "Continue" }).click();
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      // Without verification of its user it is one factor only.
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await debug.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByText("The passkey was not used.").or(page.getByText("This passkey was not accepted.")).waitFor();
      await debug.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
      await page.goto(`${url}/sign-in`);
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      await page.goto(`${url}/dashboard/account`);
      await page.getByRole("button", { name: "Remove virtual key" }).click();
      await page.getByText("Passkey removed.").waitFor();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByText("This passkey was not accepted.").waitFor();
    }),
  ));
