/* SPDX-License-Identifier: Apache-2.0
 *
 * The reasons that errors are queued with. A wrong tag is not among them: like libcrypto's own ciphers we answer
 * it with a 0 and an empty queue. Every other failure queues exactly one.
 */
#ifndef HWAEAD_PROVIDER_REASONS_H
#define HWAEAD_PROVIDER_REASONS_H

#include <openssl/core.h>

enum reason {
    R_CANNOT_RUN = 1,
    R_CONFIG,
    R_MEMORY,
    R_SELF_TEST,
    R_PARAM,
    R_KEY_LENGTH,
    R_NO_KEY,
    R_IV_LENGTH,
    R_NO_IV,
    R_RANDOM_IV_LENGTH,
    R_ENTROPY,
    R_MESSAGE_OVER,
    R_NO_INPUT,
    R_AAD_AFTER_TEXT,
    R_AAD_TOO_LONG,
    R_TEXT_TOO_LONG,
    R_OVERLAP,
    R_OUTPUT_TOO_SMALL,
    R_TAG_LENGTH,
    R_TAG_WHEN_SEALING,
    R_NO_TAG_YET,
    R_NO_TAG_SET,
    R_FIXED_IV_LENGTH,
    R_NO_FIXED_IV,
    R_TLS_IV_WHEN_SEALING,
    R_TLS_AAD,
    R_TLS_RECORD,
    R_IVS_USED_UP,
    R_KEY_LENGTH_FIXED,
    R_NONCE_LENGTH,
    R_SECOND_TEXT,
    R_SIV_AAD_TOO_LONG,
    R_SIV_TEXT_TOO_LONG,
    R_SIV_TAG_LENGTH,
    R_NO_TAG_BEFORE_TEXT,
    R_NO_TAG_OF_TEXT,
    R_RAND_NOT_INSTANTIATED,
    R_RAND_INSTANTIATED,
    R_RAND_STRENGTH,
    R_RAND_REQUEST,
    R_RAND_INPUT_LENGTH,
    R_RAND_PARENT,
    R_RAND_PARENT_STRENGTH,
    R_RAND_PARENT_LOCK,
    R_SEED_PARENT,
    REASON_END
};

struct provider;

/* table[0 .. REASON_END) = the reasons as libcrypto wants them. */
void reasons_fill(OSSL_ITEM table[REASON_END]);

/* Queues one error; always 0. A failed OSSL_provider_init leaves libcrypto without our texts, so what is raised
 * there says all in its detail. */
int reason_raise(const struct provider *prov, enum reason reason, int line, const char *func);
__attribute__((format(printf, 5, 6))) int reason_raise_with(const struct provider *prov, enum reason reason,
                                                            int line, const char *func, const char *detail,
                                                            ...);

#define FAIL(prov, reason) reason_raise((prov), (reason), __LINE__, __func__)
#define FAIL_WITH(prov, reason, ...) reason_raise_with((prov), (reason), __LINE__, __func__, __VA_ARGS__)

#endif
