"""Sends requests, waits when a limit is used up, and reads lists page by page. Needs the standard library only."""

from __future__ import annotations

import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Limits used up, and failures that pass.
RETRIED = {429, 500, 502, 503, 504}
FIRST_WAIT = 0.5
LONGEST_WAIT_WITHOUT_ADVICE = 30.0


class RollcallError(Exception):
    """An answer that is not a success, or a request that got none (status 0)."""

    def __init__(self, message: str, status: int = 0, request_id: str | None = None, retry_after: int | None = None) -> None:
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
        self._retries = retries
        self._max_wait = max_wait
        self._timeout = timeout
        self._sleep = sleep
        self.quota: Quota | None = None

    def get(self, path: str, query: Mapping[str, Any]) -> Any:
        """The `data` of an endpoint. Tries again when a limit is used up or the service is busy."""
        given = {name: _text(value) for name, value in query.items() if value is not None}
        url = f"{self._base_url}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
        attempt = 1
        while True:
            try:
                return self._request(url)
            except RollcallError as error:
                wait = self._wait_before(attempt, error)
                if wait is None:
                    raise
                self._sleep(wait)
                attempt += 1

    def items(self, path: str, key: str, query: Mapping[str, Any]) -> Iterator[Any]:
        """All items of a list, page by page."""
        after: str | None = "start"
        while after is not None:
            data = self.get(path, {**query, "limit": 100, "after": after})
            yield from data[key]
            # A list that grows at its end, such as the events, always has a next page.
            after = data.get("next") if data[key] else None

    def _request(self, url: str) -> Any:
        headers = {"X-API-Key": self._api_key, "Accept": "application/json"}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=self._timeout) as response:
                status, answered, body = response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            with error:
                status, answered, body = error.code, error.headers, error.read()
        except OSError as error:
            raise RollcallError(f"no answer from {self._base_url}: {error}") from error
        self._remember(answered)
        try:
            answer = json.loads(body)
        except ValueError:
            # A proxy may answer with a page.
            answer = {}
        if status == 200 and answer.get("success") is True:
            return answer["data"]
        advice = answered.get("Retry-After") or ""
        raise RollcallError(
            answer.get("error") or f"unexpected answer with status {status}",
            status,
            answered.get("X-Request-Id"),
            int(advice) if advice.isdigit() else None,
        )

    def _wait_before(self, attempt: int, error: RollcallError) -> float | None:
        """Seconds to wait before another attempt, or None to give up."""
        if attempt > self._retries or (error.status != 0 and error.status not in RETRIED):
            return None
        if error.retry_after is not None:
            wait: float = error.retry_after
        else:
            # Some randomness: clients that failed together should not come back together.
            wait = min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT_WITHOUT_ADVICE) * random.uniform(0.5, 1.0)
        return wait if wait <= self._max_wait else None

    def _remember(self, headers: Mapping[str, str]) -> None:
        left = [headers.get(f"X-RateLimit-Remaining-{window}") for window in ("Minute", "Day", "Month")]
        if all(left):
            self.quota = Quota(*(int(number) for number in left if number))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)
