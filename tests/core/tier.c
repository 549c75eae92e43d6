/* SPDX-License-Identifier: Apache-2.0 */
#include "tier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

const struct kernel *tier_from_args(int argc, char **argv)
{
    hwaead_tier tier = HWAEAD_TIER_AUTO;
    if (argc != 2 || hwaead_tier_by_name(&tier, argv[1]) != HWAEAD_OK || tier == HWAEAD_TIER_AUTO) {
        fprintf(stderr, "usage: %s TIER, such as aesni or armv8\n", argv[0]);
        exit(2);
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* what was printed before a crash is worth reading */
    const struct kernel *kernel;
    for (size_t i = 0; (kernel = kernel_runnable(i)) != NULL; i++)
        if (strcmp(kernel->name, argv[1]) == 0)
            break;
    if (kernel == NULL) {
        printf("SKIP: tier %s cannot run on this CPU\n", argv[1]);
        exit(CHECK_SKIP);
    }
    if (kernel->tier != tier || kernel_of(tier) != kernel) {
        printf("FAIL: the kernel named %s is another one\n", argv[1]);
        exit(1);
    }
    printf("tier %s\n", kernel->name);
    return kernel;
}

void tier_key(hwaead_gcm_key *key, const struct kernel *kernel, const uint8_t *key_bytes, size_t key_len)
{
    hwaead_err err = hwaead_gcm_key_init(key, sizeof *key, key_bytes, key_len, kernel->tier);
    if (err != HWAEAD_OK || hwaead_gcm_key_tier(key) != kernel->tier) {
        printf("FAIL: no key of %zu bytes on tier %s: %s\n", key_len, kernel->name, hwaead_strerror(err));
        exit(1);
    }
}
