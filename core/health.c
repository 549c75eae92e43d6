/* SPDX-License-Identifier: Apache-2.0 */
#include "health.h"

static int repetition_count(struct health *h, uint64_t sample)
{
    h->repeated = h->repeated != 0 && sample == h->last ? h->repeated + 1 : 1;
    h->last = sample;
    return h->repeated < HEALTH_REPETITIONS;
}

static int adaptive_proportion(struct health *h, uint64_t sample)
{
    if (h->seen == 0) {
        h->first = sample;
        h->equal = 0;
    }
    h->equal += sample == h->first;
    h->seen = (h->seen + 1) % HEALTH_WINDOW;
    return h->equal < HEALTH_PROPORTION;
}

int health_sample(struct health *h, uint64_t sample)
{
    const int repetition = repetition_count(h, sample), proportion = adaptive_proportion(h, sample);
    h->failed |= !(repetition && proportion);
    return !h->failed;
}
