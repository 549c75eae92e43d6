/* SPDX-License-Identifier: Apache-2.0
 *
 * What AES-GCM has to refuse, with which error, and that it leaves the outputs untouched or zeroed then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwaead/hazmat.h>

#include "check.h"
#include "gcm.h"
#include "memory.h"
#include "reference.h"
#include "tier.h"

enum { ERRORS = HWAEAD_ERR_ENTROPY + 1 };

/* SP 800-38D, 5.2.1.1, in bytes: 2^39 - 256 bits and 2^64 - 1 bits. */
static const size_t MAX_TEXT = ((size_t)1 << 36) - 32, MAX_AAD = ((size_t)1 << 61) - 1;

/* Which errors came back at least once. */
static bool raised[ERRORS];

static hwaead_err seen(hwaead_err err)
{
    if (CHECK((unsigned)err < ERRORS))
        raised[err] = true;
    return err;
}

#define REFUSED(err, call) CHECK(seen(call) == (err))

static hwaead_gcm_key some_key(const struct kernel *kernel)
{
    static const uint8_t bytes[32] = {1, 2, 3};
    hwaead_gcm_key key;
    tier_key(&key, kernel, bytes, 32);
    return key;
}

/* ---- Keys ---- */

static void test_key_init(const struct kernel *kernel)
{
    uint8_t bytes[300] = {7}, ct[4], tag[16], nonce[12] = {0};
    hwaead_gcm_key key;
    const size_t size = hwaead_gcm_key_size();
    CHECK(size <= sizeof key);
    for (size_t len = 0; len <= sizeof bytes; len++) {
        if (len == 16 || len == 24 || len == 32)
            continue;
        key = some_key(kernel); /* a good key, which a failed init must not leave in force */
        check_note("key of %zu bytes", len);
        REFUSED(HWAEAD_ERR_KEY_LENGTH, hwaead_gcm_key_init(&key, sizeof key, bytes, len, kernel->tier));
        CHECK(hwaead_gcm_key_tier(&key) == HWAEAD_TIER_AUTO);
        CHECK(all_bytes(&key, size, 0));
        REFUSED(HWAEAD_ERR_NO_KEY,
                hwaead_gcm_seal_with_nonce(&key, ct, tag, 16, nonce, 12, NULL, 0, bytes, 4));
    }
    check_note("key init with bad arguments");
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_key_init(NULL, sizeof key, bytes, 16, kernel->tier));
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_key_init(NULL, 0, NULL, 0, kernel->tier));
    for (size_t n = 0; n < size; n++) {
        memset(&key, 0x77, sizeof key);
        REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_key_init(&key, n, bytes, 16, kernel->tier));
        CHECK(all_bytes((uint8_t *)&key + n, sizeof key - n, 0x77)); /* nothing past what is the caller's */
    }
    key = some_key(kernel);
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_key_init(&key, sizeof key, NULL, 16, kernel->tier));
    REFUSED(HWAEAD_ERR_NO_KEY, hwaead_gcm_seal_with_nonce(&key, ct, tag, 16, nonce, 12, NULL, 0, bytes, 4));
    hwaead_err err = hwaead_gcm_key_init(&key, sizeof key, NULL, 0, kernel->tier);
    CHECK(err == HWAEAD_ERR_ARGUMENT || err == HWAEAD_ERR_KEY_LENGTH);

    static const int unknown[] = {6, 7, 17, 99, 255, 0x7fffffff, -1};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        hwaead_tier tier;
        memcpy(&tier, &unknown[i], sizeof tier);
        key = some_key(kernel);
        check_note("tier %d", unknown[i]);
        REFUSED(HWAEAD_ERR_TIER, hwaead_gcm_key_init(&key, sizeof key, bytes, 16, tier));
        CHECK(hwaead_gcm_key_tier(&key) == HWAEAD_TIER_AUTO);
        REFUSED(HWAEAD_ERR_NO_KEY,
                hwaead_gcm_seal_with_nonce(&key, ct, tag, 16, nonce, 12, NULL, 0, bytes, 4));
    }

    check_note("key bytes inside the key");
    for (size_t at = 0; at <= sizeof key; at += 8) {/* untouched, as with every overlap */
        _Alignas(8) uint8_t room[2 * sizeof key], before[2 * sizeof key];
        memset(room, 0x77, sizeof room);
        memcpy(before, room, sizeof room);
        hwaead_gcm_key *there = (hwaead_gcm_key *)(void *)(room + 16);
        if (at < 16 + sizeof key)
            REFUSED(HWAEAD_ERR_OVERLAP, hwaead_gcm_key_init(there, sizeof key, room + at, 24, kernel->tier));
        CHECK_BYTES(room, before, sizeof room);
    }

    check_note("the size asked for is enough");
    CHECK(hwaead_gcm_key_init(&key, size, bytes, 32, kernel->tier) == HWAEAD_OK);
    CHECK(hwaead_gcm_key_init(&key, 10 * size, bytes, 32, kernel->tier) == HWAEAD_OK);
    CHECK(hwaead_gcm_key_tier(&key) == kernel->tier);
}

static void test_no_key(const struct kernel *kernel)
{
    uint8_t in[64] = {0}, out[64], tag[16], nonce[12] = {0};
    hwaead_gcm_key wiped = some_key(kernel), never;
    const hwaead_gcm_key *keys[] = {&wiped, &never};
    memset(&never, 0, sizeof never);
    hwaead_gcm_key_wipe(&wiped);
    CHECK(all_bytes(&wiped, sizeof wiped, 0));
    hwaead_gcm_key_wipe(&wiped);
    hwaead_gcm_key_wipe(NULL);
    memset(out, 0x77, sizeof out);
    memset(tag, 0x77, sizeof tag);
    for (size_t i = 0; i < 2; i++) {
        check_note("%s key", i == 0 ? "wiped" : "never set");
        CHECK(hwaead_gcm_key_tier(keys[i]) == HWAEAD_TIER_AUTO);
        REFUSED(HWAEAD_ERR_NO_KEY,
                hwaead_gcm_seal_with_nonce(keys[i], out, tag, 16, nonce, 12, NULL, 0, in, 32));
        REFUSED(HWAEAD_ERR_NO_KEY,
                hwaead_gcm_open_with_nonce(keys[i], out, nonce, 12, NULL, 0, in, 32, in + 32, 16));
        REFUSED(HWAEAD_ERR_NO_KEY, hwaead_gcm_seal(keys[i], out, sizeof out, NULL, 0, in, 32));
        REFUSED(HWAEAD_ERR_NO_KEY, hwaead_gcm_open(keys[i], out, sizeof out, NULL, 0, in, 60));
        CHECK(all_bytes(out, sizeof out, 0x77) && all_bytes(tag, sizeof tag, 0x77));
    }
}

/* ---- NULL and nothing ---- */

static void test_null(const struct kernel *kernel)
{
    uint8_t in[64] = {0}, out[64], tag[16], nonce[12] = {0};
    const hwaead_gcm_key key = some_key(kernel);
    memset(out, 0x77, sizeof out);
    memset(tag, 0x77, sizeof tag);
    check_note("NULL with a length");
#define SEAL hwaead_gcm_seal_with_nonce
#define OPEN hwaead_gcm_open_with_nonce
    REFUSED(HWAEAD_ERR_ARGUMENT, SEAL(NULL, out, tag, 16, nonce, 12, in, 8, in, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, SEAL(&key, NULL, tag, 16, nonce, 12, in, 8, in, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, SEAL(&key, out, NULL, 16, nonce, 12, in, 8, in, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, SEAL(&key, out, tag, 16, NULL, 12, in, 8, in, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, SEAL(&key, out, tag, 16, nonce, 12, NULL, 8, in, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, SEAL(&key, out, tag, 16, nonce, 12, in, 8, NULL, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, OPEN(NULL, out, nonce, 12, in, 8, in, 8, in, 16));
    REFUSED(HWAEAD_ERR_ARGUMENT, OPEN(&key, NULL, nonce, 12, in, 8, in, 8, in, 16));
    REFUSED(HWAEAD_ERR_ARGUMENT, OPEN(&key, out, NULL, 12, in, 8, in, 8, in, 16));
    REFUSED(HWAEAD_ERR_ARGUMENT, OPEN(&key, out, nonce, 12, NULL, 8, in, 8, in, 16));
    REFUSED(HWAEAD_ERR_ARGUMENT, OPEN(&key, out, nonce, 12, in, 8, NULL, 8, in, 16));
    REFUSED(HWAEAD_ERR_ARGUMENT, OPEN(&key, out, nonce, 12, in, 8, in, 8, NULL, 16));
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_seal(NULL, out, sizeof out, in, 8, in, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_seal(&key, NULL, sizeof out, in, 8, in, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_seal(&key, out, sizeof out, NULL, 8, in, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_seal(&key, out, sizeof out, in, 8, NULL, 8));
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_open(NULL, out, sizeof out, in, 8, in, 36));
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_open(&key, NULL, sizeof out, in, 8, in, 36));
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_open(&key, out, sizeof out, NULL, 8, in, 36));
    REFUSED(HWAEAD_ERR_ARGUMENT, hwaead_gcm_open(&key, out, sizeof out, in, 8, NULL, 36));

    check_note("NULL and other nonces of no bytes");
    REFUSED(HWAEAD_ERR_NONCE_LENGTH, SEAL(&key, out, tag, 16, NULL, 0, in, 8, in, 8));
    REFUSED(HWAEAD_ERR_NONCE_LENGTH, SEAL(&key, out, tag, 16, nonce, 0, in, 8, in, 8));
    REFUSED(HWAEAD_ERR_NONCE_LENGTH, OPEN(&key, out, NULL, 0, in, 8, in, 8, in, 16));
    REFUSED(HWAEAD_ERR_NONCE_LENGTH, OPEN(&key, out, nonce, 0, in, 8, in, 8, in, 16));
    struct gcm_msg msg;
    CHECK(gcm_start((const struct gcm_key *)(const void *)&key, &msg, NULL, 0) == HWAEAD_ERR_NONCE_LENGTH);
    CHECK(all_bytes(out, sizeof out, 0x77) && all_bytes(tag, sizeof tag, 0x77));

    check_note("NULL with no length");
    CHECK(SEAL(&key, NULL, tag, 16, nonce, 12, NULL, 0, NULL, 0) == HWAEAD_OK);
    CHECK(OPEN(&key, NULL, nonce, 12, NULL, 0, NULL, 0, tag, 16) == HWAEAD_OK);
    tag[15] ^= 0x80;
    REFUSED(HWAEAD_ERR_AUTH, OPEN(&key, NULL, nonce, 12, NULL, 0, NULL, 0, tag, 16));
    CHECK(hwaead_gcm_seal(&key, out, HWAEAD_GCM_OVERHEAD, NULL, 0, NULL, 0) == HWAEAD_OK);
    CHECK(hwaead_gcm_open(&key, NULL, 0, NULL, 0, out, HWAEAD_GCM_OVERHEAD) == HWAEAD_OK);
}

/* ---- Lengths ---- */

static void test_tag_lengths(const struct kernel *kernel)
{
    static const size_t odd[] = {0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 17, 18, 32, 128, SIZE_MAX};
    const hwaead_gcm_key key = some_key(kernel);
    uint8_t in[20] = {0}, out[20], tag[128], nonce[12] = {0};
    memset(out, 0x77, sizeof out);
    memset(tag, 0x77, sizeof tag);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        check_note("tag of %zu bytes", odd[i]);
        REFUSED(HWAEAD_ERR_TAG_LENGTH, SEAL(&key, out, tag, odd[i], nonce, 12, in, 8, in, sizeof in));
        REFUSED(HWAEAD_ERR_TAG_LENGTH, OPEN(&key, out, nonce, 12, in, 8, in, sizeof in, tag, odd[i]));
        CHECK(all_bytes(out, sizeof out, 0x77) && all_bytes(tag, sizeof tag, 0x77));
    }
    REFUSED(HWAEAD_ERR_TAG_LENGTH, SEAL(&key, out, NULL, 0, nonce, 12, in, 8, in, sizeof in));
    REFUSED(HWAEAD_ERR_TAG_LENGTH, OPEN(&key, out, nonce, 12, in, 8, in, sizeof in, NULL, 0));
}

/* The limits of SP 800-38D, 5.2.1.1, on memory of which every byte faults. */
static void test_limits(const struct kernel *kernel)
{
    const size_t room = MAX_TEXT + (1u << 20);
    static const size_t over[] = {1, 2, 15, 16, 32, 4096};
    const hwaead_gcm_key key = some_key(kernel);
    uint8_t nonce[12] = {0}, tag[16], small[64] = {0};
    uint8_t *in = forbidden_new(room), *out = forbidden_new(room);
    memset(tag, 0x77, sizeof tag);
    if (in == NULL || out == NULL) {
        printf("note: no address space of 2 * 64 GiB here, the one-shot limits on it are not tested\n");
    } else {
        for (size_t i = 0; i < sizeof over / sizeof over[0]; i++) {
            size_t len = MAX_TEXT + over[i];
            check_note("text %zu over the limit", over[i]);
            REFUSED(HWAEAD_ERR_TOO_LONG, SEAL(&key, out, tag, 16, nonce, 12, NULL, 0, in, len));
            REFUSED(HWAEAD_ERR_TOO_LONG, SEAL(&key, in, tag, 16, nonce, 12, NULL, 0, in, len));
            REFUSED(HWAEAD_ERR_TOO_LONG, OPEN(&key, out, nonce, 12, NULL, 0, in, len, tag, 16));
            REFUSED(HWAEAD_ERR_TOO_LONG, OPEN(&key, in, nonce, 12, NULL, 0, in, len, tag, 16));
            REFUSED(HWAEAD_ERR_TOO_LONG, hwaead_gcm_seal(&key, out, room, NULL, 0, in, len));
            REFUSED(HWAEAD_ERR_TOO_LONG,
                    hwaead_gcm_open(&key, out, room, NULL, 0, in, len + HWAEAD_GCM_OVERHEAD));
        }
        check_note("text at the limit, which only the overlap keeps from being read");
        REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, in + 1, tag, 16, nonce, 12, NULL, 0, in, MAX_TEXT));
        REFUSED(HWAEAD_ERR_OVERLAP, OPEN(&key, in + 1, nonce, 12, NULL, 0, in, MAX_TEXT, tag, 16));
        REFUSED(HWAEAD_ERR_OVERLAP, hwaead_gcm_seal(&key, in, room, NULL, 0, in + 1, MAX_TEXT));
        REFUSED(HWAEAD_ERR_OVERLAP,
                hwaead_gcm_open(&key, in, room, NULL, 0, in, MAX_TEXT + HWAEAD_GCM_OVERHEAD));
    }
    static const size_t absurd[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 27, SIZE_MAX - 28, SIZE_MAX / 2,
                                     (size_t)1 << 61, (size_t)1 << 36};
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        uint8_t other[64] = {0};
        check_note("text of %#zx bytes", absurd[i]);
        REFUSED(HWAEAD_ERR_TOO_LONG, SEAL(&key, other, tag, 16, nonce, 12, NULL, 0, small, absurd[i]));
        REFUSED(HWAEAD_ERR_TOO_LONG, OPEN(&key, other, nonce, 12, NULL, 0, small, absurd[i], tag, 16));
        REFUSED(HWAEAD_ERR_TOO_LONG, hwaead_gcm_seal(&key, other, SIZE_MAX, NULL, 0, small, absurd[i]));
        REFUSED(HWAEAD_ERR_TOO_LONG, hwaead_gcm_seal(&key, other, sizeof other, NULL, 0, small, absurd[i]));
        if (absurd[i] > MAX_TEXT + HWAEAD_GCM_OVERHEAD) {
            REFUSED(HWAEAD_ERR_TOO_LONG, hwaead_gcm_open(&key, other, SIZE_MAX, NULL, 0, small, absurd[i]));
            REFUSED(HWAEAD_ERR_TOO_LONG, hwaead_gcm_open(&key, other, sizeof other, NULL, 0, small, absurd[i]));
        }
        if (absurd[i] > MAX_AAD) {
            check_note("aad of %#zx bytes", absurd[i]);
            REFUSED(HWAEAD_ERR_TOO_LONG, SEAL(&key, other, tag, 16, nonce, 12, small, absurd[i], small, 16));
            REFUSED(HWAEAD_ERR_TOO_LONG, OPEN(&key, other, nonce, 12, small, absurd[i], small, 16, tag, 16));
            REFUSED(HWAEAD_ERR_TOO_LONG, hwaead_gcm_seal(&key, other, 64, small, absurd[i], small, 16));
            REFUSED(HWAEAD_ERR_TOO_LONG, hwaead_gcm_open(&key, other, 64, small, absurd[i], small, 40));
        }
        CHECK(all_bytes(other, sizeof other, 0) && all_bytes(tag, sizeof tag, 0x77));
    }
    if (in != NULL)
        forbidden_free(in, room);
    if (out != NULL)
        forbidden_free(out, room);
}

/* The same limits for messages in pieces: a message that claims to have come almost there. */
static void test_streaming_limits(const struct kernel *kernel)
{
    const hwaead_gcm_key public_key = some_key(kernel);
    const struct gcm_key *key = (const struct gcm_key *)(const void *)&public_key;
    uint8_t in[80] = {0}, out[80], untouched[80], nonce[12] = {0};
    memset(untouched, 0x77, sizeof untouched);
    for (size_t left = 0; left < 70; left++) {
        for (int sealing = 0; sealing < 2; sealing++) {
            hwaead_err (*crypt)(const struct gcm_key *, struct gcm_msg *, uint8_t *, const uint8_t *,
                                size_t) =
                sealing ? gcm_encrypt : gcm_decrypt;
            struct gcm_msg msg, before;
            CHECK(gcm_start(key, &msg, nonce, 12) == HWAEAD_OK);
            CHECK(crypt(key, &msg, out, in, 16) == HWAEAD_OK);
            msg.text_len = MAX_TEXT - left;
            before = msg;
            memset(out, 0x77, sizeof out);
            check_note("%zu bytes of text left, %s", left, sealing ? "sealing" : "opening");
            const size_t lens[] = {left + 1, left + 2, left + 10, MAX_TEXT, SIZE_MAX, SIZE_MAX - 31};
            for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
                CHECK(crypt(key, &msg, out, in, lens[i]) == HWAEAD_ERR_TOO_LONG);
                CHECK_BYTES(&msg, &before, sizeof msg);
                CHECK_BYTES(out, untouched, sizeof out);
            }
            CHECK(crypt(key, &msg, out, in, left) == HWAEAD_OK);
            CHECK(msg.text_len == MAX_TEXT);
            CHECK(all_bytes(out + left, sizeof out - left, 0x77));
            CHECK(crypt(key, &msg, NULL, NULL, 0) == HWAEAD_OK);
            CHECK(crypt(key, &msg, out, in, 1) == HWAEAD_ERR_TOO_LONG);
        }
        struct gcm_msg msg, before;
        CHECK(gcm_start(key, &msg, nonce, 12) == HWAEAD_OK);
        msg.aad_len = MAX_AAD - left;
        before = msg;
        check_note("%zu bytes of aad left", left);
        CHECK(gcm_aad(key, &msg, in, left + 1) == HWAEAD_ERR_TOO_LONG);
        CHECK(gcm_aad(key, &msg, in, SIZE_MAX) == HWAEAD_ERR_TOO_LONG);
        CHECK(gcm_aad(key, &msg, in, MAX_AAD + 1) == HWAEAD_ERR_TOO_LONG);
        CHECK_BYTES(&msg, &before, sizeof msg);
        CHECK(gcm_aad(key, &msg, in, left) == HWAEAD_OK);
        CHECK(msg.aad_len == MAX_AAD);
        CHECK(gcm_aad(key, &msg, in, 1) == HWAEAD_ERR_TOO_LONG);
        CHECK(gcm_aad(key, &msg, NULL, 0) == HWAEAD_OK);
    }
}

/* hwaead_gcm_seal and _open: room and message too short by any number of bytes. */
static void test_too_short(const struct kernel *kernel)
{
    const hwaead_gcm_key key = some_key(kernel);
    uint8_t in[200] = {0}, out[300];
    for (size_t len = 0; len < 130; len++) {
        memset(out, 0x77, sizeof out);
        for (size_t size = 0; size < len + HWAEAD_GCM_OVERHEAD; size++) {
            check_note("text %zu, room for %zu sealed bytes", len, size);
            REFUSED(HWAEAD_ERR_TOO_SHORT, hwaead_gcm_seal(&key, out, size, NULL, 0, in, len));
        }
        for (size_t size = 0; size < len; size++) {
            check_note("text %zu, room for %zu opened bytes", len, size);
            REFUSED(HWAEAD_ERR_TOO_SHORT,
                    hwaead_gcm_open(&key, out, size, NULL, 0, in, len + HWAEAD_GCM_OVERHEAD));
        }
        CHECK(all_bytes(out, sizeof out, 0x77));
    }
    for (size_t len = 0; len < HWAEAD_GCM_OVERHEAD; len++) {
        check_note("sealed message of %zu bytes", len);
        REFUSED(HWAEAD_ERR_TOO_SHORT, hwaead_gcm_open(&key, out, sizeof out, NULL, 0, in, len));
    }
    CHECK(all_bytes(out, sizeof out, 0x77));
}

/* ---- Overlaps ---- */

/* One room for all buffers: out of len bytes at `out`, another of n bytes at all places that touch it. Untouched
 * means that no byte of the room changes. */
struct room {
    _Alignas(16) uint8_t bytes[1024];
    uint8_t before[1024];
};

static void room_new(struct room *r)
{
    struct rng rng = {31};
    rng_fill(&rng, r->bytes, sizeof r->bytes);
    memcpy(r->before, r->bytes, sizeof r->bytes);
}

static void test_overlaps(const struct kernel *kernel)
{
    static const size_t lens[] = {1, 2, 15, 16, 17, 33, 64, 130};
    const hwaead_gcm_key key = some_key(kernel);
    static struct room r;
    uint8_t in[130] = {0}, out[130], tag[16], nonce[12] = {0};
    room_new(&r);
    for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        size_t len = lens[l];
        uint8_t *mid = r.bytes + 400;
        memset(out, 0x77, sizeof out);
        memset(tag, 0x77, sizeof tag);
        for (size_t at = 400 - len + 1; at < 400 + len; at++) {/* out over in, but for in place */
            uint8_t *other = r.bytes + at;
            if (other == mid)
                continue;
            check_note("text %zu, in at out + %td", len, other - mid);
            REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, mid, tag, 16, nonce, 12, NULL, 0, other, len));
            REFUSED(HWAEAD_ERR_OVERLAP, OPEN(&key, mid, nonce, 12, NULL, 0, other, len, tag, 16));
            struct gcm_msg msg, before;
            const struct gcm_key *k = (const struct gcm_key *)(const void *)&key;
            CHECK(gcm_start(k, &msg, nonce, 12) == HWAEAD_OK);
            CHECK(gcm_encrypt(k, &msg, out, in, at % 20) == HWAEAD_OK);
            memset(out, 0x77, sizeof out);
            before = msg;
            REFUSED(HWAEAD_ERR_OVERLAP, gcm_encrypt(k, &msg, mid, other, len));
            REFUSED(HWAEAD_ERR_OVERLAP, gcm_decrypt(k, &msg, mid, other, len));
            CHECK_BYTES(&msg, &before, sizeof msg);
        }
        for (size_t at = 400 - 16 + 1; at < 400 + len; at++) {/* 16 bytes of tag or aad over out and in */
            uint8_t *other = r.bytes + at;
            check_note("text %zu, 16 bytes of tag or aad at text + %td", len, other - mid);
            REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, mid, other, 16, nonce, 12, NULL, 0, in, len));
            REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, mid, other, 16, nonce, 12, NULL, 0, mid, len));
            REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, out, other, 16, nonce, 12, NULL, 0, mid, len));
            REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, out, other, 16, nonce, 12, mid, len, in, len));
            REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, mid, tag, 16, nonce, 12, other, 16, in, len));
            REFUSED(HWAEAD_ERR_OVERLAP, OPEN(&key, mid, nonce, 12, NULL, 0, in, len, other, 16));
            REFUSED(HWAEAD_ERR_OVERLAP, OPEN(&key, mid, nonce, 12, other, 16, in, len, tag, 16));
            if (at > 400 - 4) {/* what a shorter tag does not reach is free */
                REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, mid, other, 4, nonce, 12, NULL, 0, in, len));
                REFUSED(HWAEAD_ERR_OVERLAP, OPEN(&key, mid, nonce, 12, NULL, 0, in, len, other, 4));
            }
        }
        for (size_t at = 400 - 12 + 1; at < 400 + len; at++) {/* 12 bytes of nonce over out */
            uint8_t *other = r.bytes + at;
            check_note("text %zu, nonce at out + %td", len, other - mid);
            REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, mid, tag, 16, other, 12, NULL, 0, in, len));
            REFUSED(HWAEAD_ERR_OVERLAP, OPEN(&key, mid, other, 12, NULL, 0, in, len, tag, 16));
        }
        for (size_t at = 400 - 12 + 1; at < 400 + 16; at++) {
            check_note("nonce at tag + %td", r.bytes + at - mid);
            REFUSED(HWAEAD_ERR_OVERLAP, SEAL(&key, out, mid, 16, r.bytes + at, 12, NULL, 0, in, len));
        }
        CHECK_BYTES(r.bytes, r.before, sizeof r.bytes);
        CHECK(all_bytes(out, sizeof out, 0x77) && all_bytes(tag, sizeof tag, 0x77));
    }

    /* The key lies in the room. */
    hwaead_gcm_key *inner = (hwaead_gcm_key *)(void *)(r.bytes + 256);
    _Static_assert(_Alignof(struct room) >= _Alignof(hwaead_gcm_key), "a key may lie there");
    memcpy(inner, &key, sizeof key);
    memcpy(r.before, r.bytes, sizeof r.bytes);
    for (size_t at = 256 - 16 + 1; at < 256 + sizeof key; at++) {
        check_note("out or tag at key + %td", (ptrdiff_t)at - 256);
        REFUSED(HWAEAD_ERR_OVERLAP, SEAL(inner, r.bytes + at, tag, 16, nonce, 12, NULL, 0, in, 16));
        REFUSED(HWAEAD_ERR_OVERLAP, SEAL(inner, r.bytes + at, tag, 16, nonce, 12, NULL, 0, r.bytes + at, 16));
        REFUSED(HWAEAD_ERR_OVERLAP, SEAL(inner, out, r.bytes + at, 16, nonce, 12, NULL, 0, in, 16));
        REFUSED(HWAEAD_ERR_OVERLAP, OPEN(inner, r.bytes + at, nonce, 12, NULL, 0, in, 16, tag, 16));
        REFUSED(HWAEAD_ERR_OVERLAP, hwaead_gcm_seal(inner, r.bytes + at, 100, NULL, 0, in, 16));
        REFUSED(HWAEAD_ERR_OVERLAP, hwaead_gcm_open(inner, r.bytes + at, 16, NULL, 0, in, 44));
    }
    CHECK_BYTES(r.bytes, r.before, sizeof r.bytes);
}

/* hwaead_gcm_seal and _open: in place is at a distance of 12. */
static void test_overlaps_of_sealed(const struct kernel *kernel)
{
    static const size_t lens[] = {1, 2, 12, 16, 28, 40, 100};
    const hwaead_gcm_key key = some_key(kernel);
    static struct room r;
    uint8_t aside[200], back[200];
    room_new(&r);
    for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
        size_t len = lens[l], total = len + HWAEAD_GCM_OVERHEAD;
        uint8_t *mid = r.bytes + 400;
        memset(aside, 0, sizeof aside);
        for (size_t at = 400 - len + 1; at < 400 + total; at++) {
            check_note("text %zu at sealed + %td", len, (ptrdiff_t)at - 400);
            if (at != 400 + HWAEAD_GCM_NONCE_LEN) {
                REFUSED(HWAEAD_ERR_OVERLAP, hwaead_gcm_seal(&key, mid, total, NULL, 0, r.bytes + at, len));
                REFUSED(HWAEAD_ERR_OVERLAP, hwaead_gcm_open(&key, r.bytes + at, len, NULL, 0, mid, total));
            }
            REFUSED(HWAEAD_ERR_OVERLAP, hwaead_gcm_seal(&key, mid, total, r.bytes + at, len, aside, len));
            REFUSED(HWAEAD_ERR_OVERLAP, hwaead_gcm_open(&key, r.bytes + at, len, mid, total, aside, total));
        }
        CHECK_BYTES(r.bytes, r.before, sizeof r.bytes);
        check_note("text %zu, neighbours", len);
        memset(aside, 0x31, sizeof aside);
        memcpy(mid - len, aside, len);
        CHECK(hwaead_gcm_seal(&key, mid, total, NULL, 0, mid - len, len) == HWAEAD_OK);
        CHECK(hwaead_gcm_open(&key, back, len, NULL, 0, mid, total) == HWAEAD_OK);
        CHECK_BYTES(back, aside, len);
        memcpy(mid + total, aside, len);
        CHECK(hwaead_gcm_seal(&key, mid, total, NULL, 0, mid + total, len) == HWAEAD_OK);
        CHECK(hwaead_gcm_open(&key, mid + total, len, NULL, 0, mid, total) == HWAEAD_OK);
        CHECK_BYTES(mid + total, aside, len);
        CHECK(hwaead_gcm_open(&key, mid - len, len, NULL, 0, mid, total) == HWAEAD_OK);
        CHECK_BYTES(mid - len, aside, len);
        memcpy(r.bytes, r.before, sizeof r.bytes);
    }
}

/* ---- Forgeries ---- */

/* Flips each bit of p[0 .. n) in turn; the message must be refused, and out zeroed, each time. */
static void flip_all(const hwaead_gcm_key *key, uint8_t *p, size_t n, const char *what, const uint8_t *nonce,
                     size_t nonce_len, const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t len,
                     const uint8_t *tag, size_t tag_len)
{
    uint8_t out[400];
    for (size_t bit = 0; bit < 8 * n; bit++) {
        p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memset(out, 0x77, sizeof out);
        check_note("text %zu, aad %zu, nonce %zu, tag %zu: bit %zu of the %s", len, aad_len, nonce_len,
                   tag_len, bit,
                   what);
        REFUSED(HWAEAD_ERR_AUTH, OPEN(key, out, nonce, nonce_len, aad, aad_len, in, len, tag, tag_len));
        CHECK(all_bytes(out, len, 0));
        CHECK(all_bytes(out + len, sizeof out - len, 0x77));
        p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK(OPEN(key, out, nonce, nonce_len, aad, aad_len, in, len, tag, tag_len) == HWAEAD_OK);
}

static void test_flipped_bits(const struct kernel *kernel)
{
    static const size_t lens[] = {0, 1, 15, 16, 17, 40, 65, 300}, aads[] = {0, 1, 16, 20};
    static const size_t tags[] = {16, 12, 8, 4};
    struct rng rng = {32};
    const hwaead_gcm_key key = some_key(kernel);
    uint8_t pt[300], ct[300], aad[20], nonce[20], tag[16], out[400];
    rng_fill(&rng, pt, sizeof pt);
    rng_fill(&rng, aad, sizeof aad);
    rng_fill(&rng, nonce, sizeof nonce);
    for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++)
        for (size_t a = 0; a < sizeof aads / sizeof aads[0]; a++) {
            size_t len = lens[l], aad_len = aads[a], tag_len = tags[(l + a) % 4], nonce_len = a % 2 == 0 ? 12 : 20;
            CHECK(SEAL(&key, ct, tag, tag_len, nonce, nonce_len, aad, aad_len, pt, len) == HWAEAD_OK);
            flip_all(&key, tag, tag_len, "tag", nonce, nonce_len, aad, aad_len, ct, len, tag, tag_len);
            flip_all(&key, ct, len, "ciphertext", nonce, nonce_len, aad, aad_len, ct, len, tag, tag_len);
            flip_all(&key, aad, aad_len, "aad", nonce, nonce_len, aad, aad_len, ct, len, tag, tag_len);
            flip_all(&key, nonce, nonce_len, "nonce", nonce, nonce_len, aad, aad_len, ct, len, tag, tag_len);

            /* Other lengths, in place, other keys. */
            check_note("text %zu, aad %zu, altered lengths", len, aad_len);
            uint8_t more[400] = {0};
            memcpy(more, ct, len);
            REFUSED(HWAEAD_ERR_AUTH,
                    OPEN(&key, out, nonce, nonce_len, aad, aad_len, more, len + 1, tag, tag_len));
            if (len > 0)
                REFUSED(HWAEAD_ERR_AUTH,
                        OPEN(&key, out, nonce, nonce_len, aad, aad_len, ct, len - 1, tag, tag_len));
            if (aad_len > 0)
                REFUSED(HWAEAD_ERR_AUTH,
                        OPEN(&key, out, nonce, nonce_len, aad, aad_len - 1, ct, len, tag, tag_len));
            more[0] ^= 1;
            check_note("text %zu, in place", len);
            REFUSED(HWAEAD_ERR_AUTH,
                    OPEN(&key, more, nonce, nonce_len, aad, aad_len, more, len + 1, tag, tag_len));
            CHECK(all_bytes(more, len + 1, 0));
            hwaead_gcm_key other;
            static const uint8_t other_bytes[32] = {1, 2, 4};
            tier_key(&other, kernel, other_bytes, 32);
            check_note("text %zu, another key", len);
            memset(out, 0x77, sizeof out);
            REFUSED(HWAEAD_ERR_AUTH,
                    OPEN(&other, out, nonce, nonce_len, aad, aad_len, ct, len, tag, tag_len));
            CHECK(all_bytes(out, len, 0));
        }
}

static void test_flipped_bits_of_sealed(const struct kernel *kernel)
{
    const hwaead_gcm_key key = some_key(kernel);
    uint8_t pt[33] = {5}, sealed[33 + HWAEAD_GCM_OVERHEAD], in[sizeof sealed], out[40], aad[3] = {9};
    CHECK(hwaead_gcm_seal(&key, sealed, sizeof sealed, aad, sizeof aad, pt, sizeof pt) == HWAEAD_OK);
    for (size_t bit = 0; bit < 8 * sizeof sealed; bit++) {
        memcpy(in, sealed, sizeof in);
        in[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memset(out, 0x77, sizeof out);
        check_note("bit %zu of a sealed message", bit);
        REFUSED(HWAEAD_ERR_AUTH, hwaead_gcm_open(&key, out, sizeof out, aad, sizeof aad, in, sizeof in));
        CHECK(all_bytes(out, sizeof pt, 0) && all_bytes(out + sizeof pt, sizeof out - sizeof pt, 0x77));
        REFUSED(HWAEAD_ERR_AUTH, hwaead_gcm_open(&key, in + 12, sizeof pt, aad, sizeof aad, in, sizeof in));
        CHECK(all_bytes(in + 12, sizeof pt, 0));
    }
    aad[2] ^= 1;
    check_note("aad of a sealed message");
    REFUSED(HWAEAD_ERR_AUTH, hwaead_gcm_open(&key, out, sizeof out, aad, sizeof aad, sealed, sizeof sealed));
    for (size_t n = HWAEAD_GCM_OVERHEAD; n < sizeof sealed; n++) {
        check_note("a sealed message cut to %zu bytes", n);
        aad[2] = 0;
        REFUSED(HWAEAD_ERR_AUTH, hwaead_gcm_open(&key, out, sizeof out, aad, sizeof aad, sealed, n));
    }
    check_note("the sealed message");
    CHECK(hwaead_gcm_open(&key, out, sizeof out, aad, sizeof aad, sealed, sizeof sealed) == HWAEAD_OK);
    CHECK_BYTES(out, pt, sizeof pt);
}

/* ---- All of them ---- */

static void test_each_error_was_raised(void)
{
    for (unsigned err = HWAEAD_OK + 1; err < ERRORS; err++) {
        if (err == HWAEAD_ERR_CPU || err == HWAEAD_ERR_ENTROPY) /* core.cpu and core.entropy do */
            continue;
        check_note("was raised: %s", hwaead_strerror((hwaead_err)err));
        CHECK(raised[err]);
    }
}

int main(int argc, char **argv)
{
    const struct kernel *kernel = tier_from_args(argc, argv);
    test_key_init(kernel);
    test_no_key(kernel);
    test_null(kernel);
    test_tag_lengths(kernel);
    test_limits(kernel);
    test_streaming_limits(kernel);
    test_too_short(kernel);
    test_overlaps(kernel);
    test_overlaps_of_sealed(kernel);
    test_flipped_bits(kernel);
    test_flipped_bits_of_sealed(kernel);
    test_each_error_was_raised();
    return check_done();
}
