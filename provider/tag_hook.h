/* SPDX-License-Identifier: Apache-2.0
 *
 * Every tag that the ciphers compute passes here. Test modules built with HWAEAD_CORRUPT_TAG change it, so that
 * their messages are refused by every other implementation: the proof, in tests of whole programs, that it was
 * hwaead which did the work. In the module that is shipped this is nothing.
 */
#ifndef HWAEAD_PROVIDER_TAG_HOOK_H
#define HWAEAD_PROVIDER_TAG_HOOK_H

#include <stdint.h>

#ifdef HWAEAD_CORRUPT_TAG
static inline void tag_hook(uint8_t tag[16])
{
    tag[0] ^= 1;
}
#else
static inline void tag_hook(uint8_t tag[16])
{
    (void)tag;
}
#endif

#endif
