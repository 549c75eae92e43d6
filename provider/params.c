/* SPDX-License-Identifier: Apache-2.0 */
#include "params.h"

#include <string.h>

/* Written out, since it is most of the cost of a request: keys are short and differ early. */
static inline int same(const char *a, const char *b)
{
    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    return *a == *b;
}

static inline const struct param_row *find(const struct param_row *rows, const char *key)
{
    while (rows->key != NULL && (rows->key[0] != key[0] || !same(rows->key, key)))
        rows++;
    return rows;
}

static inline int get_one(const struct param_row *rows, void *obj, OSSL_PARAM *p)
{
    const struct param_row *row = find(rows, p->key);
    return row->get == NULL ? 1 : row->get(row, obj, p);
}

static inline int set_one(const struct param_row *rows, void *obj, const OSSL_PARAM *p)
{
    const struct param_row *row = find(rows, p->key);
    return row->set == NULL ? 1 : row->set(obj, p);
}

int params_get(const struct param_row *rows, void *obj, OSSL_PARAM params[])
{
    if (params == NULL || params->key == NULL)
        return 1;
    for (; params[1].key != NULL; params++) {
        if (!get_one(rows, obj, params))
            return 0;
    }
    return get_one(rows, obj, params);
}

int params_set(const struct param_row *rows, void *obj, const OSSL_PARAM params[])
{
    if (params == NULL || params->key == NULL)
        return 1;
    for (; params[1].key != NULL; params++) {
        if (!set_one(rows, obj, params))
            return 0;
    }
    return set_one(rows, obj, params);
}

static OSSL_PARAM descriptor(const struct param_row *row)
{
    return (OSSL_PARAM){ .key = row->key, .data_type = row->type, .data_size = row->size };
}

size_t params_list_gettable(OSSL_PARAM *list, const struct param_row *rows)
{
    size_t n = 0;
    for (; rows->key != NULL; rows++) {
        if (rows->get != NULL)
            list[n++] = descriptor(rows);
    }
    list[n] = (OSSL_PARAM){ 0 };
    return n;
}

size_t params_list_settable(OSSL_PARAM *list, const struct param_row *rows)
{
    size_t n = 0;
    for (; rows->key != NULL; rows++) {
        if (rows->set != NULL)
            list[n++] = descriptor(rows);
    }
    list[n] = (OSSL_PARAM){ 0 };
    return n;
}

static int is_integer(const OSSL_PARAM *p)
{
    return p->data_type == OSSL_PARAM_UNSIGNED_INTEGER || p->data_type == OSSL_PARAM_INTEGER;
}

int param_uint(uint64_t *value, const OSSL_PARAM *p)
{
    if (!is_integer(p) || p->data == NULL)
        return 0;
    if (p->data_size == sizeof(uint32_t)) {
        uint32_t v;
        memcpy(&v, p->data, sizeof v);
        *value = v;
        return p->data_type == OSSL_PARAM_UNSIGNED_INTEGER || v <= INT32_MAX;
    }
    if (p->data_size == sizeof(uint64_t)) {
        memcpy(value, p->data, sizeof *value);
        return p->data_type == OSSL_PARAM_UNSIGNED_INTEGER || *value <= INT64_MAX;
    }
    return 0;
}

int param_put_uint(OSSL_PARAM *p, uint64_t value)
{
    if (!is_integer(p))
        return 0;
    const unsigned int sign_bit = p->data_type == OSSL_PARAM_INTEGER;
    if (p->data == NULL) {
        p->return_size = sizeof value;
        return 1;
    }
    if (p->data_size == sizeof(uint32_t)) {
        const uint32_t v = (uint32_t)value;
        if (value > UINT32_MAX >> sign_bit)
            return 0;
        memcpy(p->data, &v, sizeof v);
    } else if (p->data_size == sizeof(uint64_t)) {
        if (value > UINT64_MAX >> sign_bit)
            return 0;
        memcpy(p->data, &value, sizeof value);
    } else {
        return 0;
    }
    p->return_size = p->data_size;
    return 1;
}

int param_put_string(OSSL_PARAM *p, const char *s)
{
    const size_t n = strlen(s);
    p->return_size = n;
    if (p->data_type == OSSL_PARAM_UTF8_PTR) {
        if (p->data != NULL)
            *(const char **)p->data = s;
        return 1;
    }
    if (p->data_type != OSSL_PARAM_UTF8_STRING)
        return 0;
    if (p->data == NULL)
        return 1;
    if (p->data_size < n)
        return 0;
    memcpy(p->data, s, p->data_size > n ? n + 1 : n);
    return 1;
}

int param_put_bytes(OSSL_PARAM *p, const uint8_t *bytes, size_t n)
{
    p->return_size = n;
    if (p->data_type == OSSL_PARAM_OCTET_PTR) {
        if (p->data != NULL)
            *(const void **)p->data = bytes;
        return 1;
    }
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return 0;
    if (p->data == NULL)
        return 1;
    if (p->data_size < n)
        return 0;
    memcpy(p->data, bytes, n);
    return 1;
}
