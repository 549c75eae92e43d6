/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls that libssl makes for TLS 1.2, TLS 1.3 and QUIC, and SSH programs for their packets, in the same order
 * and with the same parameters (contract, sections 2.8 and 3), between ours and ref in both directions.
 */
#include "evp.h"

#include <stdlib.h>
#include <string.h>

enum { AROUND = 24, EXPLICIT = 8, HEADER = 13, PLAIN_MAX = 16384 };

struct sides {
    const EVP_CIPHER *seals, *opens;
    const char *name;
};

/* All pairs but ref with ref. */
static struct sides pair_of(int i, int k)
{
    const struct sides all[] = {{ours[k], ref[k], "ours to ref"}, {ref[k], ours[k], "ref to ours"},
                                {ours[k], ours[k], "ours to ours"}};
    return all[i];
}

static void header_of(uint8_t header[HEADER], uint64_t sequence, size_t record_len)
{
    for (int i = 0; i < 8; i++)
        header[i] = (uint8_t)(sequence >> (56 - 8 * i));
    header[8] = 23;
    header[9] = header[10] = 3;
    header[11] = (uint8_t)(record_len >> 8);
    header[12] = (uint8_t)record_len;
}

/* As libssl makes a context of TLS 1.2 at a key change. */
static EVP_CIPHER_CTX *tls12(const EVP_CIPHER *c, const uint8_t *key, const uint8_t fixed[4], int enc)
{
    uint8_t copy[4];
    int version = 65277; /* DTLS 1.2 */
    size_t mac = 0;
    OSSL_PARAM list[] = {OSSL_PARAM_construct_int("tls-version", &version),
                         OSSL_PARAM_construct_size_t("tls-mac-size", &mac), OSSL_PARAM_construct_end()};
    EVP_CIPHER_CTX *x = evp_ctx();
    memcpy(copy, fixed, 4);
    OK(EVP_CipherInit_ex2(x, c, key, NULL, enc, NULL));
    OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 4, copy));
    OK(EVP_CIPHER_CTX_set_params(x, list)); /* T13 */
    return x;
}

/* One record in place: record_len bytes of explicit IV || text || tag. *outl, or -1. */
static int tls12_record(EVP_CIPHER_CTX *x, uint64_t sequence, uint8_t *record, size_t record_len)
{
    uint8_t header[HEADER];
    int n = -5;
    header_of(header, sequence, record_len - (EVP_CIPHER_CTX_is_encrypting(x) ? 16 : 0));
    if (EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) != 16)
        return -1;
    return EVP_CipherUpdate(x, record, &n, record, (int)record_len) == 1 ? n : -1;
}

/* ---- T2, T13 ---- */

static void tls12_sequences(void)
{
    static uint8_t record[PLAIN_MAX + AROUND], plain[PLAIN_MAX];
    static const size_t lens[] = {0, 1, 2, 15, 16, 17, 31, 100, 255, 256, 1000, 1350, 4096, PLAIN_MAX};
    for (int k = 0; k < NKEYS; k++)
        for (int p = 0; p < 3; p++) {
            struct sides s = pair_of(p, k);
            struct msg m = rnd_msg(k, 12, 0, 0);
            uint8_t last[EXPLICIT] = {0};
            EVP_CIPHER_CTX *a = tls12(s.seals, m.key, m.iv, 1), *b = tls12(s.opens, m.key, m.iv, 0);
            for (size_t i = 0; i < 60; i++) {
                size_t n = i < COUNT(lens) ? lens[i] : rnd(i % 5 ? 500 : PLAIN_MAX + 1);
                where("%s, %s, record %zu of %zu", evp_name[k], s.name, i, n);
                rnd_bytes(plain, n);
                memset(record, 0xaa, EXPLICIT);
                memcpy(record + EXPLICIT, plain, n);
                CHECK(tls12_record(a, i, record, n + AROUND) == (int)(n + AROUND));
                CHECK(n < 16 || memcmp(record + EXPLICIT, plain, n) != 0);
                /* explicit IVs count up by one, from wherever they start */
                if (i > 0) {
                    for (int j = EXPLICIT - 1; j >= 0 && ++last[j] == 0; j--)
                        continue;
                    CHECK_BYTES(record, last, EXPLICIT);
                }
                memcpy(last, record, EXPLICIT);
                /* the record by the book: nonce = fixed || explicit, AAD = header with the text's length */
                uint8_t nonce[12], header[HEADER], *want = malloc(n + 1), tag[16];
                memcpy(nonce, m.iv, 4);
                memcpy(nonce + 4, record, 8);
                header_of(header, i, n);
                struct msg book = {.k = k, .key = m.key, .iv = nonce, .iv_len = 12, .aad = header,
                                   .aad_len = HEADER, .text = plain, .len = n};
                CHECK(want != NULL && seal(ref[k], &book, want, tag));
                CHECK_BYTES(record + EXPLICIT, want, n);
                CHECK_BYTES(record + EXPLICIT + n, tag, 16);
                free(want);
                CHECK(tls12_record(b, i, record, n + AROUND) == (int)n);
                CHECK_BYTES(record + EXPLICIT, plain, n);
            }
            EVP_CIPHER_CTX_free(a);
            EVP_CIPHER_CTX_free(b);
            CHECK(drain().total == 0);
        }
}

/* ---- T4: DTLS drops a bad record and goes on with the same context ---- */

static void forged_records(void)
{
    uint8_t record[200 + AROUND], good[200 + AROUND], plain[200];
    for (int k = 0; k < NKEYS; k++) {
        struct msg m = rnd_msg(k, 12, 0, 0);
        EVP_CIPHER_CTX *a = tls12(ref[k], m.key, m.iv, 1), *b = tls12(ours[k], m.key, m.iv, 0);
        for (size_t i = 0; i < 100; i++) {
            size_t n = 1 + rnd(200);
            where("%s, record %zu of %zu", evp_name[k], i, n);
            rnd_bytes(plain, n);
            memcpy(good + EXPLICIT, plain, n);
            CHECK(tls12_record(a, i, good, n + AROUND) == (int)(n + AROUND));
            memcpy(record, good, sizeof record);
            record[rnd(n + AROUND)] ^= (uint8_t)(1 << rnd(8));
            CHECK(tls12_record(b, i, record, n + AROUND) == -1);
            CHECK(all_bytes(record + EXPLICIT, n, 0)); /* cleansed */
            CHECK(drain().total == 0);
            memcpy(record, good, sizeof record); /* wrong sequence number: a replay */
            CHECK(tls12_record(b, i + 1, record, n + AROUND) == -1);
            CHECK(all_bytes(record + EXPLICIT, n, 0));
            CHECK(tls12_record(b, i, good, n + AROUND) == (int)n);
            CHECK_BYTES(good + EXPLICIT, plain, n);
            CHECK(drain().total == 0);
        }
        EVP_CIPHER_CTX_free(a);
        EVP_CIPHER_CTX_free(b);
    }
}

static void out_of_order(void)
{
    enum { N = 30, LEN = 120 };
    static uint8_t record[N][LEN + AROUND];
    uint8_t plain[LEN];
    struct msg m = rnd_msg(K256, 12, 0, 0);
    EVP_CIPHER_CTX *a = tls12(ours[K256], m.key, m.iv, 1), *b = tls12(ours[K256], m.key, m.iv, 0);
    rnd_bytes(plain, LEN);
    for (size_t i = 0; i < N; i++) {
        memcpy(record[i] + EXPLICIT, plain, LEN);
        CHECK(tls12_record(a, i, record[i], LEN + AROUND) == LEN + AROUND);
    }
    for (size_t i = 0; i < N; i++) {
        size_t j = i * 7 % N;
        where("record %zu", j);
        CHECK(tls12_record(b, j, record[j], LEN + AROUND) == LEN);
        CHECK_BYTES(record[j] + EXPLICIT, plain, LEN);
    }
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
}

/* ---- T1, T3 ---- */

static void bad_headers(void)
{
    for (int enc = 0; enc < 2; enc++) {
        struct msg m = rnd_msg(K256, 12, 0, 0);
        uint8_t header[20], record[100] = {0};
        EVP_CIPHER_CTX *x = tls12(ours[K256], m.key, m.iv, enc);
        for (size_t size = 0; size <= 20; size++) {
            where("enc %d, header of %zu", enc, size);
            memset(header, 0, sizeof header);
            header[12] = 100;
            if (size == HEADER)
                OK(set_param(x, OSSL_PARAM_construct_octet_string("tlsaad", header, size)));
            else
                REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tlsaad", header, size)));
        }
        REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, 12, header));
        REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, 14, header));
        REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tlsaad", NULL, 13)));
        const unsigned least = enc ? 8 : 24;
        for (unsigned len = 0; len <= 40; len++) {
            where("enc %d, length field %u", enc, len);
            header_of(header, 1, len);
            if (len < least)
                REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header));
            else
                CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16);
            CHECK(drain().total == 0);
            size_t pad = 0;
            OK(get_size(x, "tlsaadpad", &pad));
            CHECK(len < least || pad == 16);
        }
        /* a header that was refused announces no record */
        header_of(header, 1, 40);
        CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16);
        header_of(header, 1, 7);
        REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header));
        REFUSED(update(x, record, record, 60));
        CHECK(all_bytes(record, sizeof record, 0));
        EVP_CIPHER_CTX_free(x);
    }
}

static void bad_records(void)
{
    for (int enc = 0; enc < 2; enc++) {
        struct msg m = rnd_msg(K256, 12, 0, 0);
        uint8_t header[HEADER], record[100], elsewhere[100];
        EVP_CIPHER_CTX *x = tls12(ours[K256], m.key, m.iv, enc);
        header_of(header, 1, 60);
        memset(record, 0x3c, sizeof record);
        memset(elsewhere, 0xc3, sizeof elsewhere);
        for (size_t n = 1; n < AROUND; n++) {
            where("enc %d, record of %zu", enc, n);
            CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16);
            REFUSED(update(x, record, record, n));
        }
        static const struct {
            const char *name;
            size_t out_at;
        } where_to[] = {{"elsewhere", 0}, {"one byte on", 1}, {"16 bytes on", 16}};
        for (size_t i = 0; i < COUNT(where_to); i++) {
            where("enc %d, output %s", enc, where_to[i].name);
            CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16);
            REFUSED(update(x, i == 0 ? elsewhere : record + where_to[i].out_at, record, 60));
        }
        where("enc %d, no output, no input", enc);
        int n;
        CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16);
        REFUSED(EVP_CipherUpdate(x, NULL, &n, record, 60));
        CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16);
        REFUSED(EVP_CipherUpdate(x, record, &n, NULL, 60));
        CHECK(all_bytes(record, sizeof record, 0x3c));
        CHECK(all_bytes(elsewhere, sizeof elsewhere, 0xc3));

        /* after all that the same context does records */
        memset(record, 0, sizeof record);
        if (enc) {
            CHECK(tls12_record(x, 7, record, 60) == 60);
            EVP_CIPHER_CTX *y = tls12(ref[K256], m.key, m.iv, 0);
            CHECK(tls12_record(y, 7, record, 60) == 60 - AROUND);
            EVP_CIPHER_CTX_free(y);
        } else {
            EVP_CIPHER_CTX *y = tls12(ref[K256], m.key, m.iv, 1);
            CHECK(tls12_record(y, 7, record, 60) == 60);
            CHECK(tls12_record(x, 7, record, 60) == 60 - AROUND);
            EVP_CIPHER_CTX_free(y);
        }
        CHECK(all_bytes(record + EXPLICIT, 60 - AROUND, 0));
        CHECK(drain().total == 0);
        EVP_CIPHER_CTX_free(x);
    }
}

/* A record without what it needs: no key, no fixed IV. */
static void unready_records(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 0);
    uint8_t header[HEADER], record[60], fixed[4] = {1, 2, 3, 4};
    header_of(header, 1, 60);
    memset(record, 0x3c, sizeof record);
    for (int enc = 0; enc < 2; enc++)
        for (int way = 0; way < 3; way++) {
            where("enc %d, way %d", enc, way);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_CipherInit_ex2(x, ours[K256], way == 0 ? NULL : m.key, way == 2 ? m.iv : NULL, enc, NULL));
            if (way == 0)
                OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 4, fixed));
            CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16);
            REFUSED(update(x, record, record, 60));
            CHECK(all_bytes(record, sizeof record, 0x3c));
            EVP_CIPHER_CTX_free(x);
        }
}

/* An IV load drops an announced record (section 2.4); no final ends it, and final does no record. */
static void header_is_dropped(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 60);
    uint8_t header[HEADER], out[60], want[60], tag[16], want_tag[16];
    CHECK(seal(ref[K256], &m, want, want_tag));
    EVP_CIPHER_CTX *x = tls12(ours[K256], m.key, m.iv, 1);
    header_of(header, 1, 60);
    CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16);
    OK(init_iv(x, m.iv, 1));
    OK(update(x, out, m.text, 60));
    OK(finish(x));
    OK(get_tag(x, tag, 16));
    CHECK_BYTES(out, want, 60);
    CHECK_BYTES(tag, want_tag, 16);
    EVP_CIPHER_CTX_free(x);
}

/* ---- T5 ---- */

static void fixed_sizes(void)
{
    static const size_t iv_lens[] = {12, 16, 20, 64, 128};
    for (int enc = 0; enc < 2; enc++)
        for (size_t i = 0; i < COUNT(iv_lens); i++)
            for (size_t n = 0; n <= 140; n++) {
                struct msg m = rnd_msg(K256, 140, 0, 0);
                uint8_t fixed[140], iv[128] = {0};
                const size_t iv_len = iv_lens[i];
                where("enc %d, ivlen %zu, fixed part of %zu", enc, iv_len, n);
                memcpy(fixed, m.iv, sizeof fixed);
                EVP_CIPHER_CTX *x = evp_ctx();
                OK(EVP_CipherInit_ex2(x, ours[K256], m.key, NULL, enc, NULL));
                OK(set_ivlen(x, iv_len));
                if (n >= 4 && n + 8 <= iv_len) {
                    OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, (int)n, fixed));
                    OK(get_octets(x, "tlsivgen", iv, iv_len));
                    CHECK_BYTES(iv, fixed, n);
                } else {
                    REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tlsivfixed", fixed, n)));
                    REFUSED(get_octets(x, "tlsivgen", iv, iv_len)); /* nothing was enabled */
                }
                EVP_CIPHER_CTX_free(x);
            }
}

/* -1: the whole IV, which then counts in its last 8 bytes. */
static void whole_iv(void)
{
    for (int enc = 0; enc < 2; enc++) {
        struct msg m = rnd_msg(K256, 16, 0, 0);
        uint8_t iv[16], got[16];
        memcpy(iv, m.iv, 16);
        memset(iv + 9, 0xff, 7); /* carries through all of the low 8 bytes but one */
        where("enc %d", enc);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_CipherInit_ex2(x, ours[K256], m.key, NULL, enc, NULL));
        OK(set_ivlen(x, 16));
        OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv));
        for (int i = 0; i < 600; i++) {
            OK(get_octets(x, "tlsivgen", got, 16));
            CHECK_BYTES(got, iv, 16);
            for (int j = 15; j >= 8 && ++iv[j] == 0; j--)
                continue;
        }
        memset(iv + 8, 0xff, 8); /* and wraps there: the first 8 bytes stay */
        OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv));
        OK(get_octets(x, "tlsivgen", got, 16));
        CHECK_BYTES(got, iv, 16);
        memset(iv + 8, 0, 8);
        OK(get_octets(x, "tlsivgen", got, 16));
        CHECK_BYTES(got, iv, 16);
        EVP_CIPHER_CTX_free(x);
    }
}

/* The part that counts starts at random when sealing: two contexts with one key differ. */
static void random_start(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 0);
    uint8_t fixed[4] = {1, 2, 3, 4}, iv[2][12];
    for (int i = 0; i < 2; i++) {
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_EncryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
        OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 4, fixed));
        OK(get_octets(x, "tlsivgen", iv[i], 12));
        EVP_CIPHER_CTX_free(x);
    }
    CHECK(memcmp(iv[0], iv[1], 4) == 0 && memcmp(iv[0] + 4, iv[1] + 4, 8) != 0);
}

/* A length that the IV does not have: refused instead of written past it. */
static void too_long(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 0);
    uint8_t bytes[4096] = {0};
    for (size_t n = 13; n <= sizeof bytes; n = n * 3 / 2) {
        where("%zu bytes", n);
        EVP_CIPHER_CTX *x = tls12(ours[K256], m.key, m.iv, 0);
        REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tlsivfixed", bytes, n)));
        REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tlsivinv", bytes, n)));
        CHECK(works(x, K256));
        EVP_CIPHER_CTX_free(x);
    }
    EVP_CIPHER_CTX *x = tls12(ours[K256], m.key, m.iv, 0);
    OK(set_ivlen(x, 5)); /* no room for a counter */
    REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tlsivfixed", bytes, SIZE_MAX)));
    REFUSED(get_octets(x, "tlsivgen", bytes, 5));
    CHECK(works(x, K256));
    EVP_CIPHER_CTX_free(x);
}

/* ---- T6, T7 ---- */

static void ivgen(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 0);
    for (int enc = 0; enc < 2; enc++) {
        uint8_t iv[12], room[20];
        where("enc %d", enc);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_CipherInit_ex2(x, ours[K256], m.key, m.iv, enc, NULL));
        REFUSED(get_octets(x, "tlsivgen", room, 8)); /* not before tlsivfixed */
        memcpy(iv, m.iv, 12);
        OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv));
        for (size_t i = 0, n; i < 60; i++) {
            n = i % 15;
            where("enc %d, call %zu of size %zu", enc, i, n);
            memset(room, 0xee, sizeof room);
            OK(get_octets(x, "tlsivgen", room, n));
            size_t len = n == 0 || n > 12 ? 12 : n;
            CHECK_BYTES(room, iv + 12 - len, len);
            CHECK(all_bytes(room + len, sizeof room - len, 0xee));
            for (int j = 11; j >= 4 && ++iv[j] == 0; j--)
                continue;
        }
        /* no key */
        EVP_CIPHER_CTX_free(x);
        x = evp_ctx();
        OK(EVP_CipherInit_ex2(x, ours[K256], NULL, NULL, enc, NULL));
        OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv));
        REFUSED(get_octets(x, "tlsivgen", room, 8));
        EVP_CIPHER_CTX_free(x);
    }
}

static void ivinv(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 40);
    uint8_t fixed[4], end[12], iv[12], ct[40], out[40], tag[16];
    EVP_CIPHER_CTX *x = tls12(ours[K256], m.key, m.iv, 1);
    rnd_bytes(end, sizeof end);
    REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_INV, 8, end)); /* T7 */
    EVP_CIPHER_CTX_free(x);

    memcpy(fixed, m.iv, 4);
    x = evp_ctx();
    OK(EVP_DecryptInit_ex2(x, ours[K256], m.key, NULL, NULL));
    REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_INV, 8, end)); /* not before tlsivfixed */
    OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 4, fixed));
    for (int n = 1; n <= 12; n++) {
        where("end of %d", n);
        rnd_bytes(end, sizeof end);
        if (n < 8) { /* the rest of the part that counts must be known */
            uint8_t whole[12];
            memcpy(whole, m.iv, 12);
            OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, whole));
        }
        memcpy(iv, m.iv, 12);
        memcpy(iv + 12 - n, end, (size_t)n);
        struct msg sealed = m;
        sealed.iv = iv;
        CHECK(seal(ref[K256], &sealed, ct, tag));
        OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_INV, n, end));
        OK(set_tag(x, tag, 16));
        CHECK(update(x, out, ct, 40) && finish(x));
        CHECK_BYTES(out, m.text, 40);
    }
    REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_INV, 13, end));
    REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tlsivinv", end, 0)));
    REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tlsivinv", NULL, 8)));
    EVP_CIPHER_CTX_free(x);
}

/* D5: setting the fixed part arms nothing; only the next IV that is given out, or comes from the peer, does. */
static void fixed_arms_nothing(void)
{
    struct msg m = rnd_msg(K256, 12, 4, 40);
    uint8_t iv[12], out[40], octet;
    memcpy(iv, m.iv, 12);
    for (int enc = 0; enc < 2; enc++)
        for (int n = -1; n <= 4; n += 5) {
            where("enc %d, size %d", enc, n);
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_CipherInit_ex2(x, ours[K256], m.key, m.iv, enc, NULL));
            OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, n, iv));
            memset(out, 0x5a, sizeof out);
            REFUSED(update(x, out, m.text, 40));
            REFUSED(aad(x, m.aad, 4));
            REFUSED(finish(x));
            CHECK(all_bytes(out, sizeof out, 0x5a));
            OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_IV_GEN, 1, &octet));
            CHECK(aad(x, m.aad, 4) && update(x, out, m.text, 40));
            EVP_CIPHER_CTX_free(x);
        }
}

/* D9: an IV of the caller's, or the other direction, ends the counting: it would go over IVs that are used. */
static void no_count_over_used_ivs(void)
{
    struct msg m = rnd_msg(K256, 12, 4, 40);
    uint8_t iv[12], out[40], end[8] = {9};
    memcpy(iv, m.iv, 12);
    for (int enc = 0; enc < 2; enc++)
        for (int turn = 0; turn < 2; turn++) {
            where("enc %d, %s", enc, turn ? "direction changed" : "IV loaded");
            EVP_CIPHER_CTX *x = evp_ctx();
            OK(EVP_CipherInit_ex2(x, ours[K256], m.key, NULL, enc, NULL));
            OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv));
            OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_IV_GEN, 8, end));
            OK(aad(x, m.aad, 4) && update(x, out, m.text, 40));
            OK(EVP_CipherInit_ex2(x, NULL, NULL, turn ? NULL : m.iv, turn ? 1 - enc : -1, NULL));
            REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_IV_GEN, 8, end));
            REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_INV, 8, end));
            OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv));
            OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_IV_GEN, 8, end));
            EVP_CIPHER_CTX_free(x);
        }
}

/* A header that is refused leaves nothing that would take the record for text. */
static void refused_header_leaves_nothing(void)
{
    struct msg m = rnd_msg(K256, 12, 13, 40);
    uint8_t record[40], header[13] = {0};
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_CipherInit_ex2(x, ours[K256], m.key, m.iv, 1, NULL));
    REFUSED(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, 13, header) > 0); /* length 0 */
    memset(record, 0x5a, sizeof record);
    CHECK(EVP_Cipher(x, record, record, sizeof record) == -1 && all_bytes(record, sizeof record, 0x5a));
    ERR_clear_error();
    EVP_CIPHER_CTX_free(x);
}

/* D7: another IV length turns counting off. */
static void other_length_stops_counting(void)
{
    static const size_t lens[] = {1, 7, 8, 11, 13, 16, 128};
    for (int enc = 0; enc < 2; enc++)
        for (size_t i = 0; i < COUNT(lens); i++)
            for (int at_init = 0; at_init < 2; at_init++) {
                struct msg m = rnd_msg(K256, lens[i], 0, 0);
                uint8_t out[128], end[8] = {0}, header[HEADER], record[60] = {0};
                where("enc %d, ivlen %zu%s", enc, lens[i], at_init ? " at init" : "");
                EVP_CIPHER_CTX *x = tls12(ours[K256], m.key, m.iv, enc);
                if (at_init)
                    OK(begin(x, NULL, &m, enc));
                else
                    OK(set_ivlen(x, lens[i]));
                REFUSED(get_octets(x, "tlsivgen", out, 1));
                REFUSED(set_param(x, OSSL_PARAM_construct_octet_string("tlsivinv", end, 1)));
                header_of(header, 1, 60);
                CHECK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16);
                REFUSED(update(x, record, record, 60));
                CHECK(all_bytes(record, sizeof record, 0));
                CHECK(works(x, K256));
                EVP_CIPHER_CTX_free(x);
            }
}

/* ---- T8 ---- */

static void million_records(void)
{
    enum { N = 1000000 };
    uint8_t record[AROUND], header[HEADER];
    uint64_t first = 0;
    struct msg m = rnd_msg(K128, 12, 0, 0);
    EVP_CIPHER_CTX *x = tls12(ours[K128], m.key, m.iv, 1);
    bool good = true;
    for (uint64_t i = 0; i < N && good; i++) {
        int n;
        header_of(header, i, 8);
        good = EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_TLS1_AAD, HEADER, header) == 16 &&
               EVP_CipherUpdate(x, record, &n, record, AROUND) == 1 && n == AROUND;
        uint64_t at = 0;
        for (int j = 0; j < 8; j++)
            at = at << 8 | record[j];
        if (i == 0)
            first = at;
        good &= at == first + i; /* hence all distinct */
        where("record %llu", (unsigned long long)i);
    }
    CHECK(good);
    EVP_CIPHER_CTX_free(x);
    CHECK(drain().total == 0);
}

/* ---- TLS 1.3 (T12), section 3.3 ---- */

static EVP_CIPHER_CTX *tls13(const EVP_CIPHER *c, const uint8_t *key, int enc)
{
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_CipherInit_ex(x, c, NULL, NULL, NULL, enc));
    OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL));
    OK(EVP_CipherInit_ex(x, NULL, NULL, key, NULL, -1));
    return x;
}

static int tls13_record(EVP_CIPHER_CTX *x, const uint8_t iv[12], uint64_t sequence, uint8_t *record, size_t n,
                        int enc)
{
    uint8_t nonce[12], header[5] = {23, 3, 3, (uint8_t)((n + 16) >> 8), (uint8_t)(n + 16)};
    int len = -1;
    memcpy(nonce, iv, 12);
    for (int i = 0; i < 8; i++)
        nonce[4 + i] ^= (uint8_t)(sequence >> (56 - 8 * i));
    if (EVP_CIPHER_CTX_get_iv_length(x) != 12 || EVP_CipherInit_ex(x, NULL, NULL, NULL, nonce, enc) != 1)
        return 0;
    if (!enc && EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, 16, record + n) != 1)
        return 0;
    if (EVP_CipherUpdate(x, NULL, &len, header, 5) != 1 || EVP_CipherUpdate(x, record, &len, record, (int)n) != 1 ||
        EVP_CipherFinal_ex(x, record + len, &len) != 1 || len != 0)
        return 0;
    return !enc || EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_GET_TAG, 16, record + n) == 1;
}

static void tls13_sequences(void)
{
    static uint8_t record[PLAIN_MAX + 1 + 16], plain[PLAIN_MAX + 1];
    for (int k = 0; k < NKEYS; k++)
        for (int p = 0; p < 3; p++) {
            struct sides s = pair_of(p, k);
            struct msg m = rnd_msg(k, 12, 0, 0);
            EVP_CIPHER_CTX *a = tls13(s.seals, m.key, 1), *b = tls13(s.opens, m.key, 0);
            for (size_t i = 0; i < 60; i++) {
                size_t n = i < 20 ? 1 + i : 1 + rnd(i % 5 ? 500 : PLAIN_MAX);
                where("%s, %s, record %zu of %zu", evp_name[k], s.name, i, n);
                rnd_bytes(plain, n);
                memcpy(record, plain, n);
                CHECK(tls13_record(a, m.iv, i, record, n, 1));
                if (i % 7 == 3) { /* a forged one in between */
                    uint8_t bit = (uint8_t)(1 << rnd(8));
                    size_t at = rnd(n + 16);
                    record[at] ^= bit;
                    uint8_t keep[600];
                    size_t some = n + 16 < sizeof keep ? n + 16 : 0;
                    memcpy(keep, record, some);
                    CHECK(some == 0 || !tls13_record(b, m.iv, i, record, n, 0));
                    memcpy(record, keep, some);
                    record[at] ^= bit;
                    ERR_clear_error();
                }
                CHECK(tls13_record(b, m.iv, i, record, n, 0));
                CHECK_BYTES(record, plain, n);
            }
            EVP_CIPHER_CTX_free(a);
            EVP_CIPHER_CTX_free(b);
            CHECK(drain().total == 0);
        }
}

/* ---- QUIC, section 3.4 ---- */

static void quic_packets(void)
{
    for (int k = 0; k < NKEYS; k++)
        for (int p = 0; p < 3; p++) {
            struct sides s = pair_of(p, k);
            struct msg m = rnd_msg(k, 12, 0, 0);
            uint8_t plain[1350], ct[1350], out[1350], tag[16];
            EVP_CIPHER_CTX *x[2] = {evp_ctx(), evp_ctx()};
            for (int side = 0; side < 2; side++) { /* both are set up for opening, with some IV */
                OK(EVP_CipherInit_ex2(x[side], side ? s.opens : s.seals, m.key, m.iv, 0, NULL));
                CHECK(EVP_CIPHER_CTX_get_tag_length(x[side]) == 16);
                CHECK(EVP_CIPHER_CTX_get_iv_length(x[side]) == 12);
            }
            for (int i = 0; i < 40; i++) {
                struct msg packet = rnd_msg(k, 12, 20 + rnd(20), 1 + rnd(sizeof plain));
                int n;
                where("%s, %s, packet %d of %zu", evp_name[k], s.name, i, packet.len);
                memcpy(plain, packet.text, packet.len);
                OK(EVP_CipherInit_ex(x[0], NULL, NULL, NULL, packet.iv, 1));
                CHECK(aad(x[0], packet.aad, packet.aad_len));
                const size_t cut[] = {0, packet.len < 4 ? packet.len : 4, packet.len < 347 ? packet.len : 347,
                                      packet.len};
                for (int c = 0; c < 3; c++)
                    CHECK(update(x[0], ct + cut[c], plain + cut[c], cut[c + 1] - cut[c]));
                OK(EVP_CipherFinal_ex(x[0], NULL, &n));
                OK(EVP_CIPHER_CTX_ctrl(x[0], EVP_CTRL_AEAD_GET_TAG, 16, tag));
                OK(EVP_CipherInit_ex(x[1], NULL, NULL, NULL, packet.iv, 0));
                OK(EVP_CIPHER_CTX_ctrl(x[1], EVP_CTRL_AEAD_SET_TAG, 16, tag));
                CHECK(aad(x[1], packet.aad, packet.aad_len));
                CHECK(update(x[1], out, ct, packet.len));
                OK(EVP_CipherFinal_ex(x[1], NULL, &n));
                CHECK_BYTES(out, plain, packet.len);
            }
            /* retry integrity: AAD only, in two updates */
            struct msg retry = rnd_msg(k, 12, 90, 0);
            uint8_t want[16];
            retry.key = m.key;
            CHECK(seal(ref[k], &retry, out, want));
            OK(EVP_CipherInit_ex(x[0], NULL, NULL, NULL, retry.iv, 1));
            CHECK(aad(x[0], retry.aad, 21) && aad(x[0], retry.aad + 21, 69) && finish(x[0]));
            OK(get_tag(x[0], tag, 16));
            CHECK_BYTES(tag, want, 16);
            /* a token: key at init, IV later */
            OK(EVP_CipherInit_ex(x[0], k == K128 ? ours[K256] : s.seals, NULL, m.key, NULL, 1));
            OK(EVP_CipherInit_ex(x[0], NULL, NULL, NULL, m.iv, -1));
            CHECK(update(x[0], ct, plain, 50) && finish(x[0]));
            EVP_CIPHER_CTX_free(x[0]);
            EVP_CIPHER_CTX_free(x[1]);
            CHECK(drain().total == 0);
        }
}

/* ---- SSH, section 3.6 ---- */

static EVP_CIPHER_CTX *ssh(const EVP_CIPHER *c, const uint8_t *key, const uint8_t iv[12], int enc)
{
    uint8_t copy[12];
    memcpy(copy, iv, 12);
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_CipherInit(x, c, NULL, iv, enc));
    OK(EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, -1, copy));
    CHECK(EVP_CIPHER_CTX_get_key_length(x) == EVP_CIPHER_get_key_length(c));
    OK(EVP_CipherInit(x, NULL, key, NULL, -1));
    return x;
}

/* Packet: 4 bytes of AAD, len of text, 16 of tag; the test of success is "not below 0", as in SSH programs. */
static bool ssh_packet(EVP_CIPHER_CTX *x, uint8_t *out, const uint8_t *in, size_t len, int enc)
{
    uint8_t last;
    if (EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_IV_GEN, 1, &last) != 1)
        return false;
    if (!enc) {
        uint8_t tag[16];
        memcpy(tag, in + 4 + len, 16);
        if (EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_SET_TAG, 16, tag) != 1)
            return false;
    }
    if (EVP_Cipher(x, NULL, in, 4) < 0)
        return false;
    memcpy(out, in, 4);
    if (EVP_Cipher(x, out + 4, in + 4, (unsigned)len) < 0)
        return false;
    if (EVP_Cipher(x, NULL, NULL, 0) < 0)
        return false;
    return !enc || EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_GET_TAG, 16, out + 4 + len) == 1;
}

static void ssh_packets(void)
{
    static uint8_t plain[4 + 2000 + 16], wire[4 + 2000 + 16], out[4 + 2000 + 16];
    for (int k = 0; k < NKEYS; k++)
        for (int p = 0; p < 3; p++) {
            struct sides s = pair_of(p, k);
            struct msg m = rnd_msg(k, 12, 0, 0);
            uint8_t iv[12];
            memcpy(iv, m.iv, 12);
            EVP_CIPHER_CTX *a = ssh(s.seals, m.key, m.iv, 1), *b = ssh(s.opens, m.key, m.iv, 0);
            for (int i = 0; i < 80; i++) {
                size_t n = 16 * (1 + rnd(i % 5 ? 8 : 125));
                where("%s, %s, packet %d of %zu", evp_name[k], s.name, i, n);
                rnd_bytes(plain, 4 + n);
                CHECK(ssh_packet(a, wire, plain, n, 1));
                struct msg book = {.k = k, .key = m.key, .iv = iv, .iv_len = 12, .aad = plain, .aad_len = 4,
                                   .text = plain + 4, .len = n};
                uint8_t tag[16];
                CHECK(seal(ref[k], &book, out, tag));
                CHECK_BYTES(wire + 4, out, n);
                CHECK_BYTES(wire + 4 + n, tag, 16);
                CHECK(ssh_packet(b, out, wire, n, 0));
                CHECK_BYTES(out, plain, 4 + n);
                for (int j = 11; j >= 4 && ++iv[j] == 0; j--)
                    continue;
            }
            EVP_CIPHER_CTX_free(a);
            EVP_CIPHER_CTX_free(b);
            CHECK(drain().total == 0);
        }
}

/* Is a forged packet let through? */
static bool ssh_is_fooled(const EVP_CIPHER *c)
{
    struct msg m = rnd_msg(K256, 12, 0, 0);
    uint8_t plain[4 + 64], wire[4 + 64 + 16], out[4 + 64 + 16];
    bool fooled = false;
    for (size_t bit = 0; bit < 8 * sizeof wire; bit++) {
        EVP_CIPHER_CTX *a = ssh(ref[K256], m.key, m.iv, 1), *b = ssh(c, m.key, m.iv, 0);
        rnd_bytes(plain, sizeof plain);
        CHECK(ssh_packet(a, wire, plain, 64, 1));
        wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
        fooled |= ssh_packet(b, out, wire, 64, 0);
        EVP_CIPHER_CTX_free(a);
        EVP_CIPHER_CTX_free(b);
    }
    ERR_clear_error();
    return fooled;
}

static void ssh_forged(void)
{
    CHECK(!ssh_is_fooled(ours[K256]));
}

/* ---- G34: the same module without its one-shot function must fail that test ---- */

static const OSSL_DISPATCH *whole;        /* the module's own functions */
static OSSL_ALGORITHM stripped[8];        /* its ciphers, ... */
static OSSL_DISPATCH functions[8][32];    /* ... without OSSL_FUNC_CIPHER_CIPHER */
static OSSL_DISPATCH provider_functions[32];

static const OSSL_ALGORITHM *stripped_query(void *prov, int operation, int *no_cache)
{
    const OSSL_ALGORITHM *a = NULL;
    for (const OSSL_DISPATCH *f = whole; f->function_id != 0; f++)
        if (f->function_id == OSSL_FUNC_PROVIDER_QUERY_OPERATION)
            a = OSSL_FUNC_provider_query_operation(f)(prov, operation, no_cache);
    if (a == NULL || operation != OSSL_OP_CIPHER)
        return a;
    size_t n = 0;
    for (; a->algorithm_names != NULL && n + 1 < COUNT(stripped); a++, n++) {
        size_t j = 0;
        for (const OSSL_DISPATCH *f = a->implementation; f->function_id != 0; f++)
            if (f->function_id != OSSL_FUNC_CIPHER_CIPHER)
                functions[n][j++] = *f;
        functions[n][j] = (OSSL_DISPATCH){0, NULL};
        stripped[n] = *a;
        stripped[n].implementation = functions[n];
    }
    stripped[n].algorithm_names = NULL;
    return stripped;
}

static int stripped_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                         void **prov)
{
    if (evp_entry()(handle, in, &whole, prov) != 1)
        return 0;
    size_t n = 0;
    for (const OSSL_DISPATCH *f = whole; f->function_id != 0 && n + 1 < COUNT(provider_functions); f++, n++) {
        provider_functions[n] = *f;
        if (f->function_id == OSSL_FUNC_PROVIDER_QUERY_OPERATION)
            provider_functions[n].function = (void (*)(void))stripped_query;
    }
    *out = provider_functions;
    return 1;
}

static void without_one_shot(void)
{
    OSSL_LIB_CTX *a = OSSL_LIB_CTX_new();
    CHECK(OSSL_PROVIDER_add_builtin(a, "hwaead", stripped_init) == 1);
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(a, "hwaead");
    NEED(p != NULL);
    EVP_CIPHER *c = evp_fetch(a, K256, "provider=hwaead");
    NEED(c != NULL);
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(EVP_CipherInit_ex2(x, c, NULL, NULL, 1, NULL) == 1 && works(x, K256)); /* the rest is all there */
    EVP_CIPHER_CTX_free(x);
    CHECK(ssh_is_fooled(c));
    EVP_CIPHER_free(c);
    OSSL_PROVIDER_unload(p);
    OSSL_LIB_CTX_free(a);
}

static const struct evp_case cases[] = {
    {"T2 T13", "TLS 1.2 sequences", tls12_sequences},
    {"T4", "forged TLS 1.2 records", forged_records},
    {"T4", "records out of order", out_of_order},
    {"T1", "bad headers", bad_headers},
    {"T3", "bad records", bad_records},
    {"T3", "records without key or fixed IV", unready_records},
    {"T9", "a header is dropped by a new IV", header_is_dropped},
    {"T5", "sizes of the fixed part", fixed_sizes},
    {"T5 T6", "whole IV", whole_iv},
    {"T5", "random start", random_start},
    {"T5 T7", "longer than the IV", too_long},
    {"T6", "tlsivgen", ivgen},
    {"T7", "tlsivinv", ivinv},
    {"T5 D5", "the fixed part arms nothing", fixed_arms_nothing},
    {"T6 D9", "no counting over used IVs", no_count_over_used_ivs},
    {"T1 T3", "a refused header leaves nothing", refused_header_leaves_nothing},
    {"T6 D7", "another IV length stops the counting", other_length_stops_counting},
    {"T8", "a million records", million_records},
    {"T12", "TLS 1.3 sequences", tls13_sequences},
    {"T18", "QUIC packets, scripted", quic_packets},
    {"T6 T17", "SSH packets, scripted", ssh_packets},
    {"G12 T17", "forged SSH packets", ssh_forged},
    {"G34", "without the one-shot function the same test fails", without_one_shot},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
