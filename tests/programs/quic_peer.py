"""One side of a QUIC connection over loopback, by libssl 3.5 or later through ctypes: the server sends back what it gets.

    quic_peer.py SUITE server CERT KEY              prints "port N", then "good" when the client has had everything
    quic_peer.py SUITE client CERT PORT BYTES       sends BYTES, changes keys on the way, prints "good N", N the changes

Fails with what libssl says.
"""

import ctypes
import hashlib
import os
import socket
import sys

LIBSSL = ctypes.CDLL("libssl.so.3")
LIBCRYPTO = ctypes.CDLL("libcrypto.so.3")
PIECE = 20000
POINTER = ctypes.c_void_p
ALPN = b"\4echo"


def call(name: str, *args, result=ctypes.c_int, lib=LIBSSL):
    """The result of a function; integers travel as size_t, which fits each parameter that is passed here."""
    function = getattr(lib, name)
    function.restype = result
    return function(*(ctypes.c_size_t(a) if isinstance(a, int) else a for a in args))


def errors() -> str:
    said = []
    while code := call("ERR_get_error", result=ctypes.c_ulong, lib=LIBCRYPTO):
        room = ctypes.create_string_buffer(256)
        call("ERR_error_string_n", code, room, 256, lib=LIBCRYPTO)
        said.append(room.value.decode())
    return "\n".join(said)


def must(good, what: str):
    if not good:
        sys.exit(f"{what} failed\n{errors()}")
    return good


def new_ctx(method: str, suite: str):
    ctx = POINTER(call("SSL_CTX_new", POINTER(call(method, result=POINTER)), result=POINTER))
    must(ctx.value, "SSL_CTX_new")
    must(call("SSL_CTX_set_ciphersuites", ctx, suite.encode()) == 1, "SSL_CTX_set_ciphersuites")
    return ctx


def read(ssl, room: ctypes.Array) -> bytes:
    """What there is; nothing at the end of the stream."""
    n = ctypes.c_size_t()
    if call("SSL_read_ex", ssl, room, len(room), ctypes.byref(n)) == 1:
        return room.raw[:n.value]
    must(call("SSL_get_stream_read_state", ssl) == 3, "SSL_read_ex")  # SSL_STREAM_STATE_FINISHED
    return b""


def write(ssl, data: bytes) -> None:
    n = ctypes.c_size_t()
    must(call("SSL_write_ex", ssl, data, len(data), ctypes.byref(n)) == 1 and n.value == len(data), "SSL_write_ex")


@ctypes.CFUNCTYPE(ctypes.c_int, POINTER, ctypes.POINTER(POINTER), ctypes.POINTER(ctypes.c_ubyte), POINTER,
                  ctypes.c_uint, POINTER)
def choose_alpn(_ssl, out, length, offered, _size, _arg):
    """The first that the client offers."""
    out[0] = offered + 1
    length[0] = len(ALPN) - 1
    return 0


def server(suite: str, cert: str, key: str) -> None:
    ctx = new_ctx("OSSL_QUIC_server_method", suite)
    must(call("SSL_CTX_use_certificate_file", ctx, cert.encode(), 1) == 1, "certificate")
    must(call("SSL_CTX_use_PrivateKey_file", ctx, key.encode(), 1) == 1, "key")
    call("SSL_CTX_set_alpn_select_cb", ctx, choose_alpn, None, result=None)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        listener = POINTER(must(call("SSL_new_listener", ctx, 0, result=POINTER), "SSL_new_listener"))
        must(call("SSL_set_fd", listener, udp.fileno()) == 1, "SSL_set_fd")
        must(call("SSL_listen", listener) == 1, "SSL_listen")
        print("port", udp.getsockname()[1], flush=True)
        ssl = POINTER(must(call("SSL_accept_connection", listener, 0, result=POINTER), "SSL_accept_connection"))
        room = ctypes.create_string_buffer(PIECE)
        while piece := read(ssl, room):
            write(ssl, piece)
        must(call("SSL_stream_conclude", ssl, 0) == 1, "SSL_stream_conclude")
        while call("SSL_shutdown", ssl) == 0:
            pass
        print("good")
        call("SSL_free", ssl, result=None)
        call("SSL_free", listener, result=None)


def client(suite: str, cert: str, port: str, size: str) -> None:
    ctx = new_ctx("OSSL_QUIC_client_method", suite)
    must(call("SSL_CTX_load_verify_file", ctx, cert.encode()) == 1, "SSL_CTX_load_verify_file")
    call("SSL_CTX_set_verify", ctx, 1, None, result=None)
    ssl = POINTER(must(call("SSL_new", ctx, result=POINTER), "SSL_new"))
    must(call("SSL_set_alpn_protos", ssl, ALPN, len(ALPN)) == 0, "SSL_set_alpn_protos")
    must(call("SSL_set1_host", ssl, b"localhost") == 1, "SSL_set1_host")
    address = POINTER(call("BIO_ADDR_new", result=POINTER, lib=LIBCRYPTO))
    must(call("BIO_ADDR_rawmake", address, int(socket.AF_INET), bytes((127, 0, 0, 1)), 4, socket.htons(int(port)),
              lib=LIBCRYPTO) == 1, "BIO_ADDR_rawmake")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.setblocking(False)
        must(call("SSL_set_fd", ssl, udp.fileno()) == 1, "SSL_set_fd")
        must(call("SSL_set1_initial_peer_addr", ssl, address) == 1, "SSL_set1_initial_peer_addr")
        must(call("SSL_connect", ssl) == 1, "SSL_connect")
        room = ctypes.create_string_buffer(PIECE)
        left, changes, sent, got = int(size), 0, hashlib.sha256(), hashlib.sha256()
        while left > 0:
            data = os.urandom(min(left, PIECE))
            left -= len(data)
            write(ssl, data)
            sent.update(data)
            back = 0
            while back < len(data):
                piece = must(read(ssl, room), "reading")
                got.update(piece)
                back += len(piece)
            changes += call("SSL_key_update", ssl, 1) == 1  # refused while the peer has not followed the last one
        must(sent.digest() == got.digest(), "comparing")
        must(call("SSL_stream_conclude", ssl, 0) == 1, "SSL_stream_conclude")
        must(read(ssl, room) == b"", "the end of the stream")
        while call("SSL_shutdown", ssl) == 0:
            pass
        print("good", changes)
        call("SSL_free", ssl, result=None)


if __name__ == "__main__":
    {"server": server, "client": client}[sys.argv[2]](sys.argv[1], *sys.argv[3:])
