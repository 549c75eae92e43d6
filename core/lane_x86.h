/* SPDX-License-Identifier: Apache-2.0
 *
 * What x86-64 does one block at a time, for all of its tiers: the verbs of the AES key schedule.
 *
 * SubWord(RotWord(w)) + Rcon is one AESENCLAST: the word is put, rotated, into all four columns, where
 * ShiftRows moves nothing.
 */
#ifndef HWAEAD_CORE_LANE_X86_H
#define HWAEAD_CORE_LANE_X86_H

#include <immintrin.h>
#include <stdint.h>

#include "bytes.h"

typedef __m128i lane;

INLINE __m128i block_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

INLINE void block_store(uint8_t *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)(void *)p, x);
}

/* The low half, the high one being zero or ignored. */
INLINE __m128i half_load(const uint8_t *p)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)p);
}

INLINE void half_store(uint8_t *p, __m128i x)
{
    _mm_storel_epi64((__m128i *)(void *)p, x);
}

INLINE __m128i block_zero(void) { return _mm_setzero_si128(); }
INLINE __m128i block_xor(__m128i a, __m128i b) { return _mm_xor_si128(a, b); }

/* Four copies of word `column` of x, each rotated right by rot bytes. */
INLINE __m128i word_in_all_columns(__m128i x, int column, int rot)
{
    const int b = 4 * column;
    const int w = (b + rot % 4) | (b + (1 + rot) % 4) << 8 | (b + (2 + rot) % 4) << 16 | (b + (3 + rot) % 4) << 24;
    return _mm_shuffle_epi8(x, _mm_set1_epi32(w));
}

/* SubWord(RotWord(word `column` of x)) + rcon in all columns. */
INLINE __m128i sub_rot_word(__m128i x, int column, int rcon)
{
    return _mm_aesenclast_si128(word_in_all_columns(x, column, 1), _mm_set1_epi32(rcon));
}

/* SubWord(last word of x) in all columns, the middle step of 256-bit keys. */
INLINE __m128i sub_word(__m128i x)
{
    return _mm_aesenclast_si128(word_in_all_columns(x, 3, 0), _mm_setzero_si128());
}

/* Each word in the place of the next one, zero in the first. */
INLINE __m128i words_up(__m128i x)
{
    return _mm_slli_si128(x, 4);
}

INLINE __m128i running_sum(__m128i x)
{
    x = _mm_xor_si128(x, words_up(x));
    return _mm_xor_si128(x, _mm_slli_si128(x, 8));
}

/* The last word in all columns. */
INLINE __m128i last_word(__m128i x)
{
    return _mm_shuffle_epi32(x, 0xff);
}

#include "key_schedule.h"

#endif
