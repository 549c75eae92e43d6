/* SPDX-License-Identifier: Apache-2.0
 *
 * The glossary of both AArch64 tiers: one 128-bit vector is one block. vec_xor3 is the tier's own.
 */
#ifndef HWAEAD_CORE_VERBS_ARMV8_H
#define HWAEAD_CORE_VERBS_ARMV8_H

#include "bytes.h"
#include "kernel.h"
#include "lane_arm.h"
#include "secret.h"

enum { LANES = 1, NVEC = 8, AMID = 0, REGISTERS = 32 };
typedef uint8x16_t vec;

INLINE lane to_block(vec v) { return v; }
INLINE vec vec_zero(void) { return vdupq_n_u8(0); }
INLINE vec vec_load(const uint8_t *p) { return vld1q_u8(p); }
INLINE void vec_store(uint8_t *p, vec v) { vst1q_u8(p, v); }
INLINE vec vec_load1(const uint8_t *p) { return vld1q_u8(p); }
INLINE void vec_store1(uint8_t *p, vec v) { vst1q_u8(p, v); }
INLINE vec vec_dup(const uint8_t *p) { return vld1q_u8(p); }
INLINE vec vec_dup0(vec v) { return v; }
INLINE vec vec_u64x2(uint64_t lo, uint64_t hi)
{
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(lo), vcreate_u64(hi)));
}
INLINE vec vec_dup_low(uint64_t x) { return vreinterpretq_u8_u64(vdupq_n_u64(x)); }
INLINE vec vec_lane(vec v, size_t i) { (void)i; return v; }
INLINE vec vec_dup_lane(vec v, unsigned i) { (void)i; return v; }
INLINE vec vec_sum_lanes(vec v) { return v; }

INLINE vec vec_load_n(const uint8_t *p, size_t n)
{
    if (n == 16)
        return vec_load(p);
    struct u64x2 x = load_part(p, n);
    return vec_u64x2(x.lo, x.hi);
}

INLINE void vec_store_n(uint8_t *p, vec v, size_t n)
{
    uint64x2_t x = vreinterpretq_u64_u8(v);
    if (n == 16)
        vec_store(p, v);
    else
        store_part(p, (struct u64x2){vgetq_lane_u64(x, 0), vgetq_lane_u64(x, 1)}, n);
}

INLINE vec vec_keep(vec v, size_t n)
{
    static const uint8_t index[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return vandq_u8(v, vcgtq_u8(vdupq_n_u8((uint8_t)n), vld1q_u8(index)));
}

INLINE vec vec_load_up(const uint8_t *p, size_t n) { (void)p; (void)n; return vec_zero(); }
INLINE void vec_store_up(uint8_t *p, vec v, size_t n) { (void)p; (void)v; (void)n; }
INLINE vec vec_at_lane(vec v, size_t i) { (void)i; return v; }
INLINE vec vec_put_first(vec v, vec x) { (void)v; return x; }
INLINE int vec_is_zero(vec v)
{
    return (vgetq_lane_u64(vreinterpretq_u64_u8(v), 0) | vgetq_lane_u64(vreinterpretq_u64_u8(v), 1)) == 0;
}

INLINE vec vec_xor(vec a, vec b) { return veorq_u8(a, b); }
INLINE vec vec_and(vec a, vec b) { return vandq_u8(a, b); }
INLINE void vec_tie(vec *a, const vec *b) { (void)a; (void)b; } /* would keep sums from pairing in EOR3 */
INLINE vec vec_swap64(vec v)
{
    uint64x2_t x = vreinterpretq_u64_u8(v);
    return vreinterpretq_u8_u64(vextq_u64(x, x, 1));
}
INLINE vec vec_byterev(vec v)
{
    return vec_swap64(vrev64q_u8(v)); /* whose two halves' sum, for Karatsuba, so takes no further exchange */
}

INLINE vec vec_join(vec a, vec b, const unsigned k) { (void)b; (void)k; return a; }
INLINE vec vec_low_halves(const vec *x, unsigned i)
{
    return vcombine_u8(vget_low_u8(x[2 * i]), vget_low_u8(x[2 * i + 1]));
}
INLINE vec vec_lane_numbers(void) { return vec_zero(); }
INLINE vec vec_dup_u32(uint32_t x) { return vec_u64x2(x, 0); }
INLINE vec vec_be_count(vec v) { return vrev32q_u8(v); } /* the count is the last word */
INLINE vec vec_be_count_of(uint32_t n) { return vec_u64x2(0, (uint64_t)n << 32); }
INLINE uint32_t vec_be_count_first(vec v) { return vgetq_lane_u32(vreinterpretq_u32_u8(v), 3); }
INLINE vec vec_last_bytes(const unsigned n) { return vec_u64x2(0, (uint64_t)n << 56); }
INLINE vec vec_counts_after_1(const unsigned k) { return vec_u64x2(0, (uint64_t)((k + 1) ^ 1) << 56); }
INLINE vec vec_add32(vec a, vec b)
{
    return vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

/* AESE adds its key before it substitutes; the key after is the next round's. */
INLINE vec aes_first(vec x, vec k) { (void)k; return x; }
INLINE vec aes_round(vec x, vec k_prev, vec k) { (void)k; return vaesmcq_u8(vaeseq_u8(x, k_prev)); }
INLINE vec aes_last(vec x, vec k_prev, vec k) { return veorq_u8(vaeseq_u8(x, k_prev), k); }

/* clmul_XY: half Y of a, half X of b. Both mixed products come from one b with its halves exchanged. */
INLINE vec pmull(vec a, vec b)
{
    poly64_t x = vgetq_lane_p64(vreinterpretq_p64_u8(a), 0), y = vgetq_lane_p64(vreinterpretq_p64_u8(b), 0);
    return vreinterpretq_u8_p128(vmull_p64(x, y));
}
INLINE vec pmull2(vec a, vec b)
{
    return vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b)));
}
INLINE vec clmul_00(vec a, vec b) { return pmull(a, b); }
INLINE vec clmul_01(vec a, vec b) { return pmull2(a, vec_swap64(b)); }
INLINE vec clmul_10(vec a, vec b) { return pmull(a, vec_swap64(b)); }
INLINE vec clmul_11(vec a, vec b) { return pmull2(a, b); }

#endif
