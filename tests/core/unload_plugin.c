/* SPDX-License-Identifier: Apache-2.0
 *
 * A plug-in with the static library inside, which dlclose unloads: it is linked without -z nodelete.
 */
#include <hwaead/hwaead.h>

__attribute__((visibility("default"))) int plugin_key(uint8_t key[HWAEAD_RANDOM_KEY_LEN]);

int plugin_key(uint8_t key[HWAEAD_RANDOM_KEY_LEN])
{
    return hwaead_random_key32(key) == HWAEAD_OK;
}
