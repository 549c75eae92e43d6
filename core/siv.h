/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV (RFC 8452) with aad in pieces and text at once, for callers that get their messages in pieces;
 * 24-byte keys as OpenSSL defines them. The one-shot functions of the public headers are made of these.
 *
 * Order: siv_start, siv_aad any number of times, then siv_seal or siv_open once. The order is the caller's
 * duty, except that a message that is over is refused with NO_KEY; lengths, limits and overlaps are checked here,
 * before anything is written. The caller owns and wipes keys, and messages that it gives up before the end.
 */
#ifndef HWAEAD_CORE_SIV_H
#define HWAEAD_CORE_SIV_H

#include "kernel.h"

#define SIV_MAX_TEXT (UINT64_C(1) << 36) /* RFC 8452, 6 */
#define SIV_MAX_AAD (UINT64_C(1) << 36)

/* KEY_LENGTH, and *key wiped, unless key_len is 16, 24 or 32. kernel is not NULL. */
hwaead_err siv_key_init(struct siv_key *key, const struct kernel *kernel, const uint8_t *key_bytes,
                        size_t key_len);

/* Begins a message and derives its keys into msg, which is secret from here on. */
void siv_start(const struct siv_key *key, struct siv_msg *msg, const uint8_t nonce[SIV_NONCE]);

/* More associated data. TOO_LONG leaves msg as it was. */
hwaead_err siv_aad(const struct siv_key *key, struct siv_msg *msg, const uint8_t *aad, size_t len);

/* The whole text: out[0 .. len) and tag. Wipes msg; TOO_LONG and OVERLAP leave out, tag and msg as they were. */
hwaead_err siv_seal(const struct siv_key *key, struct siv_msg *msg, uint8_t *out, uint8_t tag[BLOCK],
                    const uint8_t *in, size_t len);

/* The whole text: out[0 .. len), zeroed with AUTH when the tag is wrong. Wipes msg; TOO_LONG and OVERLAP leave
 * out and msg as they were. */
hwaead_err siv_open(const struct siv_key *key, struct siv_msg *msg, uint8_t *out, const uint8_t *in, size_t len,
                    const uint8_t tag[BLOCK]);

#endif
