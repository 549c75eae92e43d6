/* SPDX-License-Identifier: Apache-2.0
 *
 * A provider whose generator, BENCH-NULL-RAND, writes nothing: what is left of RAND_bytes is libcrypto's own cost, and
 * the floor that no provider gets below.
 */
#ifndef HWAEAD_BENCH_NULL_RAND_H
#define HWAEAD_BENCH_NULL_RAND_H

#include <openssl/core.h>

int null_rand_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                   void **provctx);

#endif
