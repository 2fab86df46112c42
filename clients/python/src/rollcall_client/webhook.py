"""Messages that are signed after the Standard Webhooks specification: https://www.standardwebhooks.com"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from typing import Any

TOLERANCE = 5 * 60
"""Seconds by which the clocks of sender and receiver may differ, and which a message may be on its way."""


class WebhookError(Exception):
    """A message that must not be trusted."""


def verify(secret: str, headers: Mapping[str, str], body: bytes | str, *, now: float | None = None) -> Any:
    """The JSON of a message, if the signature and the time are right; raises a `WebhookError` otherwise.

    `body` must be the bytes as they came, not JSON that was written again. The id of a message (`webhook-id`) stays the same when it is
    sent again: process each id once.
    """
    given = {name.lower(): value for name, value in headers.items()}
    id_, sent_at, signatures = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not id_ or not signatures or not re.fullmatch("[0-9]{1,15}", sent_at):
        raise WebhookError("webhook-id, webhook-timestamp (seconds) and webhook-signature must be given")
    expected = sign(secret, id_, int(sent_at), body).encode()
    if abs(int(time.time() if now is None else now) - int(sent_at)) > TOLERANCE:
        raise WebhookError("the message is more than five minutes old or too new")
    # Takes the same time wherever they differ.
    if not any(hmac.compare_digest(signature.encode(), expected) for signature in signatures.split(" ")):
        raise WebhookError("no signature is that of the secret")
    return json.loads(body)


def sign(secret: str, id_: str, sent_at: int, body: bytes | str) -> str:
    """The signature of a message, for tests of your receiver."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise WebhookError("the secret must be whsec_ and Base64")
    signed = f"{id_}.{sent_at}.".encode() + (body.encode() if isinstance(body, str) else body)
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
