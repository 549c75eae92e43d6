/* SPDX-License-Identifier: Apache-2.0
 *
 * What a shared library of bench/peers/ exports: one function, which gives a cipher by its name.
 * abi/src/lib.rs is the same in Rust.
 */
#ifndef HWAEAD_BENCH_PLUGIN_H
#define HWAEAD_BENCH_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plugin_cipher {
    const char *version;
    void *(*key_new)(const uint8_t *key); /* NULL on failure */
    void (*key_free)(void *state);
    bool (*key_set)(void *state, const uint8_t *key);
    /* 12 bytes of nonce, 16 of tag; out and in are disjoint, and no pointer is NULL. False on any failure. */
    bool (*seal)(const void *state, uint8_t *out, uint8_t *tag, const uint8_t *nonce, const uint8_t *aad,
                 size_t aad_len, const uint8_t *in, size_t len);
    bool (*open)(const void *state, uint8_t *out, const uint8_t *tag, const uint8_t *nonce,
                 const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len);
};

/* NULL when the library has no such cipher. The number changes when struct plugin_cipher does. */
#define PLUGIN_SYMBOL "hwaead_bench_cipher_1"
typedef const struct plugin_cipher *plugin_fn(const char *name);

#endif
