"""A TCP proxy that can fall silent: connections stay open, what arrives is acknowledged by TCP, and nothing is forwarded."""

import socket
import socketserver
import threading

CHUNK = 64 * 1024


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        born = self.server.stalls
        try:
            upstream = socket.create_connection(self.server.target, timeout=5)
        except OSError:
            return
        upstream.settimeout(None)
        for side in (self.request, upstream):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back = threading.Thread(target=self.forward, args=(upstream, self.request, born), daemon=True)
        back.start()
        self.forward(self.request, upstream, born)
        back.join()
        upstream.close()

    def forward(self, source, target, born):
        try:
            while data := source.recv(CHUNK):
                if self.server.stalls == born:
                    target.sendall(data)
        except OSError:
            pass
        for side in (source, target):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class StallingProxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, target):
        super().__init__(("127.0.0.1", 0), Connection)
        self.target = target
        self.port = self.server_address[1]
        self.stalls = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stall(self):
        """Silences all connections that are open now; new ones work."""
        self.stalls += 1
