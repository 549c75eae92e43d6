/* SPDX-License-Identifier: Apache-2.0
 *
 * The public functions that have to do with no tier in particular: sentences, names, the choice of a tier.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwaead/hwaead.h>

#include "check.h"
#include "memory.h"

static void test_sentences(void)
{
    enum { LAST = HWAEAD_ERR_ENTROPY };
    for (int err = HWAEAD_OK; err <= LAST; err++) {
        const char *sentence = hwaead_strerror((hwaead_err)err);
        check_note("error %d: %s", err, sentence == NULL ? "NULL" : sentence);
        if (!CHECK(sentence != NULL))
            continue;
        CHECK(err == HWAEAD_OK || strchr(sentence, ' ') != NULL);
        for (int other = HWAEAD_OK; other < err; other++)
            CHECK(strcmp(sentence, hwaead_strerror((hwaead_err)other)) != 0);
    }
    static const int unknown[] = {LAST + 1, 100, 0x7fffffff, -1};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        hwaead_err err;
        memcpy(&err, &unknown[i], sizeof err);
        check_note("error %d", unknown[i]);
        CHECK(hwaead_strerror(err) != NULL && hwaead_strerror(err)[0] != '\0');
        for (int other = HWAEAD_OK; other <= LAST; other++)
            CHECK(strcmp(hwaead_strerror(err), hwaead_strerror((hwaead_err)other)) != 0);
    }
    check_note("version");
    CHECK(strcmp(hwaead_version(), HWAEAD_VERSION) == 0);
    CHECK(strcmp(HWAEAD_VERSION, PROJECT_VERSION_OF_CMAKE) == 0);
}

/* The names of /proc/cpuinfo's line of flags. */
#define X86_64 "flags"
#define AARCH64 "Features"
#ifdef __aarch64__
static const char here[] = AARCH64;
#else
static const char here[] = X86_64;
#endif

static const struct {
    hwaead_tier tier;
    const char *name, *arch, *cpu_flags; /* those of the tier before it come on top */
} tiers[] = {
    {HWAEAD_TIER_AESNI, "aesni", X86_64, "aes pclmulqdq ssse3 sse4_1"},
    {HWAEAD_TIER_VAES256, "vaes256", X86_64, "avx2 vaes vpclmulqdq"},
    {HWAEAD_TIER_VAES512, "vaes512", X86_64, "avx512f avx512bw avx512vl"},
    {HWAEAD_TIER_ARMV8, "armv8", AARCH64, "aes pmull"},
    {HWAEAD_TIER_ARMV8_SHA3, "armv8_sha3", AARCH64, "sha3"},
};

enum { TIERS = sizeof tiers / sizeof tiers[0] };

static void test_names(void)
{
    hwaead_tier tier;
    check_note("auto");
    CHECK(strcmp(hwaead_tier_name(HWAEAD_TIER_AUTO), "auto") == 0);
    CHECK(hwaead_tier_by_name(&tier, "auto") == HWAEAD_OK && tier == HWAEAD_TIER_AUTO);
    for (size_t i = 0; i < TIERS; i++) {
        check_note("%s", tiers[i].name);
        tier = HWAEAD_TIER_AUTO;
        CHECK(strcmp(hwaead_tier_name(tiers[i].tier), tiers[i].name) == 0);
        CHECK(hwaead_tier_by_name(&tier, tiers[i].name) == HWAEAD_OK && tier == tiers[i].tier);
    }
    static const char *const no_names[] = {"", "AESNI", "aesn", "aesnii", "aesni ", " aesni", "vaes",
                                           "generic", "AUTO", "ARMv8", "armv8_", "armv8-sha3"};
    for (size_t i = 0; i < sizeof no_names / sizeof no_names[0]; i++) {
        check_note("\"%s\"", no_names[i]);
        tier = HWAEAD_TIER_VAES256;
        CHECK(hwaead_tier_by_name(&tier, no_names[i]) == HWAEAD_ERR_TIER);
        CHECK(tier == HWAEAD_TIER_VAES256);
    }
    check_note("NULL");
    CHECK(hwaead_tier_by_name(&tier, NULL) == HWAEAD_ERR_ARGUMENT);
    CHECK(hwaead_tier_by_name(NULL, "aesni") == HWAEAD_ERR_ARGUMENT);
    static const int unknown[] = {TIERS + 1, 99, 0x7fffffff, -1};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        memcpy(&tier, &unknown[i], sizeof tier);
        check_note("tier %d", unknown[i]);
        CHECK(hwaead_tier_name(tier) == NULL);
    }
}

/* ---- What Linux says about the CPU and its own support ---- */

static char *cpu_flags(void)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char *line = NULL;
    size_t size = 0;
    while (f != NULL && getline(&line, &size, f) >= 0)
        if (strncmp(line, here, strlen(here)) == 0) {
            fclose(f);
            return line; /* " flag flag ... \n" after the name */
        }
    free(line);
    if (f != NULL)
        fclose(f);
    return NULL;
}

static bool has_flags(const char *line, const char *wanted)
{
    char list[64], *save = NULL;
    snprintf(list, sizeof list, "%s", wanted);
    for (char *flag = strtok_r(list, " ", &save); flag != NULL; flag = strtok_r(NULL, " ", &save)) {
        size_t n = strlen(flag);
        const char *p = line;
        while ((p = strstr(p, flag)) != NULL && !(p[-1] == ' ' && (p[n] == ' ' || p[n] == '\n')))
            p += n;
        if (p == NULL)
            return false;
    }
    return true;
}

/* Neither a tier too many nor one too few, best first; and keys run where they are told to. */
static void test_choice(void)
{
    hwaead_tier expected[TIERS + 1] = {HWAEAD_TIER_AUTO};
    size_t n = 0;
    char *flags = cpu_flags();
    if (flags != NULL) {
        size_t first = 0;
        while (strcmp(tiers[first].arch, here) != 0)
            first++;
        for (size_t i = first; i < TIERS && strcmp(tiers[i].arch, here) == 0 &&
                               has_flags(flags, tiers[i].cpu_flags); i++)
            n++;
        for (size_t i = 0; i < n; i++)
            expected[i] = tiers[first + n - 1 - i].tier;
        for (size_t i = 0; i <= n; i++) {
            check_note("the %zu-th best tier by /proc/cpuinfo", i);
            CHECK(hwaead_tier_runnable(i) == (i < n ? expected[i] : HWAEAD_TIER_AUTO));
        }
        CHECK((hwaead_cpu_missing() == NULL) == (n > 0));
    } else {
        printf("note: no flags in /proc/cpuinfo, the choice of tiers is not compared with them\n");
    }
    free(flags);
    check_note("past the last tier");
    CHECK(hwaead_tier_runnable(TIERS) == HWAEAD_TIER_AUTO);
    CHECK(hwaead_tier_runnable(SIZE_MAX) == HWAEAD_TIER_AUTO);

    static const uint8_t bytes[32] = {1};
    hwaead_gcm_key key;
    for (size_t i = 0; i < TIERS; i++) {
        bool runnable = false;
        for (size_t j = 0; j < TIERS; j++)
            runnable |= hwaead_tier_runnable(j) == tiers[i].tier;
        check_note("a key on %s, which %s here", tiers[i].name, runnable ? "runs" : "does not run");
        memset(&key, 0x77, sizeof key);
        hwaead_err err = hwaead_gcm_key_init(&key, sizeof key, bytes, 32, tiers[i].tier);
        CHECK(err ==
              (runnable ? HWAEAD_OK : hwaead_cpu_missing() != NULL ? HWAEAD_ERR_CPU : HWAEAD_ERR_TIER));
        CHECK(hwaead_gcm_key_tier(&key) == (runnable ? tiers[i].tier : HWAEAD_TIER_AUTO));
    }
    if (hwaead_cpu_missing() == NULL) {
        check_note("auto is the best");
        CHECK(hwaead_gcm_key_init(&key, sizeof key, bytes, 32, HWAEAD_TIER_AUTO) == HWAEAD_OK);
        CHECK(hwaead_gcm_key_tier(&key) == hwaead_tier_runnable(0));
    }
}

int main(void)
{
    test_sentences();
    test_names();
    test_choice();
    return check_done();
}
