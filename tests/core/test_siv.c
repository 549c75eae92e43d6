/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV on one tier: the public API and siv.h against the reference, what they refuse, and the vector files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwaead/hazmat.h>

#include "check.h"
#include "memory.h"
#include "reference.h"
#include "siv.h"
#include "tier.h"
#include "vectors.h"

enum { MAX_TEXT = 1100, MAX_AAD = 300 };

#define SEAL hwaead_siv_seal_with_nonce
#define OPEN hwaead_siv_open_with_nonce

static const size_t key_lens[] = {16, 24, 32};

static void tier_siv_key(hwaead_siv_key *key, const struct kernel *kernel, const uint8_t *bytes, size_t len)
{
    CHECK(hwaead_siv_key_init(key, sizeof *key, bytes, len, kernel->tier) == HWAEAD_OK);
    CHECK(hwaead_siv_key_tier(key) == kernel->tier);
}

static const struct siv_key *inner(const hwaead_siv_key *key)
{
    return (const struct siv_key *)(const void *)key;
}

/* ---- The kernel's entries ---- */

static void test_keys(const struct kernel *kernel)
{
    struct rng rng = {41};
    for (int i = 0; i < 300; i++) {
        size_t key_len = key_lens[i % 3];
        uint8_t bytes[32], nonce[12], auth[16], enc[32], half[REF_BLOCK];
        struct siv_key mine, other;
        struct siv_msg msg;
        struct ref_aes aes;
        const struct kernel *o;
        rng_fill(&rng, bytes, sizeof bytes);
        rng_fill(&rng, nonce, sizeof nonce);
        check_note("SIV key of %zu bytes, %d", key_len, i);
        memset(&mine, 0x11, sizeof mine);
        CHECK(siv_key_init(&mine, kernel, bytes, key_len) == HWAEAD_OK);
        ref_aes_init(&aes, bytes, key_len);
        CHECK(mine.kernel == kernel && mine.rounds == aes.rounds);
        CHECK_BYTES(mine.aes.rk, aes.rk, sizeof aes.rk);
        for (size_t t = 0; (o = kernel_runnable(t)) != NULL; t++) {
            memset(&other, 0xee, sizeof other);
            CHECK(siv_key_init(&other, o, bytes, key_len) == HWAEAD_OK && other.kernel == o);
            other.kernel = kernel;
            CHECK_BYTES(&other, &mine, sizeof mine);
        }

        for (size_t b = 0; b < 2 + key_len / 8; b++) {/* RFC 8452, 4 */
            uint8_t block[REF_BLOCK] = {(uint8_t)b};
            memcpy(block + 4, nonce, 12);
            ref_aes_encrypt(&aes, half, block);
            memcpy(b < 2 ? auth + 8 * b : enc + 8 * (b - 2), half, 8);
        }
        memset(&msg, 0x77, sizeof msg);
        kernel->siv_derive(&mine, &msg, nonce);
        ref_aes_init(&aes, enc, key_len);
        CHECK(msg.rounds == aes.rounds);
        CHECK_BYTES(msg.aes.rk, aes.rk, REF_BLOCK * (aes.rounds + 1));
        CHECK_BYTES(msg.powers.h + sizeof msg.powers.h - BLOCK, auth, BLOCK);

        /* POLYVAL in two calls of any length, and the powers that it made for itself. */
        uint8_t text[400], y[REF_BLOCK] = {0}, padded[800] = {0}, powers[GF_POWERS * BLOCK];
        size_t first = BLOCK * rng_below(&rng, 12), second = rng_below(&rng, 200);
        rng_fill(&rng, text, sizeof text);
        memset(msg.y, 0, sizeof msg.y);
        memset(msg.block, 0, sizeof msg.block);
        if (first != 0)
            kernel->siv_polyval(&msg, text, first);
        if (second != 0)
            kernel->siv_polyval(&msg, text + first, second);
        memcpy(padded, text, first + second);
        ref_polyval(y, auth, padded, (first + second + BLOCK - 1) / BLOCK);
        check_note("POLYVAL of %zu and %zu bytes", first, second);
        CHECK_BYTES(msg.y, y, BLOCK);
        memcpy(powers + sizeof powers - BLOCK, auth, BLOCK);
        for (size_t p = GF_POWERS - 1; p > 0; p--)
            ref_dot(powers + BLOCK * (p - 1), powers + BLOCK * p, auth);
        if (CHECK(msg.npowers >= 1 && msg.npowers <= GF_POWERS)) {
            size_t n = BLOCK * msg.npowers;
            CHECK_BYTES(msg.powers.h + sizeof powers - n, powers + sizeof powers - n, n);
        }
    }
}

/* ---- Messages ---- */

struct bench {
    struct guarded in, out, aad, nonce, tag;
};

static void check_message(struct bench *b, const hwaead_siv_key *key, const uint8_t *bytes, size_t key_len,
                          const uint8_t *nonce_bytes, const uint8_t *aad_bytes, size_t aad_len, const uint8_t *pt,
                          size_t len)
{
    static uint8_t ct[MAX_TEXT];
    uint8_t want[16];
    uint8_t *in = guarded_end(&b->in, len), *out = guarded_end(&b->out, len), *tag = guarded_end(&b->tag, 16);
    uint8_t *aad = guarded_end(&b->aad, aad_len), *nonce = guarded_end(&b->nonce, 12);
    ref_siv_seal(ct, want, bytes, key_len, nonce_bytes, aad_bytes, aad_len, pt, len);
    memcpy(aad, aad_bytes, aad_len);
    memcpy(nonce, nonce_bytes, 12);
    memcpy(in, pt, len);
    memset(out, 0xa5, len);
    check_note("SIV key %zu, aad %zu, text %zu", key_len, aad_len, len);
    CHECK(SEAL(key, out, tag, 16, nonce, 12, aad, aad_len, in, len) == HWAEAD_OK);
    CHECK_BYTES(out, ct, len);
    CHECK_BYTES(tag, want, 16);
    CHECK_BYTES(in, pt, len);
    memset(tag, 0xa5, 16);
    CHECK(SEAL(key, in, tag, 16, nonce, 12, aad, aad_len, in, len) == HWAEAD_OK);
    CHECK_BYTES(in, ct, len);
    CHECK_BYTES(tag, want, 16);
    memset(out, 0xa5, len);
    CHECK(OPEN(key, out, nonce, 12, aad, aad_len, in, len, tag, 16) == HWAEAD_OK);
    CHECK_BYTES(out, pt, len);
    CHECK(OPEN(key, in, nonce, 12, aad, aad_len, in, len, tag, 16) == HWAEAD_OK);
    CHECK_BYTES(in, pt, len);
    tag[len % 16] ^= (uint8_t)(1 << len % 8);
    memset(out, 0xa5, len);
    CHECK(OPEN(key, out, nonce, 12, aad, aad_len, in, len, tag, 16) == HWAEAD_ERR_AUTH);
    CHECK(all_bytes(out, len, 0));
    CHECK(OPEN(key, in, nonce, 12, aad, aad_len, in, len, tag, 16) == HWAEAD_ERR_AUTH);
    CHECK(all_bytes(in, len, 0));
}

static void test_messages(const struct kernel *kernel)
{
    struct rng rng = {42};
    struct bench b = {guarded_new(MAX_TEXT), guarded_new(MAX_TEXT), guarded_new(MAX_AAD), guarded_new(12),
                       guarded_new(16)};
    uint8_t pt[MAX_TEXT], aad[MAX_AAD], nonce[12], bytes[32];
    rng_fill(&rng, pt, sizeof pt);
    rng_fill(&rng, aad, sizeof aad);
    for (size_t k = 0; k < 3; k++) {
        hwaead_siv_key key;
        rng_fill(&rng, bytes, sizeof bytes);
        tier_siv_key(&key, kernel, bytes, key_lens[k]);
        for (size_t len = 0; len <= MAX_TEXT; len++) {
            rng_fill(&rng, nonce, sizeof nonce);
            check_message(&b, &key, bytes, key_lens[k], nonce, aad, len % 41, pt, len);
        }
        for (size_t aad_len = 0; aad_len <= MAX_AAD; aad_len++)
            for (size_t len = 0; len <= 330; len += 110) {
                rng_fill(&rng, nonce, sizeof nonce);
                check_message(&b, &key, bytes, key_lens[k], nonce, aad, aad_len, pt, len);
            }
    }
    guarded_free(&b.in);
    guarded_free(&b.out);
    guarded_free(&b.aad);
    guarded_free(&b.nonce);
    guarded_free(&b.tag);
}

/* Tags whose 32-bit counter is about to wrap, given to the kernel, which opens whatever it is sent: the text under
 * that key stream, and the tag that the text should have had. */
static void test_counter_wrap(const struct kernel *kernel)
{
    struct rng rng = {43};
    uint8_t bytes[32], nonce[12], sent[16], tag[16], ctr[16], in[MAX_TEXT], out[MAX_TEXT], want[MAX_TEXT + 16];
    uint8_t ct[MAX_TEXT], want_tag[16], aad[9] = {1};
    for (uint32_t before = 0; before < 80; before++) {
        size_t key_len = key_lens[before % 3], len = before % 4 == 0 ? 1 + rng_below(&rng,
                                                                                     MAX_TEXT) : MAX_TEXT;
        struct siv_key key;
        struct siv_msg msg;
        struct ref_aes aes = {.rounds = 0};
        rng_fill(&rng, bytes, sizeof bytes);
        rng_fill(&rng, nonce, sizeof nonce);
        rng_fill(&rng, in, sizeof in);
        rng_fill(&rng, sent, sizeof sent);
        if (before % 2 == 0)
            memset(sent, 0xff, sizeof sent);
        uint32_t start = 0 - before;
        for (int i = 0; i < 4; i++)
            sent[i] = (uint8_t)(start >> 8 * i);
        CHECK(siv_key_init(&key, kernel, bytes, key_len) == HWAEAD_OK);
        siv_start(&key, &msg, nonce);
        CHECK(siv_aad(&key, &msg, aad, sizeof aad) == HWAEAD_OK);
        memcpy(aes.rk, msg.aes.rk, sizeof aes.rk);
        aes.rounds = msg.rounds;
        memcpy(ctr, sent, 16);
        ctr[15] |= 0x80;
        for (size_t i = 0; i < MAX_TEXT; i += 16) {
            uint32_t c = start + (uint32_t)(i / 16);
            for (int j = 0; j < 4; j++)
                ctr[j] = (uint8_t)(c >> 8 * j);
            ref_aes_encrypt(&aes, want + i, ctr);
        }
        for (size_t i = 0; i < len; i++)
            want[i] ^= in[i];
        ref_siv_seal(ct, want_tag, bytes, key_len, nonce, aad, sizeof aad, want, len);
        check_note("SIV text of %zu bytes, %u blocks before the wrap", len, before);
        memcpy(tag, sent, sizeof tag);
        msg.text_len = len;
        kernel->siv_open_text(&msg, out, tag, in, len);
        CHECK_BYTES(out, want, len);
        CHECK_BYTES(tag, want_tag, 16);
    }
}

static void test_pieces_of_aad(const struct kernel *kernel)
{
    struct rng rng = {44};
    for (int i = 0; i < 500; i++) {
        uint8_t bytes[32], nonce[12], aad[MAX_AAD], pt[200], ct[200], out[200], want[16], tag[16];
        size_t aad_len = rng_below(&rng, MAX_AAD + 1), len = rng_below(&rng, sizeof pt + 1), most = 1 + rng_below(&rng, 60);
        struct siv_key key;
        struct siv_msg msg;
        rng_fill(&rng, bytes, sizeof bytes);
        rng_fill(&rng, nonce, sizeof nonce);
        rng_fill(&rng, aad, sizeof aad);
        rng_fill(&rng, pt, sizeof pt);
        ref_siv_seal(ct, want, bytes, key_lens[i % 3], nonce, aad, aad_len, pt, len);
        CHECK(siv_key_init(&key, kernel, bytes, key_lens[i % 3]) == HWAEAD_OK);
        check_note("SIV aad of %zu bytes in pieces of up to %zu, text %zu", aad_len, most, len);
        for (int sealing = 0; sealing < 2; sealing++) {
            memset(&msg, 0x77, sizeof msg);
            siv_start(&key, &msg, nonce);
            for (size_t done = 0, n; done < aad_len; done += n) {
                n = rng_below(&rng, (aad_len - done < most ? aad_len - done : most) + 1);
                CHECK(siv_aad(&key, &msg, n == 0 ? NULL : aad + done, n) == HWAEAD_OK);
            }
            struct siv_msg copy = msg;
            memset(&msg, 0x77, sizeof msg);
            memset(out, 0xa5, sizeof out);
            if (sealing)
                CHECK(siv_seal(&key, &copy, out, tag, pt, len) == HWAEAD_OK);
            else
                CHECK(siv_open(&key, &copy, out, ct, len, want) == HWAEAD_OK);
            CHECK_BYTES(out, sealing ? ct : pt, len);
            if (sealing)
                CHECK_BYTES(tag, want, 16);
            CHECK(all_bytes(&copy, sizeof copy, 0)); /* wiped, and over */
            CHECK(siv_aad(&key, &copy, aad, aad_len) == HWAEAD_ERR_NO_KEY);
            CHECK(siv_seal(&key, &copy, out, tag, pt, len) == HWAEAD_ERR_NO_KEY);
            CHECK(siv_open(&key, &copy, out, ct, len, want) == HWAEAD_ERR_NO_KEY);
            CHECK(all_bytes(out + len, sizeof out - len, 0xa5));
        }
    }
}

/* ---- Refusals ---- */

static void test_refusals(const struct kernel *kernel)
{
    static const uint8_t bytes[33] = {1};
    hwaead_siv_key key, no_key;
    uint8_t in[300] = {0}, out[300], tag[16], nonce[13] = {0};
    memset(&no_key, 0, sizeof no_key);
    memset(out, 0x77, sizeof out);
    memset(tag, 0x77, sizeof tag);
    CHECK(hwaead_siv_key_size() == sizeof key);
    for (size_t len = 0; len <= 33; len++)
        if (len != 16 && len != 24 && len != 32) {
            check_note("SIV key of %zu bytes", len);
            CHECK(hwaead_siv_key_init(&key, sizeof key, bytes, len, kernel->tier) == HWAEAD_ERR_KEY_LENGTH);
            CHECK(hwaead_siv_key_tier(&key) == HWAEAD_TIER_AUTO && all_bytes(&key, sizeof key, 0));
        }
    check_note("SIV arguments");
    CHECK(hwaead_siv_key_init(NULL, sizeof key, bytes, 16, kernel->tier) == HWAEAD_ERR_ARGUMENT);
    CHECK(hwaead_siv_key_init(&key, sizeof key - 1, bytes, 16, kernel->tier) == HWAEAD_ERR_ARGUMENT);
    CHECK(hwaead_siv_key_init(&key, sizeof key, NULL, 16, kernel->tier) == HWAEAD_ERR_ARGUMENT);
    CHECK(hwaead_siv_key_init(&key, sizeof key, bytes, 16, (hwaead_tier)99) == HWAEAD_ERR_TIER);
    CHECK(SEAL(&key, out, tag, 16, nonce, 12, in, 8, in, 8) == HWAEAD_ERR_NO_KEY);
    CHECK(OPEN(&no_key, out, nonce, 12, in, 8, in, 8, in, 16) == HWAEAD_ERR_NO_KEY);
    CHECK(hwaead_siv_seal(&no_key, out, 100, in, 8, in, 8) == HWAEAD_ERR_NO_KEY);
    CHECK(hwaead_siv_open(&no_key, out, 100, in, 8, in, 100) == HWAEAD_ERR_NO_KEY);
    tier_siv_key(&key, kernel, bytes, 32);
    CHECK(SEAL(NULL, out, tag, 16, nonce, 12, in, 8, in, 8) == HWAEAD_ERR_ARGUMENT);
    CHECK(SEAL(&key, NULL, tag, 16, nonce, 12, in, 8, in, 8) == HWAEAD_ERR_ARGUMENT);
    CHECK(SEAL(&key, out, NULL, 16, nonce, 12, in, 8, in, 8) == HWAEAD_ERR_ARGUMENT);
    CHECK(SEAL(&key, out, tag, 16, NULL, 12, in, 8, in, 8) == HWAEAD_ERR_ARGUMENT);
    CHECK(SEAL(&key, out, tag, 16, nonce, 12, NULL, 8, in, 8) == HWAEAD_ERR_ARGUMENT);
    CHECK(SEAL(&key, out, tag, 16, nonce, 12, in, 8, NULL, 8) == HWAEAD_ERR_ARGUMENT);
    CHECK(OPEN(&key, out, nonce, 12, in, 8, in, 8, NULL, 16) == HWAEAD_ERR_ARGUMENT);
    for (size_t n = 0; n <= 20; n++) {
        check_note("SIV nonce or tag of %zu bytes", n);
        if (n != 12) {
            CHECK(SEAL(&key, out, tag, 16, in, n, in, 8, in, 8) == HWAEAD_ERR_NONCE_LENGTH);
            CHECK(OPEN(&key, out, in, n, in, 8, in, 8, in, 16) == HWAEAD_ERR_NONCE_LENGTH);
        }
        if (n != 16) {
            CHECK(SEAL(&key, out, tag, n, nonce, 12, in, 8, in, 8) == HWAEAD_ERR_TAG_LENGTH);
            CHECK(OPEN(&key, out, nonce, 12, in, 8, in, 8, in, n) == HWAEAD_ERR_TAG_LENGTH);
        }
    }
    check_note("SIV limits");
    size_t limit = (size_t)1 << 36, over = limit + 1; /* RFC 8452, 6 */
    CHECK(SEAL(&key, out, tag, 16, nonce, 12, NULL, 0, in, over) == HWAEAD_ERR_TOO_LONG);
    CHECK(OPEN(&key, out, nonce, 12, NULL, 0, in, over, tag, 16) == HWAEAD_ERR_TOO_LONG);
    CHECK(SEAL(&key, out, tag, 16, nonce, 12, in, over, in, 16) == HWAEAD_ERR_TOO_LONG);
    CHECK(OPEN(&key, out, nonce, 12, in, over, in, 16, tag, 16) == HWAEAD_ERR_TOO_LONG);
    CHECK(hwaead_siv_seal(&key, out, SIZE_MAX, NULL, 0, in, SIZE_MAX - 20) == HWAEAD_ERR_TOO_LONG);
    CHECK(hwaead_siv_open(&key, out, SIZE_MAX, NULL, 0, in, SIZE_MAX) == HWAEAD_ERR_TOO_LONG);
    CHECK(hwaead_siv_open(&key, out, 20, NULL, 0, in, SIZE_MAX) == HWAEAD_ERR_TOO_LONG);
    CHECK(hwaead_siv_open(&key, out, 20, NULL, 0, in, over + HWAEAD_SIV_OVERHEAD) == HWAEAD_ERR_TOO_LONG);
    struct siv_msg msg, before;
    siv_start(inner(&key), &msg, nonce);
    msg.aad_len = limit - 3;
    before = msg;
    CHECK(siv_aad(inner(&key), &msg, in, 4) == HWAEAD_ERR_TOO_LONG);
    CHECK(siv_aad(inner(&key), &msg, in, SIZE_MAX) == HWAEAD_ERR_TOO_LONG);
    CHECK(siv_seal(inner(&key), &msg, out + 1, tag, out, limit) == HWAEAD_ERR_OVERLAP); /* not too long */
    CHECK(SEAL(&key, out + 1, tag, 16, nonce, 12, NULL, 0, out, limit) == HWAEAD_ERR_OVERLAP);
    CHECK(SEAL(&key, out, tag, 16, nonce, 12, out, limit, in, 16) == HWAEAD_ERR_OVERLAP);
    CHECK(siv_seal(inner(&key), &msg, out, tag, in, over) == HWAEAD_ERR_TOO_LONG);
    CHECK(siv_open(inner(&key), &msg, out, in, over, tag) == HWAEAD_ERR_TOO_LONG);
    CHECK(siv_seal(inner(&key), &msg, out, tag, out + 1, 20) == HWAEAD_ERR_OVERLAP);
    CHECK(siv_open(inner(&key), &msg, out, out + 1, 20, tag) == HWAEAD_ERR_OVERLAP);
    CHECK_BYTES(&msg, &before, sizeof msg);
    for (size_t n = 0; n < HWAEAD_SIV_OVERHEAD + 20; n++) {
        check_note("SIV: %zu bytes are too short", n);
        CHECK(hwaead_siv_seal(&key, out, n, NULL, 0, in, 20) == HWAEAD_ERR_TOO_SHORT);
        if (n < HWAEAD_SIV_OVERHEAD)
            CHECK(hwaead_siv_open(&key, out, 100, NULL, 0, in, n) == HWAEAD_ERR_TOO_SHORT);
        if (n < 20)
            CHECK(hwaead_siv_open(&key, out, n, NULL, 0, in, 48) == HWAEAD_ERR_TOO_SHORT);
    }
    CHECK(all_bytes(out, sizeof out, 0x77) && all_bytes(tag, sizeof tag, 0x77));

    uint8_t room[300];
    memset(room, 0x77, sizeof room);
    for (size_t len = 1; len <= 40; len += 13) {
        for (size_t at = 100 - len + 1; at < 100 + len; at++) {
            check_note("SIV text %zu, in at out + %td", len, (ptrdiff_t)at - 100);
            if (at != 100) {
                CHECK(SEAL(&key, room + 100, tag, 16, nonce, 12, NULL, 0, room + at, len) ==
                      HWAEAD_ERR_OVERLAP);
                CHECK(OPEN(&key, room + 100, nonce, 12, NULL, 0, room + at, len, tag, 16) ==
                      HWAEAD_ERR_OVERLAP);
            }
            CHECK(SEAL(&key, room + 100, tag, 16, nonce, 12, room + at, len, in, len) == HWAEAD_ERR_OVERLAP);
            CHECK(OPEN(&key, room + 100, nonce, 12, room + at, len, in, len, tag, 16) == HWAEAD_ERR_OVERLAP);
        }
        for (size_t at = 100 - 16 + 1; at < 100 + len; at++) {
            check_note("SIV text %zu, tag at text + %td", len, (ptrdiff_t)at - 100);
            CHECK(SEAL(&key, room + 100, room + at, 16, nonce, 12, NULL, 0, in, len) == HWAEAD_ERR_OVERLAP);
            CHECK(SEAL(&key, out, room + at, 16, nonce, 12, NULL, 0, room + 100, len) == HWAEAD_ERR_OVERLAP);
            CHECK(SEAL(&key, out, room + at, 16, nonce, 12, room + 100, len, in, len) == HWAEAD_ERR_OVERLAP);
            CHECK(OPEN(&key, room + 100, nonce, 12, NULL, 0, in, len, room + at, 16) == HWAEAD_ERR_OVERLAP);
        }
        for (size_t at = 100 - len + 1; at < 100 + len + 28; at++) {
            check_note("SIV text %zu at sealed + %td", len, (ptrdiff_t)at - 100);
            if (at == 112)
                continue;
            CHECK(hwaead_siv_seal(&key, room + 100, len + 28, NULL, 0, room + at, len) == HWAEAD_ERR_OVERLAP);
            CHECK(hwaead_siv_open(&key, room + at, len, NULL, 0, room + 100, len + 28) == HWAEAD_ERR_OVERLAP);
        }
    }
    CHECK(all_bytes(room, sizeof room, 0x77) && all_bytes(out, sizeof out, 0x77));

    check_note("SIV key, wiped");
    hwaead_siv_key_wipe(&key);
    hwaead_siv_key_wipe(NULL);
    CHECK(all_bytes(&key, sizeof key, 0));
    CHECK(hwaead_siv_key_tier(&key) == HWAEAD_TIER_AUTO);
}

static void test_flipped_bits(const struct kernel *kernel)
{
    static const size_t lens[] = {0, 1, 16, 33, 130};
    static const uint8_t bytes[32] = {3};
    struct rng rng = {45};
    hwaead_siv_key key;
    tier_siv_key(&key, kernel, bytes, 32);
    for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        uint8_t all[12 + 20 + 130 + 16], *nonce = all, *aad = all + 12, *ct = all + 32, *tag = ct + lens[l], out[130];
        size_t len = lens[l], n = 32 + len + 16;
        rng_fill(&rng, all, sizeof all);
        CHECK(SEAL(&key, ct, tag, 16, nonce, 12, aad, 20, ct, len) == HWAEAD_OK);
        for (size_t bit = 0; bit <= 8 * n; bit++) {
            if (bit < 8 * n)
                all[bit / 8] ^= (uint8_t)(1 << bit % 8);
            memset(out, 0x77, sizeof out);
            check_note("SIV text %zu, bit %zu of %zu", len, bit, 8 * n);
            CHECK(OPEN(&key, out, nonce, 12, aad, 20, ct, len, tag, 16) ==
                  (bit < 8 * n ? HWAEAD_ERR_AUTH : HWAEAD_OK));
            CHECK(bit == 8 * n || all_bytes(out, len, 0));
            CHECK(all_bytes(out + len, sizeof out - len, 0x77));
            if (bit < 8 * n)
                all[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

static void test_random_nonce(const struct kernel *kernel)
{
    static const uint8_t bytes[32] = {4};
    struct rng rng = {46};
    hwaead_siv_key key;
    uint8_t pt[300], ct[300], sealed[300 + HWAEAD_SIV_OVERHEAD], last[12] = {0}, aad[10] = {5}, want[16];
    tier_siv_key(&key, kernel, bytes, 16);
    for (size_t len = 0; len <= sizeof pt; len++) {
        rng_fill(&rng, pt, len);
        memcpy(sealed + 12, pt, len);
        check_note("SIV random nonce, text %zu", len);
        CHECK(hwaead_siv_seal(&key, sealed, len + 28, aad, 10, len % 2 == 0 ? pt : sealed + 12, len) ==
              HWAEAD_OK);
        ref_siv_seal(ct, want, bytes, 16, sealed, aad, 10, pt, len);
        CHECK_BYTES(sealed + 12, ct, len);
        CHECK_BYTES(sealed + 12 + len, want, 16);
        CHECK(memcmp(sealed, last, 12) != 0);
        memcpy(last, sealed, 12);
        CHECK(hwaead_siv_open(&key, sealed + 12, len, aad, 10, sealed, len + 28) == HWAEAD_OK);
        CHECK_BYTES(sealed + 12, pt, len);
    }
}

/* ---- Vectors ---- */

static void run_vectors(const struct kernel *kernel, const char *dir, const char *file)
{
    struct vectors *v = vectors_open(dir, file);
    while (vectors_next(v)) {
        size_t key_len, iv_len, aad_len, ct_len, tag_len, pt_len;
        const uint8_t *bytes = vectors_hex(v, "key", &key_len), *iv = vectors_hex(v, "iv", &iv_len);
        const uint8_t *aad = vectors_hex(v, "aad", &aad_len), *ct = vectors_hex(v, "ct", &ct_len);
        const uint8_t *tag = vectors_hex(v, "tag", &tag_len);
        uint8_t *out = malloc(ct_len), made[16];
        hwaead_siv_key key;
        check_note("%s", vectors_where(v));
        tier_siv_key(&key, kernel, bytes, key_len);
        memset(out, 0xa5, ct_len);
        hwaead_err err = OPEN(&key, out, iv, iv_len, aad, aad_len, ct, ct_len, tag, tag_len);
        if (vectors_valid(v)) {
            const uint8_t *pt = vectors_hex(v, "pt", &pt_len);
            CHECK(err == HWAEAD_OK && pt_len == ct_len);
            CHECK_BYTES(out, pt, ct_len);
            CHECK(SEAL(&key, out, made, 16, iv, iv_len, aad, aad_len, pt, pt_len) == HWAEAD_OK);
            CHECK_BYTES(out, ct, ct_len);
            CHECK_BYTES(made, tag, 16);
        } else {
            CHECK(err != HWAEAD_OK);
            CHECK(all_bytes(out, ct_len, err == HWAEAD_ERR_AUTH ? 0 : 0xa5));
        }
        free(out);
    }
    check_note("%s: %zu cases", file, vectors_count(v));
    CHECK(vectors_count(v) == vectors_expected(dir, file));
    printf("%s: %zu cases\n", file, vectors_count(v));
    vectors_close(v);
}

static int test_vectors(const struct kernel *kernel)
{
    const char *dir = vectors_dir(), *file;
    if (dir == NULL)
        return vectors_missing();
    size_t files = 0;
    for (; (file = vectors_file(dir, "aes_gcm_siv.", files)) != NULL; files++)
        run_vectors(kernel, dir, file);
    check_note("no files");
    CHECK(files > 0);
    return 0;
}

int main(int argc, char **argv)
{
    bool vectors = argc == 3 && strcmp(argv[2], "vectors") == 0;
    const struct kernel *kernel = tier_from_args(vectors ? 2 : argc, argv);
    if (vectors) {
        int missing = test_vectors(kernel);
        return missing != 0 ? missing : check_done();
    }
    test_keys(kernel);
    test_messages(kernel);
    test_counter_wrap(kernel);
    test_pieces_of_aad(kernel);
    test_refusals(kernel);
    test_flipped_bits(kernel);
    test_random_nonce(kernel);
    return check_done();
}
