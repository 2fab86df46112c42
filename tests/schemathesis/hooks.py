"""Filters failures caused by rules of the API that OpenAPI cannot express. The integration tests check each rule."""

from urllib.parse import parse_qsl, urlsplit

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import RejectedPositiveData


@schemathesis.hook
def filter_failure(context, failure, case, response):
    sent = parse_qsl(urlsplit(response.request.url).query, keep_blank_values=True)
    names = [name for name, _ in sent]
    if response.status_code in (414, 431):
        # The bound is that of the whole URI, and of the whole head of the request.
        return False
    if isinstance(failure, AcceptedNegativeData):
        # An empty parameter counts as missing, and the first of a repeated parameter counts.
        empty = any(value == "" for _, value in sent)
        return not empty and len(names) == len(set(names))
    if isinstance(failure, RejectedPositiveData):
        # A minimum above its maximum is rejected, though each alone is valid; the length of `q` is checked after trimming.
        query = dict(sent).get("q", "")
        trimmed = query != query.strip() and b"q must be" in response.content
        # A cursor is text that the API has made, a value in a list has no comma, a time must exist in the calendar and lie before
        # another one, and events are filtered by a server or player who exists.
        rules = (
            b"after must be",
            b"separated by commas",
            b"from must be",
            b"to must be",
            b"server must be",
            b"player must be",
        )
        if any(rule in response.content for rule in rules):
            return False
        return not trimmed and b"minPlayers must not exceed maxPlayers" not in response.content
    return True
