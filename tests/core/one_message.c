/* SPDX-License-Identifier: Apache-2.0
 *
 * one_message TIER KIB: seals one message of that size, for tools/mca.py, which counts what is executed.
 */
#include <stdio.h>
#include <stdlib.h>

#include <hwaead/hazmat.h>

int main(int argc, char **argv)
{
    static const uint8_t key_bytes[32] = {1}, nonce[12] = {2};
    static uint8_t text[1 << 20], tag[16];
    hwaead_gcm_key key;
    hwaead_tier tier;
    const size_t len = argc == 3 ? (size_t)atoi(argv[2]) * 1024 : 0;
    if (len == 0 || len > sizeof text || hwaead_tier_by_name(&tier, argv[1]) != HWAEAD_OK ||
        hwaead_gcm_key_init(&key, sizeof key, key_bytes, sizeof key_bytes, tier) != HWAEAD_OK ||
        hwaead_gcm_seal_with_nonce(&key, text, tag, sizeof tag, nonce, sizeof nonce, NULL, 0, text, len) != HWAEAD_OK) {
        fprintf(stderr, "usage: %s TIER KIB, with a tier that runs here and 1 to 1024 KiB\n", argv[0]);
        return 2;
    }
    return 0;
}
