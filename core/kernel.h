/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract between the modes and the tiers.
 *
 * A kernel is a const table of functions, one table a tier, chosen at run time and remembered in each key.
 * All field elements are in POLYVAL form (gf128.h); GHASH is a byte reversal at the door.
 */
#ifndef HWAEAD_CORE_KERNEL_H
#define HWAEAD_CORE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include <hwaead/hwaead.h>

#include "bytes.h"

enum { BLOCK = 16, AES_MAX_ROUNDS = 14, GF_POWERS = 8, GCM_KEPT = 320 };

/* The AES key schedule: rounds + 1 round keys, in the order of FIPS 197. */
struct aes_schedule {
    uint8_t rk[(AES_MAX_ROUNDS + 1) * BLOCK];
};

/* H^8 .. H^1, highest power first. */
struct gf_powers {
    uint8_t h[GF_POWERS * BLOCK];
};

/* 368 bytes of state, the same on every tier. The powers come first: a kernel may read up to four blocks
 * past H^1 and multiply them by zero. */
struct gcm_key {
    const struct kernel *kernel; /* NULL: not set, or wiped */
    uint32_t rounds;             /* 10, 12 or 14 */
    uint32_t reserved;
    struct gf_powers powers;
    struct aes_schedule aes;
};

/* A message in progress: copyable by assignment, no pointers. */
struct gcm_msg {
    uint8_t y[BLOCK];     /* GHASH so far, as a field element (bytes reversed), without `block` */
    uint8_t ctr[BLOCK];   /* the last counter block used; J0 at the start */
    uint8_t ej0[BLOCK];   /* E(K, J0), once the text has begun */
    uint8_t ks[BLOCK];    /* key stream of the unfinished text block */
    uint8_t block[BLOCK]; /* unfinished aad or ciphertext block, zero padded: aad_len % 16 bytes of it while
                             the text has not begun, text_len % 16 after */
    uint64_t aad_len;
    uint64_t text_len;

    /* A short text that came at once, which it mostly does, is closed with it: then this is its length, and tag, kept,
     * ctr (J0) and block (the aad) are all that is there. 0 for a message that is open. */
    size_t closed;
    uint8_t tag[BLOCK];
    uint8_t kept[GCM_KEPT]; /* the ciphertext behind BLOCK zeros, zero padded, should the message go on; not a secret */
};

enum { SIV_NONCE = 12 };

/* 240 bytes of state: the schedule of the key-generating key (RFC 8452, 4). */
struct siv_key {
    const struct kernel *kernel; /* NULL: not set, or wiped */
    uint32_t rounds;             /* 10, 12 or 14 */
    uint32_t reserved;
    struct aes_schedule aes;
};

/* A message and its own keys: copyable by assignment, no pointers. The order of the first two matters as in
 * gcm_key. */
struct siv_msg {
    struct gf_powers powers; /* of the message-authentication key, H^1 .. H^npowers so far */
    struct aes_schedule aes; /* of the message-encryption key */
    uint32_t rounds;
    uint32_t npowers;        /* 1 or 8; 0: the message is over */
    uint8_t y[BLOCK];        /* POLYVAL so far, without `block` */
    uint8_t block[BLOCK];    /* the aad_len % 16 bytes of an unfinished aad block, zero padded */
    uint8_t nonce[SIV_NONCE];
    uint64_t aad_len;
    uint64_t text_len;
};

struct kernel {
    const char *name;
    hwaead_tier tier;

    /* key->powers and key->aes from 16, 24 or 32 key bytes, with key->rounds = key_len / 4 + 6 set before. */
    void (*gcm_key_init)(struct gcm_key *key, const uint8_t *key_bytes);

    /* y = (y + block) * H for each block of in[0 .. len), the last one zero padded; y is a field element. */
    void (*ghash)(const struct gf_powers *powers, uint8_t y[BLOCK], const uint8_t *in, size_t len);

    /* A whole message with a nonce of 12 bytes and a tag of 16: out[0 .. len), out == in or disjoint, len may be 0.
     * Opening zeroes out and returns AUTH when the tag is wrong. The order of the arguments is such that few of those
     * of the public functions move. */
    hwaead_err (*gcm_seal)(const struct gcm_key *key, uint8_t *out, uint8_t tag[BLOCK], const uint8_t nonce[12],
                           const uint8_t *in, size_t len, const uint8_t *aad, size_t aad_len);
    hwaead_err (*gcm_open)(const struct gcm_key *key, uint8_t *out, const uint8_t nonce[12],
                           const uint8_t tag[BLOCK], const uint8_t *aad, size_t aad_len, const uint8_t *in,
                           size_t len);

    /* The next len > 0 bytes of text, out == in or disjoint, msg->text_len a multiple of 16. At the first call
     * the pending aad block goes into y and ej0 is filled. Leaves the last len % 16 ciphertext bytes in
     * msg->block with their key stream in msg->ks. */
    void (*gcm_encrypt)(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                        size_t len);
    void (*gcm_decrypt)(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                        size_t len);

    /* The same for a text of 1 to gcm_alone bytes that is the first one, in place or disjoint, with aad_len < 16: as if
     * no more came. Leaves msg closed. */
    void (*gcm_encrypt_alone)(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                              size_t len);
    void (*gcm_decrypt_alone)(const struct gcm_key *key, struct gcm_msg *msg, uint8_t *out, const uint8_t *in,
                              size_t len);
    size_t gcm_alone; /* at most GCM_KEPT - 16 */

    /* tag = the full 16-byte tag of the message, which is open; msg is left for its owner to wipe. */
    void (*gcm_finish)(const struct gcm_key *key, struct gcm_msg *msg, uint8_t tag[BLOCK]);

    /* The schedule of a 16, 24 or 32-byte key: rounds = 10, 12 or 14. */
    void (*aes_expand)(struct aes_schedule *aes, const uint8_t *key_bytes, uint32_t rounds);

    /* out = E(K, in), one block, in place or not. */
    void (*aes_block)(const struct aes_schedule *aes, uint32_t rounds, uint8_t out[BLOCK],
                      const uint8_t in[BLOCK]);

    /* out[0 .. len) = E(K, first) || E(K, inc32(first)) || ..., len > 0. */
    void (*key_stream)(const struct aes_schedule *aes, uint32_t rounds, uint8_t *out, const uint8_t first[BLOCK],
                       size_t len);

    /* A whole message, as of GCM. */
    hwaead_err (*siv_seal)(const struct siv_key *key, uint8_t *out, const uint8_t nonce[SIV_NONCE],
                           const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len, uint8_t tag[BLOCK]);
    hwaead_err (*siv_open)(const struct siv_key *key, uint8_t *out, const uint8_t nonce[SIV_NONCE],
                           const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len,
                           const uint8_t tag[BLOCK]);

    /* The message's own keys: powers, npowers, aes and rounds. */
    void (*siv_derive)(const struct siv_key *key, struct siv_msg *msg, const uint8_t nonce[SIV_NONCE]);

    /* msg->y absorbs in[0 .. len), the last block zero padded. */
    void (*siv_polyval)(struct siv_msg *msg, const uint8_t *in, size_t len);

    /* The text at once, out == in or disjoint, with aad_len and text_len set: the pending aad block, the text and
     * the lengths are hashed. Sealing writes tag; opening takes the tag it was sent and puts the one it should
     * have been in its place, in one pass. */
    void (*siv_seal_text)(struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK], const uint8_t *in, size_t len);
    void (*siv_open_text)(struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK], const uint8_t *in, size_t len);
};

/* The tiers that this CPU and OS can run, best first; NULL past the last (cpu.c). */
const struct kernel *kernel_runnable(size_t i);

/* The kernel of a tier, the best for HWAEAD_TIER_AUTO; NULL when it cannot run here. */
const struct kernel *kernel_of(hwaead_tier tier);

#endif
