"""Events as they happen."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from ._generated import Event
from ._sse import Decoder, Message
from ._transport import RollcallError, Transport, passes

# The service sends something every 15 seconds. A connection that is silent for longer is lost.
SILENCE = 45.0
# Until the service says another one.
RETRY = 3.0
CHUNK = 1 << 16


class EventStream:
    """Events as they happen. It connects again by itself and continues after the last event: nothing is missed or repeated.

    Leave the loop to stop, or call `close`, also from another thread or a signal handler. It raises a `RollcallError` when the service
    refuses the request, when a wait would be longer than `max_wait`, or when the first connection fails `retries` times.
    """

    def __init__(self, transport: Transport, query: Mapping[str, Any], wait: Callable[[float], object] | None = None) -> None:
        self._transport = transport
        self._query = query
        self._closed = threading.Event()
        self._wait = wait or self._closed.wait
        self._response: http.client.HTTPResponse | None = None
        self._events = self._follow()
        self.last_id: str | None = None
        """The cursor after the last event: pass it as `after` to continue later."""

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._events.close()

    def close(self) -> None:
        """Ends the loop, also while it waits for an event."""
        self._closed.set()
        response = self._response
        if response is not None:
            # The other thread may have closed it just now.
            with contextlib.suppress(OSError, ValueError), socket.fromfd(response.fileno(), socket.AF_INET, socket.SOCK_STREAM) as connection:
                connection.shutdown(socket.SHUT_RDWR)

    def _follow(self) -> Generator[Event, None, None]:
        was_open = False
        failures = 0
        while not self._closed.is_set():
            try:
                with self._transport.open_stream("/events/stream", self._query, self.last_id, SILENCE) as response:
                    self._response = response
                    was_open = True
                    failures = 0
                    retry = RETRY
                    for message in self._messages(response):
                        retry = retry if message.retry is None else message.retry
                        # Also of a block without data: the first one has the cursor of a stream without events yet.
                        self.last_id = message.id or self.last_id
                        if message.event == "end":
                            raise _end_of(message)
                        if message.data:
                            yield _parsed(message.data)
                wait = min(retry, self._transport.max_wait)
            except RollcallError as error:
                failures += 1
                # A stream that was open before is not given up for a failure that passes.
                is_patient = was_open and passes(error.status)
                advised = self._transport.wait_before(failures, error, retries=None if is_patient else self._transport.retries)
                if advised is None:
                    raise
                wait = advised
            finally:
                self._response = None
            if not self._closed.is_set():
                self._wait(wait)

    def _messages(self, response: http.client.HTTPResponse) -> Iterator[Message]:
        """The messages of one connection, until it is lost."""
        decoder = Decoder()
        while not self._closed.is_set():
            try:
                chunk = response.read1(CHUNK)
            except (OSError, ValueError, http.client.HTTPException):
                return
            if not chunk:
                return
            yield from decoder.push(chunk)


def _end_of(message: Message) -> RollcallError:
    """Why the service closes the stream."""
    end = _parsed(message.data)
    retry_after = end["retryAfter"] if message.retry is None else message.retry
    return RollcallError(end["error"], end["status"], retry_after=retry_after)


def _parsed(data: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise ValueError("an event that is not JSON") from error
