/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV: lengths, places, pieces of AAD, what tampering does, and what a repeated nonce gives away.
 */
#include "siv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 65536 + 64, MARGIN = 64 };

static uint8_t first[MAX + 2 * MARGIN], want[MAX + 2 * MARGIN], back[MAX + 2 * MARGIN];

static uint8_t *room(uint8_t *of, size_t n)
{
    memset(of, 0xc3, n + 2 * MARGIN);
    return of + MARGIN;
}

/* Nothing but out[0 .. n) of room() has changed. */
static bool margins_kept(const uint8_t *out, size_t n)
{
    return all_bytes(out - MARGIN, MARGIN, 0xc3) && all_bytes(out + n, MARGIN, 0xc3);
}

/* One message, ours against the reference: sealed and opened, out of place and in place, the bytes around untouched. */
static void agree(int k, size_t aad_len, size_t len)
{
    struct msg m = rnd_msg(k, 12, aad_len, len);
    uint8_t tag[16], want_tag[16];
    uint8_t *g = room(first, len), *b = room(back, len);
    where("%s, AAD of %zu, text of %zu", siv_name[k], aad_len, len);
    siv_reference(&m, want, want_tag);
    CHECK(seal(siv(k), &m, g, tag));
    CHECK_BYTES(g, want, len);
    CHECK_BYTES(tag, want_tag, 16);
    CHECK(margins_kept(g, len));
    CHECK(open_(siv(k), &m, g, tag, 16, b));
    CHECK_BYTES(b, m.text, len);
    CHECK(margins_kept(b, len));

    struct msg in_place = m;
    in_place.text = b;
    memset(tag, 0, 16);
    CHECK(seal(siv(k), &in_place, b, tag));
    CHECK_BYTES(b, want, len);
    CHECK_BYTES(tag, want_tag, 16);
    CHECK(margins_kept(b, len));
    CHECK(open_(siv(k), &m, b, tag, 16, b));
    CHECK_BYTES(b, m.text, len);

    memcpy(b, want, len);
    tag[len % 16] ^= (uint8_t)(1 << aad_len % 8);
    CHECK(!open_(siv(k), &m, b, tag, 16, b));
    CHECK(all_bytes(b, len, 0));
    CHECK(margins_kept(b, len));
    CHECK(drain().total == 0);
}

static void each_length(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (size_t len = 0; len <= 600; len++)
            agree(k, rnd(40), len);
    for (size_t len = 601; len <= 1400; len++)
        agree((int)(len % NKEYS), rnd(20), len);
}

static void around_powers(void)
{
    for (size_t p = 1024; p <= 65536; p *= 2)
        for (size_t len = p - 1; len <= p + 1; len++)
            agree((int)rnd(NKEYS), rnd(40), len);
}

static void each_aad_length(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (size_t n = 0; n <= 300; n++)
            agree(k, n, rnd(50));
    for (size_t p = 512; p <= 32768; p *= 2)
        for (size_t n = p - 1; n <= p + 1; n++)
            agree(K256, n, 17);
}

/* AAD in random pieces, empty ones between; the text at once. */
static void pieces_of_aad(void)
{
    static const size_t most[] = {1, 3, 15, 16, 17, 33, 64, 100, 256, 300};
    for (int round = 0; round < 900; round++) {
        const int k = (int)rnd(NKEYS), enc = (int)rnd(2);
        const size_t aad_len = rnd(round % 4 == 0 ? 3000 : 200), len = rnd(300), up_to = most[rnd(COUNT(most))];
        struct msg m = rnd_msg(k, 12, aad_len, len);
        uint8_t tag[16], want_tag[16];
        where("%s, enc %d, AAD of %zu in pieces up to %zu, text of %zu", siv_name[k], enc, aad_len, up_to, len);
        siv_reference(&m, want, want_tag);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, siv(k), &m, enc));
        CHECK(enc || set_tag(x, want_tag, 16) == 1);
        for (size_t at = 0, n; at < aad_len; at += n) {
            n = 1 + rnd(up_to);
            n = n > aad_len - at ? aad_len - at : n;
            CHECK(aad(x, m.aad + at, n));
            if (rnd(4) == 0)
                CHECK(aad(x, m.aad, 0));
        }
        CHECK(update(x, back, enc ? m.text : want, len) && finish(x));
        CHECK_BYTES(back, enc ? want : m.text, len);
        CHECK(!enc || (get_tag(x, tag, 16) == 1 && memcmp(tag, want_tag, 16) == 0));
        EVP_CIPHER_CTX_free(x);
    }
    CHECK(drain().total == 0);
}

/* Every way to cut an AAD of a few blocks in three. */
static void cut_in_three(void)
{
    enum { AAD = 50, LEN = 5 };
    struct msg m = rnd_msg(K128, 12, AAD, LEN);
    uint8_t tag[16], want_tag[16], out[LEN];
    siv_reference(&m, want, want_tag);
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, siv(K128), &m, 1));
    for (size_t a = 0; a <= AAD; a++)
        for (size_t b = a; b <= AAD; b++) {
            where("cut at %zu and %zu", a, b);
            OK(init_iv(x, m.iv, 1));
            CHECK(aad(x, m.aad, a) && aad(x, m.aad + a, b - a) && aad(x, m.aad + b, AAD - b));
            CHECK(update(x, out, m.text, LEN) && finish(x) && get_tag(x, tag, 16) == 1);
            CHECK_BYTES(tag, want_tag, 16);
            CHECK_BYTES(out, want, LEN);
        }
    EVP_CIPHER_CTX_free(x);
}

static void alignments(void)
{
    static const size_t lens[] = {1, 15, 16, 31, 48, 127, 128, 129, 256, 511, 1030};
    for (size_t in_at = 0; in_at < 64; in_at++)
        for (size_t out_at = 0; out_at < 64; out_at += 3) {
            size_t len = lens[rnd(COUNT(lens))];
            struct msg m = rnd_msg(K256, 12, 13, len);
            uint8_t tag[16], want_tag[16];
            where("text of %zu, in at %zu, out at %zu", len, in_at, out_at);
            memcpy(back + in_at, m.text, len);
            m.text = back + in_at;
            siv_reference(&m, want, want_tag);
            CHECK(seal(siv(K256), &m, first + out_at, tag));
            CHECK_BYTES(first + out_at, want, len);
            CHECK_BYTES(tag, want_tag, 16);
            CHECK(open_(siv(K256), &m, first + out_at, tag, 16, first + out_at));
            CHECK_BYTES(first + out_at, m.text, len);
        }
    CHECK(drain().total == 0);
}

/* Buffers between pages that fault: not a byte too much is read or written. */
static void guarded(void)
{
    struct guarded in = guarded_new(2048), out = guarded_new(2048), head = guarded_new(2048), nonce = guarded_new(12);
    for (int k = 0; k < NKEYS; k++)
        for (size_t len = 0; len <= 1100; len += len < 300 ? 1 : 37)
            for (int end = 0; end < 2; end++) {
                size_t aad_len = len % 301;
                struct msg m = rnd_msg(k, 12, aad_len, len);
                uint8_t tag[16], want_tag[16];
                where("%s, AAD of %zu, text of %zu at the %s of a page", siv_name[k], aad_len, len,
                      end ? "end" : "start");
                uint8_t *i = end ? guarded_end(&in, len) : guarded_start(&in);
                uint8_t *o = end ? guarded_end(&out, len) : guarded_start(&out);
                uint8_t *a = end ? guarded_end(&head, aad_len) : guarded_start(&head);
                uint8_t *v = end ? guarded_end(&nonce, 12) : guarded_start(&nonce);
                memcpy(i, m.text, len);
                memcpy(a, m.aad, aad_len);
                memcpy(v, m.iv, 12);
                siv_reference(&m, want, want_tag);
                m.text = i;
                m.aad = a;
                m.iv = v;
                CHECK(seal(siv(k), &m, o, tag));
                CHECK_BYTES(o, want, len);
                CHECK_BYTES(tag, want_tag, 16);
                CHECK(open_(siv(k), &m, o, tag, 16, o));
                CHECK_BYTES(o, i, len);
            }
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&head);
    guarded_free(&nonce);
}

/* Shifted by less than the text, either way: refused before a byte is written; buffers that touch are fine. */
static void overlaps(void)
{
    enum { LEN = 80 };
    for (int enc = 0; enc < 2; enc++)
        for (int shift = -100; shift <= 100; shift++) {
            struct msg m = rnd_msg(K256, 12, 3, LEN);
            uint8_t before[400], buffer[400], tag[16];
            rnd_bytes(buffer, sizeof buffer);
            siv_reference(&m, want, tag);
            memcpy(buffer + 150, enc ? m.text : want, LEN);
            memcpy(before, buffer, sizeof buffer);
            where("enc %d, output %d bytes behind the input", enc, shift);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(begin(x, siv(K256), &m, enc));
            CHECK(enc || set_tag(x, tag, 16) == 1);
            CHECK(aad(x, m.aad, 3));
            if (shift != 0 && abs(shift) < LEN) {
                REFUSED(update(x, buffer + 150 + shift, buffer + 150, LEN));
                CHECK_BYTES(buffer, before, sizeof buffer);
                REFUSED(finish(x));
                CHECK(siv_works(x, K256));
            } else {
                OK(update(x, buffer + 150 + shift, buffer + 150, LEN));
                CHECK_BYTES(buffer + 150 + shift, enc ? want : m.text, LEN);
                OK(finish(x));
            }
            EVP_CIPHER_CTX_free(x);
        }
}

/* Each bit of tag, AAD, ciphertext and nonce; lost and added bytes: nothing comes out. */
static void each_bit(void)
{
    static const size_t lens[] = {0, 1, 16, 45};
    for (int k = 0; k < NKEYS; k++)
        for (size_t l = 0; l < COUNT(lens); l++) {
            enum { AAD = 23 };
            const size_t len = lens[l];
            struct msg m = rnd_msg(k, 12, AAD, len);
            uint8_t tag[16], nonce[12], a[AAD + 1] = {0}, ct[46] = {0}, out[46];
            siv_reference(&m, ct, tag);
            memcpy(nonce, m.iv, 12);
            memcpy(a, m.aad, AAD);
            m.iv = nonce;
            m.aad = a;
            struct {
                const char *name;
                uint8_t *at;
                size_t n;
            } part[] = {{"tag", tag, 16}, {"AAD", a, AAD}, {"ciphertext", ct, len}, {"nonce", nonce, 12}};
            for (size_t p = 0; p < COUNT(part); p++)
                for (size_t bit = 0; bit < 8 * part[p].n; bit++) {
                    where("%s, text of %zu, bit %zu of %s", siv_name[k], len, bit, part[p].name);
                    part[p].at[bit / 8] ^= (uint8_t)(1 << bit % 8);
                    memset(out, 0x5a, sizeof out);
                    CHECK(!open_(siv(k), &m, ct, tag, 16, out));
                    CHECK(all_bytes(out, len, 0) && all_bytes(out + len, sizeof out - len, 0x5a));
                    CHECK(drain().total == 0);
                    part[p].at[bit / 8] ^= (uint8_t)(1 << bit % 8);
                }
            for (m.len = 0; m.len <= len + 1; m.len++) {
                where("%s, text of %zu given as %zu", siv_name[k], len, m.len);
                CHECK(open_(siv(k), &m, ct, tag, 16, out) == (m.len == len));
            }
            m.len = len;
            for (m.aad_len = 0; m.aad_len <= AAD + 1; m.aad_len++) {
                where("%s, text of %zu, AAD given as %zu", siv_name[k], len, m.aad_len);
                CHECK(open_(siv(k), &m, ct, tag, 16, out) == (m.aad_len == AAD));
            }
            CHECK(drain().total == 0);
        }
}

/* A nonce used again: the same output for the same message, and for every other message quite another one. */
static void nonce_reuse(void)
{
    enum { LEN = 64 };
    for (int k = 0; k < NKEYS; k++) {
        uint8_t text[LEN], head[20], ct[LEN], tag[16], again[LEN], again_tag[16];
        struct msg m = rnd_msg(k, 12, sizeof head, LEN);
        memcpy(text, m.text, LEN);
        memcpy(head, m.aad, sizeof head);
        m.text = text;
        m.aad = head;
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, siv(k), &m, 1));
        CHECK(seal(siv(k), &m, ct, tag));
        for (size_t bit = 0; bit <= 8 * (LEN + sizeof head); bit++) {
            uint8_t *byte = bit < 8 * LEN ? text + bit / 8 : bit < 8 * (LEN + sizeof head) ? head + bit / 8 - LEN : NULL;
            where("%s, bit %zu of text and AAD", siv_name[k], bit);
            if (byte != NULL)
                *byte ^= (uint8_t)(1 << bit % 8);
            OK(init_iv(x, m.iv, 1));
            CHECK(aad(x, head, sizeof head) && update(x, again, text, LEN) && finish(x));
            OK(get_tag(x, again_tag, 16));
            if (byte != NULL)
                *byte ^= (uint8_t)(1 << bit % 8);
            if (byte == NULL) {
                CHECK_BYTES(again, ct, LEN);
                CHECK_BYTES(again_tag, tag, 16);
                continue;
            }
            int same = 0; /* bytes at the same place; chance gives one in 256 */
            for (size_t i = 0; i < LEN; i++)
                same += again[i] == ct[i];
            for (size_t i = 0; i < 16; i++)
                same += again_tag[i] == tag[i];
            CHECK(same < 10);
        }
        EVP_CIPHER_CTX_free(x);
    }
}

/* S2: against a libcrypto that has the mode, in a context of its own for each message. */
static void against_default(void)
{
    for (int k = 0; k < NKEYS; k++) {
        EVP_CIPHER *theirs = EVP_CIPHER_fetch(lib, siv_name[k], "provider=default");
        ERR_clear_error();
        if (theirs == NULL) {
            printf("Not done: %s has no %s of its own to compare with; tests/programs compares with another.\n",
                   OpenSSL_version(OPENSSL_VERSION), siv_name[k]);
            CHECK(true);
            continue;
        }
        for (int i = 0; i < 500; i++) {
            struct msg m = rnd_msg(k, 12, rnd(100), 1 + rnd(2000));
            uint8_t tag[16], want_tag[16];
            where("%s, message %d", siv_name[k], i);
            CHECK(seal(theirs, &m, want, want_tag) && seal(siv(k), &m, first, tag));
            CHECK_BYTES(first, want, m.len);
            CHECK_BYTES(tag, want_tag, 16);
            CHECK(open_(theirs, &m, first, tag, 16, back));
            CHECK_BYTES(back, m.text, m.len);
        }
        EVP_CIPHER_free(theirs);
    }
    CHECK(drain().total == 0);
}

static const struct evp_case cases[] = {
    {"S2 S11 S15", "text of 0..1400", each_length},
    {"S2", "text of 2^k-1 .. 2^k+1", around_powers},
    {"S2", "AAD of 0..300 and more", each_aad_length},
    {"S4", "random pieces of AAD", pieces_of_aad},
    {"S4", "AAD cut in three", cut_in_three},
    {"S15", "alignments 0..63", alignments},
    {"S15", "pages that fault", guarded},
    {"S15", "overlaps", overlaps},
    {"S11", "each bit", each_bit},
    {"S1", "a nonce used again", nonce_reuse},
    {"S2", "against the default provider", against_default},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
