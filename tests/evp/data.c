/* SPDX-License-Identifier: Apache-2.0
 *
 * Text: lengths, pieces, alignments, in place, the bytes around, overlaps.
 */
#include "evp.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 65536 + 64, MARGIN = 64 };

static uint8_t got[MAX + 2 * MARGIN], want[MAX + 2 * MARGIN], back[MAX + 2 * MARGIN];

/* Nothing but out[0 .. n) of a room of MARGIN more at both ends has changed. */
static bool margins_kept(const uint8_t *out, size_t n)
{
    return all_bytes(out - MARGIN, MARGIN, 0xc3) && all_bytes(out + n, MARGIN, 0xc3);
}

static uint8_t *room(uint8_t *of, size_t n)
{
    memset(of, 0xc3, n + 2 * MARGIN);
    return of + MARGIN;
}

/* One message, ours against ref: sealed and opened, out of place and in place, the bytes around untouched. */
static void agree(int k, size_t aad_len, size_t len)
{
    struct msg m = rnd_msg(k, 12, aad_len, len);
    uint8_t tag[16], want_tag[16];
    uint8_t *g = room(got, len), *w = want, *b = room(back, len);
    where("%s, AAD of %zu, text of %zu", evp_name[k], aad_len, len);
    CHECK(seal(ref[k], &m, w, want_tag));
    CHECK(seal(ours[k], &m, g, tag));
    CHECK_BYTES(g, w, len);
    CHECK_BYTES(tag, want_tag, 16);
    CHECK(margins_kept(g, len));
    CHECK(open_(ours[k], &m, g, tag, 16, b));
    CHECK_BYTES(b, m.text, len);
    CHECK(margins_kept(b, len));

    memcpy(b, m.text, len);
    struct msg in_place = m;
    in_place.text = b;
    CHECK(seal(ours[k], &in_place, b, tag));
    CHECK_BYTES(b, w, len);
    CHECK_BYTES(tag, want_tag, 16);
    CHECK(margins_kept(b, len));
    CHECK(open_(ours[k], &m, b, tag, 16, b));
    CHECK_BYTES(b, m.text, len);
    CHECK(margins_kept(b, len));
    CHECK(drain().total == 0);
}

static void each_length(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (size_t len = 0; len <= 1100; len++)
            agree(k, rnd(40), len);
}

static void around_powers(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (size_t p = 1024; p <= 65536; p *= 2)
            for (size_t len = p - 1; len <= p + 1; len++)
                agree(k, rnd(40), len);
}

static void each_aad_length(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (size_t n = 0; n <= 300; n++)
            agree(k, n, rnd(50));
    for (size_t p = 512; p <= 65536; p *= 2)
        for (size_t n = p - 1; n <= p + 1; n++)
            agree(K256, n, 17);
}

/* Random pieces of 1..300 bytes, AAD as well as text, empty ones between them, each at its own alignment. */
static void pieces_of(int k, size_t aad_len, size_t len, size_t most, bool in_place)
{
    struct msg m = rnd_msg(k, 12, aad_len, len);
    uint8_t tag[16], want_tag[16];
    where("%s, AAD of %zu, text of %zu in pieces up to %zu%s", evp_name[k], aad_len, len, most,
          in_place ? ", in place" : "");
    CHECK(seal(ref[k], &m, want, want_tag));
    for (int enc = 1; enc >= 0; enc--) {
        const uint8_t *in = enc ? m.text : want;
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(begin(x, ours[k], &m, enc));
        CHECK(enc || set_tag(x, want_tag, 16) == 1);
        for (size_t at = 0, n; at < aad_len; at += n) {
            n = 1 + rnd(most);
            n = n > aad_len - at ? aad_len - at : n;
            CHECK(aad(x, m.aad + at, n));
            if (rnd(8) == 0)
                CHECK(update(x, NULL, m.aad, 0));
        }
        memset(back, 0xc3, len + MARGIN);
        if (in_place)
            memcpy(back, in, len);
        for (size_t at = 0, n; at < len; at += n) {
            n = 1 + rnd(most);
            n = n > len - at ? len - at : n;
            CHECK(update(x, back + at, in_place ? back + at : in + at, n));
            if (!in_place)
                CHECK(back[at + n] == 0xc3);
            if (rnd(8) == 0)
                CHECK(update(x, back, in, 0));
        }
        CHECK(finish(x));
        CHECK_BYTES(back, enc ? want : m.text, len);
        CHECK(all_bytes(back + len, MARGIN, 0xc3));
        if (enc) {
            CHECK(get_tag(x, tag, 16) == 1);
            CHECK_BYTES(tag, want_tag, 16);
        }
        EVP_CIPHER_CTX_free(x);
    }
    CHECK(drain().total == 0);
}

static void pieces(void)
{
    static const size_t most[] = {1, 3, 15, 16, 17, 33, 64, 100, 256, 300};
    for (int round = 0; round < 600; round++)
        pieces_of((int)rnd(3), rnd(round % 4 == 0 ? 2000 : 60), rnd(round % 8 == 0 ? 9000 : 1200),
                  most[rnd(COUNT(most))], rnd(2) != 0);
    pieces_of(K256, 20000, 65536, 300, false);
    pieces_of(K256, 20000, 65536, 300, true);
    pieces_of(K128, 0, 65536, 20000, true);
}

/* Every way to cut a message of a few blocks in two. */
static void cut_in_two(void)
{
    enum { LEN = 150 };
    struct msg m = rnd_msg(K256, 12, 50, LEN);
    uint8_t tag[16], want_tag[16];
    CHECK(seal(ref[K256], &m, want, want_tag));
    for (size_t cut = 0; cut <= LEN; cut++)
        for (int enc = 0; enc < 2; enc++) {
            const uint8_t *in = enc ? m.text : want;
            where("cut at %zu, enc %d", cut, enc);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(begin(x, ours[K256], &m, enc));
            CHECK(aad(x, m.aad, cut / 3) && aad(x, m.aad + cut / 3, 50 - cut / 3));
            CHECK(update(x, got, in, cut) && update(x, got + cut, in + cut, LEN - cut));
            CHECK(enc || set_tag(x, want_tag, 16) == 1);
            CHECK(finish(x));
            CHECK_BYTES(got, enc ? want : m.text, LEN);
            CHECK(!enc || (get_tag(x, tag, 16) == 1 && memcmp(tag, want_tag, 16) == 0));
            EVP_CIPHER_CTX_free(x);
        }
}

static void alignments(void)
{
    static const size_t lens[] = {1, 15, 16, 31, 48, 127, 128, 129, 256, 511, 1030};
    for (size_t in_at = 0; in_at < 64; in_at++)
        for (size_t out_at = 0; out_at < 64; out_at++) {
            size_t len = lens[rnd(COUNT(lens))];
            struct msg m = rnd_msg(K256, 12, 13, len);
            uint8_t tag[16], want_tag[16];
            where("text of %zu, in at %zu, out at %zu", len, in_at, out_at);
            memcpy(back + in_at, m.text, len);
            m.text = back + in_at;
            if (out_at % 8 == 0) {
                CHECK(seal(ref[K256], &m, want, want_tag));
                CHECK(seal(ours[K256], &m, got + out_at, tag));
                CHECK_BYTES(got + out_at, want, len);
                CHECK_BYTES(tag, want_tag, 16);
            } else {
                CHECK(seal(ours[K256], &m, got + out_at, tag));
                CHECK(open_(ref[K256], &m, got + out_at, tag, 16, want));
                CHECK_BYTES(want, m.text, len);
            }
        }
    CHECK(drain().total == 0);
}

/* Buffers between pages that fault: not a byte too much is read or written. */
static void guarded(void)
{
    struct guarded in = guarded_new(2048), out = guarded_new(2048), head = guarded_new(2048);
    for (int k = 0; k < NKEYS; k++)
        for (size_t len = 0; len <= 1100; len += len < 300 ? 1 : 37)
            for (int end = 0; end < 2; end++) {
                size_t aad_len = len % 301;
                struct msg m = rnd_msg(k, 12, aad_len, len);
                uint8_t tag[16], want_tag[16];
                where("%s, AAD of %zu, text of %zu at the %s of a page", evp_name[k], aad_len, len,
                      end ? "end" : "start");
                uint8_t *i = end ? guarded_end(&in, len) : guarded_start(&in);
                uint8_t *o = end ? guarded_end(&out, len) : guarded_start(&out);
                uint8_t *a = end ? guarded_end(&head, aad_len) : guarded_start(&head);
                memcpy(i, m.text, len);
                memcpy(a, m.aad, aad_len);
                CHECK(seal(ref[k], &m, want, want_tag));
                m.text = i;
                m.aad = a;
                CHECK(seal(ours[k], &m, o, tag));
                CHECK_BYTES(o, want, len);
                CHECK_BYTES(tag, want_tag, 16);
                CHECK(open_(ours[k], &m, o, tag, 16, o));
                CHECK_BYTES(o, i, len);
            }
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&head);
}

/* G40: shifted by 1..63 either way is refused before a byte is written; buffers that touch are fine. */
static void overlaps(void)
{
    enum { LEN = 80 };
    for (int enc = 0; enc < 2; enc++)
        for (int shift = -100; shift <= 100; shift++) {
            struct msg m = rnd_msg(K256, 12, 3, LEN);
            uint8_t before[400], buffer[400];
            rnd_bytes(buffer, sizeof buffer);
            memcpy(buffer + 150, m.text, LEN);
            memcpy(before, buffer, sizeof buffer);
            where("enc %d, output %d bytes behind the input", enc, shift);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(begin(x, ours[K256], &m, enc));
            CHECK(aad(x, m.aad, 3));
            if (shift != 0 && abs(shift) < LEN) {
                REFUSED(update(x, buffer + 150 + shift, buffer + 150, LEN));
                CHECK_BYTES(buffer, before, sizeof buffer);
                REFUSED(finish(x));
                CHECK(works(x, K256));
            } else {
                OK(update(x, buffer + 150 + shift, buffer + 150, LEN));
            }
            EVP_CIPHER_CTX_free(x);
        }
}

/* The 32-bit counter wraps inside the text (16-byte IVs make J0 what they like). */
static void counter_wrap(void)
{
    for (int i = 0; i < 40; i++) {
        struct msg m = rnd_msg(K256, 16, 7, 3000);
        uint8_t nonce[16], j0[16], tag[16], want_tag[16];
        struct ref_gcm key;
        rnd_bytes(j0, 12);
        j0[12] = j0[13] = j0[14] = 0xff;
        j0[15] = (uint8_t)(0xff - i * 6);
        ref_gcm_init(&key, m.key, 32);
        ref_gcm_nonce_for_j0(&key, nonce, j0);
        m.iv = nonce;
        where("wrap after %d blocks", i * 6 + 1);
        CHECK(seal(ref[K256], &m, want, want_tag) && seal(ours[K256], &m, got, tag));
        CHECK_BYTES(got, want, m.len);
        CHECK_BYTES(tag, want_tag, 16);
        CHECK(open_(ours[K256], &m, got, tag, 16, back));
        CHECK_BYTES(back, m.text, m.len);
    }
}

static const struct evp_case cases[] = {
    {"G2 G4", "text of 0..1100", each_length},
    {"G2 G4", "text of 2^k-1 .. 2^k+1", around_powers},
    {"G1 G2", "AAD of 0..300 and more", each_aad_length},
    {"G3", "random pieces", pieces},
    {"G3", "cut in two", cut_in_two},
    {"G3", "alignments 0..63", alignments},
    {"G4", "pages that fault", guarded},
    {"G40 D6", "overlaps", overlaps},
    {"G2", "counter wrap", counter_wrap},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
