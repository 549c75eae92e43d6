/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM-SIV on the bench. libcrypto 3.0 has none to compare with, so the reference of tests/ says what is right.
 */
#ifndef HWAEAD_TESTS_SIV_H
#define HWAEAD_TESTS_SIV_H

#include "evp.h"

extern const char *const siv_name[NKEYS];

/* The cipher under test, fetched at its first use and kept. */
const EVP_CIPHER *siv(int k);

/* What sealing m must give. out may be m->text. */
void siv_reference(const struct msg *m, uint8_t *out, uint8_t tag[16]);

/* A context of ours, with or without anything before: seals and opens a message right. */
bool siv_works(EVP_CIPHER_CTX *x, int k);

#endif
