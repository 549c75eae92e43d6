/* SPDX-License-Identifier: Apache-2.0
 *
 * Published known answers that the project carries itself: test cases 1 to 18 of D. McGrew and J. Viega, "The
 * Galois/Counter Mode of Operation (GCM)", appendix B (the submission to NIST that became SP 800-38D).
 */
#include <stdlib.h>
#include <string.h>

#include <hwaead/hazmat.h>

#include "check.h"
#include "memory.h"
#include "tier.h"

struct answer {
    const char *key, *iv, *aad, *pt, *ct, *tag;
};

/* What several of them have in common. */
#define KEY_128 "feffe9928665731c6d6a8f9467308308"
#define KEY_192 KEY_128 "feffe9928665731c"
#define KEY_256 KEY_128 KEY_128
#define ZERO_64 "0000000000000000"
#define ZERO_96 ZERO_64 "00000000"
#define ZERO_128 ZERO_64 ZERO_64
#define AAD_20 "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define IV_12 "cafebabefacedbaddecaf888"
#define IV_8 "cafebabefacedbad"
#define IV_60 \
    "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539" \
    "fcf0e2429a6b525416aedbf5a0de6a57a637b39b"
#define PT_60 \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c9595680953" \
    "2fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define PT_64 PT_60 "1aafd255"

static const struct answer answers[] = {
    /* 1 */
    {ZERO_128, ZERO_96, "", "",
      "",
      "58e2fccefa7e3061367f1d57a4e7455a"},
    /* 2 */
    {ZERO_128, ZERO_96, "", ZERO_128,
      "0388dace60b6a392f328c2b971b2fe78",
      "ab6e47d42cec13bdf53a67b21257bddf"},
    /* 3 */
    {KEY_128, IV_12, "", PT_64,
      "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c"
      "7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
      "4d5c2af327cd64a62cf35abd2ba6fab4"},
    /* 4 */
    {KEY_128, IV_12, AAD_20, PT_60,
      "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c"
      "7d8f6a5aac84aa051ba30b396a0aac973d58e091",
      "5bc94fbc3221a5db94fae95ae7121a47"},
    /* 5 */
    {KEY_128, IV_8, AAD_20, PT_60,
      "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c742373806900e49f24b2"
      "2b097544d4896b424989b5e1ebac0f07c23f4598",
      "3612d2e79e3b0785561be14aaca2fccb"},
    /* 6 */
    {KEY_128, IV_60, AAD_20, PT_60,
      "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90"
      "ccdcb281d48c7c6fd62875d2aca417034c34aee5",
      "619cc5aefffe0bfa462af43c1699d050"},
    /* 7 */
    {ZERO_128 ZERO_64, ZERO_96, "", "",
      "",
      "cd33b28ac773f74ba00ed1f312572435"},
    /* 8 */
    {ZERO_128 ZERO_64, ZERO_96, "", ZERO_128,
      "98e7247c07f0fe411c267e4384b0f600",
      "2ff58d80033927ab8ef4d4587514f0fb"},
    /* 9 */
    {KEY_192, IV_12, "", PT_64,
      "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525"
      "ac619d18c84a3f4718e2448b2fe324d9ccda2710acade256",
      "9924a7c8587336bfb118024db8674a14"},
    /* 10 */
    {KEY_192, IV_12, AAD_20, PT_60,
      "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525"
      "ac619d18c84a3f4718e2448b2fe324d9ccda2710",
      "2519498e80f1478f37ba55bd6d27618c"},
    /* 11 */
    {KEY_192, IV_8, AAD_20, PT_60,
      "0f10f599ae14a154ed24b36e25324db8c566632ef2bbb34f8347280fc4507057fddc29df9a471f75"
      "c66541d4d4dad1c9e93a19a58e8b473fa0f062f7",
      "65dcc57fcf623a24094fcca40d3533f8"},
    /* 12 */
    {KEY_192, IV_60, AAD_20, PT_60,
      "d27e88681ce3243c4830165a8fdcf9ff1de9a1d8e6b447ef6ef7b79828666e4581e79012af34ddd9"
      "e2f037589b292db3e67c036745fa22e7e9b7373b",
      "dcf566ff291c25bbb8568fc3d376a6d9"},
    /* 13 */
    {ZERO_128 ZERO_128, ZERO_96, "", "",
      "",
      "530f8afbc74536b9a963b4f1c4cb738b"},
    /* 14 */
    {ZERO_128 ZERO_128, ZERO_96, "", ZERO_128,
      "cea7403d4d606b6e074ec5d3baf39d18",
      "d0d1c8a799996bf0265b98b5d48ab919"},
    /* 15 */
    {KEY_256, IV_12, "", PT_64,
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3d"
      "a7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
      "b094dac5d93471bdec1a502270e3cc6c"},
    /* 16 */
    {KEY_256, IV_12, AAD_20, PT_60,
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3d"
      "a7b08b1056828838c5f61e6393ba7a0abcc9f662",
      "76fc6ece0f4e1768cddf8853bb2d551b"},
    /* 17 */
    {KEY_256, IV_8, AAD_20, PT_60,
      "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0feb582d33934a4f0"
      "954cc2363bc73f7862ac430e64abe499f47c9b1f",
      "3a337dbf46a792c45e454913fe2ea8f2"},
    /* 18 */
    {KEY_256, IV_60, AAD_20, PT_60,
      "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf40fc0c3b780f24445"
      "2da3ebf1c5d82cdea2418997200ef82e44ae7e3f",
      "a44a8266ee1c8eb0c8b5d4cf5ae9f19a"},
};

static size_t hex(uint8_t *out, const char *digits)
{
    size_t n = strlen(digits) / 2;
    for (size_t i = 0; i < n; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return n;
}

int main(int argc, char **argv)
{
    const struct kernel *kernel = tier_from_args(argc, argv);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        const struct answer *a = &answers[i];
        uint8_t bytes[32], iv[64], aad[64], pt[64], ct[64], want_tag[16], out[64], tag[16];
        size_t key_len = hex(bytes, a->key), iv_len = hex(iv, a->iv), aad_len = hex(aad, a->aad);
        size_t len = hex(pt, a->pt);
        hwaead_gcm_key key;
        check_note("GCM test case %zu", i + 1);
        CHECK(hex(ct, a->ct) == len && hex(want_tag, a->tag) == sizeof want_tag);
        tier_key(&key, kernel, bytes, key_len);
        CHECK(hwaead_gcm_seal_with_nonce(&key, out, tag, 16, iv, iv_len, aad, aad_len, pt, len) == HWAEAD_OK);
        CHECK_BYTES(out, ct, len);
        CHECK_BYTES(tag, want_tag, 16);
        CHECK(hwaead_gcm_open_with_nonce(&key, out, iv, iv_len, aad, aad_len, ct, len, want_tag, 16) ==
              HWAEAD_OK);
        CHECK_BYTES(out, pt, len);
        want_tag[i % 16] ^= 1;
        CHECK(hwaead_gcm_open_with_nonce(&key, out, iv, iv_len, aad, aad_len, ct, len, want_tag, 16) ==
              HWAEAD_ERR_AUTH);
        CHECK(all_bytes(out, len, 0));
    }
    return check_done();
}
