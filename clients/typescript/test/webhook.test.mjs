// Signatures, against the library of the Standard Webhooks project.

import assert from "node:assert/strict";
import { test } from "node:test";

import { signWebhook, verifyWebhook, WebhookError } from "rollcall-client";
import { Webhook } from "standardwebhooks";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const BODY = JSON.stringify({ type: "server.offline", data: { name: "Zoë 🎮" } });
const library = new Webhook(SECRET);

function headers(sentAt, signatures) {
  return { "webhook-id": ID, "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)), "webhook-signature": signatures };
}

test("the library accepts our signatures, and we accept those of the library", async () => {
  const now = new Date();
  const ours = await signWebhook(SECRET, ID, now, BODY);
  assert.equal(ours, library.sign(ID, now, BODY));
  assert.deepEqual(library.verify(BODY, headers(now, ours)), JSON.parse(BODY));
  const theirs = library.sign(ID, now, BODY);
  // The sender may have an old and a new secret.
  const several = `v1,AAAA v1a,${theirs.slice(3)} ${new Webhook("whsec_AAAA").sign(ID, now, BODY)} ${theirs}`;
  for (const signatures of [theirs, several]) {
    const given = headers(now, signatures);
    assert.deepEqual(await verifyWebhook(SECRET, given, BODY), JSON.parse(BODY));
    assert.deepEqual(await verifyWebhook(SECRET, new Headers(given), new TextEncoder().encode(BODY)), JSON.parse(BODY));
    assert.deepEqual(library.verify(BODY, given), JSON.parse(BODY));
  }
});

test("both refuse anything else", async () => {
  const now = new Date();
  const at = (seconds) => new Date(now.getTime() + seconds * 1000);
  const good = headers(now, library.sign(ID, now, BODY));
  const signed = (date) => headers(date, library.sign(ID, date, BODY));
  const cases = {
    "another body": [good, `${BODY} `],
    "another id": [{ ...good, "webhook-id": "msg_2" }, BODY],
    "another time": [{ ...good, "webhook-timestamp": String(Math.floor(now.getTime() / 1000) + 1) }, BODY],
    "too old": [signed(at(-310)), BODY],
    "too new": [signed(at(310)), BODY],
    "another secret": [headers(now, new Webhook("whsec_AAAA").sign(ID, now, BODY)), BODY],
    "another version": [{ ...good, "webhook-signature": good["webhook-signature"].replace("v1", "v2") }, BODY],
    "half a signature": [{ ...good, "webhook-signature": good["webhook-signature"].slice(0, 20) }, BODY],
    "no id": [{ ...good, "webhook-id": undefined }, BODY],
    "no signature": [{ ...good, "webhook-signature": "" }, BODY],
    "no time": [{ ...good, "webhook-timestamp": "now" }, BODY],
  };
  for (const [name, [given, body]] of Object.entries(cases)) {
    await assert.rejects(verifyWebhook(SECRET, given, body, now), WebhookError, name);
    assert.throws(() => library.verify(body, given), name);
  }
  for (const date of [at(-300), at(300)]) {
    assert.ok(await verifyWebhook(SECRET, signed(date), BODY, now));
  }
  await assert.rejects(verifyWebhook("whsec_", good, BODY), WebhookError);
  await assert.rejects(verifyWebhook("whsec_%", good, BODY), WebhookError);
});
