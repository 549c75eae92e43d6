/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* An additive counter through a mixer (Steele, Lea, Flood: "Fast splittable pseudorandom number
   generators"). */
uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

size_t rng_below(struct rng *rng, size_t limit)
{
    return (size_t)(rng_next(rng) % limit);
}

void rng_fill(struct rng *rng, void *out, size_t n)
{
    uint8_t *p = out;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = rng_next(rng);
        memcpy(p + i, &word, n - i < 8 ? n - i : 8);
    }
}

bool all_bytes(const void *p, size_t n, uint8_t value)
{
    const uint8_t *b = p;
    for (size_t i = 0; i < n; i++)
        if (b[i] != value)
            return false;
    return true;
}

struct guarded guarded_new(size_t at_least)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (at_least + page - 1) / page * page;
    uint8_t *p = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + page, size, PROT_READ | PROT_WRITE) != 0) {
        perror("guarded_new");
        exit(2);
    }
    return (struct guarded){ .first = p + page, .size = size };
}

void guarded_free(struct guarded *g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(g->first - page, g->size + 2 * page);
    *g = (struct guarded){ .first = NULL, .size = 0 };
}

uint8_t *guarded_start(const struct guarded *g)
{
    return g->first;
}

uint8_t *guarded_end(const struct guarded *g, size_t n)
{
    return g->first + (g->size - n);
}

uint8_t *guarded_at(const struct guarded *g, size_t n, bool at_end)
{
    return at_end ? guarded_end(g, n) : guarded_start(g);
}

uint8_t *forbidden_new(size_t n)
{
    void *p = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void forbidden_free(uint8_t *p, size_t n)
{
    munmap(p, n);
}
