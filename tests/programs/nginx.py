"""An nginx of the test's own: its configuration, folders and ports, on loopback."""

import os
import re
import time
from pathlib import Path

from harness import Child, Crypto, DEFAULT, free_port, need, run, wait_for_port

CONFIG = """
{user}
pid {home}/nginx.pid;
error_log {home}/error.log info;
worker_processes {workers};
daemon off;
events {{ worker_connections 256; }}
http {{
    access_log off;
    default_type application/octet-stream;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;
    keepalive_requests 100000;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {rsa.cert};
        ssl_certificate_key {rsa.key};
        ssl_certificate {ecdsa.cert};
        ssl_certificate_key {ecdsa.key};
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_ciphers ECDHE+AESGCM;
        add_header X-TLS "$ssl_protocol $ssl_cipher" always;
        root {root};
        location /echo/ {{ return 200 "$request_uri\\n"; }}
        location /pid {{ return 200 "$pid\\n"; }}
    }}
}}
"""

# What curl must be told to get a suite, and what nginx then calls it.
SUITES = {
    "tls1.3-aes128": (["--tlsv1.3", "--tls13-ciphers", "TLS_AES_128_GCM_SHA256"], "TLSv1.3 TLS_AES_128_GCM_SHA256"),
    "tls1.3-aes256": (["--tlsv1.3", "--tls13-ciphers", "TLS_AES_256_GCM_SHA384"], "TLSv1.3 TLS_AES_256_GCM_SHA384"),
}
for _kind in ("ECDHE-RSA", "ECDHE-ECDSA"):
    for _bits, _hash in (("128", "256"), ("256", "384")):
        _suite = f"{_kind}-AES{_bits}-GCM-SHA{_hash}"
        SUITES[f"tls1.2-{_kind[6:].lower()}-aes{_bits}"] = (["--tls-max", "1.2", "--ciphers", _suite],
                                                           f"TLSv1.2 {_suite}")


class Nginx(Child):
    def __init__(self, home: Path, crypto: Crypto, rsa, ecdsa, root: Path, workers: int = 2, before=(),
                 timeout: float = 30, env: dict[str, str] | None = None):
        home.mkdir()
        self.home, self.port, self.ca = home, free_port(), home / "ca.pem"
        self.ca.write_text(rsa.cert.read_text() + ecdsa.cert.read_text())
        (home / "nginx.conf").write_text(CONFIG.format(
            user="user root;" if os.geteuid() == 0 else "", home=home, workers=workers, port=self.port, rsa=rsa,
            ecdsa=ecdsa, root=root))
        self.output = open(home / "output", "wb")
        # before 1.19.5 nginx cannot be told where to log until it has read its configuration
        early = ["-e", home / "error.log"] if "-e filename" in run([need("nginx"), "-h"]).stderr else []
        super().__init__([*before, need("nginx"), "-p", home, "-c", home / "nginx.conf", *early], crypto, env,
                         stdout=self.output, stderr=self.output)
        try:
            wait_for_port(self.port, self, timeout)
        except AssertionError as e:
            self.stop()
            raise AssertionError(f"{e}\n{self.log()}") from e

    def stop(self) -> None:
        super().stop()
        self.output.close()

    def log(self) -> str:
        texts = [(self.home / name).read_text(errors="replace") for name in ("output", "error.log")
                 if (self.home / name).exists()]
        return "\n".join(texts)

    def url(self, path: str) -> str:
        return f"https://127.0.0.1:{self.port}/{path}"

    def workers(self) -> list[int]:
        """Process ids of the workers that serve: started and not on their way out, by nginx's own log."""
        log = self.log()
        gone = set(re.findall(r"worker process (\d+) exited", log)
                   + re.findall(r" (\d+)#\d+: gracefully shutting down", log))
        return [int(pid) for pid in re.findall(r"start worker process (\d+)", log) if pid not in gone]

    def crashes(self) -> list[str]:
        return [line for line in self.log().splitlines()
                if re.search(r"exited on signal|\[alert\]|\[emerg\]|core dumped", line)]


def curl(server: Nginx, suite: str, *paths: str, crypto: Crypto = DEFAULT, more=(), timeout: float = 60, **options):
    """curl with that suite; the bodies are its stdout."""
    return run(["curl", "-sS", "--fail", "--noproxy", "*", "--cacert", server.ca, *SUITES[suite][0], *more,
                *[server.url(path) for path in paths]], crypto, timeout, text=False, **options)


def wait_until(is_so, timeout: float = 20) -> bool:
    limit = time.monotonic() + timeout
    while time.monotonic() < limit:
        if is_so():
            return True
        time.sleep(0.05)
    return is_so()
