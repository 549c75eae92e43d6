/* SPDX-License-Identifier: Apache-2.0
 *
 * A provider whose AES-GCM and AES-GCM-SIV do nothing and whose generator, BENCH-NULL-RAND, writes nothing: what is left
 * of a call is libcrypto's own cost, and the floor that no provider gets below.
 */
#ifndef HWAEAD_BENCH_NULL_PROVIDER_H
#define HWAEAD_BENCH_NULL_PROVIDER_H

#include <openssl/core.h>

int null_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                       void **provctx);

/* What it offers (null_cipher.c, null_rand.c). */
extern const OSSL_ALGORITHM null_ciphers[], null_rands[];

#endif
