"""Server-sent events: bytes in, messages out. Memory is bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# More than any event of the service has.
MAX_MESSAGE = 1 << 20
# A carriage return at the end may be half of a line end.
LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


class TooLong(ValueError):
    """A message is too long."""


@dataclass
class Message:
    """What one block of the stream says."""

    id: str | None = None
    event: str = ""
    data: str = ""
    """Empty: the block only sets the id or the time."""
    retry: float | None = None
    """Seconds."""


class Decoder:
    def __init__(self) -> None:
        self._bytes = b""
        self._message = Message()
        self._data: list[str] = []
        self._size = 0

    def push(self, chunk: bytes) -> Iterator[Message]:
        """The messages that these bytes complete."""
        *lines, self._bytes = LINE_END.split(self._bytes + chunk)
        for line in lines:
            message = self._end_line(line.decode("utf-8", "replace"))
            if message is not None:
                yield message
        if len(self._bytes) + self._size > MAX_MESSAGE:
            raise TooLong("an event that is too long")

    def _end_line(self, line: str) -> Message | None:
        message = self._message
        if line == "":
            message.data = "\n".join(self._data)
            self._message, self._data, self._size = Message(), [], 0
            return None if message == Message() else message
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
            self._size += len(value) + 1
        elif field == "event":
            message.event = value
        elif field == "id" and "\0" not in value:
            message.id = value
        elif field == "retry" and re.fullmatch("[0-9]{1,9}", value):
            message.retry = int(value) / 1000
        # Comments keep the connection open.
        return None
