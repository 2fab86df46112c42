"""The client against a running service: TEST_URL, with TEST_PROGRAM making keys in its store."""

import json
import unittest
from itertools import islice

from rollcall_client import RollcallClient, RollcallError
from rollcall_client._transport import MAX_BODY, Transport
from service import BASE_URL, ROOMY, Fake, known_key


class ClientTest(unittest.TestCase):
    def test_typed_methods(self):
        rollcall = RollcallClient(BASE_URL, known_key(*ROOMY)[0])
        listed = rollcall.list_servers(limit=2, sort="players", online_only=False)
        self.assertEqual(len(listed["servers"]), 2)
        self.assertGreater(listed["pagination"]["total"], 200)
        server = rollcall.server_detail(listed["servers"][0]["slug"])["server"]
        self.assertEqual(server["id"], listed["servers"][0]["id"])
        self.assertLess(rollcall.quota.minute, 10_000)

    def test_a_list_is_read_whole_each_item_once(self):
        rollcall = RollcallClient(BASE_URL, known_key(*ROOMY)[0])
        slugs = [server["slug"] for server in rollcall.iter_servers(sort="name")]
        total = rollcall.list_servers()["pagination"]["total"]
        self.assertEqual((len(slugs), len(set(slugs))), (total, total))
        points = list(rollcall.iter_live_history(resolution="1h"))
        self.assertEqual([point["at"] for point in points], [point["at"] for point in rollcall.live_history_range(resolution="1h")["points"]])
        self.assertTrue(points)

    def test_a_leaderboard_is_a_list_too(self):
        rollcall = RollcallClient(BASE_URL, known_key(*ROOMY)[0])
        # More than one page.
        entries = list(islice(rollcall.iter_leaderboards(metric="sessions"), 150))
        self.assertEqual(len({entry["player"]["id"] for entry in entries}), 150)
        ranks = [entry["rank"] for entry in entries]
        self.assertEqual(ranks, sorted(ranks))

        def page(ranks, next):
            data = {"leaderboard": {"entries": [{"rank": rank} for rank in ranks]}, "pagination": {"limit": 100, "total": 3}, "next": next}
            return 200, {}, json.dumps({"success": True, "data": data}).encode()

        with Fake(page([1, 2], "c2"), page([3], None)) as fake:
            entries = RollcallClient(fake.url, "rc_x").iter_leaderboards(tier="HT1")
            self.assertEqual([entry["rank"] for entry in entries], [1, 2, 3])
            asked = [path for path, _ in fake.asked]
            self.assertEqual(asked, [f"/v1/leaderboards?tier=HT1&limit=100&after={after}" for after in ("start", "c2")])

    def test_an_error_has_the_message_the_status_and_the_request_id(self):
        rollcall = RollcallClient(BASE_URL, known_key(*ROOMY)[0])
        with self.assertRaises(RollcallError) as raised:
            rollcall.list_servers(limit=1000)
        self.assertRegex(str(raised.exception), "^limit must be a whole number from 1 to 100")
        self.assertEqual(raised.exception.status, 400)
        self.assertTrue(raised.exception.request_id)
        with self.assertRaises(RollcallError) as raised:
            rollcall.server_detail("a/b?c")
        self.assertEqual(raised.exception.status, 404)

    def test_a_used_up_limit_is_waited_for_as_long_as_the_service_says(self):
        key, _ = known_key("--per-minute", "1000", "--per-day", "1", "--per-month", "1000")
        waits = []
        transport = Transport(BASE_URL, key, retries=2, max_wait=86_400, sleep=waits.append)
        with self.assertRaises(RollcallError) as raised:
            for _ in range(3):
                transport.get("/live", {})
        self.assertEqual(raised.exception.status, 429)
        self.assertEqual(len(waits), 2)
        self.assertTrue(all(1 <= wait <= 86_400 for wait in waits), waits)
        # A longer wait than is accepted ends the call at once.
        waits.clear()
        with self.assertRaises(RollcallError):
            Transport(BASE_URL, key, max_wait=0.5, sleep=waits.append).get("/live", {})
        self.assertEqual(waits, [])

    def test_a_service_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(RollcallError, "^no answer from http://127.0.0.1:1/v1: "):
            RollcallClient("http://127.0.0.1:1/v1", "rc_x", retries=0).live()

    def test_answers_that_are_not_as_documented_are_refused_and_the_key_stays_with_the_service(self):
        with Fake() as other, Fake((302, {"Location": other.url}, b""), (200, {}, b"x" * (MAX_BODY + 1)), (200, {}, b"[]")) as fake:
            rollcall = RollcallClient(fake.url, "rc_x", retries=0)
            for status in (302, 200, 200):
                with self.assertRaisesRegex(RollcallError, f"^unexpected answer with status {status}$"):
                    rollcall.live()
            self.assertEqual(other.asked, [])


if __name__ == "__main__":
    unittest.main()
