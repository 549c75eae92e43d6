/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES key schedule (FIPS 197, 5.2), once, over the words of `lane`, which lane_*.h gives with its verbs:
 * sub_rot_word(x, i, rcon) has SubWord(RotWord(word i of x)) + rcon in all columns, sub_word(x) has SubWord(last
 * word of x) there; running_sum turns each word into the sum of itself and the words before it.
 */
#ifndef HWAEAD_CORE_KEY_SCHEDULE_H
#define HWAEAD_CORE_KEY_SCHEDULE_H

INLINE void aes_expand_128(uint8_t *rk, lane k)
{
    static const uint8_t rcon[10] = {1, 2, 4, 8, 16, 32, 64, 128, 0x1b, 0x36};
    block_store(rk, k);
#pragma GCC unroll 10
    for (int i = 0; i < 10; i++) {
        k = block_xor(running_sum(k), sub_rot_word(k, 3, rcon[i]));
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
        half_store(rk + 24 * i + 16, b);
        a = block_xor(running_sum(a), sub_rot_word(b, 1, 1 << i));
        b = block_xor(block_xor(b, words_up(b)), last_word(a));
    }
}

INLINE void aes_expand_256(uint8_t *rk, lane a, lane b)
{
    block_store(rk, a);
    block_store(rk + 16, b);
#pragma GCC unroll 7
    for (int i = 0; i < 7; i++) {
        a = block_xor(running_sum(a), sub_rot_word(b, 3, 1 << i));
        block_store(rk + 32 * (i + 1), a);
        if (i == 6)
            break;
        b = block_xor(running_sum(b), sub_word(a));
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
    lane hi = block_zero();
    if (rounds == 12)
        hi = half_load(key + 16);
    else if (rounds == 14)
        hi = block_load(key + 16);
    aes_expand_blocks(rk, block_load(key), hi, rounds);
}

#endif
