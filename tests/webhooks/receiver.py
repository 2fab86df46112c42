"""A receiver that checks signatures with `standardwebhooks` of PyPI: `python receiver.py PORT`. It reads a secret per line from standard
input and prints `verified PATH ID TYPE` or `refused PATH REASON` for each request."""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

webhook = None


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            message = webhook.verify(body, headers)
            try:
                webhook.verify(body + " ", headers)
                raise ValueError("a changed body is accepted")
            except WebhookVerificationError:
                pass
            print("verified", self.path, headers["webhook-id"], message["type"], flush=True)
            status = 204
        except Exception as error:
            print("refused", self.path, error, flush=True)
            status = 400
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("listening", flush=True)
for line in sys.stdin:
    webhook = Webhook(line.strip())
    print("secret taken", flush=True)
