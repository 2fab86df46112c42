"""Game servers that answer status pings and remember when. Only what the tracker asks: handshake, status, ping."""

import base64
import json
import socketserver
import struct
import threading
import time
import zlib

ICON_SIZE = 64


def read_exactly(stream, length):
    data = stream.read(length)
    if len(data) != length:
        raise EOFError
    return data


def read_varint(stream):
    value = shift = 0
    while True:
        byte = read_exactly(stream, 1)[0]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
        shift += 7


def varint(value):
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def packet(number, body):
    content = varint(number) + body
    return varint(len(content)) + content


def icon(number):
    """A PNG of one colour, another one for each server."""
    row = b"\0" + bytes([number * 16 % 256, 96, 160]) * ICON_SIZE
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", ICON_SIZE, ICON_SIZE, 8, 2, 0, 0, 0)),
              (b"IDAT", zlib.compress(row * ICON_SIZE)), (b"IEND", b"")]
    encoded = b"".join(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
                       for kind, data in chunks)
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + encoded).decode()


class Connection(socketserver.StreamRequestHandler):
    timeout = 10

    def handle(self):
        try:
            while True:
                read_varint(self.rfile)
                number = read_varint(self.rfile)
                if number == 1:
                    self.wfile.write(packet(1, read_exactly(self.rfile, 8)))
                elif self.is_handshake(number):
                    self.skip_handshake()
                else:
                    self.server.pings.append(time.monotonic())
                    self.wfile.write(packet(0, varint(len(self.server.status)) + self.server.status))
        except (EOFError, OSError):
            pass

    def is_handshake(self, number):
        return number == 0 and not hasattr(self, "protocol")

    def skip_handshake(self):
        self.protocol = read_varint(self.rfile)
        read_exactly(self.rfile, read_varint(self.rfile) + 2)
        read_varint(self.rfile)


class GameServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, number):
        super().__init__(("127.0.0.1", 0), Connection)
        self.name = f"game-{number}"
        self.port = self.server_address[1]
        self.pings = []
        self.status = json.dumps({
            "version": {"name": "1.21.4", "protocol": 769},
            "players": {"max": 100, "online": 3 + number},
            "description": {"text": f"Server {number}"},
            "favicon": icon(number),
        }).encode()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def longest_pause(self, since, until):
        """The longest time without a ping in a period, in seconds."""
        times = [since, *(at for at in self.pings if since < at < until), until]
        return max(after - before for before, after in zip(times, times[1:]))

    def count(self, since, until):
        return sum(since < at < until for at in self.pings)
