/* SPDX-License-Identifier: Apache-2.0
 *
 * Each core test runs on the one tier that its first argument names.
 */
#ifndef HWAEAD_TESTS_CORE_TIER_H
#define HWAEAD_TESTS_CORE_TIER_H

#include "kernel.h"

/* The tier of argv[1], which it prints. Ends the program with 77 (skipped) when this CPU cannot run it, with 2
 * when there is no such tier, with 1 when the core has another kernel under its name. */
const struct kernel *tier_from_args(int argc, char **argv);

/* hwaead_gcm_key_init on the tier, which must succeed and give a key that runs there; else ends the
   program. */
void tier_key(hwaead_gcm_key *key, const struct kernel *kernel, const uint8_t *key_bytes, size_t key_len);

#endif
