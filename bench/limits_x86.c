/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops are text for the assembler, three operands each, so that no instruction waits for another and
 * this file needs no instruction-set flags. A loop runs only where the tier of its width runs.
 *
 * The mixture is that of 256 bytes: for each vector 10, 12 or 14 AES rounds and the multiplies of GHASH, 4
 * schoolbook or 3 Karatsuba, and two more multiplies that reduce the 256 bytes' sum.
 */
#include "arch.h"

#define CLOBBERS                                                                                           \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",       \
        "xmm12", "xmm13", "xmm14", "xmm15", "cc"

#define LOOP(name, body)                                                                                   \
    static void name(uint64_t n)                                                                           \
    {                                                                                                      \
        __asm__ volatile("1:\n\t" body "dec %0\n\tjnz 1b\n\tvzeroupper" : "+r"(n) : : CLOBBERS);           \
    }

#define OP3(op, w) op " %%" w "mm14, %%" w "mm15, %%" w "mm0\n\t"
#define CHAIN(op, w) op " %%" w "mm14, %%" w "mm0, %%" w "mm0\n\t"
#define AES(w) OP3("vaesenc", w)
#define MUL(w) OP3("vpclmulqdq $0,", w)
#define SHUFFLE(w) OP3("vpshufb", w)
#define REPT(n, body) ".rept " n "\n\t" body ".endr\n\t"

#define A3(w) AES(w) AES(w) AES(w)
#define A4(w) A3(w) AES(w)
#define A5(w) A4(w) AES(w)
#define M(w) MUL(w)

#define SCHOOL_128(w) M(w) A3(w) M(w) AES(w) AES(w) M(w) A3(w) M(w) AES(w) AES(w)
#define SCHOOL_192(w) M(w) A3(w) M(w) A3(w) M(w) A3(w) M(w) A3(w)
#define SCHOOL_256(w) M(w) A4(w) M(w) A3(w) M(w) A4(w) M(w) A3(w)
#define KARATSUBA_128(w) M(w) A3(w) M(w) A3(w) M(w) A4(w)
#define KARATSUBA_192(w) M(w) A4(w) M(w) A4(w) M(w) A4(w)
#define KARATSUBA_256(w) M(w) A5(w) M(w) A4(w) M(w) A5(w)

/* The rest of a vector's work: counter, whitening and text (3), sums of products (3), two byte reversals. */
#define X2(w, xor) OP3(xor, w) OP3(xor, w)
#define REST(w, xor) X2(w, xor) SHUFFLE(w) X2(w, xor) SHUFFLE(w) X2(w, xor)

#define BATCH(vectors, w, body) REPT(vectors, body) M(w) M(w)

#define WIDTH(name, w, vectors, xor)                                                                       \
    LOOP(name##_aes, REPT("16", AES(w)))                                                                   \
    LOOP(name##_clmul, REPT("16", MUL(w)))                                                                 \
    LOOP(name##_logic, REPT("16", OP3(xor, w)))                                                            \
    LOOP(name##_shuffle, REPT("16", SHUFFLE(w)))                                                           \
    LOOP(name##_aes_chain, REPT("16", CHAIN("vaesenc", w)))                                                \
    LOOP(name##_clmul_chain, REPT("16", CHAIN("vpclmulqdq $0,", w)))                                       \
    LOOP(name##_school_128, BATCH(vectors, w, SCHOOL_128(w)))                                              \
    LOOP(name##_school_192, BATCH(vectors, w, SCHOOL_192(w)))                                              \
    LOOP(name##_school_256, BATCH(vectors, w, SCHOOL_256(w)))                                              \
    LOOP(name##_karatsuba_128, BATCH(vectors, w, KARATSUBA_128(w)))                                        \
    LOOP(name##_karatsuba_192, BATCH(vectors, w, KARATSUBA_192(w)))                                        \
    LOOP(name##_karatsuba_256, BATCH(vectors, w, KARATSUBA_256(w)))                                        \
    LOOP(name##_all_128, BATCH(vectors, w, SCHOOL_128(w) REST(w, xor)))                                    \
    LOOP(name##_all_192, BATCH(vectors, w, SCHOOL_192(w) REST(w, xor)))                                    \
    LOOP(name##_all_256, BATCH(vectors, w, SCHOOL_256(w) REST(w, xor)))

WIDTH(xmm, "x", "16", "vpxor")
WIDTH(ymm, "y", "8", "vpxor")
WIDTH(zmm, "z", "4", "vpxord")

#define LOOPS(name)                                                                                        \
    { name##_aes, name##_clmul, name##_logic, name##_shuffle, name##_aes_chain, name##_clmul_chain,        \
      name##_school_128, name##_school_192, name##_school_256, name##_karatsuba_128, name##_karatsuba_192, \
      name##_karatsuba_256, name##_all_128, name##_all_192, name##_all_256 }

const struct limit_width limit_widths[] = {
    { HWAEAD_TIER_AESNI, LOOPS(xmm), 16 },
    { HWAEAD_TIER_VAES256, LOOPS(ymm), 8 },
    { HWAEAD_TIER_VAES512, LOOPS(zmm), 4 },
};
const size_t limit_width_count = sizeof limit_widths / sizeof *limit_widths;

/* aesni's have three operands as well, which it takes AVX for. */
bool arch_runs_loops(hwaead_tier tier)
{
    return tier != HWAEAD_TIER_AESNI || __builtin_cpu_supports("avx");
}
