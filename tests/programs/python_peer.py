"""One side of a TLS connection with Python's own ssl module: sends back (server) or checks (client) what comes.

    python_peer.py server CERT KEY VERSION CIPHERS          prints its port, serves one connection
    python_peer.py client CA PORT VERSION CIPHERS SIZE      sends SIZE bytes, compares what comes back
"""

import hashlib
import os
import socket
import ssl
import sys


def context(side: int, version: str, ciphers: str) -> ssl.SSLContext:
    made = ssl.SSLContext(side)
    made.minimum_version = made.maximum_version = getattr(ssl.TLSVersion, version)
    if version == "TLSv1_2":
        made.set_ciphers(ciphers)
    return made


def server(cert: str, key: str, version: str, ciphers: str) -> None:
    tls = context(ssl.PROTOCOL_TLS_SERVER, version, ciphers)
    tls.load_cert_chain(cert, key)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(30)
        print(listener.getsockname()[1], flush=True)
        plain = listener.accept()[0]
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with tls.wrap_socket(plain, server_side=True) as link:
            link.settimeout(30)
            while data := link.recv(65536):
                link.sendall(data)


def client(ca: str, port: str, version: str, ciphers: str, size: str) -> None:
    tls = context(ssl.PROTOCOL_TLS_CLIENT, version, ciphers)
    tls.load_verify_locations(ca)
    sent, got, left = hashlib.sha256(), hashlib.sha256(), int(size)
    with socket.create_connection(("127.0.0.1", int(port)), 30) as plain, \
            tls.wrap_socket(plain, server_hostname="127.0.0.1") as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while left:
            data = os.urandom(min(left, 50_000))
            link.sendall(data)
            sent.update(data)
            back = 0
            while back < len(data):
                piece = link.recv(65536)
                if not piece:
                    sys.exit("the connection ended early")
                got.update(piece)
                back += len(piece)
            left -= len(data)
        print(link.version(), link.cipher()[0], "same" if sent.digest() == got.digest() else "different")


{"server": server, "client": client}[sys.argv[1]](*sys.argv[2:])
