"""Seals and opens messages of AES-GCM-SIV with one of two implementations: a line in, a line out.

    siv_worker.py libcrypto      the system's libcrypto, through ctypes, with the hwaead that OPENSSL_CONF configures
    siv_worker.py cryptography   Python's cryptography package, which has a libcrypto of its own

Lines are a verb and hexadecimal words, where "-" is no bytes:

    seal KEY NONCE AAD TEXT      answers ciphertext and tag
    open KEY NONCE AAD SEALED    answers the text, or "refused"

The first line out says what runs. A failure of any other kind ends the process.
"""

import ctypes
import ctypes.util
import sys

TAG = 16


class Cryptography:
    def __init__(self):
        import cryptography
        from cryptography import exceptions
        from cryptography.hazmat.backends.openssl import backend
        from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

        self.cipher, self.wrong_tag = AESGCMSIV, exceptions.InvalidTag
        self.name = f"cryptography {cryptography.__version__} with {backend.openssl_version_text()}"

    def seal(self, key, nonce, aad, text):
        return self.cipher(key).encrypt(nonce, text, aad)

    def open(self, key, nonce, aad, sealed):
        try:
            return self.cipher(key).decrypt(nonce, sealed, aad)
        except self.wrong_tag:
            return None


class Libcrypto:
    """A fresh context for each message."""

    def __init__(self):
        self.lib = ctypes.CDLL(ctypes.util.find_library("crypto"))
        for name, result in (("EVP_CIPHER_fetch", ctypes.c_void_p), ("EVP_CIPHER_CTX_new", ctypes.c_void_p),
                             ("OpenSSL_version", ctypes.c_char_p)):
            getattr(self.lib, name).restype = result
        self.ciphers = {}
        for size in (16, 24, 32):
            name = f"AES-{8 * size}-GCM-SIV".encode()
            cipher = self.lib.EVP_CIPHER_fetch(None, name, b"provider=hwaead")
            if not cipher:
                sys.exit(f"{name.decode()} cannot be fetched from hwaead")
            self.ciphers[size] = ctypes.c_void_p(cipher)
        self.name = f"hwaead in {self.lib.OpenSSL_version(0).decode()}"

    def start(self, key, nonce, enc):
        ctx = ctypes.c_void_p(self.lib.EVP_CIPHER_CTX_new())
        assert self.lib.EVP_CipherInit_ex2(ctx, self.ciphers[len(key)], key, nonce, enc, None) == 1
        return ctx

    def update(self, ctx, out, data):
        n = ctypes.c_int(-1)
        assert self.lib.EVP_CipherUpdate(ctx, out, ctypes.byref(n), data, len(data)) == 1 and n.value == len(data)

    def seal(self, key, nonce, aad, text):
        ctx, n = self.start(key, nonce, 1), ctypes.c_int(-1)
        out, tag = ctypes.create_string_buffer(len(text) or 1), ctypes.create_string_buffer(TAG)
        self.update(ctx, None, aad)
        self.update(ctx, out, text)
        assert self.lib.EVP_CipherFinal_ex(ctx, None, ctypes.byref(n)) == 1 and n.value == 0
        assert self.lib.EVP_CIPHER_CTX_ctrl(ctx, 0x10, TAG, tag) == 1
        self.lib.EVP_CIPHER_CTX_free(ctx)
        return out.raw[:len(text)] + tag.raw

    def open(self, key, nonce, aad, sealed):
        ctx, n, text_len = self.start(key, nonce, 0), ctypes.c_int(-1), len(sealed) - TAG
        out = ctypes.create_string_buffer(text_len or 1)
        assert self.lib.EVP_CIPHER_CTX_ctrl(ctx, 0x11, TAG, sealed[text_len:]) == 1
        self.update(ctx, None, aad)
        self.update(ctx, out, sealed[:text_len])
        good = self.lib.EVP_CipherFinal_ex(ctx, None, ctypes.byref(n)) == 1
        self.lib.EVP_CIPHER_CTX_free(ctx)
        assert good or not any(out.raw), "text came out of a forged message"
        return out.raw[:text_len] if good else None


def from_hex(word: str) -> bytes:
    return b"" if word == "-" else bytes.fromhex(word)


def to_hex(data: bytes) -> str:
    return data.hex() or "-"


def main() -> None:
    worker = {"libcrypto": Libcrypto, "cryptography": Cryptography}[sys.argv[1]]()
    print(worker.name)
    for line in sys.stdin:
        verb, *words = line.split()
        answer = getattr(worker, verb)(*map(from_hex, words))
        print("refused" if answer is None else to_hex(answer))


if __name__ == "__main__":
    main()
