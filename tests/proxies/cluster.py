"""Two nodes behind HAProxy and two trackers, over a PostgreSQL primary with a synchronous replica and an S3 store."""

import json
import os
import urllib.parse

from database import PostgresServer
from game_servers import GameServer
from nodes import Node, until
from samples import HOST, Certificate, HAProxy
from stalling_proxy import StallingProxy

GAME_SERVERS = 16
# Seconds.
PING_INTERVAL = 5


class Cluster:
    """All processes, started in the order in which they need each other."""

    def __init__(self, folder, binary):
        self.folder = folder
        self.primary = PostgresServer(folder, "primary")
        self.replica = PostgresServer(folder, "replica", replica_of=self.primary)
        # A commit is acknowledged when the replica has it.
        self.primary.sql("alter system set synchronous_standby_names = '*'")
        self.primary.sql("select pg_reload_conf()")
        self.stalling = [StallingProxy(("127.0.0.1", server.port)) for server in (self.primary, self.replica)]
        self.game_servers = [GameServer(number) for number in range(GAME_SERVERS)]
        direct = [self.primary.port, self.replica.port]
        self.node1 = self.node("node1", binary, "api,web", [proxy.port for proxy in self.stalling])
        self.node2 = self.node("node2", binary, "api,web", direct)
        self.tracker1 = self.node("tracker1", binary, "tracker", direct)
        self.tracker2 = self.node("tracker2", binary, "tracker", direct)
        self.nodes, self.trackers = [self.node1, self.node2], [self.tracker1, self.tracker2]
        self.proxy = HAProxy(folder, self.nodes, Certificate(folder))
        for node in self.nodes:
            node.environment["ROLLCALL_HTTP_SHUTDOWN_DELAY"] = self.proxy.shutdown_delay()

    def node(self, name, binary, roles, ports):
        s3 = urllib.parse.urlsplit(os.environ["TEST_S3_URL"])
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        return Node(binary, name, self.folder, {
            "ROLLCALL_ROLES": roles,
            "ROLLCALL_DATABASE": f"postgres://rollcall@{hosts}/postgres",
            "ROLLCALL_PUBLIC_URL": f"https://{HOST}",
            "ROLLCALL_HTTP_TRUSTED_PROXIES": "127.0.0.1",
            "ROLLCALL_HTTP_PICTURES_PER_MINUTE": "1000000",
            "ROLLCALL_MEDIA_URL": f"s3://pictures/cluster-{os.getpid()}",
            "ROLLCALL_MEDIA_ENDPOINT": f"http://{s3.hostname}:{s3.port}",
            "ROLLCALL_MEDIA_ACCESS_KEY_ID": s3.username,
            "ROLLCALL_MEDIA_SECRET_ACCESS_KEY": s3.password,
            "ROLLCALL_TRACKER_PING_INTERVAL": f"{PING_INTERVAL}s",
            "ROLLCALL_TRACKER_ALLOW_PRIVATE_ADDRESSES": "true",
            "ROLLCALL_VOTING_HUMAN_CHECK": "off",
            "ROLLCALL_LOG_FORMAT": "json",
        })

    def start(self):
        servers = os.path.join(self.folder, "servers.ndjson")
        with open(servers, "w") as file:
            for server in self.game_servers:
                file.write(json.dumps({"id": server.name, "name": server.name, "ip": "127.0.0.1", "port": server.port}) + "\n")
        self.node2.run("import", servers)
        for node in [*self.nodes, *self.trackers]:
            node.start()
        self.proxy.start()
        self.key = self.create_key("load", 10**6)
        for node in self.nodes:
            until(f"{node.name} knows the key", lambda: node.request("/v1/servers?limit=1", {"X-API-Key": self.key})[0] == 200)
        until("every server was pinged and drawn", self.is_drawn)

    def create_key(self, name, per_month):
        limits = ["--per-minute", str(10**6), "--per-day", str(10**6), "--per-month", str(per_month)]
        return self.node2.run("key", "create", "--name", name, *limits)

    def list_servers(self):
        reply = self.proxy.get("/v1/servers?limit=100", headers=[f"X-API-Key: {self.key}"])
        return json.loads(reply.body)["data"]["servers"] if reply.status == 200 else None

    def is_drawn(self):
        servers = self.list_servers()
        return servers and all(server["isOnline"] and server["iconUrl"] and server["motdImageUrl"] for server in servers)

    def end(self):
        for process in (self.proxy, *self.nodes, *self.trackers, self.replica, self.primary):
            process.end()
