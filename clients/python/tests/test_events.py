"""The stream of events."""

import json
import threading
import unittest
from itertools import islice

from rollcall_client import EventStream, RollcallClient, RollcallError
from rollcall_client._sse import MAX_MESSAGE, Decoder, Message, TooLong
from rollcall_client._transport import Transport
from service import BASE_URL, ROOMY, Breaking, Fake, command, known_key, oldest_events


def event(id_):
    data = {"id": id_, "type": "vote.created", "at": "2026-01-31T09:30:00.000Z", "server": None, "player": None, "data": {"voteId": "v"}}
    return f"id: {id_}\nevent: vote.created\ndata: {json.dumps(data)}\n\n"


def end(status, seconds):
    data = json.dumps({"status": status, "error": "over", "retryAfter": seconds})
    return f"retry: {seconds * 1000}\nevent: end\ndata: {data}\n\n"


def stream(text):
    return 200, {"Content-Type": "text/event-stream"}, text.encode()


def busy(status):
    return status, {"Retry-After": "7"}, b""


class EventsTest(unittest.TestCase):
    def test_a_stream_over_breaking_connections_misses_and_repeats_nothing(self):
        key, _ = known_key(*ROOMY)
        expected = oldest_events(RollcallClient(BASE_URL, key), 100)
        # Without a wait before the next connection.
        with Breaking(8_000) as way, RollcallClient(way.url, key, max_wait=0).events(after="start") as events:
            self.assertEqual([event["id"] for event in islice(events, 100)], expected)
            self.assertEqual(events.last_id, expected[-1])

    def test_a_stream_ends_with_its_key(self):
        key, id_ = known_key(*ROOMY)
        rollcall = RollcallClient(BASE_URL, key)
        oldest_events(rollcall, 1)
        with rollcall.events(after="start") as events:
            next(events)
            command("key", "disable", id_)
            with self.assertRaisesRegex(RollcallError, "^API key disabled$") as raised:
                for _ in events:
                    pass
            self.assertEqual(raised.exception.status, 403)
        with self.assertRaises(RollcallError) as raised:
            next(rollcall.events())
        self.assertEqual(raised.exception.status, 403)
        self.assertTrue(raised.exception.request_id)

    def test_another_thread_can_close_it(self):
        key, _ = known_key(*ROOMY)
        rollcall = RollcallClient(BASE_URL, key)
        last = oldest_events(rollcall, 1)[0]
        events = rollcall.events(server=next(rollcall.iter_events_list())["server"]["slug"], after="start")
        reached = threading.Event()

        def read():
            for event in events:
                if event["id"] == last:
                    reached.set()

        loop = threading.Thread(target=read)
        loop.start()
        self.assertTrue(reached.wait(60))
        events.close()
        loop.join(60)
        self.assertFalse(loop.is_alive())
        self.assertEqual(list(events), [])

    def test_it_waits_as_long_as_the_service_says_and_continues_after_the_last_id(self):
        answers = [
            stream(f"retry: 3000\n\n{event('1')}"),
            # A block without data moves on, too.
            stream("retry: 2000\nid: 2\n\n"),
            busy(503),
            busy(429),
            stream(end(503, 1)),
            stream(f"{event('3')}{end(429, 60)}"),
            stream(end(429, 3_600)),
        ]
        waits = []
        with Fake(*answers) as fake:
            # One retry is enough: a stream that was open is not given up.
            events = EventStream(Transport(fake.url, "rc_x", retries=1), {"server": "aurora-vale"}, waits.append)
            self.assertEqual([next(events)["id"], next(events)["id"]], ["1", "3"])
            with self.assertRaisesRegex(RollcallError, "^over$") as raised:
                next(events)
            self.assertEqual((raised.exception.status, raised.exception.retry_after), (429, 3_600))
            self.assertEqual(list(events), [])
            self.assertEqual(waits, [3, 2, 7, 7, 1, 60])
            self.assertEqual([headers.get("last-event-id") for _, headers in fake.asked], [None, "1", "2", "2", "2", "2", "3"])
            self.assertEqual({path for path, _ in fake.asked}, {"/v1/events/stream?server=aurora-vale"})

    def test_a_connection_lost_before_the_first_event_continues_after_the_cursor_of_the_opening(self):
        # The last block has no end: it was not received.
        with Fake(stream("retry: 3000\nid: 1\n\n"), stream("id: 2\n"), stream(event("3"))) as fake:
            events = EventStream(Transport(fake.url, "rc_x"), {}, lambda _: None)
            self.assertEqual(next(events)["id"], "3")
            self.assertEqual([headers.get("last-event-id") for _, headers in fake.asked], [None, "1", "1"])

    def test_the_first_connection_is_given_up_and_wrong_bytes_are_refused(self):
        waits = []
        with Fake(busy(503), busy(503), busy(503)) as fake:
            with self.assertRaises(RollcallError):
                next(EventStream(Transport(fake.url, "rc_x", retries=1), {}, waits.append))
            self.assertEqual((waits, len(fake.asked)), ([7], 2))
        for body, message in [("data: not JSON\n\n", "not JSON"), ("data: " + "x" * (2 << 20), "too long")]:
            with Fake(stream(body)) as fake, self.assertRaisesRegex(ValueError, message):
                next(RollcallClient(fake.url, "rc_x").events())

    def test_chunks_may_end_anywhere(self):
        text = b'retry: 3000\nid: 6\n\n: comment\n\nid: 7\r\nevent: vote.created\r\ndata: {"a":\r\ndata:1}\r\n\r\nid:8\r\rdata: x\n\n'
        expected = [Message(id="6", retry=3), Message(id="7", event="vote.created", data='{"a":\n1}'), Message(id="8"), Message(data="x")]
        for size in range(1, len(text) + 1):
            decoder = Decoder()
            seen = [message for start in range(0, len(text), size) for message in decoder.push(text[start : start + size])]
            self.assertEqual(seen, expected, size)

    def test_a_message_that_never_ends_is_refused(self):
        for line in [b"data: 0123456789", b"data: 0123456789\n"]:
            decoder = Decoder()
            with self.assertRaises(TooLong):
                for _ in range(MAX_MESSAGE // 1000):
                    list(decoder.push(line * 1000))


if __name__ == "__main__":
    unittest.main()
