/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads, stores and buffer arithmetic without alignment or aliasing rules to think about.
 */
#ifndef HWAEAD_CORE_BYTES_H
#define HWAEAD_CORE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

/* Before a loop over vectors: it unrolls completely, or the vectors end up in memory. */
#if defined(__clang__)
# define UNROLL _Pragma("clang loop unroll(full)")
#else
# define UNROLL _Pragma("GCC unroll 16")
#endif

/* The builtin: what _FORTIFY_SOURCE makes of memcpy has gcc 11 lay all vectors of a caller on the stack. */
static inline uint32_t load_le32(const uint8_t *p)
{
    uint32_t x;
    __builtin_memcpy(&x, p, sizeof x);
    return x;
}

static inline uint64_t load_le64(const uint8_t *p)
{
    uint64_t x;
    __builtin_memcpy(&x, p, sizeof x);
    return x;
}

static inline void store_le32(uint8_t *p, uint32_t x)
{
    __builtin_memcpy(p, &x, sizeof x);
}

static inline void store_le64(uint8_t *p, uint64_t x)
{
    __builtin_memcpy(p, &x, sizeof x);
}

static inline uint64_t load_be64(const uint8_t *p)
{
    return __builtin_bswap64(load_le64(p));
}

static inline void store_be32(uint8_t *p, uint32_t x)
{
    store_le32(p, __builtin_bswap32(x));
}

static inline void store_be64(uint8_t *p, uint64_t x)
{
    store_le64(p, __builtin_bswap64(x));
}

/* 16 bytes as two little-endian halves. Blocks that scalar code writes are written and read in halves: a
 * 16-byte load just behind two stores waits until both have left the store buffer. */
struct u64x2 {
    uint64_t lo, hi;
};

static inline struct u64x2 load_halves(const uint8_t *p)
{
    return (struct u64x2){load_le64(p), load_le64(p + 8)};
}

static inline void store_halves(uint8_t *p, struct u64x2 x)
{
    store_le64(p, x.lo);
    store_le64(p + 8, x.hi);
}

/* The first n < 16 bytes at p, zero padded; reads only those bytes (overlapping reads, no loop). */
INLINE struct u64x2 load_part(const uint8_t *p, size_t n)
{
    struct u64x2 x = {0, 0};
    if (n >= 8) {
        x.lo = load_le64(p);
        if (n > 8)
            x.hi = load_le64(p + n - 8) >> (8 * (16 - n));
    } else if (n >= 4) {
        x.lo = load_le32(p) | (uint64_t)load_le32(p + n - 4) << (8 * (n - 4));
    } else if (n > 0) {
        x.lo = p[0] | (uint64_t)p[n / 2] << (8 * (n / 2)) | (uint64_t)p[n - 1] << (8 * (n - 1));
    }
    return x;
}

/* The inverse: writes the first n < 16 bytes of x and no others. */
INLINE void store_part(uint8_t *p, struct u64x2 x, size_t n)
{
    if (n >= 8) {
        if (n > 8)
            store_le64(p + n - 8, x.lo >> (8 * (n - 8)) | x.hi << (8 * (16 - n)));
        store_le64(p, x.lo);
    } else if (n >= 4) {
        store_le32(p + n - 4, (uint32_t)(x.lo >> (8 * (n - 4))));
        store_le32(p, (uint32_t)x.lo);
    } else if (n > 0) {
        p[n - 1] = (uint8_t)(x.lo >> (8 * (n - 1)));
        p[n / 2] = (uint8_t)(x.lo >> (8 * (n / 2)));
        p[0] = (uint8_t)x.lo;
    }
}

/* Copies what fits of in[0 .. len) behind the first `used` bytes of a 16-byte block; returns how much that was. */
static inline size_t fill_block(uint8_t *block, size_t used, const uint8_t *in, size_t len)
{
    size_t n = len < 16 - used ? len : 16 - used;
    if (n != 0)
        memcpy(block + used, in, n);
    return n;
}

/* Whether a[0 .. a_len) and b[0 .. b_len) share a byte. */
INLINE int overlaps(const void *a, size_t a_len, const void *b, size_t b_len)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_len != 0 && b_len != 0 && (x <= y ? y - x < a_len : x - y < b_len);
}

/* Whether n bytes from in to out overlap other than exactly in place. */
INLINE int overlaps_partly(const uint8_t *out, const uint8_t *in, size_t n)
{
    return out != in && overlaps(out, n, in, n);
}

#endif
