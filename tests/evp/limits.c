/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of many GiB, for the slow stage: more than 4 GiB in updates of INT_MAX bytes, and the limit of 2^36 - 32
 * bytes, reached byte by byte and not passed.
 */
#include "evp.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- G31: a few MiB of memory, mapped again and again until there are 2 GiB of addresses ---- */

enum { WINDOW = 32 << 20 };
static const size_t span = (size_t)1 << 31;

static uint8_t *wide(int *fd)
{
    *fd = memfd_create("hwaead-test", 0);
    if (*fd < 0 || ftruncate(*fd, WINDOW) != 0)
        return NULL;
    uint8_t *at = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    for (size_t i = 0; i < span; i += WINDOW)
        if (mmap(at + i, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, *fd, 0) == MAP_FAILED)
            return NULL;
    return at;
}

static int large(EVP_CIPHER_CTX *x, const EVP_CIPHER *c, const struct msg *m, int enc, uint8_t *out,
                 const uint8_t *in, const uint8_t *want_tag, uint8_t tag[16])
{
    int n = 0;
    return begin(x, c, m, enc) == 1 && (enc || set_tag(x, want_tag, 16) == 1) && aad(x, m->aad, m->aad_len) &&
           update(x, out, in, 7) && EVP_CipherUpdate(x, out, &n, in, INT_MAX) == 1 && n == INT_MAX &&
           EVP_CipherUpdate(x, out, &n, in, INT_MAX) == 1 && n == INT_MAX && update(x, out, in, 12345) &&
           finish(x) && (!enc || get_tag(x, tag, 16) == 1);
}

static void over_4_gib(void)
{
    int fd[3];
    uint8_t *in = wide(&fd[0]), *a = wide(&fd[1]), *b = wide(&fd[2]), tag[16], want_tag[16];
    NEED(in != NULL && a != NULL && b != NULL);
    rnd_bytes(in, WINDOW);
    struct msg m = rnd_msg(K256, 16, 20, 0); /* 16: the 32-bit counter starts anywhere, and may wrap */
    EVP_CIPHER_CTX *x = evp_ctx();
    CHECK(large(x, ref[K256], &m, 1, b, in, NULL, want_tag));
    CHECK(large(x, ours[K256], &m, 1, a, in, NULL, tag));
    CHECK_BYTES(tag, want_tag, 16);
    CHECK_BYTES(a, b, WINDOW); /* what the last updates left */
    /* opening: GHASH runs over the input, so both see the same one */
    CHECK(large(x, ours[K128], &m, 1, a, in, NULL, tag));
    CHECK(large(x, ref[K128], &m, 1, b, in, NULL, want_tag));
    CHECK_BYTES(tag, want_tag, 16);
    CHECK_BYTES(a, b, WINDOW);
    EVP_CIPHER_CTX_free(x);
    munmap(in, span);
    munmap(a, span);
    munmap(b, span);
    for (int i = 0; i < 3; i++)
        close(fd[i]);
}

/* ---- G30 ---- */

enum { PIECE = 1 << 20 };
static const uint64_t most = (UINT64_C(1) << 36) - 32;
static const uint8_t key[32] = {0x80}, iv[12] = {0x01}, head[13] = {0x02};
static const uint8_t zeros[PIECE];

/* The tag of 2^36 - 32 zero bytes under the above; made with the default provider of OpenSSL 3.0, and made again
 * by that when this program runs on tier "auto". */
static const uint8_t known[16] = {0xf0, 0xc9, 0x69, 0x5d, 0xf8, 0x19, 0x45, 0x73,
                                  0x5b, 0xf8, 0x6c, 0x5f, 0xcb, 0x74, 0x99, 0x10};

/* Everything up to the limit. */
static bool stream(EVP_CIPHER_CTX *x, const EVP_CIPHER *c, uint8_t *out)
{
    int n;
    if (EVP_EncryptInit_ex2(x, c, key, iv, NULL) != 1 || EVP_EncryptUpdate(x, NULL, &n, head, 13) != 1)
        return false;
    for (uint64_t at = 0; at < most; at += PIECE) {
        const int len = most - at < PIECE ? (int)(most - at) : PIECE;
        if (EVP_EncryptUpdate(x, out, &n, zeros, len) != 1 || n != len)
            return false;
    }
    return true;
}

static void *stream_ref(void *arg)
{
    uint8_t *tag = arg, *out = malloc(PIECE);
    EVP_CIPHER_CTX *x = EVP_CIPHER_CTX_new();
    int n;
    bool good = out != NULL && x != NULL && stream(x, ref[K256], out) && EVP_EncryptFinal_ex(x, out, &n) == 1 &&
                EVP_CIPHER_CTX_ctrl(x, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
    EVP_CIPHER_CTX_free(x);
    free(out);
    return good ? tag : NULL;
}

static bool with_ref; /* asked for by "auto" */

static void up_to_the_limit(void)
{
    static uint8_t out[PIECE];
    uint8_t tag[16], ref_tag[16];
    pthread_t thread;
    void *result = ref_tag;
    NEED(!with_ref || pthread_create(&thread, NULL, stream_ref, ref_tag) == 0);
    EVP_CIPHER_CTX *x = evp_ctx(), *y = evp_ctx();
    CHECK(stream(x, ours[K256], out));
    CHECK(drain().total == 0);
    OK(EVP_CIPHER_CTX_copy(y, x));

    memset(out, 0x5a, 64);
    OK(update(x, out, zeros, 0)); /* nothing more is still fine */
    REFUSED(update(x, out, zeros, 1));
    REFUSED(update(x, out, zeros, 1)); /* D4 */
    REFUSED(finish(x));
    CHECK(works(x, K256));
    EVP_CIPHER_CTX *z = evp_ctx();
    OK(EVP_CIPHER_CTX_copy(z, y));
    REFUSED(update(z, out, zeros, PIECE));
    CHECK(all_bytes(out, 64, 0x5a));
    EVP_CIPHER_CTX_free(z);

    OK(finish(y));
    OK(get_tag(y, tag, 16));
    CHECK_BYTES(tag, known, 16);
    if (with_ref) {
        pthread_join(thread, &result);
        CHECK(result != NULL);
        CHECK_BYTES(ref_tag, known, 16);
    }
    EVP_CIPHER_CTX_free(x);
    EVP_CIPHER_CTX_free(y);
}

static const struct evp_case cases[] = {
    {"G31", "more than 4 GiB", over_4_gib},
    {"G30", "up to the limit", up_to_the_limit},
};

int main(int argc, char **argv)
{
    with_ref = argc > 1 && strcmp(argv[1], "auto") == 0;
    return evp_main(argc, argv, cases, COUNT(cases));
}
