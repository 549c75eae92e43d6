/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV through the public API, wherever its buffers and keys lie: at both ends of memory, at every alignment,
 * beside each other; and what of messages and keys is left behind.
 */
#include <stdlib.h>
#include <string.h>

#include <hwaead/hazmat.h>

#include "check.h"
#include "memory.h"
#include "reference.h"
#include "siv.h"
#include "tier.h"

#define SEAL hwaead_siv_seal_with_nonce
#define OPEN hwaead_siv_open_with_nonce

static const size_t key_lens[] = { 16, 24, 32 };

struct side {
    hwaead_siv_key key;
    uint8_t bytes[32];
    size_t len;
};

static void init(hwaead_siv_key *key, const struct kernel *kernel, const uint8_t *bytes, size_t len)
{
    CHECK(hwaead_siv_key_init(key, sizeof *key, bytes, len, kernel->tier) == HWAEAD_OK);
    CHECK(hwaead_siv_key_tier(key) == kernel->tier);
}

static struct side new_side(const struct kernel *kernel, size_t len, struct rng *rng)
{
    struct side s = { .len = len };
    rng_fill(rng, s.bytes, sizeof s.bytes);
    init(&s.key, kernel, s.bytes, len);
    return s;
}

/* ---- Every buffer between two pages that fault, at the one end or at the other ---- */

static void test_guard_pages(const struct kernel *kernel)
{
    struct rng rng = { 51 };
    struct guarded in_m = guarded_new(2500), out_m = guarded_new(2500), aad_m = guarded_new(2500);
    struct guarded nonce_m = guarded_new(12), tag_m = guarded_new(16), bytes_m = guarded_new(32);
    struct guarded key_m = guarded_new(sizeof(hwaead_siv_key));
    static uint8_t ct[2500];
    for (int at_end = 0; at_end < 2; at_end++)
        for (size_t round = 0; round <= 1200; round++) {
            size_t len = round <= 1100 ? round : rng_below(&rng, 2500), aad_len = round * 3 % 320;
            size_t key_len = key_lens[round % 3];
#define PLACE(m, n) (at_end ? guarded_end(&(m), (n)) : guarded_start(&(m)))
            uint8_t *in = PLACE(in_m, len), *out = PLACE(out_m, len), *aad = PLACE(aad_m, aad_len);
            uint8_t *nonce = PLACE(nonce_m, 12), *tag = PLACE(tag_m, 16), *bytes = PLACE(bytes_m, key_len);
            hwaead_siv_key *key = (hwaead_siv_key *)(void *)PLACE(key_m, sizeof *key);
#undef PLACE
            uint8_t want[16];
            rng_fill(&rng, in, len);
            rng_fill(&rng, aad, aad_len);
            rng_fill(&rng, nonce, 12);
            rng_fill(&rng, bytes, key_len);
            ref_siv_seal(ct, want, bytes, key_len, nonce, aad, aad_len, in, len);
            check_note("%s of the pages: key %zu, aad %zu, text %zu", at_end ? "end" : "start", key_len, aad_len, len);
            init(key, kernel, bytes, key_len);
            CHECK(SEAL(key, out, tag, 16, nonce, 12, aad, aad_len, in, len) == HWAEAD_OK);
            CHECK_BYTES(out, ct, len);
            CHECK_BYTES(tag, want, 16);
            CHECK(OPEN(key, out, nonce, 12, aad, aad_len, out, len, tag, 16) == HWAEAD_OK);
            CHECK_BYTES(out, in, len);
            hwaead_siv_key_wipe(key);
        }
    struct guarded *all[] = { &in_m, &out_m, &aad_m, &nonce_m, &tag_m, &bytes_m, &key_m };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        guarded_free(all[i]);
}

/* ---- Alignments ---- */

static void check_place(const struct side *s, size_t len, size_t in_at, size_t out_at, size_t aad_at, size_t other_at)
{
    enum { ROOM = 1200 + 3 * 64 };
    static _Alignas(64) uint8_t in[ROOM], out[ROOM], aad[ROOM], small[512];
    static uint8_t ct[ROOM], pt[ROOM];
    struct rng rng = { len + in_at + 64 * out_at };
    uint8_t want[16], *nonce = small + other_at, *tag = small + 256 + other_at;
    size_t aad_len = len / 3;
    rng_fill(&rng, pt, len);
    memset(in, 0x77, sizeof in);
    memset(out, 0x77, sizeof out);
    memset(tag - 1, 0x77, 18);
    memcpy(in + in_at, pt, len);
    rng_fill(&rng, aad + aad_at, aad_len);
    rng_fill(&rng, nonce, 12);
    ref_siv_seal(ct, want, s->bytes, s->len, nonce, aad + aad_at, aad_len, pt, len);
    check_note("text %zu, in + %zu, out + %zu, aad + %zu, nonce and tag + %zu", len, in_at, out_at, aad_at, other_at);
    CHECK(SEAL(&s->key, out + out_at, tag, 16, nonce, 12, aad + aad_at, aad_len, in + in_at, len) == HWAEAD_OK);
    CHECK_BYTES(out + out_at, ct, len);
    CHECK_BYTES(tag, want, 16);
    CHECK(tag[-1] == 0x77 && tag[16] == 0x77);
    CHECK(all_bytes(out, out_at, 0x77) && all_bytes(out + out_at + len, sizeof out - out_at - len, 0x77));
    memset(in, 0x77, sizeof in);
    CHECK(OPEN(&s->key, in + in_at, nonce, 12, aad + aad_at, aad_len, out + out_at, len, tag, 16) == HWAEAD_OK);
    CHECK_BYTES(in + in_at, pt, len);
    CHECK(all_bytes(in, in_at, 0x77) && all_bytes(in + in_at + len, sizeof in - in_at - len, 0x77));
    tag[3] ^= 4;
    CHECK(OPEN(&s->key, in + in_at, nonce, 12, aad + aad_at, aad_len, out + out_at, len, tag, 16) == HWAEAD_ERR_AUTH);
    CHECK(all_bytes(in + in_at, len, 0)); /* all of it, and nothing else */
    CHECK(all_bytes(in, in_at, 0x77) && all_bytes(in + in_at + len, sizeof in - in_at - len, 0x77));
}

static void test_alignments(const struct kernel *kernel)
{
    static const size_t lens[] = { 1, 15, 31, 64, 100, 257, 700, 1200 };
    struct rng rng = { 52 };
    const struct side s = new_side(kernel, 32, &rng);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
        for (size_t at = 0; at < 64; at++) {
            check_place(&s, lens[i], at, 0, 0, 1);
            check_place(&s, lens[i], 0, at, 0, 1);
            check_place(&s, lens[i], 0, 0, at, 1);
            check_place(&s, lens[i], at, (5 * at + 3) % 64, (11 * at + 7) % 64, 64 - at);
        }
}

/* ---- Neighbours and overlaps ---- */

/* Adjacent buffers do not overlap, and inputs may overlap each other as they like. */
static void test_neighbours(const struct kernel *kernel)
{
    struct rng rng = { 53 };
    const struct side s = new_side(kernel, 24, &rng);
    uint8_t room[600], ct[100], plain[100], want[16];
    for (size_t len = 12; len <= 100; len++)
        for (int behind = 0; behind < 2; behind++) {
            uint8_t *in = room + 200, *out = behind ? in + len : in - len, *tag = behind ? out + len : out - 16;
            rng_fill(&rng, room, sizeof room);
            memcpy(plain, in, len);
            ref_siv_seal(ct, want, s.bytes, s.len, in, in, len, in, len);
            check_note("text %zu, out %s in, the text as nonce and aad", len, behind ? "behind" : "before");
            CHECK(SEAL(&s.key, out, tag, 16, in, 12, in, len, in, len) == HWAEAD_OK);
            CHECK_BYTES(out, ct, len);
            CHECK_BYTES(tag, want, 16);
            CHECK_BYTES(in, plain, len);
        }
}

/* The nonce and the key, which no other test lays under outputs, and the aad under the tag. */
static void test_overlaps(const struct kernel *kernel)
{
    struct rng rng = { 54 };
    const struct side s = new_side(kernel, 32, &rng);
    _Alignas(8) static uint8_t room[1024], before[1024];
    uint8_t in[44] = { 0 }, out[44], tag[16], nonce[12] = { 0 };
    memset(out, 0x77, sizeof out);
    memset(tag, 0x77, sizeof tag);
    hwaead_siv_key *inside = (hwaead_siv_key *)(void *)(room + 256);
    rng_fill(&rng, room, sizeof room);
    memcpy(inside, &s.key, sizeof s.key);
    memcpy(before, room, sizeof room);
    for (size_t at = 700 - 12 + 1; at < 700 + 40; at++) {
        check_note("nonce at out + %td", (ptrdiff_t)at - 700);
        CHECK(SEAL(&s.key, room + 700, tag, 16, room + at, 12, NULL, 0, in, 40) == HWAEAD_ERR_OVERLAP);
        CHECK(OPEN(&s.key, room + 700, room + at, 12, NULL, 0, in, 40, tag, 16) == HWAEAD_ERR_OVERLAP);
    }
    for (size_t at = 700 - 12 + 1; at < 700 + 16; at++) {
        check_note("nonce or aad of 12 at tag + %td", (ptrdiff_t)at - 700);
        CHECK(SEAL(&s.key, out, room + 700, 16, room + at, 12, NULL, 0, in, 40) == HWAEAD_ERR_OVERLAP);
        CHECK(SEAL(&s.key, out, room + 700, 16, nonce, 12, room + at, 12, in, 40) == HWAEAD_ERR_OVERLAP);
    }
    for (size_t at = 256 - 16 + 1; at < 256 + sizeof s.key; at++) {
        check_note("out or tag at key + %td", (ptrdiff_t)at - 256);
        CHECK(SEAL(inside, room + at, tag, 16, nonce, 12, NULL, 0, in, 16) == HWAEAD_ERR_OVERLAP);
        CHECK(SEAL(inside, room + at, tag, 16, nonce, 12, NULL, 0, room + at, 16) == HWAEAD_ERR_OVERLAP);
        CHECK(SEAL(inside, out, room + at, 16, nonce, 12, NULL, 0, in, 16) == HWAEAD_ERR_OVERLAP);
        CHECK(OPEN(inside, room + at, nonce, 12, NULL, 0, in, 16, tag, 16) == HWAEAD_ERR_OVERLAP);
        CHECK(hwaead_siv_seal(inside, room + at, 100, NULL, 0, in, 16) == HWAEAD_ERR_OVERLAP);
        CHECK(hwaead_siv_open(inside, room + at, 16, NULL, 0, in, 16 + HWAEAD_SIV_OVERHEAD) == HWAEAD_ERR_OVERLAP);
    }
    for (size_t at = 240; at < 256 + sizeof s.key; at += 8) {
        check_note("key bytes at key + %td", (ptrdiff_t)at - 256);
        if (at + 24 > 256)
            CHECK(hwaead_siv_key_init(inside, sizeof *inside, room + at, 24, kernel->tier) == HWAEAD_ERR_OVERLAP);
    }
    CHECK_BYTES(room, before, sizeof room);
    CHECK(all_bytes(out, sizeof out, 0x77) && all_bytes(tag, sizeof tag, 0x77));
}

/* ---- Keys and messages ---- */

static void test_key_anywhere(const struct kernel *kernel)
{
    enum { PLACES = 20 };
    struct rng rng = { 55 };
    struct side s = new_side(kernel, 32, &rng);
    _Alignas(64) uint8_t room[PLACES * 8 + sizeof(hwaead_siv_key)];
    uint8_t pt[300], ct[300], got[300], nonce[12], tag[16], want[16];
    rng_fill(&rng, pt, sizeof pt);
    for (size_t i = 0; i < PLACES; i++) {
        hwaead_siv_key *key = (hwaead_siv_key *)(void *)(room + 8 * i);
        rng_fill(&rng, room, sizeof room);
        rng_fill(&rng, nonce, sizeof nonce);
        memcpy(key, &s.key, hwaead_siv_key_size());
        ref_siv_seal(ct, want, s.bytes, s.len, nonce, pt, 20, pt, sizeof pt);
        check_note("a key copied to 64 * n + %zu", 8 * i % 64);
        CHECK(hwaead_siv_key_tier(key) == kernel->tier);
        CHECK(SEAL(key, got, tag, 16, nonce, 12, pt, 20, pt, sizeof pt) == HWAEAD_OK);
        CHECK_BYTES(got, ct, sizeof pt);
        CHECK_BYTES(tag, want, 16);
        CHECK(OPEN(key, got, nonce, 12, pt, 20, got, sizeof pt, tag, 16) == HWAEAD_OK);
        CHECK_BYTES(key, &s.key, hwaead_siv_key_size()); /* read-only in use */
    }
    check_note("the copied-from key, wiped");
    hwaead_siv_key copy = s.key;
    hwaead_siv_key_wipe(&s.key);
    CHECK(all_bytes(&s.key, sizeof s.key, 0));
    CHECK(SEAL(&s.key, got, tag, 16, nonce, 12, pt, 20, pt, sizeof pt) == HWAEAD_ERR_NO_KEY);
    CHECK(SEAL(&copy, got, tag, 16, nonce, 12, pt, 20, pt, sizeof pt) == HWAEAD_OK);
    CHECK_BYTES(got, ct, sizeof pt);
}

/* A message has its keys from siv_start on and nothing after its text, whatever the tag was; other messages under the
 * same key, at the same time, do not matter to it. */
static void test_messages_side_by_side(const struct kernel *kernel)
{
    enum { MANY = 8, AAD = 100 };
    struct rng rng = { 56 };
    const struct side s = new_side(kernel, 16, &rng);
    const struct siv_key *key = (const struct siv_key *)(const void *)&s.key;
    for (int round = 0; round < 100; round++) {
        static uint8_t pt[MANY][500], ct[MANY][500], out[500];
        uint8_t nonce[MANY][12], aad[MANY][AAD], want[MANY][16], tag[16];
        size_t len[MANY], cut[MANY];
        struct siv_msg msg[MANY];
        for (size_t i = 0; i < MANY; i++) {
            len[i] = rng_below(&rng, 501);
            cut[i] = rng_below(&rng, AAD + 1);
            rng_fill(&rng, pt[i], len[i]);
            rng_fill(&rng, nonce[i], 12);
            rng_fill(&rng, aad[i], AAD);
            ref_siv_seal(ct[i], want[i], s.bytes, s.len, nonce[i], aad[i], AAD, pt[i], len[i]);
            siv_start(key, &msg[i], nonce[i]);
            CHECK(!all_bytes(&msg[i].aes, sizeof msg[i].aes, 0));
        }
        for (size_t i = 0; i < MANY; i++)
            CHECK(siv_aad(key, &msg[i], aad[i], cut[i]) == HWAEAD_OK);
        for (size_t i = MANY; i-- > 0;)
            CHECK(siv_aad(key, &msg[i], aad[i] + cut[i], AAD - cut[i]) == HWAEAD_OK);
        for (size_t i = 0; i < MANY; i++) {
            check_note("round %d, message %zu: text %zu, aad cut at %zu", round, i, len[i], cut[i]);
            struct siv_msg wrong = msg[i], sealing = msg[i];
            CHECK(siv_seal(key, &sealing, out, tag, pt[i], len[i]) == HWAEAD_OK);
            CHECK_BYTES(out, ct[i], len[i]);
            CHECK_BYTES(tag, want[i], 16);
            CHECK(siv_open(key, &msg[i], out, ct[i], len[i], want[i]) == HWAEAD_OK);
            CHECK_BYTES(out, pt[i], len[i]);
            want[i][15] ^= 0x80;
            CHECK(siv_open(key, &wrong, out, ct[i], len[i], want[i]) == HWAEAD_ERR_AUTH);
            CHECK(all_bytes(out, len[i], 0));
            CHECK(all_bytes(&sealing, sizeof sealing, 0) && all_bytes(&wrong, sizeof wrong, 0));
            CHECK(all_bytes(&msg[i], sizeof msg[i], 0));
        }
    }
}

/* A nonce used twice: equal messages come out equal, and any others have nothing to do with each other. */
static void test_nonce_reuse(const struct kernel *kernel)
{
    enum { LEN = 48, AAD = 17 };
    struct rng rng = { 57 };
    for (size_t k = 0; k < 3; k++) {
        const struct side s = new_side(kernel, key_lens[k], &rng);
        uint8_t both[LEN + AAD], first[LEN + 16], again[LEN + 16], nonce[12];
        rng_fill(&rng, both, sizeof both);
        rng_fill(&rng, nonce, sizeof nonce);
        CHECK(SEAL(&s.key, first, first + LEN, 16, nonce, 12, both + LEN, AAD, both, LEN) == HWAEAD_OK);
        for (size_t bit = 0; bit <= 8 * sizeof both; bit++) {
            const bool same = bit == 8 * sizeof both;
            if (!same)
                both[bit / 8] ^= (uint8_t)(1 << bit % 8);
            CHECK(SEAL(&s.key, again, again + LEN, 16, nonce, 12, both + LEN, AAD, both, LEN) == HWAEAD_OK);
            if (!same)
                both[bit / 8] ^= (uint8_t)(1 << bit % 8);
            size_t alike = 0;
            for (size_t i = 0; i < sizeof first; i++)
                alike += first[i] == again[i];
            check_note("key %zu, bit %zu of text and aad, %zu bytes alike", s.len, bit, alike);
            CHECK(same ? alike == sizeof first : alike < 8);
        }
    }
}

int main(int argc, char **argv)
{
    const struct kernel *kernel = tier_from_args(argc, argv);
    test_guard_pages(kernel);
    test_alignments(kernel);
    test_neighbours(kernel);
    test_overlaps(kernel);
    test_key_anywhere(kernel);
    test_messages_side_by_side(kernel);
    test_nonce_reuse(kernel);
    return check_done();
}
