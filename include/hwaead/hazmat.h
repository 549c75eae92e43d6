/* SPDX-License-Identifier: Apache-2.0
 *
 * hwaead with explicit nonces. A nonce used twice under one GCM key gives away the XOR of the two texts and
 * lets anyone forge messages: use this header only where a protocol fixes the nonce and you can show that it
 * never repeats. Everything else is in hwaead.h, whose conventions hold here too.
 */
#ifndef HWAEAD_HAZMAT_H
#define HWAEAD_HAZMAT_H

#include "hwaead.h"

#ifdef __cplusplus
extern "C" {
#endif

/* AES-GCM authenticated encryption (SP 800-38D, algorithm 4).
 * out[0 .. in_len) = text, tag[0 .. tag_len) = tag. nonce_len is 1 or more, 12 being the fast case;
 * tag_len is 4, 8 or 12 to 16. tag may not overlap out. On an error out and tag are untouched.
 * Errors: ARGUMENT, NO_KEY, NONCE_LENGTH, TAG_LENGTH, TOO_LONG, OVERLAP. */
HWAEAD_API hwaead_err hwaead_gcm_seal_with_nonce(const hwaead_gcm_key *key, uint8_t *out, uint8_t *tag,
                                                 size_t tag_len, const uint8_t *nonce, size_t nonce_len,
                                                 const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                                 size_t in_len);

/* AES-GCM authenticated decryption (SP 800-38D, algorithm 5).
 * out[0 .. in_len) = text. With a wrong tag out is zeroed; on any other error it is untouched.
 * Errors: as for sealing, and AUTH. */
HWAEAD_API hwaead_err hwaead_gcm_open_with_nonce(const hwaead_gcm_key *key, uint8_t *out, const uint8_t *nonce,
                                                 size_t nonce_len, const uint8_t *aad, size_t aad_len,
                                                 const uint8_t *in, size_t in_len, const uint8_t *tag,
                                                 size_t tag_len);

/* AES-GCM-SIV encryption and decryption (RFC 8452, 4 and 5). nonce_len must be 12 and tag_len 16; the rest is
 * as above. A nonce used twice gives away whether the two messages and their aad were equal, and nothing else. */
HWAEAD_API hwaead_err hwaead_siv_seal_with_nonce(const hwaead_siv_key *key, uint8_t *out, uint8_t *tag,
                                                 size_t tag_len, const uint8_t *nonce, size_t nonce_len,
                                                 const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                                 size_t in_len);
HWAEAD_API hwaead_err hwaead_siv_open_with_nonce(const hwaead_siv_key *key, uint8_t *out, const uint8_t *nonce,
                                                 size_t nonce_len, const uint8_t *aad, size_t aad_len,
                                                 const uint8_t *in, size_t in_len, const uint8_t *tag,
                                                 size_t tag_len);

#ifdef __cplusplus
}
#endif
#endif
