/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM through the public API and through gcm.h: what it has to compute. What it has to refuse is in
 * test_refusals.c.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwaead/hazmat.h>

#include "check.h"
#include "gcm.h"
#include "memory.h"
#include "reference.h"
#include "tier.h"

enum { MAX_TEXT = 1100, MAX_AAD = 300, MAX_NONCE = 300 };

static const size_t key_lens[] = {16, 24, 32};

/* A key on both sides. */
struct side {
    hwaead_gcm_key key;
    struct ref_gcm ref;
    size_t key_len;
};

static void new_side(struct side *s, const struct kernel *kernel, size_t key_len, struct rng *rng)
{
    uint8_t bytes[32];
    rng_fill(rng, bytes, sizeof bytes);
    s->key_len = key_len;
    tier_key(&s->key, kernel, bytes, key_len);
    ref_gcm_init(&s->ref, bytes, key_len);
}

/* Seals and opens, apart and in place; every buffer ends where memory ends. */
struct bench {
    struct guarded in, out, aad, nonce, tag;
};

static struct bench bench_new(void)
{
    return (struct bench){ guarded_new(MAX_TEXT), guarded_new(MAX_TEXT), guarded_new(MAX_AAD),
                           guarded_new(MAX_NONCE), guarded_new(16)};
}

static void bench_free(struct bench *b)
{
    guarded_free(&b->in);
    guarded_free(&b->out);
    guarded_free(&b->aad);
    guarded_free(&b->nonce);
    guarded_free(&b->tag);
}

static void check_message(struct bench *b, const struct side *s, const uint8_t *nonce_bytes, size_t nonce_len,
                          const uint8_t *aad_bytes, size_t aad_len, const uint8_t *pt, size_t len, size_t tag_len)
{
    static uint8_t ct[MAX_TEXT];
    uint8_t full_tag[REF_BLOCK];
    uint8_t *in = guarded_end(&b->in, len), *out = guarded_end(&b->out, len), *tag = guarded_end(&b->tag,
                                                                                                 tag_len);
    uint8_t *aad = guarded_end(&b->aad, aad_len), *nonce = guarded_end(&b->nonce, nonce_len);
    ref_gcm_seal(&s->ref, ct, full_tag, nonce_bytes, nonce_len, aad_bytes, aad_len, pt, len);
    memcpy(aad, aad_bytes, aad_len);
    memcpy(nonce, nonce_bytes, nonce_len);

    check_note("key %zu, nonce %zu, aad %zu, text %zu, tag %zu", s->key_len, nonce_len, aad_len, len,
               tag_len);
    memcpy(in, pt, len);
    memset(out, 0xa5, len);
    memset(tag, 0xa5, tag_len);
    CHECK(hwaead_gcm_seal_with_nonce(&s->key, out, tag, tag_len, nonce, nonce_len, aad, aad_len, in, len) ==
          HWAEAD_OK);
    CHECK_BYTES(out, ct, len);
    CHECK_BYTES(tag, full_tag, tag_len);
    CHECK_BYTES(in, pt, len);
    memset(tag, 0xa5, tag_len);
    CHECK(hwaead_gcm_seal_with_nonce(&s->key, in, tag, tag_len, nonce, nonce_len, aad, aad_len, in, len) ==
          HWAEAD_OK);
    CHECK_BYTES(in, ct, len);
    CHECK_BYTES(tag, full_tag, tag_len);

    memset(out, 0xa5, len);
    CHECK(hwaead_gcm_open_with_nonce(&s->key, out, nonce, nonce_len, aad, aad_len, in, len, tag, tag_len) ==
          HWAEAD_OK);
    CHECK_BYTES(out, pt, len);
    CHECK_BYTES(in, ct, len);
    CHECK(hwaead_gcm_open_with_nonce(&s->key, in, nonce, nonce_len, aad, aad_len, in, len, tag, tag_len) ==
          HWAEAD_OK);
    CHECK_BYTES(in, pt, len);
    CHECK_BYTES(tag, full_tag, tag_len);
    CHECK_BYTES(aad, aad_bytes, aad_len);
    CHECK_BYTES(nonce, nonce_bytes, nonce_len);
}

/* ---- Lengths ---- */

static void test_lengths(const struct kernel *kernel)
{
    static const size_t tag_lens[] = {4, 8, 12, 13, 14, 15, 16};
    static const size_t some_texts[] = {0, 1, 16, 100, 256, 700};
    struct rng rng = {11};
    struct bench b = bench_new();
    uint8_t pt[MAX_TEXT], aad[MAX_AAD], nonce[MAX_NONCE];
    rng_fill(&rng, pt, sizeof pt);
    rng_fill(&rng, aad, sizeof aad);
    for (size_t k = 0; k < 3; k++) {
        struct side s;
        new_side(&s, kernel, key_lens[k], &rng);
        for (size_t len = 0; len <= MAX_TEXT; len++) {
            const size_t aads[] = {0, 13, len * 7 % (MAX_AAD + 1)};
            for (size_t i = 0; i < 3; i++) {
                rng_fill(&rng, nonce, 12);
                check_message(&b, &s, nonce, 12, aad, aads[i], pt, len, 16);
            }
        }
        for (size_t aad_len = 0; aad_len <= MAX_AAD; aad_len++)
            for (size_t i = 0; i < sizeof some_texts / sizeof some_texts[0]; i++) {
                rng_fill(&rng, nonce, 12);
                check_message(&b, &s, nonce, 12, aad, aad_len, pt, some_texts[i], 16);
            }
        for (size_t nonce_len = 1; nonce_len <= MAX_NONCE; nonce_len++) {
            rng_fill(&rng, nonce, nonce_len);
            check_message(&b, &s, nonce, nonce_len, aad, nonce_len % 23, pt, nonce_len % 50, 16);
        }
        for (size_t i = 0; i < sizeof tag_lens / sizeof tag_lens[0]; i++)
            for (size_t len = 0; len < 40; len += 13)
                check_message(&b, &s, nonce, 12, aad, len, pt, len, tag_lens[i]);
    }
    bench_free(&b);
}

/* Once a message that is long for the widest loop, and an aad to match. */
static void test_long(const struct kernel *kernel)
{
    enum { LEN = 70000, AAD = 33333 };
    struct rng rng = {12};
    struct side s;
    uint8_t *pt = malloc(LEN), *want = malloc(LEN), *got = malloc(LEN), *aad = malloc(AAD);
    uint8_t nonce[12], tag[16], full_tag[16];
    new_side(&s, kernel, 32, &rng);
    rng_fill(&rng, pt, LEN);
    rng_fill(&rng, aad, AAD);
    rng_fill(&rng, nonce, sizeof nonce);
    ref_gcm_seal(&s.ref, want, full_tag, nonce, sizeof nonce, aad, AAD, pt, LEN);
    check_note("text %d, aad %d", LEN, AAD);
    CHECK(hwaead_gcm_seal_with_nonce(&s.key, got, tag, 16, nonce, sizeof nonce, aad, AAD, pt, LEN) ==
          HWAEAD_OK);
    CHECK_BYTES(got, want, LEN);
    CHECK_BYTES(tag, full_tag, 16);
    CHECK(hwaead_gcm_open_with_nonce(&s.key, got, nonce, sizeof nonce, aad, AAD, got, LEN, tag, 16) ==
          HWAEAD_OK);
    CHECK_BYTES(got, pt, LEN);
    free(pt);
    free(want);
    free(got);
    free(aad);
}

/* ---- The 32-bit counter wraps anywhere in a message ---- */

static void test_counter_wrap(const struct kernel *kernel)
{
    static const size_t lens[] = {0, 15, 64, 129, 512, MAX_TEXT};
    struct rng rng = {13};
    struct bench b = bench_new();
    struct side s;
    uint8_t pt[MAX_TEXT], aad[20];
    rng_fill(&rng, pt, sizeof pt);
    rng_fill(&rng, aad, sizeof aad);
    for (size_t k = 0; k < 3; k++) {
        new_side(&s, kernel, key_lens[k], &rng);
        for (uint32_t before = 0; before < 72; before++) {
            uint8_t j0[REF_BLOCK], nonce[REF_BLOCK], back[REF_BLOCK];
            memset(j0, 0xff, sizeof j0);
            if (before % 2 != 0)
                rng_fill(&rng, j0, 12);
            j0[15] = (uint8_t)(0xff - before);
            ref_gcm_nonce_for_j0(&s.ref, nonce, j0);
            ref_gcm_j0(&s.ref, back, nonce, sizeof nonce);
            check_note("the nonce for a pre-counter block");
            CHECK_BYTES(back, j0, REF_BLOCK);
            for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
                check_message(&b, &s, nonce, sizeof nonce, aad, sizeof aad, pt, lens[i], 16);
        }
    }
    bench_free(&b);
}

/* ---- Pieces ---- */

/* One message in random pieces: aad pieces, text pieces, empty ones among them, and at one place the message is
 * copied and the copy goes on. */
static void check_splits(const struct side *s, struct rng *rng, size_t longest)
{
    static uint8_t pt[4096], ct[4096], got[4096];
    uint8_t aad[MAX_AAD], nonce[20], full_tag[16], tag[16];
    const struct gcm_key *key = (const struct gcm_key *)(const void *)&s->key;
    size_t len = rng_below(rng, longest + 1), aad_len = rng_below(rng, MAX_AAD + 1);
    size_t nonce_len = rng_below(rng, 2) == 0 ? 12 : 1 + rng_below(rng, sizeof nonce);
    bool sealing = rng_below(rng, 2) == 0, in_place = rng_below(rng, 2) == 0;
    rng_fill(rng, pt, len);
    rng_fill(rng, aad, aad_len);
    rng_fill(rng, nonce, nonce_len);
    ref_gcm_seal(&s->ref, ct, full_tag, nonce, nonce_len, aad, aad_len, pt, len);
    const uint8_t *in = sealing ? pt : ct, *want = sealing ? ct : pt;
    if (in_place) {
        memcpy(got, in, len);
        in = got;
    }

    struct gcm_msg a, b, *msg = &a;
    memset(&a, 0x5a, sizeof a);
    check_note("key %zu, nonce %zu, aad %zu, text %zu in pieces, %s%s", s->key_len, nonce_len, aad_len, len,
               sealing ? "sealing" : "opening", in_place ? " in place" : "");
    CHECK(gcm_start(key, msg, nonce, nonce_len) == HWAEAD_OK);
    size_t most = 1 + rng_below(rng, 40);
    for (size_t done = 0, n; done < aad_len; done += n) {
        n = rng_below(rng, (aad_len - done < most ? aad_len - done : most) + 1);
        CHECK(gcm_aad(key, msg, n == 0 ? NULL : aad + done, n) == HWAEAD_OK);
    }
    most = 1 + rng_below(rng, rng_below(rng, 2) == 0 ? 40 : 1500);
    size_t copy_at = rng_below(rng, len + 1);
    for (size_t done = 0, n; done < len; done += n) {
        n = rng_below(rng, (len - done < most ? len - done : most) + 1);
        hwaead_err err = sealing ? gcm_encrypt(key, msg, n == 0 ? NULL : got + done, n == 0 ? NULL :
                                               in + done, n)
                                 : gcm_decrypt(key, msg, n == 0 ? NULL : got + done, n == 0 ? NULL :
                                               in + done, n);
        CHECK(err == HWAEAD_OK);
        if (msg == &a && done + n >= copy_at) {
            b = a;
            memset(&a, 0xc3, sizeof a);
            msg = &b;
        }
    }
    gcm_finish(key, msg, tag);
    CHECK_BYTES(got, want, len);
    CHECK_BYTES(tag, full_tag, 16);
    CHECK(all_bytes(msg, offsetof(struct gcm_msg, kept), 0)); /* wiped */
}

static void test_splits(const struct kernel *kernel)
{
    struct rng rng = {14};
    for (size_t k = 0; k < 3; k++) {
        struct side s;
        new_side(&s, kernel, key_lens[k], &rng);
        for (int i = 0; i < 400; i++)
            check_splits(&s, &rng, i % 4 == 0 ? 100 : i % 4 == 1 ? 4096 : 1100);
    }
}

/* Each way to cut a short message in two, and each to cut its aad in two. */
static void check_two_pieces(const struct kernel *kernel, size_t len, size_t aad_len)
{
    struct rng rng = {15};
    struct side s;
    new_side(&s, kernel, 16, &rng);
    const struct gcm_key *key = (const struct gcm_key *)(const void *)&s.key;
    uint8_t pt[350], ct[350], got[350], aad[50], nonce[12], full_tag[16], tag[16];
    rng_fill(&rng, pt, sizeof pt);
    rng_fill(&rng, aad, sizeof aad);
    rng_fill(&rng, nonce, sizeof nonce);
    ref_gcm_seal(&s.ref, ct, full_tag, nonce, 12, aad, aad_len, pt, len);
    for (size_t aad_cut = 0; aad_cut <= aad_len; aad_cut++) {
        for (size_t cut = 0; cut <= len; cut++) {
            struct gcm_msg msg;
            check_note("aad cut at %zu, text at %zu", aad_cut, cut);
            for (int sealing = 0; sealing < 2; sealing++) {
                const uint8_t *in = sealing ? pt : ct;
                hwaead_err (*crypt)(const struct gcm_key *, struct gcm_msg *, uint8_t *, const uint8_t *,
                                    size_t) =
                    sealing ? gcm_encrypt : gcm_decrypt;
                CHECK(gcm_start(key, &msg, nonce, 12) == HWAEAD_OK);
                CHECK(gcm_aad(key, &msg, aad, aad_cut) == HWAEAD_OK);
                CHECK(gcm_aad(key, &msg, aad + aad_cut, aad_len - aad_cut) == HWAEAD_OK);
                CHECK(crypt(key, &msg, got, in, cut) == HWAEAD_OK);
                CHECK(crypt(key, &msg, got + cut, in + cut, len - cut) == HWAEAD_OK);
                gcm_finish(key, &msg, tag);
                CHECK_BYTES(got, sealing ? ct : pt, len);
                CHECK_BYTES(tag, full_tag, 16);
            }
        }
    }
}

static void test_two_pieces(const struct kernel *kernel)
{
    check_two_pieces(kernel, 100, 50);
    check_two_pieces(kernel, 350, 13); /* the first piece may be taken for all */
    check_two_pieces(kernel, 350, 0);
}

/* ---- Places ---- */

/* Every buffer between two pages that fault, at the one end or at the other. */
static void test_guard_pages(const struct kernel *kernel)
{
    struct rng rng = {16};
    struct guarded in_m = guarded_new(2500), out_m = guarded_new(2500), aad_m = guarded_new(2500);
    struct guarded nonce_m = guarded_new(64), tag_m = guarded_new(16), bytes_m = guarded_new(32);
    struct guarded key_m = guarded_new(sizeof(hwaead_gcm_key));
    static uint8_t ct[2500];
    for (int end = 0; end < 2; end++) {
        bool at_end = end != 0;
        for (size_t round = 0; round < 420; round++) {
            size_t len = round < 300 ? round : rng_below(&rng, 2500), aad_len = round * 3 % 320;
            size_t nonce_len = round % 2 == 0 ? 12 : 1 + round % 60, key_len = key_lens[round % 3];
            static const size_t tag_lens[] = {16, 15, 14, 13, 12, 8, 4};
            size_t tag_len = tag_lens[round % 7];
            uint8_t *in = guarded_at(&in_m, len, at_end), *out = guarded_at(&out_m, len, at_end);
            uint8_t *aad = guarded_at(&aad_m, aad_len, at_end), *nonce = guarded_at(&nonce_m, nonce_len, at_end);
            uint8_t *tag = guarded_at(&tag_m, tag_len, at_end), *bytes = guarded_at(&bytes_m, key_len, at_end);
            hwaead_gcm_key *key = (hwaead_gcm_key *)(void *)guarded_at(&key_m, sizeof *key, at_end);
            struct ref_gcm ref;
            uint8_t full_tag[16];
            rng_fill(&rng, in, len);
            rng_fill(&rng, aad, aad_len);
            rng_fill(&rng, nonce, nonce_len);
            rng_fill(&rng, bytes, key_len);
            ref_gcm_init(&ref, bytes, key_len);
            ref_gcm_seal(&ref, ct, full_tag, nonce, nonce_len, aad, aad_len, in, len);
            check_note("%s of the pages: key %zu, nonce %zu, aad %zu, text %zu", at_end ? "end" : "start",
                       key_len, nonce_len, aad_len, len);
            tier_key(key, kernel, bytes, key_len);
            CHECK(hwaead_gcm_seal_with_nonce(key, out, tag, tag_len, nonce, nonce_len, aad, aad_len, in,
                                             len) == HWAEAD_OK);
            CHECK_BYTES(out, ct, len);
            CHECK_BYTES(tag, full_tag, tag_len);
            CHECK(hwaead_gcm_open_with_nonce(key, out, nonce, nonce_len, aad, aad_len, out, len, tag,
                                             tag_len) ==
                  HWAEAD_OK);
            CHECK_BYTES(out, in, len);
            hwaead_gcm_key_wipe(key);
        }
    }
    struct guarded *all[] = {&in_m, &out_m, &aad_m, &nonce_m, &tag_m, &bytes_m, &key_m};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        guarded_free(all[i]);
}

static void check_place(const struct side *s, size_t len, size_t in_at, size_t out_at, size_t aad_at,
                        size_t other_at)
{
    enum { ROOM = 1200 + 3 * 64 };
    static _Alignas(64) uint8_t in[ROOM], out[ROOM], aad[ROOM], small[512];
    static uint8_t ct[ROOM];
    struct rng rng = {len + in_at + 64 * out_at};
    uint8_t full_tag[16], *nonce = small + other_at, *tag = small + 256 + other_at;
    size_t aad_len = len / 3;
    rng_fill(&rng, in + in_at, len);
    rng_fill(&rng, aad + aad_at, aad_len);
    rng_fill(&rng, nonce, 12);
    memset(out, 0x77, sizeof out);
    memset(tag - 1, 0x77, 18);
    ref_gcm_seal(&s->ref, ct, full_tag, nonce, 12, aad + aad_at, aad_len, in + in_at, len);
    check_note("text %zu, in + %zu, out + %zu, aad + %zu, nonce and tag + %zu", len, in_at, out_at, aad_at,
               other_at);
    CHECK(hwaead_gcm_seal_with_nonce(&s->key, out + out_at, tag, 16, nonce, 12, aad + aad_at, aad_len,
                                     in + in_at, len) ==
          HWAEAD_OK);
    CHECK_BYTES(out + out_at, ct, len);
    CHECK_BYTES(tag, full_tag, 16);
    CHECK(tag[-1] == 0x77 && tag[16] == 0x77);
    CHECK(all_bytes(out, out_at, 0x77) && all_bytes(out + out_at + len, sizeof out - out_at - len, 0x77));
    memset(in, 0x77, sizeof in);
    CHECK(hwaead_gcm_open_with_nonce(&s->key, in + in_at, nonce, 12, aad + aad_at, aad_len, out + out_at,
                                     len, tag, 16) ==
          HWAEAD_OK);
    CHECK(all_bytes(in, in_at, 0x77) && all_bytes(in + in_at + len, sizeof in - in_at - len, 0x77));
    ref_gcm_seal(&s->ref, ct, full_tag, nonce, 12, aad + aad_at, aad_len, in + in_at, len);
    CHECK_BYTES(out + out_at, ct, len);
}

static void test_misalignments(const struct kernel *kernel)
{
    static const size_t lens[] = {1, 15, 31, 64, 100, 257, 700, 1200};
    struct rng rng = {17};
    struct side s;
    new_side(&s, kernel, 32, &rng);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
        for (size_t at = 0; at < 64; at++) {
            check_place(&s, lens[i], at, 0, 0, 1);
            check_place(&s, lens[i], 0, at, 0, 1);
            check_place(&s, lens[i], 0, 0, at, 1);
            check_place(&s, lens[i], at, at, at, at + 1);
            check_place(&s, lens[i], at, (5 * at + 3) % 64, (11 * at + 7) % 64, 64 - at);
        }
}

/* Adjacent buffers do not overlap, and inputs may overlap each other as they like. */
static void test_neighbours(const struct kernel *kernel)
{
    struct rng rng = {18};
    struct side s;
    uint8_t room[600], ct[100], full_tag[16], plain[100];
    new_side(&s, kernel, 24, &rng);
    for (size_t len = 1; len <= 100; len++) {
        uint8_t *in = room + 200;
        uint8_t *places[] = {in - len, in + len};
        for (size_t i = 0; i < 2; i++) {
            uint8_t *out = places[i], *tag = i == 0 ? out - 16 : out + len; /* in, out and tag without gaps */
            rng_fill(&rng, room, sizeof room);
            memcpy(plain, in, len);
            ref_gcm_seal(&s.ref, ct, full_tag, in, len, in, len, in, len); /* the text as nonce and as aad */
            check_note("text %zu, out %s in, the text as nonce and aad", len, i == 0 ? "before" : "behind");
            CHECK(hwaead_gcm_seal_with_nonce(&s.key, out, tag, 16, in, len, in, len, in, len) == HWAEAD_OK);
            CHECK_BYTES(out, ct, len);
            CHECK_BYTES(tag, full_tag, 16);
            CHECK_BYTES(in, plain, len);
        }
    }
}

/* ---- Keys ---- */

static void test_key_anywhere(const struct kernel *kernel)
{
    enum { PLACES = 20 };
    struct rng rng = {19};
    struct side s;
    _Alignas(64) uint8_t room[PLACES * 8 + sizeof(hwaead_gcm_key)];
    uint8_t pt[300], ct[300], got[300], nonce[12], tag[16], full_tag[16];
    CHECK(hwaead_gcm_key_size() <= sizeof(hwaead_gcm_key));
    new_side(&s, kernel, 32, &rng);
    rng_fill(&rng, pt, sizeof pt);
    for (size_t i = 0; i < PLACES; i++) {
        hwaead_gcm_key *key = (hwaead_gcm_key *)(void *)(room + 8 * i);
        rng_fill(&rng, room, sizeof room);
        rng_fill(&rng, nonce, sizeof nonce);
        memcpy(key, &s.key, hwaead_gcm_key_size());
        ref_gcm_seal(&s.ref, ct, full_tag, nonce, 12, pt, 20, pt, sizeof pt);
        check_note("a key copied to 64 * n + %zu", 8 * i % 64);
        CHECK(hwaead_gcm_key_tier(key) == kernel->tier);
        CHECK(hwaead_gcm_seal_with_nonce(key, got, tag, 16, nonce, 12, pt, 20, pt, sizeof pt) == HWAEAD_OK);
        CHECK_BYTES(got, ct, sizeof pt);
        CHECK_BYTES(tag, full_tag, 16);
        CHECK(hwaead_gcm_open_with_nonce(key, got, nonce, 12, pt, 20, got, sizeof pt, tag, 16) == HWAEAD_OK);
        CHECK_BYTES(key, &s.key, hwaead_gcm_key_size()); /* read-only in use */
    }
    check_note("the copied-from key, wiped");
    hwaead_gcm_key copy = s.key;
    hwaead_gcm_key_wipe(&s.key);
    CHECK(all_bytes(&s.key, sizeof s.key, 0));
    CHECK(hwaead_gcm_seal_with_nonce(&copy, got, tag, 16, nonce, 12, pt, 20, pt, sizeof pt) == HWAEAD_OK);
    CHECK_BYTES(got, ct, sizeof pt);
}

struct worker {
    const struct side *side;
    uint64_t seed;
    pthread_t thread;
};

static void *work(void *arg)
{
    const struct worker *w = arg;
    struct rng rng = {w->seed};
    uint8_t pt[700], ct[700], got[700], nonce[12], tag[16], full_tag[16];
    for (int i = 0; i < 100; i++) {
        size_t len = rng_below(&rng, sizeof pt + 1);
        rng_fill(&rng, pt, len);
        rng_fill(&rng, nonce, sizeof nonce);
        ref_gcm_seal(&w->side->ref, ct, full_tag, nonce, 12, pt, len / 5, pt, len);
        for (int again = 0; again < 20; again++) {
            check_note("thread %d, message %d", (int)w->seed, i);
            CHECK(hwaead_gcm_seal_with_nonce(&w->side->key, got, tag, 16, nonce, 12, pt, len / 5, pt, len) ==
                  HWAEAD_OK);
            CHECK_BYTES(got, ct, len);
            CHECK_BYTES(tag, full_tag, 16);
            CHECK(hwaead_gcm_open_with_nonce(&w->side->key, got, nonce, 12, pt, len / 5, got, len, tag, 16) ==
                  HWAEAD_OK);
            CHECK_BYTES(got, pt, len);
        }
    }
    return NULL;
}

static void test_threads(const struct kernel *kernel)
{
    enum { THREADS = 8 };
    struct rng rng = {20};
    struct side s;
    struct worker workers[THREADS];
    new_side(&s, kernel, 16, &rng);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){ .side = &s, .seed = i };
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            abort();
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
}

/* ---- Nonces chosen by the library ---- */

static int compare_nonces(const void *a, const void *b)
{
    return memcmp(a, b, HWAEAD_GCM_NONCE_LEN);
}

static void test_random_nonce(const struct kernel *kernel)
{
    enum { MESSAGES = 1200 };
    static uint8_t nonces[MESSAGES][HWAEAD_GCM_NONCE_LEN];
    static uint8_t sealed[MESSAGES + HWAEAD_GCM_OVERHEAD + 1], opened[MESSAGES + 1], pt[MESSAGES], ct[MESSAGES];
    struct rng rng = {21};
    struct side s;
    new_side(&s, kernel, 32, &rng);
    for (size_t i = 0; i < MESSAGES; i++) {
        size_t len = i, total = len + HWAEAD_GCM_OVERHEAD, aad_len = i % 40;
        uint8_t aad[40], full_tag[16];
        rng_fill(&rng, pt, len);
        rng_fill(&rng, aad, sizeof aad);
        memset(sealed, 0x77, sizeof sealed);
        memset(opened, 0x77, sizeof opened);
        bool in_place = i % 2 != 0;
        if (in_place)
            memcpy(sealed + HWAEAD_GCM_NONCE_LEN, pt, len);
        check_note("random nonce, aad %zu, text %zu%s", aad_len, len, in_place ? ", in place" : "");
        CHECK(hwaead_gcm_seal(&s.key, sealed, i % 3 == 0 ? total : sizeof sealed, aad, aad_len,
                              in_place ? sealed + HWAEAD_GCM_NONCE_LEN : pt, len) == HWAEAD_OK);
        ref_gcm_seal(&s.ref, ct, full_tag, sealed, HWAEAD_GCM_NONCE_LEN, aad, aad_len, pt, len);
        CHECK_BYTES(sealed + HWAEAD_GCM_NONCE_LEN, ct, len);
        CHECK_BYTES(sealed + HWAEAD_GCM_NONCE_LEN + len, full_tag, HWAEAD_GCM_TAG_LEN);
        CHECK(sealed[total] == 0x77);
        memcpy(nonces[i], sealed, HWAEAD_GCM_NONCE_LEN);

        CHECK(hwaead_gcm_open(&s.key, opened, i % 3 == 0 ? len : sizeof opened, aad, aad_len, sealed,
                              total) ==
              HWAEAD_OK);
        CHECK_BYTES(opened, pt, len);
        CHECK(opened[len] == 0x77);
        CHECK(hwaead_gcm_open(&s.key, sealed + HWAEAD_GCM_NONCE_LEN, len, aad, aad_len, sealed, total) ==
              HWAEAD_OK);
        CHECK_BYTES(sealed + HWAEAD_GCM_NONCE_LEN, pt, len);
        CHECK_BYTES(sealed + HWAEAD_GCM_NONCE_LEN + len, full_tag,
                    HWAEAD_GCM_TAG_LEN); /* only the text went */
    }
    qsort(nonces, MESSAGES, sizeof nonces[0], compare_nonces);
    for (size_t i = 1; i < MESSAGES; i++) {
        check_note("nonces differ");
        CHECK(compare_nonces(nonces[i - 1], nonces[i]) != 0);
    }
}

int main(int argc, char **argv)
{
    const struct kernel *kernel = tier_from_args(argc, argv);
    test_lengths(kernel);
    test_long(kernel);
    test_counter_wrap(kernel);
    test_splits(kernel);
    test_two_pieces(kernel);
    test_guard_pages(kernel);
    test_misalignments(kernel);
    test_neighbours(kernel);
    test_key_anywhere(kernel);
    test_threads(kernel);
    test_random_nonce(kernel);
    return check_done();
}
