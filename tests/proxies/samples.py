"""The samples of packaging/proxies, with ports, addresses and certificates of this machine, and the proxies that run them."""

import functools
import pathlib
import re
import ssl
import subprocess

from nodes import HOST, free_port, until

SAMPLES = pathlib.Path(__file__).parents[2] / "packaging" / "proxies"


def replace(text, old, new):
    """Replaces what must be there: a sample that changes without this test must not pass unnoticed."""
    if old not in text:
        raise SystemExit(f"the sample does not contain {old!r}")
    return text.replace(old, new)


class Proxy:
    """A proxy with a sample in front of two nodes. Subclasses say how the sample is adapted and started."""

    samples = SAMPLES
    upstreams = ("192.0.2.11:8080", "192.0.2.12:8080")

    def __init__(self, folder, nodes, certificate):
        self.folder = pathlib.Path(folder, self.name)
        self.folder.mkdir()
        self.https, self.http = free_port(), free_port()
        self.nodes = nodes
        self.certificate = certificate
        self.file = self.folder / self.sample
        text = (self.samples / self.sample).read_text()
        for address, node in zip(self.upstreams, nodes):
            text = replace(text, address, f"127.0.0.1:{node.port}")
        self.file.write_text(self.adapt(text))
        self.log = self.folder / "log"
        self.process = None

    def start(self):
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(self.command(), cwd=self.folder, stdout=log, stderr=log, env=self.environment())
        until(f"{self.name} serves", self.is_serving)
        return self

    def environment(self):
        return None

    def shutdown_delay(self):
        """The http.shutdown_delay that the sample asks for."""
        return re.search(r"shutdown_delay = (\d+)", (self.samples / self.sample).read_text()).group(1)

    def sees(self, node, since):
        """Whether it has found a node up after this position of its log. Caddy and nginx hold requests, or try both nodes."""
        return True

    def is_serving(self):
        if self.process.poll() is not None:
            raise SystemExit(f"{self.name} ended:\n{self.log.read_text()}")
        return self.get("/readyz").status == 200

    def get(self, path, *, source="127.0.0.1", headers=(), scheme="https", options=()):
        port = self.https if scheme == "https" else self.http
        arguments = ["curl", "--silent", "--show-error", "--max-time", "20", "--interface", source]
        arguments += ["--cacert", str(self.certificate_authority()), "--resolve", f"{HOST}:{port}:127.0.0.1", *options]
        for header in headers:
            arguments += ["--header", header]
        arguments += ["--write-out", "\n%{http_code} %{http_version}", f"{scheme}://{HOST}:{port}{path}"]
        done = subprocess.run(arguments, capture_output=True, text=True)
        body, _, last = done.stdout.rpartition("\n")
        status, version = (last.split() + ["0", "0"])[:2]
        return Reply(int(status), version, body, done.stderr)

    def certificate_authority(self):
        return self.certificate.file

    @functools.cached_property
    def client_context(self):
        """TLS settings of a client that knows the certificate."""
        return ssl.create_default_context(cafile=self.certificate_authority())

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)


class Reply:
    def __init__(self, status, version, body, error):
        self.status, self.version, self.body, self.error = status, version, body, error


class Certificate:
    """A self-signed certificate for the host."""

    def __init__(self, folder):
        self.file, self.key = pathlib.Path(folder, "certificate.pem"), pathlib.Path(folder, "key.pem")
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        command += ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", self.key, "-out", self.file]
        subprocess.run(command, check=True, capture_output=True)


class Caddy(Proxy):
    name, sample = "Caddy", "Caddyfile"

    def adapt(self, text):
        # Certificates of Caddy's own authority instead of a public one.
        ports = f"http_port {self.http}\n\thttps_port {self.https}"
        return f"{{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\t{ports}\n}}\n" + text

    def command(self):
        return ["caddy", "run", "--config", str(self.file), "--adapter", "caddyfile"]

    def environment(self):
        return {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "data")}

    def certificate_authority(self):
        return self.folder / "data/caddy/pki/authorities/local/root.crt"


class Nginx(Proxy):
    name, sample = "nginx", "nginx.conf"

    def adapt(self, text):
        for old, new in ((":443 ssl", f":{self.https} ssl"), ("listen 443 ssl", f"listen 127.0.0.1:{self.https} ssl"),
                         ("listen [::]:80;", f"listen [::1]:{self.http};"), ("listen 80;", f"listen 127.0.0.1:{self.http};")):
            text = replace(text, old, new)
        text = replace(text, "[::]:", "[::1]:")
        live = f"/etc/letsencrypt/live/{HOST}"
        text = replace(text, f"{live}/fullchain.pem", str(self.certificate.file))
        text = replace(text, f"{live}/privkey.pem", str(self.certificate.key))
        (self.folder / "site.conf").write_text(text)
        # What Debian's nginx.conf has around the sites.
        paths = "".join(f"{name}_temp_path {self.folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return (f"daemon off; pid {self.folder}/pid; error_log {self.folder}/error.log; events {{ worker_connections 768; }}\n"
                f"http {{ access_log off; {paths} include {self.folder}/site.conf; }}\n")

    def command(self):
        return ["nginx", "-e", str(self.folder / "error.log"), "-p", str(self.folder), "-c", str(self.file)]


class HAProxy(Proxy):
    name, sample = "HAProxy", "haproxy.cfg"

    def adapt(self, text):
        both = self.folder / "both.pem"
        both.write_text(self.certificate.file.read_text() + self.certificate.key.read_text())
        text = replace(text, f"/etc/haproxy/certs/{HOST}.pem", str(both))
        text = replace(text, "bind :443 ssl", f"bind 127.0.0.1:{self.https} ssl")
        text = replace(text, "bind :80\n", f"bind 127.0.0.1:{self.http}\n")
        # There is no syslog here. Neither retries nor another node may hide a failed request.
        text = replace(text, "log /dev/log local0", "log stdout format raw local0")
        text = replace(text, "    option redispatch\n", "")
        text = replace(text, "retries 2", "retries 0")
        return replace(text, "maxconn 20000", "maxconn 2000")

    def command(self):
        return ["haproxy", "-W", "-db", "-f", str(self.file)]

    def sees(self, node, since):
        number = self.nodes.index(node) + 1
        return f"rollcall/node{number} is UP" in self.log.read_text()[since:]
