/* SPDX-License-Identifier: Apache-2.0
 *
 * Nobody has written the loops for AArch64, as there was no machine to measure them on: no limit is known.
 * docs/aarch64.md has limits from llvm-mca's models.
 */
#include "arch.h"

const struct limit_width limit_widths[] = { { .tier = HWAEAD_TIER_AUTO } };
const size_t limit_width_count = 0;

bool arch_runs_loops(hwaead_tier tier)
{
    (void)tier;
    return false;
}
