/* SPDX-License-Identifier: Apache-2.0
 *
 * Who tests the tests: the reference against published answers.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "reference.h"

struct bytes {
    uint8_t b[80];
    size_t n;
};

static struct bytes hex(const char *digits)
{
    struct bytes r = {.n = strlen(digits) / 2};
    for (size_t i = 0; i < r.n; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        r.b[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return r;
}

/* FIPS 197 (2001), appendix C, and the last words of the expansions in appendix A. */
static void test_aes(void)
{
    static const struct {
        const char *key, *out, *expanded, *last;
    } known[] = {
        {"000102030405060708090a0b0c0d0e0f", "69c4e0d86a7b0430d8cdb78070b4c55a",
          "2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"},
        {"000102030405060708090a0b0c0d0e0f1011121314151617", "dda97ca4864cdfe06eaf70a0ec0d7191",
          "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "e98ba06f448c773c8ecc720401002202"},
        {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
         "8ea2b7ca516745bfeafc49904b496089",
          "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
          "fe4890d1e6188d0b046df344706c631e"},
    };
    struct bytes in = hex("00112233445566778899aabbccddeeff");
    for (size_t i = 0; i < 3; i++) {
        struct ref_aes aes;
        uint8_t out[REF_BLOCK];
        struct bytes key = hex(known[i].key);
        check_note("FIPS 197, C.%zu and A.%zu", i + 1, i + 1);
        ref_aes_init(&aes, key.b, key.n);
        ref_aes_encrypt(&aes, out, in.b);
        CHECK_BYTES(out, hex(known[i].out).b, REF_BLOCK);
        key = hex(known[i].expanded);
        ref_aes_init(&aes, key.b, key.n);
        CHECK_BYTES(aes.rk + REF_BLOCK * aes.rounds, hex(known[i].last).b, REF_BLOCK);
    }
}

static void test_field(void)
{
    struct rng rng = {1};
    uint8_t one[REF_BLOCK] = {0x80}, a[REF_BLOCK], b[REF_BLOCK], ab[REF_BLOCK], ba[REF_BLOCK];
    for (int i = 0; i < 50; i++) {
        rng_fill(&rng, a, REF_BLOCK);
        rng_fill(&rng, b, REF_BLOCK);
        check_note("field laws, %d", i);
        ref_gf_mul(ab, a, b);
        ref_gf_mul(ba, b, a);
        CHECK_BYTES(ab, ba, REF_BLOCK);
        ref_gf_inverse(b, a);
        ref_gf_mul(ab, a, b);
        CHECK_BYTES(ab, one, REF_BLOCK);
    }
}

/* McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", test cases 2 (H and GHASH) and 18. */
static void test_gcm(void)
{
    struct ref_gcm key;
    uint8_t zero[32] = {0}, y[REF_BLOCK] = {0}, out[60], tag[REF_BLOCK];
    check_note("GCM test case 2");
    ref_gcm_init(&key, zero, 16);
    CHECK_BYTES(key.h, hex("66e94bd4ef8a2c3b884cfa59ca342b2e").b, REF_BLOCK);
    struct bytes x = hex("0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080");
    ref_ghash(y, key.h, x.b, 2);
    CHECK_BYTES(y, hex("f38cbb1ad69223dcc3457ae5b6b0f885").b, REF_BLOCK);

    check_note("GCM test case 18");
    struct bytes k = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
    struct bytes nonce = hex("9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e242"
                             "9a6b525416aedbf5a0de6a57a637b39b");
    struct bytes aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    struct bytes pt = hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e24"
                          "49a6b525b16aedf5aa0de657ba637b39");
    ref_gcm_init(&key, k.b, k.n);
    ref_gcm_seal(&key, out, tag, nonce.b, nonce.n, aad.b, aad.n, pt.b, pt.n);
    CHECK_BYTES(out,
                hex("5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf40fc0c3b780f244452da3ebf1"
                         "c5d82cdea2418997200ef82e44ae7e3f").b, pt.n);
    CHECK_BYTES(tag, hex("a44a8266ee1c8eb0c8b5d4cf5ae9f19a").b, REF_BLOCK);
}

/* RFC 8452, appendix A and appendices C.1 and C.2. */
static void test_siv(void)
{
    struct bytes h = hex("25629347589242761d31f826ba4b757b"), product;
    struct bytes x = hex("4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362");
    uint8_t y[REF_BLOCK] = {0}, out[64], tag[REF_BLOCK];
    check_note("RFC 8452, appendix A");
    ref_polyval(y, h.b, x.b, 2);
    CHECK_BYTES(y, hex("f7a3b47b846119fae5b7866cf5e5b77e").b, REF_BLOCK);
    memset(y, 0, sizeof y);
    ref_ghash(y, h.b, x.b, 2);
    CHECK_BYTES(y, hex("bd9b3997046731fb96251b91f9c99d7a").b, REF_BLOCK);
    product = hex("9c98c04df9387ded828175a92ba652d8");
    ref_mulx_polyval(product.b, product.b);
    CHECK_BYTES(product.b, hex("3931819bf271fada0503eb52574ca572").b, REF_BLOCK);

    /* The same relation for all: GHASH through POLYVAL, with the powers that the core keeps. */
    struct rng rng = {2};
    for (int i = 0; i < 50; i++) {
        uint8_t blocks[5 * REF_BLOCK], reversed[5 * REF_BLOCK], powers[5 * REF_BLOCK], g[REF_BLOCK] = {0};
        uint8_t sum[REF_BLOCK] = {0};
        rng_fill(&rng, h.b, REF_BLOCK);
        rng_fill(&rng, blocks, sizeof blocks);
        ref_ghash(g, h.b, blocks, 5);
        ref_polyval_powers(powers, 5, h.b);
        for (size_t j = 0; j < sizeof blocks; j++)
            reversed[j] = blocks[j / REF_BLOCK * REF_BLOCK + 15 - j % REF_BLOCK];
        for (size_t n = 0; n < 5; n++) {
            uint8_t term[REF_BLOCK];
            ref_dot(term, reversed + REF_BLOCK * n, powers + REF_BLOCK * n);
            for (size_t j = 0; j < REF_BLOCK; j++)
                sum[j] ^= term[j];
        }
        for (size_t j = 0; j < REF_BLOCK / 2; j++) {
            uint8_t t = sum[j];
            sum[j] = sum[15 - j];
            sum[15 - j] = t;
        }
        check_note("GHASH as a sum of POLYVAL products, %d", i);
        CHECK_BYTES(sum, g, REF_BLOCK);
    }

    static const struct {
        const char *name, *key, *nonce, *aad, *pt, *ct, *tag;
    } known[] = {
        {"RFC 8452, section 8", "ee8e1ed9ff2540ae8f2ba9f50bc2f27c",
          "752abad3e0afb5f434dc4310", "6578616d706c65", "48656c6c6f20776f726c64", "5d349ead175ef6b1def6fd",
          "4fbcdeb7e4793f4a1d7e4faa70100af1"},
        {"RFC 8452, C.1, first", "01000000000000000000000000000000", "030000000000000000000000", "", "", "",
          "dc20e2d83f25705bb49e439eca56de25"},
        {"RFC 8452, C.2, first", "0100000000000000000000000000000000000000000000000000000000000000",
          "030000000000000000000000", "", "", "", "07f5f4169bbf55a8400cd47ea6fd400f"},
        {"AES-192-GCM-SIV, computed with OpenSSL 4.0.0 (no published vectors exist)",
          "000102030405060708090a0b0c0d0e0f1011121314151617", "303132333435363738393a3b", "687761656164",
          "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f6061626364",
          "fac35691f3cb54b70fefd3467bc8bab5cda8bd21109a6e3245a4fa71b4ff2e47546eec754b", "e342fe2e9e412ee845b3e8664ed50bf4"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct bytes key = hex(known[i].key), aad = hex(known[i].aad), pt = hex(known[i].pt);
        check_note("%s", known[i].name);
        ref_siv_seal(out, tag, key.b, key.n, hex(known[i].nonce).b, aad.b, aad.n, pt.b, pt.n);
        CHECK_BYTES(out, hex(known[i].ct).b, pt.n);
        CHECK_BYTES(tag, hex(known[i].tag).b, REF_BLOCK);
    }
}

int main(void)
{
    test_aes();
    test_field();
    test_gcm();
    test_siv();
    return check_done();
}
