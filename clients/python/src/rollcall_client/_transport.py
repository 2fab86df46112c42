"""Sends requests, waits when a limit is used up, and reads lists page by page. Needs the standard library only."""

from __future__ import annotations

import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any

# Limits used up, and failures that pass.
RETRIED = {429, 500, 502, 503, 504}
FIRST_WAIT = 0.5
LONGEST_WAIT_WITHOUT_ADVICE = 30.0
# More than any answer of the service has.
MAX_BODY = 32 << 20


class RollcallError(Exception):
    """An answer that is not a success, or a request that got none (status 0)."""

    def __init__(self, message: str, status: int = 0, request_id: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after


@dataclass(frozen=True)
class Quota:
    """What is left of the quota."""

    minute: int
    day: int
    month: int


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def passes(status: int) -> bool:
    """Whether it is a limit used up, or a failure that passes. The status is 0 without an answer."""
    return status == 0 or status in RETRIED


class Transport:
    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: int = 4,
        max_wait: float = 120.0,
        timeout: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self.retries = retries
        self.max_wait = max_wait
        self._timeout = timeout
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirect)
        self.quota: Quota | None = None

    def get(self, path: str, query: Mapping[str, Any]) -> Any:
        """The `data` of an endpoint. Tries again when a limit is used up or the service is busy."""
        url = self._url(path, query)
        attempt = 1
        while True:
            try:
                return self._request(url)
            except RollcallError as error:
                wait = self.wait_before(attempt, error, retries=self.retries)
                if wait is None:
                    raise
                self._sleep(wait)
                attempt += 1

    def items(self, path: str, query: Mapping[str, Any], *keys: str) -> Iterator[Any]:
        """All items of a list, page by page. `keys` lead to them in `data`."""
        after: str | None = "start"
        while after is not None:
            data = self.get(path, {**query, "limit": 100, "after": after})
            page = data
            for key in keys:
                page = page[key]
            yield from page
            # A list that grows at its end, such as the events, always has a next page.
            after = data.get("next") if page else None

    def open_stream(self, path: str, query: Mapping[str, Any], last_id: str | None, timeout: float) -> http.client.HTTPResponse:
        """A response that is read as it comes. `timeout` is how long it may be silent."""
        headers = {"Accept": "text/event-stream"} | ({} if last_id is None else {"Last-Event-ID": last_id})
        return self._open(self._url(path, query), headers, timeout)

    def wait_before(self, attempt: int, error: RollcallError, *, retries: int | None) -> float | None:
        """Seconds to wait before another attempt, or None to give up. Without `retries` it is never the number of attempts."""
        if (retries is not None and attempt > retries) or not passes(error.status):
            return None
        if error.retry_after is not None:
            wait: float = error.retry_after
        else:
            # Some randomness: clients that failed together should not come back together.
            wait = min(FIRST_WAIT * 2 ** min(attempt - 1, 16), LONGEST_WAIT_WITHOUT_ADVICE) * random.uniform(0.5, 1.0)
        return wait if wait <= self.max_wait else None

    def _url(self, path: str, query: Mapping[str, Any]) -> str:
        given = {name: _text(value) for name, value in query.items() if value is not None}
        return f"{self._base_url}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")

    def _request(self, url: str) -> Any:
        with self._open(url, {"Accept": "application/json"}, self._timeout) as response:
            answer = self._read(response)
            if answer.get("success") is True:
                return answer["data"]
            raise self._refusal(response.status, response.headers, answer)

    def _open(self, url: str, headers: dict[str, str], timeout: float) -> http.client.HTTPResponse:
        """A response with status 200, its body not yet read."""
        request = urllib.request.Request(url, headers={"X-API-Key": self._api_key, **headers})
        try:
            response: http.client.HTTPResponse = self._opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            with error:
                self._remember(error.headers)
                raise self._refusal(error.code, error.headers, self._read(error)) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._no_answer(error) from error
        self._remember(response.headers)
        return response

    def _read(self, response: Any) -> dict[str, Any]:
        """The body, if it is JSON: a proxy may answer with a page."""
        try:
            body = response.read(MAX_BODY + 1)
        except (OSError, http.client.HTTPException) as error:
            raise self._no_answer(error) from error
        try:
            answer = json.loads(body) if len(body) <= MAX_BODY else {}
        except ValueError:
            answer = {}
        return answer if isinstance(answer, dict) else {}

    def _no_answer(self, error: Exception) -> RollcallError:
        return RollcallError(f"no answer from {self._base_url}: {error}")

    @staticmethod
    def _refusal(status: int, headers: Message, answer: Mapping[str, Any]) -> RollcallError:
        advice = headers.get("Retry-After") or ""
        return RollcallError(
            answer.get("error") or f"unexpected answer with status {status}",
            status,
            headers.get("X-Request-Id"),
            int(advice) if re.fullmatch("[0-9]{1,9}", advice) else None,
        )

    def _remember(self, headers: Message) -> None:
        left = [headers.get(f"X-RateLimit-Remaining-{window}") for window in ("Minute", "Day", "Month")]
        if all(left):
            self.quota = Quota(*(int(number) for number in left if number))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)
