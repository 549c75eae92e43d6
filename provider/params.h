/* SPDX-License-Identifier: Apache-2.0
 *
 * OSSL_PARAM without libcrypto: one table of rows both answers requests and is the source of the lists that
 * libcrypto asks for. Helpers here queue no errors; their callers do.
 */
#ifndef HWAEAD_PROVIDER_PARAMS_H
#define HWAEAD_PROVIDER_PARAMS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <openssl/core.h>

/* No list has more entries, its end included. */
enum { PARAM_ROWS_MAX = 24 };

struct param_row;
typedef int param_get_fn(const struct param_row *row, void *obj, OSSL_PARAM *p);
typedef int param_set_fn(void *obj, const OSSL_PARAM *p);

/* A table ends with a row whose key is NULL. The keys that are asked for most come first. */
struct param_row {
    const char *key;
    unsigned int type;   /* OSSL_PARAM_..., as listed */
    size_t size;         /* of integers, as listed */
    param_get_fn *get;   /* NULL: cannot be read */
    param_set_fn *set;   /* NULL: cannot be set */
    size_t arg;          /* for get */
};

/* Each known key of params goes to its row; unknown keys are skipped. 0 as soon as a row answers 0.
 * params may be NULL. */
int params_get(const struct param_row *rows, void *obj, OSSL_PARAM params[]);
int params_set(const struct param_row *rows, void *obj, const OSSL_PARAM params[]);

/* Whether params is a request for one parameter alone, of at most 7 letters. Every message asks for its "ivlen" and its
 * "tag" in this way, and a constant name costs a compare a letter, while the tables cost a loop. */
static inline __attribute__((always_inline)) int param_alone(const OSSL_PARAM *params, const char *name)
{
    if (params == NULL || params->key == NULL)
        return 0;
#pragma GCC unroll 8
    for (size_t i = 0; i <= __builtin_strlen(name); i++) {
        if (params->key[i] != name[i])
            return 0;
    }
    return params[1].key == NULL;
}

/* What libcrypto itself asks for, a size_t, without a call; 0, and nothing is done, for all else. */
static inline int param_put_size(OSSL_PARAM *p, size_t value)
{
    if (p->data_type != OSSL_PARAM_UNSIGNED_INTEGER || p->data_size != sizeof value || p->data == NULL)
        return 0;
    memcpy(p->data, &value, sizeof value);
    p->return_size = sizeof value;
    return 1;
}

/* list = descriptors of the rows that can be read, or set, and an end; the number of rows before the end. */
size_t params_list_gettable(OSSL_PARAM *list, const struct param_row *rows);
size_t params_list_settable(OSSL_PARAM *list, const struct param_row *rows);

/* Reads an integer of 4 or 8 bytes; 0 when it is none, or negative. */
int param_uint(uint64_t *value, const OSSL_PARAM *p);

/* Answers a request for a number, a string or n bytes; with p->data == NULL, only its size. 0 when the type does
 * not fit or the buffer is too small. Strings and bytes may also be asked for as pointers, which the caller
 * keeps valid. */
int param_put_uint(OSSL_PARAM *p, uint64_t value);
int param_put_string(OSSL_PARAM *p, const char *s);
int param_put_bytes(OSSL_PARAM *p, const uint8_t *bytes, size_t n);

#endif
