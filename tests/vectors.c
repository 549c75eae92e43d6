/* SPDX-License-Identifier: Apache-2.0 */
#include "vectors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MAX_FIELDS = 64, MAX_BYTES = 64 };

struct field {
    char *name;
    char *value;
};

struct vectors {
    FILE *stream;
    char *file;
    char *line; /* getline's */
    size_t line_size;
    size_t line_number;
    size_t count;
    struct field field[MAX_FIELDS];
    size_t fields;
    uint8_t *bytes[MAX_BYTES]; /* handed out for this case */
    size_t bytes_count;
    char where[256];
};

static _Noreturn void broken(const char *where, const char *format,
                             ...) __attribute__((format(printf, 2, 3)));

static _Noreturn void broken(const char *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fprintf(stderr, "vectors: %s: ", where);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(2);
}

static void *must(void *p)
{
    if (p == NULL)
        broken("memory", "none left");
    return p;
}

static FILE *open_in(const char *dir, const char *file)
{
    size_t n = strlen(dir) + strlen(file) + 2;
    char *path = must(malloc(n));
    snprintf(path, n, "%s/%s", dir, file);
    FILE *f = fopen(path, "r");
    free(path);
    return f;
}

/* ---- The folder and its manifest ---- */

const char *vectors_dir(void)
{
    const char *dir = getenv("HWAEAD_VECTORS");
    if (dir == NULL || dir[0] == '\0')
        dir = HWAEAD_VECTORS_DIR;
    FILE *f = open_in(dir, "MANIFEST.tsv");
    if (f == NULL)
        return NULL;
    fclose(f);
    return dir;
}

int vectors_missing(void)
{
    return check_skip("the folder of test vectors is not here; set HWAEAD_VECTORS to the one that has MANIFEST.tsv");
}

/* Splits one manifest line; false when it has no two columns. */
static bool manifest_row(char *line, char **name, char **cases)
{
    char *save = NULL;
    *name = strtok_r(line, "\t\n", &save);
    *cases = strtok_r(NULL, "\t\n", &save);
    return *name != NULL && *cases != NULL;
}

size_t vectors_expected(const char *dir, const char *file)
{
    FILE *f = open_in(dir, "MANIFEST.tsv");
    if (f == NULL)
        broken(dir, "no MANIFEST.tsv");
    char *line = NULL, *name, *cases;
    size_t size = 0;
    while (getline(&line, &size, f) >= 0) {
        if (!manifest_row(line, &name, &cases) || strcmp(name, file) != 0)
            continue;
        char *end;
        unsigned long n = strtoul(cases, &end, 10);
        if (*end != '\0' || end == cases)
            broken("MANIFEST.tsv", "%s has no number of cases", file);
        free(line);
        fclose(f);
        return n;
    }
    broken("MANIFEST.tsv", "%s is not listed", file);
}

const char *vectors_file(const char *dir, const char *prefix, size_t i)
{
    static char found[256];
    FILE *f = open_in(dir, "MANIFEST.tsv");
    if (f == NULL)
        broken(dir, "no MANIFEST.tsv");
    char *line = NULL, *name, *cases;
    size_t size = 0;
    found[0] = '\0';
    while (found[0] == '\0' && getline(&line, &size, f) >= 0) {
        if (!manifest_row(line, &name, &cases) || strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        if (i-- == 0)
            snprintf(found, sizeof found, "%s", name);
    }
    free(line);
    fclose(f);
    return found[0] != '\0' ? found : NULL;
}

/* ---- Cases ---- */

struct vectors *vectors_open(const char *dir, const char *file)
{
    struct vectors *v = must(calloc(1, sizeof *v));
    v->file = must(strdup(file));
    v->stream = open_in(dir, file);
    if (v->stream == NULL)
        broken(file, "cannot be opened in %s", dir);
    return v;
}

static void drop_case(struct vectors *v)
{
    for (size_t i = 0; i < v->fields; i++) {
        free(v->field[i].name);
        free(v->field[i].value);
    }
    for (size_t i = 0; i < v->bytes_count; i++)
        free(v->bytes[i]);
    v->fields = v->bytes_count = 0;
}

static const char *find(const struct vectors *v, const char *name)
{
    for (size_t i = 0; i < v->fields; i++)
        if (strcmp(v->field[i].name, name) == 0)
            return v->field[i].value;
    return NULL;
}

static void add_field(struct vectors *v, char *line)
{
    char *blank = strchr(line, ' ');
    if (blank == NULL || blank == line || blank[1] != '=' || (blank[2] != '\0' && blank[2] != ' '))
        broken(v->file, "line %zu is not name = value", v->line_number);
    *blank = '\0';
    if (find(v, line) != NULL)
        broken(v->file, "line %zu: a second %s", v->line_number, line);
    if (v->fields == MAX_FIELDS)
        broken(v->file, "line %zu: more than %d fields", v->line_number, MAX_FIELDS);
    v->field[v->fields].name = must(strdup(line));
    v->field[v->fields].value = must(strdup(blank[2] == ' ' ? blank + 3 : ""));
    v->fields++;
}

bool vectors_next(struct vectors *v)
{
    drop_case(v);
    ssize_t n;
    while ((n = getline(&v->line, &v->line_size, v->stream)) >= 0) {
        v->line_number++;
        if (n > 0 && v->line[n - 1] == '\n')
            v->line[n - 1] = '\0';
        if (v->line[0] == '#')
            continue;
        if (v->line[0] != '\0')
            add_field(v, v->line);
        else if (v->fields > 0)
            break;
    }
    if (ferror(v->stream))
        broken(v->file, "line %zu: cannot be read", v->line_number);
    if (v->fields == 0)
        return false;
    v->count++;
    const char *id = find(v, "id");
    snprintf(v->where, sizeof v->where, "%s: %s", v->file, id != NULL ? id : "(no id)");
    if (id == NULL)
        broken(v->where, "case %zu has no id", v->count);
    return true;
}

size_t vectors_count(const struct vectors *v)
{
    return v->count;
}

const char *vectors_where(const struct vectors *v)
{
    return v->where;
}

bool vectors_has(const struct vectors *v, const char *name)
{
    return find(v, name) != NULL;
}

const char *vectors_text(const struct vectors *v, const char *name)
{
    const char *value = find(v, name);
    if (value == NULL)
        broken(v->where, "no field %s", name);
    return value;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

uint8_t *vectors_hex(struct vectors *v, const char *name, size_t *len)
{
    const char *hex = vectors_text(v, name);
    size_t digits = strlen(hex);
    if (digits % 2 != 0)
        broken(v->where, "%s: an odd number of digits", name);
    if (v->bytes_count == MAX_BYTES)
        broken(v->where, "more than %d byte strings asked for", MAX_BYTES);
    *len = digits / 2;
    uint8_t *bytes = must(malloc(*len)); /* glibc gives a pointer for 0 bytes, too */
    v->bytes[v->bytes_count++] = bytes;
    for (size_t i = 0; i < *len; i++) {
        int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            broken(v->where, "%s: not hex", name);
        bytes[i] = (uint8_t)(16 * high + low);
    }
    return bytes;
}

uint64_t vectors_number(const struct vectors *v, const char *name)
{
    const char *text = vectors_text(v, name);
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0')
        broken(v->where, "%s: not a number", name);
    return n;
}

bool vectors_valid(const struct vectors *v)
{
    const char *result = vectors_text(v, "result");
    if (strcmp(result, "valid") != 0 && strcmp(result, "invalid") != 0)
        broken(v->where, "result is neither valid nor invalid");
    return strcmp(result, "valid") == 0;
}

bool vectors_flag(const struct vectors *v, const char *word)
{
    const char *flags = vectors_text(v, "flags");
    size_t n = strlen(word);
    for (const char *p = flags; (p = strstr(p, word)) != NULL; p += n)
        if ((p == flags || p[-1] == ',') && (p[n] == '\0' || p[n] == ','))
            return true;
    return false;
}

void vectors_close(struct vectors *v)
{
    drop_case(v);
    fclose(v->stream);
    free(v->file);
    free(v->line);
    free(v);
}
