"""Votifier between our programs and those of others, in both directions.

Usage: peers.py RECEIVER SENDER
RECEIVER and SENDER are the examples receive_votes and send_vote of crates/minecraft. Senders written by others (npm: votifier2,
minecraft-server-util; PyPI: aiovotifier, votifier, votifier2) judge our receiver. Our sender is judged by that receiver, and by one
whose cryptography is Python's and OpenSSL's.
"""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import pathlib
import socket
import struct
import subprocess
import sys
import threading

import aiovotifier
import votifier
import votifier2
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from votifier2.exceptions import VotifierError

HERE = pathlib.Path(__file__).parent
ADDRESS = "198.51.100.7"
WRONG_TOKEN = "not-the-token"
TIMEOUT = 120
receiver_program, sender_program = sys.argv[1:]
failures = []


def check(what, actual, expected):
    if actual == expected:
        print(f"ok    {what}")
    else:
        failures.append(what)
        print(f"FAIL  {what}: {actual!r} is not {expected!r}")


@contextlib.contextmanager
def our_receiver(*options):
    process = subprocess.Popen([receiver_program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    # Reading a line has no timeout of its own: a receiver that stays silent is ended.
    watchdog = threading.Timer(3 * TIMEOUT, process.kill)
    watchdog.start()
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        watchdog.cancel()
        process.stdin.close()
        process.wait(TIMEOUT)


def next_vote(process):
    vote = json.loads(process.stdout.readline())
    return vote["version"], vote["service"], vote["username"], vote["address"]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    return result.returncode, (result.stdout + result.stderr).strip()


def npm_sender(name, at, token, username):
    return run("node", str(HERE / "senders.mjs"), name, at["host"], str(at["port"]), token, username)


def ours(at, secret, username):
    return run(sender_program, f"{at['host']}:{at['port']}", secret, username)


def error_of(action):
    """The receiver's error as the sender words it, or None."""
    try:
        action()
    except (aiovotifier.NuVotifierResponseError, VotifierError) as error:
        return str(error)


def aio(at, service, secret, username):
    client = aiovotifier.VotifierClient(at["host"], at["port"], service, secret)
    asyncio.run(asyncio.wait_for(client.vote(username, ADDRESS), TIMEOUT))


def python_votifier2(at, token, username):
    votifier2.Server(at["host"], at["port"], token).send_vote(votifier2.Vote("PyPI votifier2", username, ADDRESS))


def test_senders_of_others():
    signature_error = "Signature is not valid (invalid token?)"
    with our_receiver() as (process, at):
        token = at["token"]
        for name in ["votifier2", "minecraft-server-util"]:
            check(f"npm {name} sends v2", npm_sender(name, at, token, "Notch"), (0, ""))
            check(f"npm {name}: the vote", next_vote(process), (2, name, "Notch", ADDRESS))
            code, error = npm_sender(name, at, WRONG_TOKEN, "Notch")
            # votifier2 knows the error only under its old name.
            expected = "CorruptedFrameException: " + ("undefined" if name == "votifier2" else signature_error)
            check(f"npm {name} reads the refusal of a wrong token", (code, error), (1, expected))
        check("PyPI aiovotifier sends v2", error_of(lambda: aio(at, "aiovotifier", token, "Alex")), None)
        check("PyPI aiovotifier: the vote", next_vote(process), (2, "aiovotifier", "Alex", ADDRESS))
        error = error_of(lambda: aio(at, "aiovotifier", WRONG_TOKEN, "Alex"))
        check("PyPI aiovotifier reads the refusal of a wrong token", signature_error in (error or ""), True)
        aio(at, "aiovotifier", at["public_key"], "Steve")
        check("PyPI aiovotifier sends v1 to a receiver of both", next_vote(process), (1, "aiovotifier", "Steve", ADDRESS))
        check("PyPI votifier2 sends v2", error_of(lambda: python_votifier2(at, token, "Efe")), None)
        check("PyPI votifier2: the vote", next_vote(process), (2, "PyPI votifier2", "Efe", ADDRESS))
        error = error_of(lambda: python_votifier2(at, WRONG_TOKEN, "Efe"))
        check("PyPI votifier2 reads the refusal of a wrong token", signature_error in (error or ""), True)
    with our_receiver("--v1-only") as (process, at):
        client = votifier.Client(at["host"], at["public_key"], at["port"])
        client.vote(votifier.VoteV1("PyPI votifier", "Kai", ADDRESS))
        check("PyPI votifier sends v1", next_vote(process), (1, "PyPI votifier", "Kai", ADDRESS))


def test_our_sender():
    with our_receiver() as (process, at):
        check("ours sends v2", ours(at, at["token"], "Notch"), (0, "delivered"))
        check("ours: the v2 vote", next_vote(process), (2, "Rollcall", "Notch", ADDRESS))
        check("ours sends v1 to a receiver of both", ours(at, at["public_key"], "Alex"), (0, "delivered"))
        check("ours: the v1 vote", next_vote(process), (1, "Rollcall", "Alex", ADDRESS))
        code, outcome = ours(at, WRONG_TOKEN, "Alex")
        check("ours reads the refusal of a wrong token", (code, outcome.split(":")[0]), (1, "rejected"))
    with our_receiver("--v1-only") as (process, at):
        check("ours sends v1", ours(at, at["public_key"], "Zoë"), (0, "delivered"))
        check("ours: the vote", next_vote(process), (1, "Rollcall", "Zoë", ADDRESS))
        code, outcome = ours(at, at["token"], "Alex")
        check("ours sends no token to a v1 receiver", (code, outcome.split(":")[0]), (1, "not sent"))


def receive_one(greeting, answer):
    """Listens for one connection; returns its address and a function that waits for all bytes that came."""
    listener = socket.create_server(("127.0.0.1", 0))
    received = []

    def serve():
        listener.settimeout(TIMEOUT)
        connection, _ = listener.accept()
        with listener, connection:
            connection.settimeout(TIMEOUT)
            connection.sendall(greeting)
            received.append(connection.recv(2048))
            if answer:
                connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()

    def wait():
        thread.join(TIMEOUT)
        return received[0]

    host, port = listener.getsockname()
    return {"host": host, "port": port}, wait


def test_our_sender_against_other_cryptography():
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public_key = base64.b64encode(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()
    at, wait = receive_one(b"VOTIFIER 1.9\n", None)
    check("ours sends v1 to OpenSSL", ours(at, public_key, "Notch"), (0, "delivered"))
    text = key.decrypt(wait(), padding.PKCS1v15())
    check("OpenSSL decrypts the vote", text, f"VOTE\nRollcall\nNotch\n{ADDRESS}\n1767225600\n".encode())
    for size in [1024, 3072]:
        other = rsa.generate_private_key(public_exponent=65537, key_size=size).public_key()
        pem = other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        expected = (1, f"the RSA key has {size} bits; Votifier uses keys of 2048")
        check(f"ours refuses a key of {size} bits", ours(at, pem, "Notch"), expected)
    at, wait = receive_one(b"VOTIFIER 2 0123456789abcdef\n", b'{"status":"ok"}\r\n')
    check("ours sends v2 to Python's hmac", ours(at, "key", "Notch"), (0, "delivered"))
    frame = wait()
    magic, length = struct.unpack(">HH", frame[:4])
    message = json.loads(frame[4:])
    signature = hmac.digest(b"key", message["payload"].encode(), hashlib.sha256)
    check("the frame has magic and length", (magic, length), (0x733A, len(frame) - 4))
    check("the signature is that of Python's hmac", base64.b64decode(message["signature"]), signature)
    expected = {
        "serviceName": "Rollcall",
        "username": "Notch",
        "address": ADDRESS,
        "timestamp": 1767225600000,
        "challenge": "0123456789abcdef",
    }
    check("the payload is complete", json.loads(message["payload"]), expected)


test_senders_of_others()
test_our_sender()
test_our_sender_against_other_cryptography()
if failures:
    sys.exit(f"{len(failures)} failed: {', '.join(failures)}")
print("Votifier: all peers agree.")
