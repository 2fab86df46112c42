"""Client of the Rollcall API: game servers, players, history and leaderboards."""

from __future__ import annotations

from collections.abc import Sequence

from . import _generated as types
from . import webhook
from ._events import EventStream
from ._generated import Endpoints
from ._transport import Quota, RollcallError, Transport

__all__ = ["EventStream", "Quota", "RollcallClient", "RollcallError", "types", "webhook"]


class RollcallClient(Endpoints):
    """One method for each endpoint; lists also have a method that reads them whole.

    A call waits and tries again when a limit is used up or the service is busy: `retries` times, and never longer than `max_wait`
    seconds. `timeout` is how long a request may go without an answer.
    """

    def __init__(self, base_url: str, api_key: str, *, retries: int = 4, max_wait: float = 120.0, timeout: float = 30.0) -> None:
        super().__init__(Transport(base_url, api_key, retries=retries, max_wait=max_wait, timeout=timeout))

    @property
    def quota(self) -> Quota | None:
        """What was left of the quota after the last answer."""
        return self._transport.quota

    def events(
        self,
        *,
        after: str | None = None,
        server: str | None = None,
        player: str | None = None,
        type: Sequence[str] | None = None,
    ) -> EventStream:
        """Events as they happen. Without `after`, those from now on."""
        return EventStream(self._transport, {"after": after, "server": server, "player": player, "type": type})
