/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HWAEAD_BENCH_CONFIG_H
#define HWAEAD_BENCH_CONFIG_H

#include <stdbool.h>

#include <openssl/crypto.h>

/* Loads a configuration text into a library context, by a file that only this process sees. */
bool load_config(OSSL_LIB_CTX *lib, const char *text);

#endif
