"""Asks the system's libcrypto through ctypes, in a process of its own. Prints one line for each argument.

    NAME              the provider that serves the cipher or digest NAME, or "none"
    random            the provider of the generator that RAND_bytes draws from
    generator         the name of that generator
    secure            1 when the kernel says that this is a set-uid-like start (AT_SECURE)
    load:FILE         loads the configuration FILE into the default library context, prints "loaded" or "failed"
    seal:FILE         the tag of one AES-256-GCM message sealed in a new library context that has loaded FILE; the
                      context is freed only after the next one is in use
    leak              makes an AES-256-GCM context with a key and loses it
"""

import ctypes
import ctypes.util
import sys

lib = ctypes.CDLL(ctypes.util.find_library("crypto"))
for name, result in (("EVP_CIPHER_fetch", ctypes.c_void_p), ("EVP_MD_fetch", ctypes.c_void_p),
                     ("EVP_CIPHER_get0_provider", ctypes.c_void_p), ("EVP_MD_get0_provider", ctypes.c_void_p),
                     ("OSSL_PROVIDER_get0_name", ctypes.c_char_p), ("OSSL_LIB_CTX_new", ctypes.c_void_p),
                     ("EVP_CIPHER_CTX_new", ctypes.c_void_p), ("RAND_get0_primary", ctypes.c_void_p),
                     ("EVP_RAND_CTX_get0_rand", ctypes.c_void_p), ("EVP_RAND_get0_provider", ctypes.c_void_p),
                     ("EVP_RAND_get0_name", ctypes.c_char_p)):
    getattr(lib, name).restype = result
pointer = ctypes.c_void_p


def provider_of(name: str, context=None) -> str:
    for fetch, ask in ((lib.EVP_CIPHER_fetch, lib.EVP_CIPHER_get0_provider),
                       (lib.EVP_MD_fetch, lib.EVP_MD_get0_provider)):
        found = fetch(pointer(context), name.encode(), None)
        if found:
            return lib.OSSL_PROVIDER_get0_name(pointer(ask(pointer(found)))).decode()
    return "none"


def seal(context) -> str:
    cipher = pointer(lib.EVP_CIPHER_fetch(pointer(context), b"AES-256-GCM", None))
    ctx = pointer(lib.EVP_CIPHER_CTX_new())
    text = ctypes.create_string_buffer(b"two contexts", 12)
    tag = ctypes.create_string_buffer(16)
    n = ctypes.c_int()
    good = (lib.EVP_EncryptInit_ex2(ctx, cipher, bytes(32), bytes(12), None)
            and lib.EVP_EncryptUpdate(ctx, text, ctypes.byref(n), text, 12)
            and lib.EVP_EncryptFinal_ex(ctx, None, ctypes.byref(n))
            and lib.EVP_CIPHER_CTX_ctrl(ctx, 0x10, 16, tag))
    lib.EVP_CIPHER_CTX_free(ctx)
    lib.EVP_CIPHER_free(cipher)
    return f"{provider_of('AES-256-GCM', context)} {tag.raw.hex()}" if good else "failed"


def random(verb: str) -> str:
    primary = lib.RAND_get0_primary(None)
    if not primary or lib.RAND_bytes(ctypes.create_string_buffer(32), 32) != 1:
        return "none"
    rand = pointer(lib.EVP_RAND_CTX_get0_rand(pointer(primary)))
    if verb == "generator":
        return lib.EVP_RAND_get0_name(rand).decode()
    return lib.OSSL_PROVIDER_get0_name(pointer(lib.EVP_RAND_get0_provider(rand))).decode()


def leak() -> str:
    cipher = pointer(lib.EVP_CIPHER_fetch(None, b"AES-256-GCM", None))
    good = lib.EVP_EncryptInit_ex2(pointer(lib.EVP_CIPHER_CTX_new()), cipher, bytes(32), bytes(12), None)
    return "lost" if good else "failed"


def main() -> None:
    before = None
    for argument in sys.argv[1:]:
        verb, _, file = argument.partition(":")
        if argument == "secure":
            print(ctypes.CDLL(None).getauxval(23))
        elif argument in ("random", "generator"):
            print(random(argument))
        elif argument == "leak":
            print(leak())
        elif verb == "load":
            print("loaded" if lib.OSSL_LIB_CTX_load_config(None, file.encode()) == 1 else "failed")
        elif verb == "seal":
            context = lib.OSSL_LIB_CTX_new()
            if lib.OSSL_LIB_CTX_load_config(pointer(context), file.encode()) != 1:
                print("failed")
                continue
            if before:
                lib.OSSL_LIB_CTX_free(pointer(before))
            before = context
            print(seal(context))
        else:
            print(provider_of(argument))


main()
