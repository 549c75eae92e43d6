/* SPDX-License-Identifier: Apache-2.0
 *
 * hwaead: authenticated encryption computed only by CPU instructions.
 *
 * Conventions: sizes are in bytes; `x == NULL` is allowed where x_len is 0. Text may be processed exactly
 * in place; any other overlap of an output with an input or with the key is refused before a byte is
 * written. Functions are safe to call from any number of threads; a key is read-only after its init.
 *
 * Nobody else may write to the buffers of a call while it runs. Opening may read a text twice, so who changes it in
 * between changes what comes out although the tag is right: copy first what another process can write to.
 */
#ifndef HWAEAD_HWAEAD_H
#define HWAEAD_HWAEAD_H

#include <stddef.h>
#include <stdint.h>

#define HWAEAD_VERSION "0.1.0"

#if defined(HWAEAD_BUILD_SHARED)
# define HWAEAD_API __attribute__((visibility("default")))
#else
# define HWAEAD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hwaead_err {
    HWAEAD_OK = 0,
    HWAEAD_ERR_CPU,          /* the CPU or the OS lacks the instructions; see hwaead_cpu_missing() */
    HWAEAD_ERR_TIER,         /* the tier asked for is unknown here or cannot run on this CPU */
    HWAEAD_ERR_ARGUMENT,     /* a required pointer is NULL, or storage has the wrong size */
    HWAEAD_ERR_KEY_LENGTH,   /* not 16, 24 or 32 bytes */
    HWAEAD_ERR_NO_KEY,       /* the key was never set, or was wiped */
    HWAEAD_ERR_NONCE_LENGTH, /* empty nonce, or a length the mode does not have */
    HWAEAD_ERR_TAG_LENGTH,   /* a tag length the mode does not have */
    HWAEAD_ERR_TOO_LONG,     /* over the mode's limit for text or associated data */
    HWAEAD_ERR_TOO_SHORT,    /* a sealed message shorter than its nonce and tag, or an output too small */
    HWAEAD_ERR_OVERLAP,      /* buffers overlap other than exactly in place */
    HWAEAD_ERR_AUTH,         /* wrong tag: the message is not what was sealed */
    HWAEAD_ERR_ENTROPY       /* the operating system gave no random bytes for a seed */
} hwaead_err;

typedef enum hwaead_tier {
    HWAEAD_TIER_AUTO = 0, /* the best that runs here */
    HWAEAD_TIER_AESNI,    /* x86-64: AES-NI and PCLMULQDQ, 128-bit vectors */
    HWAEAD_TIER_VAES256,  /* x86-64: VAES and VPCLMULQDQ with AVX2, 256-bit vectors */
    HWAEAD_TIER_VAES512,  /* x86-64: the same with AVX-512, 512-bit vectors */
    HWAEAD_TIER_ARMV8,    /* AArch64: the AES and PMULL instructions, 128-bit vectors */
    HWAEAD_TIER_ARMV8_SHA3 /* AArch64: the same with EOR3 (SHA3 extension) */
} hwaead_tier;

/* One sentence in English for each error; never NULL. */
HWAEAD_API const char *hwaead_strerror(hwaead_err err);

/* HWAEAD_VERSION of the library that is running. */
HWAEAD_API const char *hwaead_version(void);

/* NULL when this CPU and OS can run hwaead, else a sentence that names what is missing. */
HWAEAD_API const char *hwaead_cpu_missing(void);

/* "auto", "aesni", ...; NULL for a value that is no tier. */
HWAEAD_API const char *hwaead_tier_name(hwaead_tier tier);

/* The tier of that name (case matters), HWAEAD_ERR_TIER and *tier untouched when there is none.
 * A known name is found whether or not it can run here, those of other architectures included. */
HWAEAD_API hwaead_err hwaead_tier_by_name(hwaead_tier *tier, const char *name);

/* The i-th tier that can run here, best first; HWAEAD_TIER_AUTO when i is past the last. */
HWAEAD_API hwaead_tier hwaead_tier_runnable(size_t i);

/* ---- AES-GCM, NIST SP 800-38D ------------------------------------------------------------------------
 *
 * Keys of 16, 24 or 32 bytes. Text of at most 2^36 - 32 bytes and associated data (aad) of at most
 * 2^61 - 1 bytes a message. The functions here choose the nonce; those that take one are in hazmat.h. */

#define HWAEAD_GCM_NONCE_LEN 12
#define HWAEAD_GCM_TAG_LEN 16
#define HWAEAD_GCM_OVERHEAD (HWAEAD_GCM_NONCE_LEN + HWAEAD_GCM_TAG_LEN)

/* A key ready for use, placed by the caller anywhere that malloc's alignment is met; copying it by
 * assignment or memcpy gives another good key in the same process. Treat it as secret. */
typedef struct hwaead_gcm_key {
    uint64_t opaque[48];
} hwaead_gcm_key;

/* sizeof(hwaead_gcm_key) as the library sees it: the 368 bytes of AES-256 round keys and powers of H,
 * the same on every tier, and 16 of bookkeeping. */
HWAEAD_API size_t hwaead_gcm_key_size(void);

/* Makes *key from key_bytes. size is what the caller set aside for *key, at least hwaead_gcm_key_size().
 * tier forces an implementation; HWAEAD_TIER_AUTO takes the best. On an error *key is not usable; OVERLAP, for
 * key_bytes that lie in *key, leaves both as they were.
 * Errors: CPU, TIER, ARGUMENT, KEY_LENGTH, OVERLAP. */
HWAEAD_API hwaead_err hwaead_gcm_key_init(hwaead_gcm_key *key, size_t size, const uint8_t *key_bytes,
                                          size_t key_len, hwaead_tier tier);

/* The tier that the key runs on; HWAEAD_TIER_AUTO for a key that is not set. */
HWAEAD_API hwaead_tier hwaead_gcm_key_tier(const hwaead_gcm_key *key);

/* Overwrites the key with zeros; NULL is allowed. Every use after it fails with NO_KEY. */
HWAEAD_API void hwaead_gcm_key_wipe(hwaead_gcm_key *key);

/* out[0 .. in_len + 28) = nonce (12, from hwaead_random_nonce12) || text || tag (16). out_size is what out can hold.
 * In place means in == out + 12. Random nonces are good for 2^32 messages under one key (SP 800-38D, 8.3).
 * On an error out is untouched.
 * Errors: ARGUMENT, NO_KEY, TOO_LONG, TOO_SHORT (out_size), OVERLAP, ENTROPY. */
HWAEAD_API hwaead_err hwaead_gcm_seal(const hwaead_gcm_key *key, uint8_t *out, size_t out_size,
                                      const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t in_len);

/* The inverse: out[0 .. in_len - 28) = text. In place means out == in + 12. With a wrong tag out is zeroed;
 * on any other error it is untouched.
 * Errors: ARGUMENT, NO_KEY, TOO_LONG, TOO_SHORT (in_len or out_size), OVERLAP, AUTH. */
HWAEAD_API hwaead_err hwaead_gcm_open(const hwaead_gcm_key *key, uint8_t *out, size_t out_size,
                                      const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t in_len);

/* ---- AES-GCM-SIV, RFC 8452 ----------------------------------------------------------------------------
 *
 * Like AES-GCM, but a nonce that repeats gives away only whether two messages were equal. Keys of 16 or 32
 * bytes, and of 24 as OpenSSL defines them. Text and aad of at most 2^36 bytes each a message. Sealing reads
 * the text twice. The functions have the shapes, the errors and the overlap rules of hwaead_gcm_*. */

#define HWAEAD_SIV_NONCE_LEN 12
#define HWAEAD_SIV_TAG_LEN 16
#define HWAEAD_SIV_OVERHEAD (HWAEAD_SIV_NONCE_LEN + HWAEAD_SIV_TAG_LEN)

typedef struct hwaead_siv_key {
    uint64_t opaque[32];
} hwaead_siv_key;

/* sizeof(hwaead_siv_key): 240 bytes of AES-256 round keys and 16 of bookkeeping, the same on every tier. */
HWAEAD_API size_t hwaead_siv_key_size(void);

HWAEAD_API hwaead_err hwaead_siv_key_init(hwaead_siv_key *key, size_t size, const uint8_t *key_bytes,
                                          size_t key_len, hwaead_tier tier);
HWAEAD_API hwaead_tier hwaead_siv_key_tier(const hwaead_siv_key *key);
HWAEAD_API void hwaead_siv_key_wipe(hwaead_siv_key *key);

/* out[0 .. in_len + 28) = nonce (12, from hwaead_random_nonce12) || text || tag (16). */
HWAEAD_API hwaead_err hwaead_siv_seal(const hwaead_siv_key *key, uint8_t *out, size_t out_size,
                                      const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t in_len);

/* The inverse: out[0 .. in_len - 28) = text, zeroed when the tag is wrong. */
HWAEAD_API hwaead_err hwaead_siv_open(const hwaead_siv_key *key, uint8_t *out, size_t out_size,
                                      const uint8_t *aad, size_t aad_len, const uint8_t *in, size_t in_len);

/* ---- Random bytes -------------------------------------------------------------------------------------
 *
 * From two generators a thread, CTR_DRBG with AES-256 (SP 800-90A Rev. 1, 10.2.1) and a buffer: one for keys and
 * other secrets, one for nonces. A generator is seeded by the operating system (getrandom, which waits until the
 * kernel is ready), with what the CPU's own generator gives blended in. It gets a new seed in a new process (fork,
 * clone), every 2^16 buffers and when the seed is as old as hwaead_random_set_interval says. A short request makes no
 * system call and takes no lock. What is handed out is erased from the generator. A thread maps a few pages at its
 * first request; they are wiped and unmapped when it ends. The functions may be called in signal handlers once the thread has
 * used them outside of one.
 *
 * A virtual machine that is restored twice from one snapshot goes on twice with the same state until the next seed:
 * Linux tells programs nothing of it. Where that happens make the interval short.
 *
 * A plug-in that contains the static library may be unloaded when no thread is in a call or at its end. Threads that
 * used it and live on then keep a few pages, which are not wiped; link it with -z nodelete, as the shared library is,
 * where that matters.
 *
 * Errors: ARGUMENT (out is NULL), CPU, ENTROPY: out is zeroed then, and the next call tries again. */

#define HWAEAD_RANDOM_KEY_LEN 32
#define HWAEAD_RANDOM_NONCE_LEN 12

/* out[0 .. n) = random bytes, fit for keys; any n, 0 does nothing. */
HWAEAD_API hwaead_err hwaead_random_bytes(uint8_t *out, size_t n);

/* 32 bytes for a key, the fastest way. */
HWAEAD_API hwaead_err hwaead_random_key32(uint8_t out[HWAEAD_RANDOM_KEY_LEN]);

/* 12 bytes that others may see, for a nonce. */
HWAEAD_API hwaead_err hwaead_random_nonce12(uint8_t out[HWAEAD_RANDOM_NONCE_LEN]);

/* How old a seed may become, in seconds, in all threads from their next call on: 60 unless set. 0: each call draws
 * a new seed, which is slow. */
HWAEAD_API void hwaead_random_set_interval(uint32_t seconds);

/* What generators are seeded from here, in a few words; says so when the CPU's generator was found broken. */
HWAEAD_API const char *hwaead_random_sources(void);

#ifdef __cplusplus
}
#endif
#endif
