"""Signatures, against the library of the Standard Webhooks project."""

import json
import time
import unittest
from datetime import datetime, timezone

from rollcall_client import webhook
from standardwebhooks import Webhook, WebhookVerificationError

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"
BODY = json.dumps({"type": "server.offline", "data": {"name": "Zoë 🎮"}}, ensure_ascii=False)


def by_library(sent_at, secret=SECRET):
    return Webhook(secret).sign(ID, datetime.fromtimestamp(sent_at, timezone.utc), BODY)


def headers(sent_at, signatures):
    return {"Webhook-Id": ID, "Webhook-Timestamp": str(sent_at), "Webhook-Signature": signatures}


class WebhookTest(unittest.TestCase):
    def setUp(self):
        self.now = int(time.time())

    def test_the_library_accepts_our_signatures_and_we_accept_those_of_the_library(self):
        ours = webhook.sign(SECRET, ID, self.now, BODY)
        self.assertEqual(ours, by_library(self.now))
        # The sender may have an old and a new secret.
        several = f"v1,AAAA v1a,{ours[3:]} {by_library(self.now, 'whsec_AAAA')} {ours}"
        for signatures in (ours, several):
            given = headers(self.now, signatures)
            self.assertEqual(Webhook(SECRET).verify(BODY, given), json.loads(BODY))
            for body in (BODY, BODY.encode()):
                self.assertEqual(webhook.verify(SECRET, given, body), json.loads(BODY))

    def test_both_refuse_anything_else(self):
        good = headers(self.now, by_library(self.now))
        signature = good["Webhook-Signature"]
        old, new = self.now - 310, self.now + 310
        cases = {
            "another body": (good, BODY + " "),
            "another id": (good | {"Webhook-Id": "msg_2"}, BODY),
            "another time": (good | {"Webhook-Timestamp": str(self.now + 1)}, BODY),
            "too old": (headers(old, by_library(old)), BODY),
            "too new": (headers(new, by_library(new)), BODY),
            "another secret": (headers(self.now, by_library(self.now, "whsec_AAAA")), BODY),
            "another version": (good | {"Webhook-Signature": signature.replace("v1", "v2")}, BODY),
            "half a signature": (good | {"Webhook-Signature": signature[:19]}, BODY),
            "no id": (good | {"Webhook-Id": ""}, BODY),
            "no signature": (good | {"Webhook-Signature": ""}, BODY),
            "no time": (good | {"Webhook-Timestamp": "now"}, BODY),
        }
        for name, (given, body) in cases.items():
            with self.subTest(name):
                self.assertRaises(webhook.WebhookError, webhook.verify, SECRET, given, body, now=self.now)
                self.assertRaises(WebhookVerificationError, Webhook(SECRET).verify, body, given)
        for sent_at in (self.now - 300, self.now + 300):
            webhook.verify(SECRET, headers(sent_at, by_library(sent_at)), BODY, now=self.now)
        for secret in ("whsec_", "whsec_%", "whsec_A"):
            self.assertRaises(webhook.WebhookError, webhook.verify, secret, good, BODY)


if __name__ == "__main__":
    unittest.main()
