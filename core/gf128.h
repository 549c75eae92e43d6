/* SPDX-License-Identifier: Apache-2.0
 *
 * The field GF(2^128) of GHASH and POLYVAL, once, over a vector of blocks.
 *
 * A block is the polynomial whose coefficient of x^i is bit i of the block read as a little-endian integer
 * (RFC 8452, section 3). The field is GF(2)[x] modulo
 *
 *     p = x^128 + x^127 + x^126 + x^121 + 1                                                            (1)
 *
 * and its product is the one of POLYVAL, which saves the shifts of the plain one:
 *
 *     a * b = a b x^-128 mod p                                                                         (2)
 *
 * Let the plain product be  V = lo + mid x^64 + hi x^128  with  lo = a0 b0,  mid = a0 b1 + a1 b0,
 * hi = a1 b1  (index 1: the upper 64 bits). Sums of many products are sums of their lo, mid and hi, so
 * they are reduced together. With
 *
 *     c = x^63 + x^62 + x^57,   l p = l + l c x^64 + l x^128   for any l of 64 bits                    (3)
 *
 * adding lo0 p clears the lowest 64 bits of V without changing it mod p, and leaves V x^-64 as
 *
 *     mid' + hi x^64,   mid' = mid + lo1 + lo0 x^64 + lo0 c                                            (4)
 *
 * and the same step once more gives
 *
 *     V x^-128 = hi + mid'1 + mid'0 x^64 + mid'0 c                                                     (5)
 *
 * which has 128 bits. GHASH (SP 800-38D, 6.4) reads its blocks with all 128 bits reversed. Reversing the
 * bytes alone is enough when H carries one more factor of x (RFC 8452, appendix A):
 *
 *     H' = byterev(H) x,   computed by (2) as byterev(H) * (x^129 mod p),
 *     x^129 mod p = x^126 + x^122 + x^121 + x + 1                                                      (6)
 *
 * Nothing here depends on secret bits for its course: there is no carry to select on.
 */
#ifndef HWAEAD_CORE_GF128_H
#define HWAEAD_CORE_GF128_H

#define GF_C UINT64_C(0xc200000000000000)         /* (3) */
#define GF_X129_HI UINT64_C(0x4600000000000000)   /* (6) */
#define GF_X129_LO UINT64_C(0x0000000000000003)

/* A sum of unreduced products, lane by lane. */
struct gf_sum {
    vec lo, mid, hi;
};

INLINE struct gf_sum gf_product(vec a, vec b)
{
    return (struct gf_sum){clmul_00(a, b), vec_xor(clmul_01(a, b), clmul_10(a, b)), clmul_11(a, b)};
}

INLINE void gf_add_product(struct gf_sum *s, vec a, vec b)
{
    s->lo = vec_xor(s->lo, clmul_00(a, b));
    s->mid = vec_xor3(s->mid, clmul_01(a, b), clmul_10(a, b));
    s->hi = vec_xor(s->hi, clmul_11(a, b));
}

/* Karatsuba's way, one multiplication less and two cheap steps more: b_sum has b0 + b1 in its low half, and
 * mid is short of lo + hi until gf_karatsuba_end. */
INLINE void gf_add_product_karatsuba(struct gf_sum *s, vec a, vec b, vec b_sum)
{
    s->lo = vec_xor(s->lo, clmul_00(a, b));
    s->hi = vec_xor(s->hi, clmul_11(a, b));
    s->mid = vec_xor(s->mid, clmul_00(vec_xor(a, vec_swap64(a)), b_sum));
}

INLINE void gf_karatsuba_end(struct gf_sum *s)
{
    s->mid = vec_xor3(s->mid, s->lo, s->hi);
}

/* (4): the sum with lo folded into mid. */
INLINE void gf_reduce_lo(struct gf_sum *s)
{
    s->mid = vec_xor3(s->mid, vec_swap64(s->lo), clmul_00(s->lo, vec_dup_low(GF_C)));
}

/* (5), after gf_reduce_lo. */
INLINE vec gf_reduce_mid(const struct gf_sum *s)
{
    return vec_xor3(s->hi, vec_swap64(s->mid), clmul_00(s->mid, vec_dup_low(GF_C)));
}

INLINE vec gf_reduce(struct gf_sum s)
{
    gf_reduce_lo(&s);
    return gf_reduce_mid(&s);
}

INLINE vec gf_mul(vec a, vec b)
{
    return gf_reduce(gf_product(a, b));
}

#endif
