/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader for the test vector files: one case at a time, fields by name (the format is that of
 * ../../shared/vectors/README.md). Like all of tests/ it does not return on broken input: it says what is
 * wrong, with file and case, and ends the program with status 2.
 *
 *     const char *dir = vectors_dir();
 *     if (dir == NULL)
 *         return vectors_missing();                         // 77 (skip), or 1 where CI=true
 *     struct vectors *v = vectors_open(dir, "aes_gcm.openssl.txt");
 *     while (vectors_next(v)) {
 *         size_t key_len;
 *         const uint8_t *key = vectors_hex(v, "key", &key_len);
 *         ...
 *     }
 *     CHECK(vectors_count(v) == vectors_expected(dir, "aes_gcm.openssl.txt"));
 *     vectors_close(v);
 */
#ifndef HWAEAD_TESTS_VECTORS_H
#define HWAEAD_TESTS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vectors;

/* The folder of vector files: the environment's HWAEAD_VECTORS, else the one set by CMake. NULL when there is
 * no such folder (no MANIFEST.tsv in it). */
const char *vectors_dir(void);

/* What main returns when vectors_dir() is NULL, after a sentence on stdout: 77, which CTest counts as skipped
 * (SKIP_RETURN_CODE 77), or 1 where the environment has CI=true. */
int vectors_missing(void);

/* How many cases MANIFEST.tsv says that the file has. */
size_t vectors_expected(const char *dir, const char *file);

/* The file names in MANIFEST.tsv that begin with prefix ("aes_gcm."): the i-th of them, NULL past the last.
 * Valid until the next call of this function. */
const char *vectors_file(const char *dir, const char *prefix, size_t i);

struct vectors *vectors_open(const char *dir, const char *file);

/* Reads the next case; false at the end of the file. What the accessors returned before is invalid after
   it. */
bool vectors_next(struct vectors *v);

/* Cases read so far. */
size_t vectors_count(const struct vectors *v);

/* "file: id" of the case, for messages. */
const char *vectors_where(const struct vectors *v);

/* Does the case have the field (maybe an empty one)? */
bool vectors_has(const struct vectors *v, const char *name);

/* The field as text, "" for an empty one. The field must be there. */
const char *vectors_text(const struct vectors *v, const char *name);

/* The field as bytes, in storage of exactly *len bytes (never NULL); writable, for tampering. Each call gives
 * a new copy. The field must be there. */
uint8_t *vectors_hex(struct vectors *v, const char *name, size_t *len);

/* The field as a decimal number. The field must be there. */
uint64_t vectors_number(const struct vectors *v, const char *name);

/* Is result = valid? */
bool vectors_valid(const struct vectors *v);

/* Is the word among the case's flags? */
bool vectors_flag(const struct vectors *v, const char *word);

void vectors_close(struct vectors *v);

#endif
