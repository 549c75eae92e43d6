/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes for tests: pseudo-random ones that repeat from run to run, and memory that faults at its ends.
 */
#ifndef HWAEAD_TESTS_MEMORY_H
#define HWAEAD_TESTS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A generator with its seed as its state. */
struct rng {
    uint64_t state;
};

uint64_t rng_next(struct rng *rng);
size_t rng_below(struct rng *rng, size_t limit); /* 0 .. limit - 1; limit > 0 */
void rng_fill(struct rng *rng, void *out, size_t n);

bool all_bytes(const void *p, size_t n, uint8_t value);

/* Memory between two pages that fault at a touch. */
struct guarded {
    uint8_t *first; /* the byte before it faults */
    size_t size;    /* first[size] faults */
};

struct guarded guarded_new(size_t at_least);
void guarded_free(struct guarded *g);
uint8_t *guarded_start(const struct guarded *g);       /* no byte before it */
uint8_t *guarded_end(const struct guarded *g, size_t n); /* no byte after its n-th */
uint8_t *guarded_at(const struct guarded *g, size_t n, bool at_end); /* one of the two */

/* n bytes of address space, every byte of which faults; NULL when the OS does not give them. */
uint8_t *forbidden_new(size_t n);
void forbidden_free(uint8_t *p, size_t n);

#endif
