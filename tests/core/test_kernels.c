/* SPDX-License-Identifier: Apache-2.0
 *
 * Each entry of a tier's kernel table against the reference, called as kernel.h says it may be. (Those of
 * GCM-SIV: test_siv.c.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gcm.h"
#include "memory.h"
#include "reference.h"
#include "tier.h"

enum { MAX_TEXT = 1100 };

static const size_t key_lens[] = {16, 24, 32};

/* ---- Keys ---- */

static void hex(uint8_t *out, const char *digits)
{
    for (size_t i = 0; digits[2 * i] != '\0'; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

static void init_by_table(const struct kernel *kernel, struct gcm_key *key, const uint8_t *bytes, size_t len)
{
    memset(key, 0xa5, sizeof *key);
    key->kernel = kernel;
    key->rounds = (uint32_t)(len / 4 + 6);
    kernel->gcm_key_init(key, bytes);
}

static void check_key(const struct kernel *kernel, const uint8_t *bytes, size_t len)
{
    struct gcm_key key;
    struct ref_gcm ref;
    uint8_t powers[GF_POWERS * BLOCK], *exact = malloc(len); /* so that ASan sees one byte too many */
    memcpy(exact, bytes, len);
    init_by_table(kernel, &key, exact, len);
    free(exact);
    ref_gcm_init(&ref, bytes, len);
    ref_polyval_powers(powers, GF_POWERS, ref.h);
    check_note("key of %zu bytes, beginning %02x%02x", len, bytes[0], bytes[1]);
    CHECK_BYTES(key.aes.rk, ref.aes.rk, BLOCK * (ref.aes.rounds + 1));
    CHECK_BYTES(key.powers.h, powers, sizeof powers);
    CHECK(key.kernel == kernel);
    CHECK(key.rounds == ref.aes.rounds);
    CHECK(all_bytes(key.aes.rk + BLOCK * (ref.aes.rounds + 1),
                    sizeof key.aes.rk - BLOCK * (ref.aes.rounds + 1),
                    0xa5));
}

/* FIPS 197 (2001), A.1 to A.3: the keys and the last four words of their expansions. */
static void test_published_expansions(const struct kernel *kernel)
{
    static const struct {
        const char *key, *last;
    } known[] = {
        {"2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"},
        {"8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "e98ba06f448c773c8ecc720401002202"},
        {"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
          "fe4890d1e6188d0b046df344706c631e"},
    };
    for (size_t i = 0; i < 3; i++) {
        uint8_t bytes[32], last[BLOCK];
        struct gcm_key key;
        hex(bytes, known[i].key);
        hex(last, known[i].last);
        check_note("FIPS 197, A.%zu", i + 1);
        init_by_table(kernel, &key, bytes, key_lens[i]);
        CHECK_BYTES(key.aes.rk + BLOCK * key.rounds, last, BLOCK);
        check_key(kernel, bytes, key_lens[i]);
    }
}

static void test_keys(const struct kernel *kernel)
{
    struct rng rng = {1};
    uint8_t bytes[32];
    for (size_t k = 0; k < 3; k++) {
        memset(bytes, 0, sizeof bytes);
        check_key(kernel, bytes, key_lens[k]);
        memset(bytes, 0xff, sizeof bytes);
        check_key(kernel, bytes, key_lens[k]);
        for (int i = 0; i < 300; i++) {
            rng_fill(&rng, bytes, sizeof bytes);
            check_key(kernel, bytes, key_lens[k]);
        }
    }
}

/* AES alone: schedule, block, and the key stream with its counter near the wrap. */
static void test_aes(const struct kernel *kernel)
{
    struct rng rng = {8};
    struct guarded memory = guarded_new(MAX_TEXT);
    uint8_t bytes[32], in[BLOCK], out[BLOCK], want[MAX_TEXT + BLOCK], first[BLOCK];
    for (size_t len = 1; len <= MAX_TEXT; len++) {
        size_t key_len = key_lens[len % 3];
        struct aes_schedule aes;
        struct ref_gcm ref;
        rng_fill(&rng, bytes, sizeof bytes);
        rng_fill(&rng, in, sizeof in);
        memset(&aes, 0xa5, sizeof aes);
        kernel->aes_expand(&aes, bytes, (uint32_t)(key_len / 4 + 6));
        ref_gcm_init(&ref, bytes, key_len);
        check_note("AES, key of %zu bytes", key_len);
        CHECK_BYTES(aes.rk, ref.aes.rk, BLOCK * (ref.aes.rounds + 1));
        kernel->aes_block(&aes, ref.aes.rounds, out, in);
        ref_aes_encrypt(&ref.aes, want, in);
        CHECK_BYTES(out, want, BLOCK);
        kernel->aes_block(&aes, ref.aes.rounds, in, in);
        CHECK_BYTES(in, want, BLOCK);

        rng_fill(&rng, first, sizeof first);
        if (len % 2 == 0) {
            memset(first, 0xff, BLOCK);
            first[15] = (uint8_t)(0xff - rng_below(&rng, 72));
        }
        uint8_t *stream = guarded_end(&memory, len);
        kernel->key_stream(&aes, ref.aes.rounds, stream, first, len);
        ref_gcm_keystream(&ref, want, (len + BLOCK - 1) / BLOCK, first, 0);
        check_note("key stream of %zu bytes, key of %zu", len, key_len);
        CHECK_BYTES(stream, want, len);
        stream = guarded_start(&memory);
        kernel->key_stream(&aes, ref.aes.rounds, stream, first, len);
        CHECK_BYTES(stream, want, len);
    }
    guarded_free(&memory);
}

/* gcm_key_init gives the same bytes on every tier, the kernel pointer apart. */
static void test_same_state_on_every_tier(const struct kernel *kernel)
{
    struct rng rng = {2};
    for (size_t k = 0; k < 3; k++) {
        for (uint8_t fill = 0; fill < 2; fill++) {
            uint8_t bytes[32];
            struct gcm_key mine, other;
            const struct kernel *o;
            rng_fill(&rng, bytes, sizeof bytes);
            memset(&mine, 0x11, sizeof mine);
            CHECK(gcm_key_init(&mine, kernel, bytes, key_lens[k]) == HWAEAD_OK);
            CHECK(mine.kernel == kernel);
            for (size_t i = 0; (o = kernel_runnable(i)) != NULL; i++) {
                check_note("key of %zu bytes, %s and %s", key_lens[k], kernel->name, o->name);
                memset(&other, fill == 0 ? 0x11 : 0xee, sizeof other);
                CHECK(gcm_key_init(&other, o, bytes, key_lens[k]) == HWAEAD_OK);
                CHECK(other.kernel == o);
                other.kernel = kernel;
                CHECK_BYTES(&other, &mine, sizeof mine);
            }
        }
    }
    check_note("the state's size");
    CHECK(sizeof(struct gf_powers) + sizeof(struct aes_schedule) == 368);
}

/* ---- GHASH ---- */

/* The core keeps GHASH's sums in POLYVAL form: with their bytes reversed. */
static void reverse(uint8_t out[BLOCK], const uint8_t in[BLOCK])
{
    uint8_t copy[BLOCK];
    memcpy(copy, in, BLOCK);
    for (size_t i = 0; i < BLOCK; i++)
        out[i] = copy[BLOCK - 1 - i];
}

/* A key with these powers of H, and behind them bytes that must not count. */
static void key_of_h(struct gcm_key *key, const uint8_t h[BLOCK], struct rng *rng)
{
    rng_fill(rng, key, sizeof *key);
    ref_polyval_powers(key->powers.h, GF_POWERS, h);
}

static void check_ghash(const struct kernel *kernel, const struct gcm_key *key, const uint8_t h[BLOCK],
                        const uint8_t y0[BLOCK], const uint8_t *in, size_t len)
{
    uint8_t y[BLOCK + 2], want[BLOCK], last[BLOCK] = {0};
    memset(y, 0x77, sizeof y);
    reverse(y + 1, y0); /* at an odd address, too */
    memcpy(want, y0, BLOCK);
    kernel->ghash(&key->powers, y + 1, in, len);
    ref_ghash(want, h, in, len / BLOCK);
    if (len % BLOCK != 0) {
        memcpy(last, in + len / BLOCK * BLOCK, len % BLOCK);
        ref_ghash(want, h, last, 1);
    }
    reverse(want, want);
    CHECK_BYTES(y + 1, want, BLOCK);
    CHECK(y[0] == 0x77 && y[BLOCK + 1] == 0x77);
}

static void test_ghash(const struct kernel *kernel)
{
    struct rng rng = {3};
    struct guarded memory = guarded_new(70 * BLOCK);
    struct gcm_key key;
    uint8_t h[BLOCK], y[BLOCK];

    for (size_t len = 0; len <= 70 * BLOCK; len++) {
        for (int kind = 0; kind < (len % BLOCK == 0 ? 6 : 2); kind++) {
            uint8_t *in = kind % 2 == 0 ? guarded_end(&memory, len) : guarded_start(&memory);
            rng_fill(&rng, h, BLOCK);
            rng_fill(&rng, y, BLOCK);
            rng_fill(&rng, in, len);
            if (kind == 2)
                memset(h, 0xff, BLOCK);
            if (kind == 3)
                memset(h, 0, BLOCK);
            if (kind == 4)
                memset(in, 0xff, len);
            if (kind == 5)
                memset(y, 0, BLOCK);
            key_of_h(&key, h, &rng);
            check_note("GHASH of %zu bytes, kind %d", len, kind);
            check_ghash(kernel, &key, h, y, in, len);
        }
    }

    /* x^i * x^j for all i and j: the product is right on a basis, so it is right everywhere that it is
       linear. */
    for (unsigned i = 0; i < 128; i++) {
        memset(h, 0, BLOCK);
        h[i / 8] = (uint8_t)(0x80 >> i % 8);
        key_of_h(&key, h, &rng);
        for (unsigned j = 0; j < 128; j++) {
            uint8_t block[BLOCK] = {0};
            block[j / 8] = (uint8_t)(0x80 >> j % 8);
            memset(y, 0, BLOCK);
            check_note("x^%u * x^%u", i, j);
            check_ghash(kernel, &key, h, y, block, BLOCK);
        }
    }
    guarded_free(&memory);
}

/* ---- Text and tag ---- */

struct side {
    struct gcm_key key;
    struct ref_gcm ref;
    size_t key_len;
};

static void new_side(struct side *s, const struct kernel *kernel, size_t key_len, struct rng *rng)
{
    uint8_t bytes[32];
    rng_fill(rng, bytes, sizeof bytes);
    s->key_len = key_len;
    init_by_table(kernel, &s->key, bytes, key_len);
    ref_gcm_init(&s->ref, bytes, key_len);
}

/* The message as it stands between the aad and the text: what kernel.h's gcm_encrypt gets. */
static void begin_message(const struct side *s, struct gcm_msg *msg, const uint8_t j0[BLOCK],
                          const uint8_t *aad,
                          size_t aad_len)
{
    memset(msg, 0, sizeof *msg);
    memset(msg->ej0, 0xee, BLOCK); /* nobody promised anything about these two yet */
    memset(msg->ks, 0xdd, BLOCK);
    memcpy(msg->ctr, j0, BLOCK);
    ref_ghash(msg->y, s->ref.h, aad, aad_len / BLOCK);
    reverse(msg->y, msg->y);
    if (aad_len % BLOCK != 0)
        memcpy(msg->block, aad + aad_len / BLOCK * BLOCK, aad_len % BLOCK);
    msg->aad_len = aad_len;
}

static void add32(uint8_t block[BLOCK], uint32_t n)
{
    uint32_t c = (uint32_t)block[12] << 24 | (uint32_t)block[13] << 16 | (uint32_t)block[14] << 8 | block[15];
    c += n;
    for (int i = 0; i < 4; i++)
        block[12 + i] = (uint8_t)(c >> (24 - 8 * i));
}

/* Sees text in the pieces given by first (a multiple of 16, 0 for one piece) through one direction. */
static void check_text(const struct kernel *kernel, const struct side *s, const uint8_t *nonce,
                       size_t nonce_len,
                       const uint8_t *aad, size_t aad_len, const uint8_t *pt, size_t len, size_t first,
                       struct guarded *in_memory, struct guarded *out_memory)
{
    static uint8_t ct[MAX_TEXT + BLOCK];
    uint8_t j0[BLOCK], full_tag[BLOCK], ks[BLOCK], ctr[BLOCK], ej0[BLOCK];
    ref_gcm_j0(&s->ref, j0, nonce, nonce_len);
    ref_gcm_seal(&s->ref, ct, full_tag, nonce, nonce_len, aad, aad_len, pt, len);
    ref_gcm_keystream(&s->ref, ej0, 1, j0, 0);
    ref_gcm_keystream(&s->ref, ks, 1, j0, (uint32_t)((len + BLOCK - 1) / BLOCK));
    memcpy(ctr, j0, BLOCK);
    add32(ctr, (uint32_t)((len + BLOCK - 1) / BLOCK));

    for (int run = 0; run < 4; run++) {
        bool sealing = run % 2 == 0, in_place = run >= 2;
        uint8_t *in = guarded_end(in_memory, len), *out = in_place ? in : guarded_end(out_memory, len);
        struct gcm_msg msg;
        uint8_t tag[BLOCK];
        memcpy(in, sealing ? pt : ct, len);
        begin_message(s, &msg, j0, aad, aad_len);
        void (*crypt)(const struct gcm_key *, struct gcm_msg *, uint8_t *, const uint8_t *, size_t) =
            sealing ? kernel->gcm_encrypt : kernel->gcm_decrypt;
        check_note("key %zu, nonce %zu, aad %zu, text %zu, first piece %zu, %s%s", s->key_len, nonce_len,
                   aad_len,
                   len, first, sealing ? "sealing" : "opening", in_place ? " in place" : "");
        if (first != 0) {
            crypt(&s->key, &msg, out, in, first);
            msg.text_len = first;
        }
        if (len > first) {
            crypt(&s->key, &msg, out + first, in + first, len - first);
            msg.text_len = len;
        }
        CHECK_BYTES(out, sealing ? ct : pt, len);
        CHECK_BYTES(msg.ctr, ctr, BLOCK);
        CHECK(msg.text_len == len && msg.aad_len == aad_len);
        if (len > 0)
            CHECK_BYTES(msg.ej0, ej0, BLOCK);
        if (len % BLOCK != 0) {
            CHECK_BYTES(msg.block, ct + len / BLOCK * BLOCK, len % BLOCK);
            CHECK(all_bytes(msg.block + len % BLOCK, BLOCK - len % BLOCK, 0));
            CHECK_BYTES(msg.ks + len % BLOCK, ks + len % BLOCK, BLOCK - len % BLOCK);
        }
        kernel->gcm_finish(&s->key, &msg, tag);
        CHECK_BYTES(tag, full_tag, BLOCK);
    }
}

static void test_text(const struct kernel *kernel)
{
    struct rng rng = {4};
    struct guarded in = guarded_new(MAX_TEXT), out = guarded_new(MAX_TEXT);
    uint8_t pt[MAX_TEXT], aad[64], nonce[16];
    rng_fill(&rng, pt, sizeof pt);
    rng_fill(&rng, aad, sizeof aad);

    for (size_t k = 0; k < 3; k++) {
        struct side s;
        new_side(&s, kernel, key_lens[k], &rng);
        for (size_t len = 0; len <= MAX_TEXT; len++) {
            rng_fill(&rng, nonce, sizeof nonce);
            check_text(kernel, &s, nonce, 12, aad, len % 40, pt, len, 0, &in, &out);
        }
        /* Two pieces: the second continues at a block boundary with the hash of the first. */
        for (size_t first = BLOCK; first <= 48 * BLOCK; first += BLOCK) {
            static const size_t seconds[] = {0, 1, 15, 16, 17, 64, 100, 128, 129, 256, 300};
            for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
                rng_fill(&rng, nonce, sizeof nonce);
                check_text(kernel, &s, nonce, 12, aad, first % 35, pt, first + seconds[i], first, &in, &out);
            }
        }
    }
    guarded_free(&in);
    guarded_free(&out);
}

/* The 32-bit counter wraps at each block that the longest loop has, and the 96 bits above it stay. */
static void test_counter_wrap(const struct kernel *kernel)
{
    struct rng rng = {5};
    struct guarded in = guarded_new(MAX_TEXT), out = guarded_new(MAX_TEXT);
    uint8_t pt[MAX_TEXT], aad[20];
    rng_fill(&rng, pt, sizeof pt);
    rng_fill(&rng, aad, sizeof aad);
    struct side s;
    for (size_t k = 0; k < 3; k++) {
        new_side(&s, kernel, key_lens[k], &rng);
        for (uint32_t before = 0; before <= MAX_TEXT / BLOCK + 4; before++) {
            static const size_t lens[] = {1, 16, 33, 100, 128, 256, 500, 512, 1024, MAX_TEXT};
            uint8_t j0[BLOCK], nonce[BLOCK], back[BLOCK];
            rng_fill(&rng, j0, BLOCK);
            if (before % 2 == 0)
                memset(j0, 0xff, 12); /* a carry out of the counter would show */
            memset(j0 + 12, 0, 4);
            add32(j0, 0 - before);
            ref_gcm_nonce_for_j0(&s.ref, nonce, j0);
            ref_gcm_j0(&s.ref, back, nonce, BLOCK);
            check_note("the nonce for a pre-counter block");
            CHECK_BYTES(back, j0, BLOCK);
            for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
                check_text(kernel, &s, nonce, BLOCK, aad, sizeof aad, pt, lens[i], 0, &in, &out);
                if (lens[i] > 512)
                    check_text(kernel, &s, nonce, BLOCK, aad, sizeof aad, pt, lens[i], 512, &in, &out);
            }
        }
    }
    guarded_free(&in);
    guarded_free(&out);
}

/* A whole message in one call, with each buffer against a page that faults, before it or behind it. */
static void check_whole(const struct side *s, const uint8_t *nonce, size_t nonce_len,
                        const uint8_t *aad_bytes, size_t aad_len, const uint8_t *pt, size_t len, bool at_end,
                        const struct guarded memory[3])
{
    static const size_t tag_lens[] = {16, 4, 16, 8, 16, 12, 16, 13, 16, 14, 16, 15, 16};
    static uint8_t ct[MAX_TEXT];
    uint8_t want[BLOCK], tag[BLOCK + 2], *aad = guarded_at(&memory[0], aad_len, at_end);
    memcpy(aad, aad_bytes, aad_len);
    ref_gcm_seal(&s->ref, ct, want, nonce, nonce_len, aad, aad_len, pt, len);
    for (int run = 0; run < 4; run++) {
        bool sealing = run % 2 == 0, in_place = run >= 2;
        size_t tag_len = tag_lens[len % 13];
        uint8_t *in = guarded_at(&memory[1], len, at_end), *out = in_place ? in : guarded_at(&memory[2], len, at_end);
        memcpy(in, sealing ? pt : ct, len);
        check_note("key %zu, nonce %zu, aad %zu, text %zu, whole, %s%s, at the %s", s->key_len, nonce_len, aad_len, len,
                   sealing ? "sealing" : "opening", in_place ? " in place" : "", at_end ? "end" : "start");
        if (sealing) {
            memset(tag, 0x77, sizeof tag);
            gcm_seal(&s->key, out, tag + 1, tag_len, nonce, nonce_len, aad, aad_len, in, len);
            CHECK_BYTES(tag + 1, want, tag_len);
            CHECK(tag[0] == 0x77 && tag[tag_len + 1] == 0x77);
            CHECK_BYTES(out, ct, len);
            continue;
        }
        uint8_t *sent = guarded_at(&memory[0], tag_len, !at_end); /* the other end of the aad's memory */
        memcpy(sent, want, tag_len);
        CHECK(gcm_open(&s->key, out, nonce, nonce_len, aad, aad_len, in, len, sent, tag_len) == HWAEAD_OK);
        CHECK_BYTES(out, pt, len);
        sent[len % tag_len] ^= (uint8_t)(1u << len % 8);
        memcpy(in, ct, len);
        CHECK(gcm_open(&s->key, out, nonce, nonce_len, aad, aad_len, in, len, sent, tag_len) == HWAEAD_ERR_AUTH);
        CHECK(all_bytes(out, len, 0));
    }
}

static void test_whole(const struct kernel *kernel)
{
    struct rng rng = {9};
    const struct guarded memory[3] = {guarded_new(MAX_TEXT), guarded_new(MAX_TEXT), guarded_new(MAX_TEXT)};
    uint8_t pt[MAX_TEXT], aad[100], nonce[BLOCK], j0[BLOCK];
    struct side s;
    rng_fill(&rng, pt, sizeof pt);
    rng_fill(&rng, aad, sizeof aad);
    for (size_t k = 0; k < 3; k++) {
        new_side(&s, kernel, key_lens[k], &rng);
        for (size_t len = 0; len <= MAX_TEXT; len++) {
            static const size_t aad_lens[] = {0, 1, 13, 15, 16, 17, 32, 33, 100};
            rng_fill(&rng, nonce, sizeof nonce);
            check_whole(&s, nonce, 12, aad, aad_lens[(len + k) % 9], pt, len, len % 2 == 0, memory);
            check_whole(&s, nonce, 12, aad, aad_lens[(len / 16 + k) % 9], pt, len, len % 2 != 0, memory);
        }
        for (uint32_t before = 0; before < 70; before++) { /* the counter wraps behind as many blocks */
            rng_fill(&rng, j0, BLOCK);
            memset(j0 + 12, 0, 4);
            add32(j0, 0 - before);
            ref_gcm_nonce_for_j0(&s.ref, nonce, j0);
            for (size_t len = 1; len <= MAX_TEXT; len += 83)
                check_whole(&s, nonce, BLOCK, aad, before % 40, pt, len, true, memory);
        }
    }
    for (int i = 0; i < 3; i++) {
        struct guarded g = memory[i];
        guarded_free(&g);
    }
}

/* A text that comes alone, with each length that may, and nothing in the memory behind it. */
static void test_alone(const struct kernel *kernel)
{
    struct rng rng = {8};
    struct guarded in_memory = guarded_new(GCM_KEPT), out_memory = guarded_new(GCM_KEPT);
    uint8_t pt[GCM_KEPT], ct[GCM_KEPT], aad[BLOCK], nonce[16], j0[BLOCK], want[BLOCK];
    CHECK(kernel->gcm_alone >= 2 * BLOCK && kernel->gcm_alone <= GCM_KEPT - BLOCK);
    for (size_t k = 0; k < 3; k++) {
        struct side s;
        new_side(&s, kernel, key_lens[k], &rng);
        for (size_t len = 1; len <= kernel->gcm_alone; len++) {
            const size_t aad_len = rng_below(&rng, BLOCK), nonce_len = len % 2 == 0 ? 12 : 16;
            rng_fill(&rng, pt, sizeof pt);
            rng_fill(&rng, aad, sizeof aad);
            rng_fill(&rng, nonce, sizeof nonce);
            ref_gcm_j0(&s.ref, j0, nonce, nonce_len);
            ref_gcm_seal(&s.ref, ct, want, nonce, nonce_len, aad, aad_len, pt, len);
            for (int run = 0; run < 4; run++) {
                const bool sealing = run % 2 == 0, in_place = run >= 2;
                uint8_t *in = guarded_end(&in_memory, len), *out = in_place ? in : guarded_end(&out_memory, len);
                struct gcm_msg msg;
                memcpy(in, sealing ? pt : ct, len);
                begin_message(&s, &msg, j0, aad, aad_len);
                memset(msg.kept, 0x99, sizeof msg.kept);
                check_note("key %zu, nonce %zu, aad %zu, text %zu, %s%s", s.key_len, nonce_len, aad_len, len,
                           sealing ? "sealing" : "opening", in_place ? " in place" : "");
                (sealing ? kernel->gcm_encrypt_alone : kernel->gcm_decrypt_alone)(&s.key, &msg, out, in, len);
                CHECK_BYTES(out, sealing ? ct : pt, len);
                CHECK_BYTES(msg.tag, want, BLOCK);
                CHECK_BYTES(msg.ctr, j0, BLOCK);
                CHECK(msg.closed == len && msg.text_len == len && msg.aad_len == aad_len);
                CHECK(all_bytes(msg.kept, BLOCK, 0));
                CHECK_BYTES(msg.kept + BLOCK, ct, len);
                CHECK(all_bytes(msg.kept + BLOCK + len, (BLOCK - len % BLOCK) % BLOCK, 0));
            }
        }
    }
    guarded_free(&in_memory);
    guarded_free(&out_memory);
}

/* gcm_finish alone: no text, and an aad that ends anywhere in its block. */
static void test_finish(const struct kernel *kernel)
{
    struct rng rng = {6};
    uint8_t aad[300], nonce[12], j0[BLOCK], tag[BLOCK + 2], want[BLOCK];
    struct side s;
    for (size_t k = 0; k < 3; k++) {
        new_side(&s, kernel, key_lens[k], &rng);
        for (size_t aad_len = 0; aad_len <= sizeof aad; aad_len++) {
            struct gcm_msg msg;
            rng_fill(&rng, aad, sizeof aad);
            rng_fill(&rng, nonce, sizeof nonce);
            ref_gcm_j0(&s.ref, j0, nonce, sizeof nonce);
            ref_gcm_seal(&s.ref, NULL, want, nonce, sizeof nonce, aad, aad_len, NULL, 0);
            begin_message(&s, &msg, j0, aad, aad_len);
            memset(tag, 0x77, sizeof tag);
            kernel->gcm_finish(&s.key, &msg, tag + 1);
            check_note("key %zu, aad %zu", key_lens[k], aad_len);
            CHECK_BYTES(tag + 1, want, BLOCK);
            CHECK(tag[0] == 0x77 && tag[BLOCK + 1] == 0x77);
        }
    }
}

/* The lengths enter the tag as 64-bit numbers of bits. */
static void test_long_lengths(const struct kernel *kernel)
{
    static const uint64_t texts[] = {UINT64_C(1) << 29, (UINT64_C(1) << 32) + 5, (UINT64_C(1) << 36) - 32};
    static const uint64_t aads[] = {UINT64_C(1) << 29, (UINT64_C(1) << 40) + 1, (UINT64_C(1) << 61) - 1};
    struct rng rng = {7};
    struct side s;
    new_side(&s, kernel, 32, &rng);
    for (size_t i = 0; i < 3; i++) {
        struct gcm_msg msg;
        uint8_t y[BLOCK], lengths[BLOCK], tag[BLOCK];
        rng_fill(&rng, &msg, sizeof msg);
        msg.text_len = texts[i];
        msg.aad_len = aads[i];
        size_t part = (size_t)(texts[i] % BLOCK);
        memset(msg.block + part, 0, BLOCK - part);
        reverse(y, msg.y);
        if (part != 0)
            ref_ghash(y, s.ref.h, msg.block, 1);
        for (int b = 0; b < 8; b++) {
            lengths[b] = (uint8_t)(8 * aads[i] >> (56 - 8 * b));
            lengths[8 + b] = (uint8_t)(8 * texts[i] >> (56 - 8 * b));
        }
        ref_ghash(y, s.ref.h, lengths, 1);
        for (size_t b = 0; b < BLOCK; b++)
            y[b] ^= msg.ej0[b];
        kernel->gcm_finish(&s.key, &msg, tag);
        check_note("text %#llx, aad %#llx", (unsigned long long)texts[i], (unsigned long long)aads[i]);
        CHECK_BYTES(tag, y, BLOCK);
    }
}

int main(int argc, char **argv)
{
    const struct kernel *kernel = tier_from_args(argc, argv);
    test_published_expansions(kernel);
    test_keys(kernel);
    test_same_state_on_every_tier(kernel);
    test_aes(kernel);
    test_ghash(kernel);
    test_text(kernel);
    test_alone(kernel);
    test_counter_wrap(kernel);
    test_whole(kernel);
    test_finish(kernel);
    test_long_lengths(kernel);
    return check_done();
}
