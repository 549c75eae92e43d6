/* SPDX-License-Identifier: Apache-2.0
 *
 * What AArch64 does one block at a time, for all of its tiers: the verbs of the AES key schedule.
 *
 * SubWord is one AESE with a key of zero: the word is put into all four columns, where ShiftRows moves nothing.
 */
#ifndef HWAEAD_CORE_LANE_ARM_H
#define HWAEAD_CORE_LANE_ARM_H

#ifdef __AARCH64EB__
# error "hwaead knows AArch64 in little-endian order only"
#endif

#include <arm_neon.h>
#include <stdint.h>

#include "bytes.h"

typedef uint8x16_t lane;

INLINE lane block_load(const uint8_t *p) { return vld1q_u8(p); }
INLINE void block_store(uint8_t *p, lane x) { vst1q_u8(p, x); }

/* The low half, the high one being zero or ignored. */
INLINE lane half_load(const uint8_t *p) { return vcombine_u8(vld1_u8(p), vdup_n_u8(0)); }
INLINE void half_store(uint8_t *p, lane x) { vst1_u8(p, vget_low_u8(x)); }

INLINE lane block_zero(void) { return vdupq_n_u8(0); }
INLINE lane block_xor(lane a, lane b) { return veorq_u8(a, b); }

/* SubWord(word `column` of x) in all columns. */
INLINE lane sub_words(lane x, const int column)
{
    uint32x4_t words = vreinterpretq_u32_u8(x);
    words = column == 3 ? vdupq_laneq_u32(words, 3) : vdupq_laneq_u32(words, 1);
    return vaeseq_u8(vreinterpretq_u8_u32(words), block_zero());
}

/* The same of the last word, the middle step of 256-bit keys. */
INLINE lane sub_word(lane x)
{
    return sub_words(x, 3);
}

/* SubWord(RotWord(word `column` of x)) + rcon in all columns; column is 1 or 3. */
INLINE lane sub_rot_word(lane x, const int column, int rcon)
{
    uint32x4_t words = vreinterpretq_u32_u8(sub_words(x, column));
    words = vsriq_n_u32(vshlq_n_u32(words, 24), words, 8);
    return vreinterpretq_u8_u32(veorq_u32(words, vdupq_n_u32((uint32_t)rcon)));
}

/* Each word in the place of the next one, zero in the first. */
INLINE lane words_up(lane x)
{
    return vextq_u8(block_zero(), x, 12);
}

INLINE lane running_sum(lane x)
{
    x = veorq_u8(x, words_up(x));
    return veorq_u8(x, vextq_u8(block_zero(), x, 8));
}

/* The last word in all columns. */
INLINE lane last_word(lane x)
{
    return vreinterpretq_u8_u32(vdupq_laneq_u32(vreinterpretq_u32_u8(x), 3));
}

#include "key_schedule.h"

#endif
