"""The client against a running service: TEST_URL, with TEST_PROGRAM making keys in its store."""

import json
import os
import subprocess
import time
import unittest

from rollcall_client import RollcallClient, RollcallError
from rollcall_client._transport import Transport

BASE_URL = os.environ["TEST_URL"] + "/v1"
ROOMY = ["--per-minute", "10000", "--per-day", "100000", "--per-month", "1000000"]


def known_key(*limits):
    """A new key, when the service knows it."""
    printed = subprocess.check_output([os.environ["TEST_PROGRAM"], "key", "create", "--json", *limits], text=True)
    key = json.loads(printed)["key"]
    deadline = time.monotonic() + 60
    while True:
        try:
            Transport(BASE_URL, key, retries=0).get("/key", {})
            return key
        except RollcallError as error:
            if error.status != 401 or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


class ClientTest(unittest.TestCase):
    def test_typed_methods(self):
        rollcall = RollcallClient(BASE_URL, known_key(*ROOMY))
        listed = rollcall.list_servers(limit=2, sort="players", online_only=False)
        self.assertEqual(len(listed["servers"]), 2)
        self.assertGreater(listed["pagination"]["total"], 200)
        server = rollcall.server_detail(listed["servers"][0]["slug"])["server"]
        self.assertEqual(server["id"], listed["servers"][0]["id"])
        self.assertLess(rollcall.quota.minute, 10_000)

    def test_a_list_is_read_whole_each_item_once(self):
        rollcall = RollcallClient(BASE_URL, known_key(*ROOMY))
        slugs = [server["slug"] for server in rollcall.iter_servers(sort="name")]
        total = rollcall.list_servers()["pagination"]["total"]
        self.assertEqual((len(slugs), len(set(slugs))), (total, total))

    def test_an_error_has_the_message_the_status_and_the_request_id(self):
        rollcall = RollcallClient(BASE_URL, known_key(*ROOMY))
        with self.assertRaises(RollcallError) as raised:
            rollcall.list_servers(limit=1000)
        self.assertRegex(str(raised.exception), "^limit must be a whole number from 1 to 100")
        self.assertEqual(raised.exception.status, 400)
        self.assertTrue(raised.exception.request_id)
        with self.assertRaises(RollcallError) as raised:
            rollcall.server_detail("a/b?c")
        self.assertEqual(raised.exception.status, 404)

    def test_a_used_up_limit_is_waited_for_as_long_as_the_service_says(self):
        key = known_key("--per-minute", "1000", "--per-day", "1", "--per-month", "1000")
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


if __name__ == "__main__":
    unittest.main()
