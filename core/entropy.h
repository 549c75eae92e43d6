/* SPDX-License-Identifier: Apache-2.0
 *
 * Where seeds come from. Their strength is the operating system's alone; what the CPU's generator and the clock give
 * is blended in as additional input, of which CTR_DRBG loses nothing and gains nothing either if it is worthless.
 */
#ifndef HWAEAD_CORE_ENTROPY_H
#define HWAEAD_CORE_ENTROPY_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "drbg.h"
#include "health.h"

enum {
    ENTROPY_OS_LEN = DRBG_MIN_ENTROPY + DRBG_MIN_NONCE, /* bytes */
    ENTROPY_SAMPLES = 4,                                /* of the CPU's, 64 bits each */
    ENTROPY_TRIES = 16                                  /* for each of the CPU's instructions, a seed */
};

/* A source is a value. Tests bring their own; this machine's is entropy_machine. */
struct entropy {
    /* Writes up to n > 0 bytes and returns how many, waiting until the OS has them. -1 with errno on failure; EINTR
     * is asked again, everything else is final, 0 too. */
    ssize_t (*os)(void *arg, uint8_t *out, size_t n);

    /* One sample of the CPU's entropy source, and one of the generator that it seeds; 0 when there is none now. The
     * second is asked for what the first does not give. Either may be NULL. */
    int (*cpu_seed)(void *arg, uint64_t *sample);
    int (*cpu_random)(void *arg, uint64_t *sample);

    /* Set when the CPU's samples fail their health tests: from then on only the OS is asked. */
    atomic_int *cpu_failed;
    void *arg;
};

extern const struct entropy entropy_machine;

struct entropy_seed {
    uint8_t os[ENTROPY_OS_LEN];
    uint64_t extra[ENTROPY_SAMPLES + 1]; /* samples, 0 for each that the CPU did not give; the time in ns */
};

/* Fills out from the OS alone; 0 on failure, with out zeroed. */
int entropy_os(const struct entropy *source, uint8_t *out, size_t n);

/* Fills seed; 0 when the OS gives nothing, with seed wiped. health is that of one reader of samples. */
int entropy_draw(const struct entropy *source, struct health *health, struct entropy_seed *seed);

/* ---- The CPU's instructions, in a file for each architecture: entropy_x86.c, entropy_arm.c ------------------ */

/* One sample; 0 when there is none now. To be called with CPU_HAS_SEED and CPU_HAS_RANDOM only (cpu.h). */
int entropy_cpu_seed(uint64_t *sample);
int entropy_cpu_random(uint64_t *sample);

#endif
