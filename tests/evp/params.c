/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters: the constants of the ciphers, their names, and the lists of parameters against what is honoured.
 */
#include "evp.h"

#include <stdio.h>
#include <string.h>

static const char *const aliases[NKEYS][4] = {
    {"AES-128-GCM", "id-aes128-GCM", "2.16.840.1.101.3.4.1.6", "aEs-128-gCm"},
    {"AES-192-GCM", "id-aes192-GCM", "2.16.840.1.101.3.4.1.26", "ID-AES192-gcm"},
    {"AES-256-GCM", "id-aes256-GCM", "2.16.840.1.101.3.4.1.46", "iD-aEs256-GcM"},
};

/* ---- G35, G36, P15 ---- */

struct names {
    size_t n;
    const char *name[16];
};

static void collect_name(const char *name, void *arg)
{
    struct names *list = arg;
    if (list->n < COUNT(list->name))
        list->name[list->n++] = name;
}

static void getters(void)
{
    for (int k = 0; k < NKEYS; k++) {
        const EVP_CIPHER *o = ours[k], *r = ref[k];
        where("%s", evp_name[k]);
        CHECK(EVP_CIPHER_get_nid(o) == EVP_CIPHER_get_nid(r));
        CHECK(EVP_CIPHER_get_type(o) == EVP_CIPHER_get_type(r));
        CHECK(EVP_CIPHER_get_block_size(o) == 1);
        CHECK(EVP_CIPHER_get_iv_length(o) == 12);
        CHECK(EVP_CIPHER_get_key_length(o) == 16 + 8 * k);
        CHECK(EVP_CIPHER_get_mode(o) == EVP_CIPH_GCM_MODE);
        CHECK(EVP_CIPHER_get_flags(o) == EVP_CIPHER_get_flags(r));
        CHECK(EVP_CIPHER_get_flags(o) & EVP_CIPH_FLAG_AEAD_CIPHER);
        CHECK(EVP_CIPHER_get_flags(o) & EVP_CIPH_FLAG_CUSTOM_CIPHER);
        CHECK(EVP_CIPHER_get_flags(o) & EVP_CIPH_CUSTOM_IV);

        struct names mine = {0}, theirs = {0};
        CHECK(EVP_CIPHER_names_do_all(o, collect_name, &mine) == 1);
        CHECK(EVP_CIPHER_names_do_all(r, collect_name, &theirs) == 1);
        CHECK(mine.n == theirs.n);
        for (size_t i = 0; i < mine.n && i < theirs.n; i++)
            CHECK(strcmp(mine.name[i], theirs.name[i]) == 0);

        EVP_CIPHER_CTX *x = evp_ctx();
        CHECK(EVP_CipherInit_ex2(x, o, NULL, NULL, 1, NULL) == 1);
        CHECK(EVP_CIPHER_CTX_get_key_length(x) == 16 + 8 * k);
        CHECK(EVP_CIPHER_CTX_get_iv_length(x) == 12);
        CHECK(EVP_CIPHER_CTX_get_tag_length(x) == 16);
        CHECK(EVP_CIPHER_CTX_get_block_size(x) == 1);
        EVP_CIPHER_CTX_free(x);
    }
    ERR_clear_error();
}

static void nid_of_256(void)
{
    CHECK(EVP_CIPHER_get_nid(ours[K256]) == 901);
    CHECK(EVP_CIPHER_get_nid(ours[K192]) == 898);
    CHECK(EVP_CIPHER_get_nid(ours[K128]) == 895);
}

/* The eight constants by EVP_CIPHER_get_params, in the type asked by libcrypto and in a wider one. */
static void constants(void)
{
    for (int k = 0; k < NKEYS; k++) {
        size_t block = 9, iv = 9, key = 9;
        unsigned int mode = 9;
        int is_aead = 9, custom = 9, cts = 9, multi = 9, randkey = 9;
        OSSL_PARAM all[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, &block),
                            OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &iv),
                            OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &key),
                            OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_MODE, &mode),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_AEAD, &is_aead),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_CUSTOM_IV, &custom),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_CTS, &cts),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, &multi),
                            OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_HAS_RAND_KEY, &randkey),
                            OSSL_PARAM_construct_end()};
        where("%s", evp_name[k]);
        OK(EVP_CIPHER_get_params(ours[k], all));
        CHECK(block == 1 && iv == 12 && key == (size_t)(16 + 8 * k) && mode == EVP_CIPH_GCM_MODE);
        CHECK(is_aead == 1 && custom == 1 && cts == 0 && multi == 0 && randkey == 0);
        for (size_t i = 0; i + 1 < COUNT(all); i++)
            CHECK(OSSL_PARAM_modified(&all[i]));

        int64_t wide = -1;
        OSSL_PARAM odd[] = {OSSL_PARAM_construct_int64(OSSL_CIPHER_PARAM_KEYLEN, &wide),
                            OSSL_PARAM_construct_end()};
        OK(EVP_CIPHER_get_params(ours[k], odd));
        CHECK(wide == 16 + 8 * k);
    }
}

static void aliases_and_oids(void)
{
    const char *owner = subject_is_default ? "default" : "hwaead";
    const char *query = subject_is_default ? "provider=default" : "provider=hwaead";
    for (int k = 0; k < NKEYS; k++)
        for (size_t i = 0; i < COUNT(aliases[k]); i++) {
            where("%s", aliases[k][i]);
            EVP_CIPHER *c = EVP_CIPHER_fetch(lib, aliases[k][i], query);
            if (!CHECK(c != NULL))
                continue;
            CHECK(strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c)), owner) == 0);
            CHECK(EVP_CIPHER_get_key_length(c) == 16 + 8 * k);
            CHECK(EVP_CIPHER_is_a(c, evp_name[k]));
            EVP_CIPHER_free(c);
            c = EVP_CIPHER_fetch(lib, aliases[k][i], subject_is_default ? "" : "?provider=hwaead");
            if (CHECK(c != NULL))
                CHECK(strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c)), owner) == 0);
            EVP_CIPHER_free(c);
        }
}

static void properties(void)
{
    char query[128];
    snprintf(query, sizeof query, "hwaead.tier=%s", evp_tier());
    for (int k = 0; k < NKEYS; k++) {
        where("%s with %s", evp_name[k], query);
        EVP_CIPHER *c = EVP_CIPHER_fetch(lib, evp_name[k], query);
        if (CHECK(c != NULL))
            CHECK(strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(c)), "hwaead") == 0);
        EVP_CIPHER_free(c);
        CHECK((c = EVP_CIPHER_fetch(lib, evp_name[k], "hwaead.tier=none-such")) == NULL);
        EVP_CIPHER_free(c);
        CHECK((c = EVP_CIPHER_fetch(lib, evp_name[k], "provider=hwaead,fips=yes")) == NULL);
        EVP_CIPHER_free(c);
    }
    EVP_CIPHER *other = EVP_CIPHER_fetch(lib, "AES-256-CBC", "provider=hwaead");
    CHECK(other == NULL);
    EVP_CIPHER_free(other);
    ERR_clear_error();
}

/* ---- Lists ---- */

struct key {
    const char *name;
    unsigned type;
};

static const struct key gettable[] = {
    {"keylen", OSSL_PARAM_UNSIGNED_INTEGER}, {"ivlen", OSSL_PARAM_UNSIGNED_INTEGER},
    {"taglen", OSSL_PARAM_UNSIGNED_INTEGER}, {"iv", OSSL_PARAM_OCTET_STRING},
    {"updated-iv", OSSL_PARAM_OCTET_STRING}, {"tag", OSSL_PARAM_OCTET_STRING},
    {"tlsaadpad", OSSL_PARAM_UNSIGNED_INTEGER}, {"tlsivgen", OSSL_PARAM_OCTET_STRING},
    {"iv-generated", OSSL_PARAM_UNSIGNED_INTEGER},
};

static const struct key settable[] = {
    {"ivlen", OSSL_PARAM_UNSIGNED_INTEGER}, {"tag", OSSL_PARAM_OCTET_STRING},
    {"tlsaad", OSSL_PARAM_OCTET_STRING}, {"tlsivfixed", OSSL_PARAM_OCTET_STRING},
    {"tlsivinv", OSSL_PARAM_OCTET_STRING},
};

static const struct key constant[] = {
    {"blocksize", OSSL_PARAM_UNSIGNED_INTEGER}, {"ivlen", OSSL_PARAM_UNSIGNED_INTEGER},
    {"keylen", OSSL_PARAM_UNSIGNED_INTEGER}, {"mode", OSSL_PARAM_UNSIGNED_INTEGER},
    {"aead", OSSL_PARAM_INTEGER}, {"custom-iv", OSSL_PARAM_INTEGER}, {"cts", OSSL_PARAM_INTEGER},
    {"tls-multi", OSSL_PARAM_INTEGER}, {"has-randkey", OSSL_PARAM_INTEGER},
    {"decrypt-only", OSSL_PARAM_INTEGER}, /* which 3.1 and later ask for */
};

/* Every name that libcrypto, libssl or another cipher of them uses; and two of nobody. */
static const char *const universe[] = {
    "padding", "use-bits", "tls-version", "tls-mac", "tls-mac-size", "mode", "blocksize", "aead", "custom-iv",
    "cts", "tls-multi", "has-randkey", "keylen", "ivlen", "iv", "updated-iv", "num", "rounds", "tag", "taglen",
    "tlsaad", "tlsaadpad", "tlsivfixed", "tlsivgen", "tlsivinv", "alg_id_param", "algorithm-id",
    "algorithm-id-params", "randkey", "keybits", "speed", "cts_mode", "tls1multi_maxsndfrag",
    "tls1multi_maxbufsz", "tls1multi_interleave", "tls1multi_aad", "tls1multi_aadpacklen", "tls1multi_enc",
    "tls1multi_encin", "tls1multi_enclen", "xts_standard", "iv-generated", "pipeline-tag", "decrypt-only",
    "encrypt-check", "fips-indicator", "provider", "version", "status", "nonsense", "",
};

static bool listed(const OSSL_PARAM *list, const char *name)
{
    return list != NULL && OSSL_PARAM_locate_const(list, name) != NULL;
}

static size_t list_len(const OSSL_PARAM *list)
{
    size_t n = 0;
    while (list != NULL && list[n].key != NULL)
        n++;
    return n;
}

static bool among(const struct key *keys, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(keys[i].name, name) == 0)
            return true;
    return false;
}

static void list_is(const OSSL_PARAM *list, const struct key *keys, size_t n, const char *what)
{
    where("%s", what);
    NEED(list != NULL);
    for (size_t i = 0; i < n; i++) {
        where("%s: %s", what, keys[i].name);
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(list, keys[i].name);
        if (CHECK(p != NULL))
            CHECK(p->data_type == keys[i].type);
    }
    for (size_t i = 0; i < list_len(list); i++) {
        where("%s: %s is listed", what, list[i].key);
        CHECK(among(keys, n, list[i].key));
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(list[i].key, list[j].key) != 0);
    }
}

static void ref_is_covered(const OSSL_PARAM *theirs, const OSSL_PARAM *mine, const char *what)
{
    for (size_t i = 0; i < list_len(theirs); i++) {
        where("%s: default lists %s", what, theirs[i].key);
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(mine, theirs[i].key);
        if (CHECK(p != NULL))
            CHECK(p->data_type == theirs[i].data_type || (p->data_type == OSSL_PARAM_OCTET_STRING &&
                  theirs[i].data_type == OSSL_PARAM_OCTET_PTR));
    }
}

static void lists(void)
{
    for (int k = 0; k < NKEYS; k++) {
        EVP_CIPHER_CTX *x = evp_ctx();
        CHECK(EVP_CipherInit_ex2(x, ours[k], NULL, NULL, 1, NULL) == 1);
        list_is(EVP_CIPHER_gettable_params(ours[k]), constant, COUNT(constant), "gettable");
        list_is(EVP_CIPHER_gettable_ctx_params(ours[k]), gettable, COUNT(gettable), "gettable ctx");
        list_is(EVP_CIPHER_CTX_gettable_params(x), gettable, COUNT(gettable), "gettable of a ctx");
        list_is(EVP_CIPHER_settable_ctx_params(ours[k]), settable, COUNT(settable), "settable ctx");
        list_is(EVP_CIPHER_CTX_settable_params(x), settable, COUNT(settable), "settable of a ctx");
        ref_is_covered(EVP_CIPHER_gettable_ctx_params(ref[k]), EVP_CIPHER_gettable_ctx_params(ours[k]), "get");
        ref_is_covered(EVP_CIPHER_settable_ctx_params(ref[k]), EVP_CIPHER_settable_ctx_params(ours[k]), "set");
        CHECK(!listed(EVP_CIPHER_gettable_ctx_params(ours[k]), "alg_id_param"));
        EVP_CIPHER_CTX_free(x);
    }
}

/* A context that answers the key when it answers it at all. */
static EVP_CIPHER_CTX *ready_for_get(int k, const char *name)
{
    struct msg m = rnd_msg(k, 12, 0, 0);
    uint8_t record_aad[13] = {[11] = 0, [12] = 200};
    EVP_CIPHER_CTX *x = evp_ctx();
    begin(x, ours[k], &m, 1);
    if (strcmp(name, "tag") == 0)
        finish(x);
    if (strcmp(name, "tlsivgen") == 0)
        EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_GCM_SET_IV_FIXED, 4, record_aad);
    if (strcmp(name, "tlsaadpad") == 0)
        set_param(x, OSSL_PARAM_construct_octet_string("tlsaad", record_aad, 13));
    return x;
}

static void get_is_what_is_listed(void)
{
    for (size_t i = 0; i < COUNT(universe); i++) {
        const char *name = universe[i];
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(EVP_CIPHER_gettable_ctx_params(ours[K256]), name);
        EVP_CIPHER_CTX *x = ready_for_get(K256, name);
        uint8_t data[16];
        for (int octets = 0; octets < 2; octets++) {
            memset(data, 0xa5, sizeof data);
            OSSL_PARAM list[] = {octets ? OSSL_PARAM_construct_octet_string(name, data, 16)
                                        : OSSL_PARAM_construct_uint64(name, (uint64_t *)(void *)data),
                                 OSSL_PARAM_construct_end()};
            where("get %s as %s", name, octets ? "octets" : "a number");
            int r = EVP_CIPHER_CTX_get_params(x, list);
            if (p == NULL) {
                CHECK(r == 1 && !OSSL_PARAM_modified(list));
                CHECK(all_bytes(data, sizeof data, 0xa5));
                CHECK(drain().total == 0);
            } else if (octets == (p->data_type == OSSL_PARAM_OCTET_STRING)) {
                CHECK(r == 1 && OSSL_PARAM_modified(list));
                CHECK(drain().total == 0);
            } else {
                CHECK(r == 0 && drain().total == 1); /* known key, wrong type */
            }
        }
        EVP_CIPHER_CTX_free(x);
    }
}

/* A bad value of a listed key fails; of any other it does not matter. */
static void set_is_what_is_listed(void)
{
    for (size_t i = 0; i < COUNT(universe); i++) {
        const char *name = universe[i];
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(EVP_CIPHER_settable_ctx_params(ours[K256]), name);
        for (int octets = 0; octets < 2; octets++) {
            struct msg m = rnd_msg(K256, 12, 0, 0);
            uint64_t huge = UINT64_MAX - 1;
            uint8_t data[200] = {0};
            EVP_CIPHER_CTX *x = evp_ctx();
            begin(x, ours[K256], &m, 0);
            where("set %s as %s", name, octets ? "octets" : "a number");
            if (subject_is_default && strncmp(name, "tlsiv", 5) == 0)
                break; /* default writes past the end of its IV */
            int r = set_param(x, octets ? OSSL_PARAM_construct_octet_string(name, data, sizeof data)
                                        : OSSL_PARAM_construct_uint64(name, &huge));
            if (p == NULL && strcmp(name, "keylen") == 0) {
                ERR_clear_error(); /* from 3.5 on libcrypto reads it itself, with whatever provider */
            } else if (p == NULL) {
                CHECK(r == 1);
                CHECK(drain().total == 0);
                CHECK(works(x, K256));
            } else {
                CHECK(r == 0);
                CHECK(drain().total == 1);
            }
            CHECK(works(x, K256)); /* a refused parameter costs at most the message */
            ERR_clear_error();
            EVP_CIPHER_CTX_free(x);
        }
    }
}

static void constants_are_what_is_listed(void)
{
    const OSSL_PARAM *list = EVP_CIPHER_gettable_params(ours[K128]);
    for (size_t i = 0; i < COUNT(universe); i++) {
        int64_t value = INT64_MIN;
        OSSL_PARAM one[] = {OSSL_PARAM_construct_int64(universe[i], &value), OSSL_PARAM_construct_end()};
        where("get constant %s", universe[i]);
        OK(EVP_CIPHER_get_params(ours[K128], one));
        CHECK((OSSL_PARAM_modified(one) != 0) == listed(list, universe[i]));
        CHECK((value != INT64_MIN) == listed(list, universe[i]));
    }
}

/* ---- G28, G29 ---- */

static void empty_and_null_lists(void)
{
    struct msg m = rnd_msg(K256, 12, 5, 40);
    OSSL_PARAM none[] = {OSSL_PARAM_construct_end()};
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_CipherInit_ex2(x, ours[K256], m.key, m.iv, 1, none));
    OK(EVP_CIPHER_CTX_set_params(x, none));
    OK(EVP_CIPHER_CTX_get_params(x, none));
    OK(EVP_CIPHER_CTX_set_params(x, NULL));
    OK(EVP_CIPHER_CTX_get_params(x, NULL));
    CHECK(works(x, K256));
    EVP_CIPHER_CTX_free(x);
}

/* ivlen in each integer shape that a caller may use. */
static void integer_shapes(void)
{
    struct msg m = rnd_msg(K256, 16, 0, 0);
    uint8_t want[16], got[16];
    CHECK(seal(ref[K256], &m, got, want));
    for (int shape = 0; shape < 6; shape++) {
        int32_t i32 = 16;
        int64_t i64 = 16;
        uint32_t u32 = 16;
        uint64_t u64 = 16;
        int plain = 16;
        size_t size = 16;
        OSSL_PARAM p[6] = {OSSL_PARAM_construct_int32("ivlen", &i32), OSSL_PARAM_construct_int64("ivlen", &i64),
                           OSSL_PARAM_construct_uint32("ivlen", &u32), OSSL_PARAM_construct_uint64("ivlen", &u64),
                           OSSL_PARAM_construct_int("ivlen", &plain), OSSL_PARAM_construct_size_t("ivlen", &size)};
        OSSL_PARAM list[] = {p[shape], OSSL_PARAM_construct_end()};
        where("shape %d", shape);
        EVP_CIPHER_CTX *x = evp_ctx();
        OK(EVP_CipherInit_ex2(x, ours[K256], m.key, NULL, 1, NULL));
        OK(EVP_CIPHER_CTX_set_params(x, list));
        OK(init_iv(x, m.iv, 1));
        CHECK(finish(x) && get_tag(x, got, 16) > 0);
        CHECK_BYTES(got, want, 16);
        i32 = -1, i64 = -1, plain = -16, u32 = 0, u64 = UINT64_C(1) << 32 | 12, size = 129;
        REFUSED(EVP_CIPHER_CTX_set_params(x, list));

        i32 = -1, i64 = -1, plain = -1, u32 = 99, u64 = 99, size = 99;
        OK(EVP_CIPHER_CTX_get_params(x, list));
        const int64_t value[] = {i32, i64, u32, (int64_t)u64, plain, (int64_t)size};
        CHECK(value[shape] == 16);
        EVP_CIPHER_CTX_free(x);
    }
}

/* No data pointer: how large is it? */
static void size_queries(void)
{
    struct msg m = rnd_msg(K192, 20, 0, 0);
    static const struct {
        const char *name;
        bool octets;
        size_t size;
    } ask[] = {{"keylen", false, sizeof(size_t)}, {"ivlen", false, sizeof(size_t)},
               {"taglen", false, sizeof(size_t)}, {"iv", true, 20}, {"updated-iv", true, 20}};
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K192], &m, 1));
    for (size_t i = 0; i < COUNT(ask); i++) {
        OSSL_PARAM list[] = {ask[i].octets ? OSSL_PARAM_construct_octet_string(ask[i].name, NULL, 0)
                                           : OSSL_PARAM_construct_size_t(ask[i].name, NULL),
                             OSSL_PARAM_construct_end()};
        where("%s", ask[i].name);
        OK(EVP_CIPHER_CTX_get_params(x, list));
        CHECK(list[0].return_size == ask[i].size);
    }
    CHECK(works(x, K192));
    EVP_CIPHER_CTX_free(x);
}

/* A number that does not fit is refused, and nothing past the buffer is written. */
static void small_integers(void)
{
    struct msg m = rnd_msg(K256, 12, 0, 0);
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(begin(x, ours[K256], &m, 1));
    for (size_t n = 0; n <= 3; n++) {
        uint8_t room[16];
        memset(room, 0xee, sizeof room);
        OSSL_PARAM list[] = {OSSL_PARAM_construct_size_t("keylen", (size_t *)(void *)room),
                             OSSL_PARAM_construct_end()};
        list[0].data_size = n;
        where("%zu bytes", n);
        EVP_CIPHER_CTX_get_params(x, list);
        CHECK(drain().total <= 1);
        CHECK(all_bytes(room + n, sizeof room - n, 0xee));
    }
    CHECK(works(x, K256));
    EVP_CIPHER_CTX_free(x);
}

static void legacy_knobs(void)
{
    for (int k = 0; k < NKEYS; k++) {
        int key_len = 16 + 8 * k;
        struct msg m = rnd_msg(k, 12, 0, 0);
        EVP_CIPHER_CTX *x = evp_ctx();
        where("%s", evp_name[k]);
        OK(begin(x, ours[k], &m, 1));
        CHECK(EVP_CIPHER_CTX_set_padding(x, 0) == 1);
        CHECK(EVP_CIPHER_CTX_set_padding(x, 1) == 1);
        CHECK(EVP_CIPHER_CTX_set_num(x, 5) == 1);
        CHECK(EVP_CIPHER_CTX_set_key_length(x, key_len) == 1);
        CHECK(drain().total == 0);
        CHECK(EVP_CIPHER_CTX_set_key_length(x, key_len == 16 ? 32 : 16) != 1);
        ERR_clear_error();
        CHECK(works(x, k));
        size_t other = 16; /* has no effect on 3.0; from 3.5 on libcrypto takes it for the key length */
        EVP_CIPHER_CTX *y = evp_ctx();
        OK(begin(x, ours[k], &m, 1) && begin(y, ref[k], &m, 1));
        OK(set_param(x, OSSL_PARAM_construct_size_t("keylen", &other)));
        OK(set_param(y, OSSL_PARAM_construct_size_t("keylen", &other)));
        CHECK(EVP_CIPHER_CTX_get_key_length(x) == EVP_CIPHER_CTX_get_key_length(y));
        EVP_CIPHER_CTX_free(y);
        EVP_CIPHER_CTX_free(x);
    }
}

/* Several parameters at once, known and unknown, at init as well: in any order, and handled before the IV. */
static void mixed_lists(void)
{
    struct msg m = rnd_msg(K256, 8, 3, 33);
    uint8_t ct[33], want[33], tag[16], want_tag[16], tag5[5];
    CHECK(seal(ref[K256], &m, want, want_tag));
    size_t iv_len = 8;
    unsigned pad = 1, version = 0x303;
    size_t mac = 0;
    OSSL_PARAM list[] = {OSSL_PARAM_construct_uint("padding", &pad), OSSL_PARAM_construct_size_t("ivlen", &iv_len),
                         OSSL_PARAM_construct_uint("tls-version", &version),
                         OSSL_PARAM_construct_size_t("tls-mac-size", &mac), OSSL_PARAM_construct_end()};
    EVP_CIPHER_CTX *x = evp_ctx();
    OK(EVP_EncryptInit_ex2(x, ours[K256], m.key, m.iv, list));
    CHECK(aad(x, m.aad, 3) && update(x, ct, m.text, 33) && finish(x));
    CHECK_BYTES(ct, want, 33);
    size_t got_iv_len = 0, got_tag_len = 0;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_octet_string("nonsense", ct, 1),
                        OSSL_PARAM_construct_octet_string("tag", tag, 16),
                        OSSL_PARAM_construct_size_t("ivlen", &got_iv_len),
                        OSSL_PARAM_construct_octet_string("tag", tag5, 5),
                        OSSL_PARAM_construct_size_t("taglen", &got_tag_len), OSSL_PARAM_construct_end()};
    OK(EVP_CIPHER_CTX_get_params(x, ask));
    CHECK(got_iv_len == 8 && got_tag_len > 0 && got_tag_len <= 16);
    CHECK_BYTES(tag, want_tag, 16);
    EVP_CIPHER_CTX_free(x);
}

static const struct evp_case cases[] = {
    {"G35", "getters equal the default's", getters},
    {"G35", "NIDs", nid_of_256},
    {"G35", "constants", constants},
    {"G36", "fetch by alias and OID", aliases_and_oids},
    {"P15", "fetch by property", properties},
    {"G28", "lists of parameters", lists},
    {"G28", "get honours what is listed", get_is_what_is_listed},
    {"G28", "set honours what is listed", set_is_what_is_listed},
    {"G28", "constants honour what is listed", constants_are_what_is_listed},
    {"G28", "empty and NULL lists", empty_and_null_lists},
    {"G28", "integers of each shape", integer_shapes},
    {"G28", "size queries", size_queries},
    {"G28", "integers that do not fit", small_integers},
    {"G28 G22", "several parameters at once", mixed_lists},
    {"G29", "padding, num, keylen", legacy_knobs},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
