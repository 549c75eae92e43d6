/* SPDX-License-Identifier: Apache-2.0
 *
 * What x86-64 does one block at a time, for all of its tiers: the AES key schedule of FIPS 197, 5.2.
 *
 * SubWord(RotWord(w)) + Rcon is one AESENCLAST: the word is put, rotated, into all four columns, where
 * ShiftRows moves nothing.
 */
#ifndef HWAEAD_CORE_LANE_X86_H
#define HWAEAD_CORE_LANE_X86_H

#include <immintrin.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

typedef __m128i lane;

INLINE __m128i block_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

INLINE void block_store(uint8_t *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)(void *)p, x);
}

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

/* Each word becomes the sum of itself and the words before it. */
INLINE __m128i running_sum(__m128i x)
{
    x = _mm_xor_si128(x, _mm_slli_si128(x, 4));
    return _mm_xor_si128(x, _mm_slli_si128(x, 8));
}

INLINE void aes_expand_128(uint8_t *rk, lane k)
{
    static const uint8_t rcon[10] = {1, 2, 4, 8, 16, 32, 64, 128, 0x1b, 0x36};
    block_store(rk, k);
#pragma GCC unroll 10
    for (int i = 0; i < 10; i++) {
        k = _mm_xor_si128(running_sum(k), sub_rot_word(k, 3, rcon[i]));
        block_store(rk + 16 * (i + 1), k);
    }
}

/* Six words at a time: a has the first four, b the other two. */
INLINE void aes_expand_192(uint8_t *rk, lane a, lane b)
{
#pragma GCC unroll 9
    for (int i = 0; i < 9; i++) {
        block_store(rk + 24 * i, a);
        if (i == 8)
            break;
        _mm_storel_epi64((__m128i *)(void *)(rk + 24 * i + 16), b);
        a = _mm_xor_si128(running_sum(a), sub_rot_word(b, 1, 1 << i));
        b = _mm_xor_si128(_mm_xor_si128(b, _mm_slli_si128(b, 4)), _mm_shuffle_epi32(a, 0xff));
    }
}

INLINE void aes_expand_256(uint8_t *rk, lane a, lane b)
{
    block_store(rk, a);
    block_store(rk + 16, b);
#pragma GCC unroll 7
    for (int i = 0; i < 7; i++) {
        a = _mm_xor_si128(running_sum(a), sub_rot_word(b, 3, 1 << i));
        block_store(rk + 32 * (i + 1), a);
        if (i == 6)
            break;
        b = _mm_xor_si128(running_sum(b), sub_word(a));
        block_store(rk + 32 * (i + 1) + 16, b);
    }
}

/* rounds = 10, 12 or 14: the schedule of a 16, 24 or 32-byte key, which is lo and as much of hi as it needs. */
INLINE void aes_expand_blocks(uint8_t *rk, lane lo, lane hi, unsigned rounds)
{
    if (rounds == 10)
        aes_expand_128(rk, lo);
    else if (rounds == 12)
        aes_expand_192(rk, lo, hi);
    else
        aes_expand_256(rk, lo, hi);
}

/* The same from the key's bytes, of which none past its end is read. */
INLINE void aes_expand(uint8_t *rk, const uint8_t *key, unsigned rounds)
{
    lane hi = _mm_setzero_si128();
    if (rounds == 12)
        hi = _mm_loadl_epi64((const __m128i *)(const void *)(key + 16));
    else if (rounds == 14)
        hi = block_load(key + 16);
    aes_expand_blocks(rk, block_load(key), hi, rounds);
}

#endif
