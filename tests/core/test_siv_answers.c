/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV: published known answers that the project carries itself, from RFC 8452, section 8 and appendix C;
 * and, made as the RFC made its appendix C.3, messages whose tags are chosen, so that the 32-bit counter wraps
 * where the test wants it.
 */
#include <stdlib.h>
#include <string.h>

#include <hwaead/hazmat.h>

#include "check.h"
#include "memory.h"
#include "reference.h"
#include "tier.h"

static void siv_key_of(hwaead_siv_key *key, const struct kernel *kernel, const uint8_t *bytes, size_t len)
{
    CHECK(hwaead_siv_key_init(key, sizeof *key, bytes, len, kernel->tier) == HWAEAD_OK);
    CHECK(hwaead_siv_key_tier(key) == kernel->tier);
}

/* Seals to ct and tag, opens to pt, and not with a bit of the tag changed. */
static void check_both_ways(const hwaead_siv_key *key, const uint8_t nonce[12], const uint8_t *aad, size_t aad_len,
                            const uint8_t *pt, const uint8_t *ct, size_t len, const uint8_t tag[16])
{
    static uint8_t out[2048];
    uint8_t made[16], wrong[16];
    CHECK(hwaead_siv_seal_with_nonce(key, out, made, 16, nonce, 12, aad, aad_len, pt, len) == HWAEAD_OK);
    CHECK_BYTES(out, ct, len);
    CHECK_BYTES(made, tag, 16);
    CHECK(hwaead_siv_open_with_nonce(key, out, nonce, 12, aad, aad_len, ct, len, tag, 16) == HWAEAD_OK);
    CHECK_BYTES(out, pt, len);
    memcpy(wrong, tag, 16);
    wrong[len % 16] ^= 0x10;
    CHECK(hwaead_siv_open_with_nonce(key, out, nonce, 12, aad, aad_len, ct, len, wrong, 16) == HWAEAD_ERR_AUTH);
    CHECK(all_bytes(out, len, 0));
}

/* ---- Published answers ---- */

#define ZERO_120 "000000000000000000000000000000"
#define ONE_128 "01" ZERO_120
#define ONE_256 ONE_128 "00" ZERO_120
#define NONCE_3 "030000000000000000000000"

static const struct answer {
    const char *section, *key, *nonce, *aad, *pt, *ct, *tag;
} answers[] = {
    { "8", "ee8e1ed9ff2540ae8f2ba9f50bc2f27c", "752abad3e0afb5f434dc4310", "6578616d706c65",
      "48656c6c6f20776f726c64",
      "5d349ead175ef6b1def6fd",
      "4fbcdeb7e4793f4a1d7e4faa70100af1" },
    { "C.1", ONE_128, NONCE_3, "",
      "",
      "",
      "dc20e2d83f25705bb49e439eca56de25" },
    { "C.1", ONE_128, NONCE_3, "",
      "0100000000000000",
      "b5d839330ac7b786",
      "578782fff6013b815b287c22493a364c" },
    { "C.1", ONE_128, NONCE_3, "",
      "0100000000000000000000000000000002000000000000000000000000000000",
      "84e07e62ba83a6585417245d7ec413a9fe427d6315c09b57ce45f2e3936a9445",
      "1a8e45dcd4578c667cd86847bf6155ff" },
    { "C.1", ONE_128, NONCE_3, "",
      "010000000000000000000000000000000200000000000000000000000000000003000000000000000000000000000000"
      "04000000000000000000000000000000",
      "2433668f1058190f6d43e360f4f35cd8e475127cfca7028ea8ab5c20f7ab2af02516a2bdcbc08d521be37ff28c152bba"
      "36697f25b4cd169c6590d1dd39566d3f",
      "8a263dd317aa88d56bdf3936dba75bb8" },
    { "C.1", ONE_128, NONCE_3, "01",
      "020000000000000000000000",
      "296c7889fd99f41917f44620",
      "08299c5102745aaa3a0c469fad9e075a" },
    { "C.1", ONE_128, NONCE_3, "01",
      "020000000000000000000000000000000300000000000000000000000000000004000000000000000000000000000000"
      "05000000000000000000000000000000",
      "2f5c64059db55ee0fb847ed513003746aca4e61c711b5de2e7a77ffd02da42feec601910d3467bb8b36ebbaebce5fba3"
      "0d36c95f48a3e7980f0e7ac299332a80",
      "cdc46ae475563de037001ef84ae21744" },
    { "C.1", ONE_128, NONCE_3, "010000000000000000000000000000000200",
      "0300000000000000000000000000000004000000",
      "6bb0fecf5ded9b77f902c7d5da236a4391dd0297",
      "24afc9805e976f451e6d87f6fe106514" },
    { "C.1", "aedb64a6c590bc84d1a5e269e4b47801", "afc0577e34699b9e671fdd4f", "fc880c94a95198874296",
      "bdc66f146545",
      "bb93a3e34d3c",
      "d6a9c45545cfc11f03ad743dba20f966" },
    { "C.1", "f901cfe8a69615a93fdf7a98cad48179", "6245709fb18853f68d833640", "7576f7028ec6eb5ea7e298342a94d4b202b370ef9768ec6561c4fe6b7e7296fa859c21",
      "e42a3c02c25b64869e146d7b233987bddfc240871d",
      "391cc328d484a4f46406181bcd62efd9b3ee197d05",
      "2d15506c84a9edd65e13e9d24a2a6e70" },
    { "C.2", ONE_256, NONCE_3, "",
      "",
      "",
      "07f5f4169bbf55a8400cd47ea6fd400f" },
    { "C.2", ONE_256, NONCE_3, "",
      "0100000000000000",
      "c2ef328e5c71c83b",
      "843122130f7364b761e0b97427e3df28" },
    { "C.2", ONE_256, NONCE_3, "",
      "0100000000000000000000000000000002000000000000000000000000000000",
      "4a6a9db4c8c6549201b9edb53006cba821ec9cf850948a7c86c68ac7539d027f",
      "e819e63abcd020b006a976397632eb5d" },
    { "C.2", ONE_256, NONCE_3, "",
      "010000000000000000000000000000000200000000000000000000000000000003000000000000000000000000000000"
      "04000000000000000000000000000000",
      "c2d5160a1f8683834910acdafc41fbb1632d4a353e8b905ec9a5499ac34f96c7e1049eb080883891a4db8caaa1f99dd0"
      "04d80487540735234e3744512c6f90ce",
      "112864c269fc0d9d88c61fa47e39aa08" },
    { "C.2", ONE_256, NONCE_3, "01",
      "020000000000000000000000",
      "163d6f9cc1b346cd453a2e4c",
      "c1a4a19ae800941ccdc57cc8413c277f" },
    { "C.2", ONE_256, NONCE_3, "01",
      "020000000000000000000000000000000300000000000000000000000000000004000000000000000000000000000000"
      "05000000000000000000000000000000",
      "67fd45e126bfb9a79930c43aad2d36967d3f0e4d217c1e551f59727870beefc98cb933a8fce9de887b1e40799988db1f"
      "c3f91880ed405b2dd298318858467c89",
      "5bde0285037c5de81e5b570a049b62a0" },
    { "C.2", ONE_256, NONCE_3, "010000000000000000000000000000000200",
      "0300000000000000000000000000000004000000",
      "43dd0163cdb48f9fe3212bf61b201976067f342b",
      "b879ad976d8242acc188ab59cabfe307" },
    { "C.2", "6545fc880c94a95198874296d5cc1fd161320b6920ce07787f86743b275d1ab3", "2f6d1f0434d8848c1177441f", "6787f3ea22c127aaf195",
      "195495860f04",
      "a254dad4f3f9",
      "6b62b84dc40c84636a5ec12020ec8c2c" },
    { "C.2", "3c535de192eaed3822a2fbbe2ca9dfc88255e14a661b8aa82cc54236093bbc23", "688089e55540db1872504e1c", "734320ccc9d9bbbb19cb81b2af4ecbc3e72834321f7aa0f70b7282b4f33df23f167541",
      "ced532ce4159b035277d4dfbb7db62968b13cd4eec",
      "626660c26ea6612fb17ad91e8e767639edd6c9faee",
      "9d6c7029675b89eaf4ba1ded1a286594" },
    { "C.3", "0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000", "",
      "eb3640277c7ffd1303c7a542d02d3e4c0000000000000000",
      "18ce4f0b8cb4d0cac65fea8f79257b20888e53e72299e56d",
      "ffffffff000000000000000000000000" },
};

static size_t hex(uint8_t *out, const char *digits)
{
    size_t n = strlen(digits) / 2;
    for (size_t i = 0; i < n; i++) {
        char pair[3] = { digits[2 * i], digits[2 * i + 1], '\0' };
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return n;
}

static void test_published(const struct kernel *kernel)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        const struct answer *a = &answers[i];
        uint8_t bytes[32], nonce[12], aad[64], pt[64], ct[64], tag[16];
        hwaead_siv_key key;
        check_note("RFC 8452, %s: answer %zu", a->section, i);
        size_t key_len = hex(bytes, a->key), aad_len = hex(aad, a->aad), len = hex(pt, a->pt);
        CHECK(hex(nonce, a->nonce) == 12 && hex(tag, a->tag) == 16 && hex(ct, a->ct) == len);
        siv_key_of(&key, kernel, bytes, key_len);
        check_both_ways(&key, nonce, aad, aad_len, pt, ct, len, tag);
    }
}

/* ---- Chosen tags ---- */

/* FIPS 197, 5.3, by undoing one round after the other. */
static void aes_decrypt(const struct ref_aes *aes, uint8_t out[16], const uint8_t in[16])
{
    static uint8_t inverse[256];
    static const uint8_t row[4] = { 14, 11, 13, 9 }; /* of InvMixColumns */
    if (inverse[0x63] == inverse[0]) {
        struct ref_aes none = { .rounds = 1 }; /* keys of zeros: one round is SubBytes and ShiftRows */
        for (unsigned a = 0; a < 256; a++) {
            uint8_t block[16] = { (uint8_t)a };
            ref_aes_encrypt(&none, block, block);
            inverse[block[0]] = (uint8_t)a;
        }
    }
    uint8_t s[16], t[16];
    for (size_t i = 0; i < 16; i++)
        s[i] = in[i] ^ aes->rk[16 * aes->rounds + i];
    for (unsigned round = aes->rounds; round > 0; round--) {
        for (size_t i = 0; i < 16; i++) /* row r was shifted by r columns */
            t[(i + 4 * (i % 4)) % 16] = inverse[s[i]];
        for (size_t i = 0; i < 16; i++)
            s[i] = t[i] ^ aes->rk[16 * (round - 1) + i];
        for (size_t column = 0; round > 1 && column < 4; column++) {
            uint8_t c[4] = { 0 };
            for (size_t r = 0; r < 4; r++)
                for (size_t k = 0; k < 4; k++)
                    for (unsigned bit = 0, power = s[4 * column + k]; bit < 4; bit++) {
                        c[r] ^= (row[(k + 4 - r) % 4] >> bit & 1) != 0 ? (uint8_t)power : 0;
                        power = power << 1 ^ ((power & 0x80) != 0 ? 0x11b : 0);
                    }
            memcpy(s + 4 * column, c, 4);
        }
    }
    memcpy(out, s, 16);
}

/* The i for which dot(dot(a, h), i) = a: h^(2^128 - 2) where dot multiplies, from its one, which is x^128. */
static void dot_inverse(uint8_t out[16], const uint8_t h[16])
{
    uint8_t square[16], product[16] = { [0] = 1, [15] = 0xc2 };
    memcpy(square, h, 16);
    for (int i = 1; i < 128; i++) {
        ref_dot(square, square, square);
        ref_dot(product, product, square);
    }
    memcpy(out, product, 16);
}

/* RFC 8452, 4. */
static void derive(uint8_t auth[16], struct ref_aes *enc, const uint8_t *key, size_t key_len, const uint8_t nonce[12])
{
    struct ref_aes aes;
    uint8_t halves[48];
    ref_aes_init(&aes, key, key_len);
    for (size_t i = 0; i < 2 + key_len / 8; i++) {
        uint8_t block[16] = { (uint8_t)i };
        memcpy(block + 4, nonce, 12);
        ref_aes_encrypt(&aes, block, block);
        memcpy(halves + 8 * i, block, 8);
    }
    memcpy(auth, halves, 16);
    ref_aes_init(enc, halves + 16, key_len);
}

static void xor16(uint8_t *a, const uint8_t *b)
{
    for (size_t i = 0; i < 16; i++)
        a[i] ^= b[i];
}

/* Alters the whole block `at` of the text so that the message, without aad, gets the tag; false for the half of all
 * tags that no text has. */
static bool text_for_tag(uint8_t *pt, size_t len, size_t at, const uint8_t tag[16], const uint8_t *key, size_t key_len,
                         const uint8_t nonce[12])
{
    static uint8_t blocks[2048];
    const size_t nblocks = (len + 15) / 16;
    uint8_t auth[16], back[16], y[16], before[16] = { 0 };
    struct ref_aes enc;
    derive(auth, &enc, key, key_len, nonce);
    aes_decrypt(&enc, y, tag);
    ref_aes_encrypt(&enc, back, y);
    CHECK_BYTES(back, tag, 16);
    if ((y[15] & 0x80) != 0)
        return false;
    for (size_t i = 0; i < 12; i++)
        y[i] ^= nonce[i];
    memset(blocks, 0, sizeof blocks);
    memcpy(blocks, pt, len);
    for (int i = 0; i < 8; i++)
        blocks[16 * nblocks + 8 + (size_t)i] = (uint8_t)(8 * (uint64_t)len >> 8 * i);
    /* y is POLYVAL but for the top bit, which the tag does not have: 0 is as good as 1 */
    ref_polyval(before, auth, blocks, at);
    dot_inverse(back, auth);
    for (size_t i = nblocks; i > at; i--) { /* undo the blocks behind */
        ref_dot(y, y, back);
        xor16(y, blocks + 16 * i);
    }
    ref_dot(y, y, back);
    xor16(y, before);
    memcpy(pt + 16 * at, y, 16);
    return true;
}

static void test_counter_wrap(const struct kernel *kernel)
{
    static const size_t key_lens[] = { 16, 24, 32 }, lens[] = { 16, 17, 100, 128, 250, 257, 512, 600, 1100, 1300 };
    struct rng rng = { 61 };
    size_t wraps_inside = 0;
    for (uint32_t before = 0; before <= 72; before++)
        for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++) {
            static uint8_t pt[1300], ct[1300];
            const size_t len = lens[l], key_len = key_lens[(before + l) % 3];
            uint8_t bytes[32], nonce[12], tag[16], want[16];
            rng_fill(&rng, bytes, sizeof bytes);
            rng_fill(&rng, nonce, sizeof nonce);
            rng_fill(&rng, pt, len);
            const uint32_t start = 0 - before; /* the counter's first value; so many blocks, and it is 0 */
            do {
                if (l % 2 == 0)
                    rng_fill(&rng, tag, 16);
                else
                    memset(tag, 0xff, 16); /* a carry out of the counter would show */
                tag[4] = (uint8_t)rng_next(&rng);
                for (int i = 0; i < 4; i++)
                    tag[i] = (uint8_t)(start >> 8 * i);
            } while (!text_for_tag(pt, len, rng_below(&rng, len / 16), tag, bytes, key_len, nonce));
            check_note("key %zu, text %zu, %u blocks before the wrap", key_len, len, before);
            ref_siv_seal(ct, want, bytes, key_len, nonce, NULL, 0, pt, len);
            CHECK_BYTES(want, tag, 16); /* the construction is right */
            wraps_inside += before > 0 && before < (len + 15) / 16;
            hwaead_siv_key key;
            siv_key_of(&key, kernel, bytes, key_len);
            check_both_ways(&key, nonce, NULL, 0, pt, ct, len, tag);
        }
    check_note("%zu messages with the wrap inside", wraps_inside);
    CHECK(wraps_inside > 200);
}

int main(int argc, char **argv)
{
    const struct kernel *kernel = tier_from_args(argc, argv);
    test_published(kernel);
    test_counter_wrap(kernel);
    return check_done();
}
