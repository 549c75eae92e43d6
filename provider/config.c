/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "prov.h"

/* NULL when the key is not in our section. */
static const char *value_of(const struct provider *prov, const char *key)
{
    const char *value = NULL;
    OSSL_PARAM request[2] = {
        { .key = key, .data_type = OSSL_PARAM_UTF8_PTR, .data = &value, .data_size = sizeof value },
        { .key = NULL },
    };
    if (prov->core_get_params == NULL || !prov->core_get_params(prov->handle, request))
        return NULL;
    return value;
}

static int malformed(const struct provider *prov, const char *key, const char *value, const char *wanted)
{
    return FAIL_WITH(prov, R_CONFIG, "hwaead: %s = %.64s in the configuration must be %s", key, value, wanted);
}

static int read_tier(const struct provider *prov, hwaead_tier *tier)
{
    const char *value = value_of(prov, "tier");
    if (value == NULL || hwaead_tier_by_name(tier, value) == HWAEAD_OK)
        return 1;
    return malformed(prov, "tier", value, "auto or a tier: aesni, vaes256, vaes512, armv8 or armv8_sha3");
}

static int read_bool(const struct provider *prov, const char *key, int *on)
{
    static const char *const yes[] = { "1", "yes", "on", "true" };
    static const char *const no[] = { "0", "no", "off", "false" };
    const char *value = value_of(prov, key);
    if (value == NULL)
        return 1;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcmp(value, yes[i]) == 0 || strcmp(value, no[i]) == 0) {
            *on = strcmp(value, yes[i]) == 0;
            return 1;
        }
    }
    return malformed(prov, key, value, "1, yes, on, true, 0, no, off or false");
}

/* A decimal number. */
static int read_number(const struct provider *prov, const char *key, size_t *number, size_t least, size_t most,
                       const char *wanted)
{
    const char *value = value_of(prov, key);
    if (value == NULL)
        return 1;
    size_t n = 0;
    const char *digit = value;
    for (; *digit >= '0' && *digit <= '9' && n <= most; digit++)
        n = 10 * n + (size_t)(*digit - '0');
    if (*digit != '\0' || n < least || n > most)
        return malformed(prov, key, value, wanted);
    *number = n;
    return 1;
}

int config_read(struct provider *prov)
{
    struct config *config = &prov->config;
    *config = (struct config){ .tier = HWAEAD_TIER_AUTO, .min_tag = 1, .reseed_seconds = 60 };
    config->replace_ctr_drbg = value_of(prov, "activate") == NULL && value_of(prov, "module") == NULL;
    return read_tier(prov, &config->tier) && read_bool(prov, "strict", &config->strict)
           && read_bool(prov, "replace_ctr_drbg", &config->replace_ctr_drbg)
           && read_bool(prov, "stats", &config->stats)
           && read_number(prov, "min_tag", &config->min_tag, 1, BLOCK, "a number of bytes from 1 to 16")
           && read_number(prov, "reseed_seconds", &config->reseed_seconds, 1, 3600,
                          "a number of seconds from 1 to 3600");
}
