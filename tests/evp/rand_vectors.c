/* SPDX-License-Identifier: Apache-2.0
 *
 * R1: all ctr_drbg.*.txt vector files through EVP_RAND, with libcrypto's TEST-RAND as the parent that gives the
 * entropy and the nonce of the case. HWAEAD-DRBG gives the standard's answers where it may not use its buffer: in the
 * cases with additional input in each request and without prediction resistance.
 */
#include "rands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

static void feed(EVP_RAND_CTX *source, struct vectors *v, const char *entropy_name, const char *nonce_name)
{
    size_t entropy_len, nonce_len = 0;
    const uint8_t *entropy = vectors_hex(v, entropy_name, &entropy_len), *nonce = NULL;
    if (nonce_name != NULL)
        nonce = vectors_hex(v, nonce_name, &nonce_len);
    CHECK(rand_feed(source, entropy, entropy_len, nonce, nonce_len) == 1);
}

static bool one_case(struct vectors *v)
{
    EVP_RAND_CTX *source = rand_source(lib, 256), *r = rand_ours(lib, source);
    int df = (int)vectors_number(v, "df"), pr = (int)vectors_number(v, "pr");
    char cipher[] = "AES-256-CTR", name[32];
    OSSL_PARAM list[] = {OSSL_PARAM_construct_int("use_derivation_function", &df),
                         OSSL_PARAM_construct_utf8_string("cipher", cipher, 0), OSSL_PARAM_construct_end()};
    size_t pers_len, out_len, addin_len;
    const uint8_t *pers = vectors_hex(v, "pers", &pers_len), *want = vectors_hex(v, "out", &out_len);
    uint8_t *out = malloc(out_len);
    char *ops = strdup(vectors_text(v, "ops")), *rest = NULL;
    unsigned gens = 0;

    feed(source, v, "entropy", "nonce");
    bool good = OK(EVP_RAND_instantiate(r, 256, pr, pers, pers_len, list));
    for (const char *op = strtok_r(ops, " ", &rest); op != NULL; op = strtok_r(NULL, " ", &rest)) {
        if (strcmp(op, "reseed") == 0) {
            feed(source, v, "entropy_reseed", NULL);
            const uint8_t *addin = vectors_hex(v, "addin_reseed", &addin_len);
            good &= OK(EVP_RAND_reseed(r, pr, NULL, 0, addin, addin_len));
            continue;
        }
        gens++;
        if (pr) {
            snprintf(name, sizeof name, "entropy_pr%u", gens);
            feed(source, v, name, NULL);
        }
        snprintf(name, sizeof name, "addin%u", gens);
        const uint8_t *addin = vectors_hex(v, name, &addin_len);
        good &= OK(EVP_RAND_generate(r, out, out_len, 256, pr, addin, addin_len));
    }
    good &= CHECK(gens > 0);
    good &= CHECK_BYTES(out, want, out_len);
    good &= OK(EVP_RAND_uninstantiate(r));
    EVP_RAND_CTX_free(r);
    EVP_RAND_CTX_free(source);
    free(out);
    free(ops);
    return good;
}

static bool is_exact(struct vectors *v)
{
    unsigned gens = 0;
    if (strcmp(evp_rand_name(), "HWAEAD-DRBG") != 0)
        return true;
    for (const char *op = vectors_text(v, "ops"); (op = strstr(op, "gen")) != NULL; op++) {
        size_t len;
        char name[32];
        snprintf(name, sizeof name, "addin%u", ++gens);
        (void)vectors_hex(v, name, &len);
        if (len == 0)
            return false;
    }
    return vectors_number(v, "pr") == 0;
}

static void vector_files(void)
{
    const char *dir = vectors_dir();
    size_t cases = 0, files = 0, left_out = 0;
    for (const char *file; (file = vectors_file(dir, "ctr_drbg.", files)) != NULL; files++) {
        struct vectors *v = vectors_open(dir, file);
        size_t passed = 0, others = 0;
        while (vectors_next(v)) {
            where("%s", vectors_where(v));
            if (is_exact(v))
                passed += one_case(v);
            else
                others++;
        }
        where("%s: %zu passed, %zu left out, the manifest has %zu", file, passed, others, vectors_expected(dir, file));
        CHECK(passed + others == vectors_expected(dir, file));
        cases += passed;
        left_out += others;
        vectors_close(v);
    }
    where("no files");
    CHECK(files > 0 && cases > 100);
    printf("%zu cases of %zu files, %zu left out\n", cases, files, left_out);
}

static const struct evp_case cases[] = {
    {"R1", "vector files", vector_files},
};

int main(int argc, char **argv)
{
    if ((argc < 2 || strcmp(argv[1], "--list") != 0) && vectors_dir() == NULL)
        return vectors_missing();
    return evp_main(argc, argv, cases, COUNT(cases));
}
