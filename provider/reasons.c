/* SPDX-License-Identifier: Apache-2.0 */
#include "reasons.h"

#include <stdarg.h>

#include "prov.h"

static const char *const text[REASON_END] = {
    [R_CANNOT_RUN] = "hwaead cannot run on this machine",
    [R_CONFIG] = "a value in the configuration of hwaead is malformed",
    [R_MEMORY] = "out of memory",
    [R_SELF_TEST] = "the self test computed a wrong answer, do not use this machine for encryption",
    [R_PARAM] = "a parameter has the wrong type, an impossible value or too small a buffer",
    [R_KEY_LENGTH] = "the key has not the length of this cipher, the old key was wiped",
    [R_NO_KEY] = "no key is set, give one at init",
    [R_IV_LENGTH] = "the IV must have 1 to 128 bytes",
    [R_NO_IV] = "no IV is set, give one at init",
    [R_RANDOM_IV_LENGTH] = "a random IV must have 12 bytes or more, give one at init or set a longer ivlen",
    [R_ENTROPY] = "the operating system gave no random bytes",
    [R_MESSAGE_OVER] = "this message is over, give a new IV at init",
    [R_NO_INPUT] = "the input is NULL but its length is not 0",
    [R_AAD_AFTER_TEXT] = "associated data must come before the text",
    [R_AAD_TOO_LONG] = "more than 2^61 - 1 bytes of associated data in one message",
    [R_TEXT_TOO_LONG] = "more than 2^36 - 32 bytes of text in one message, split it",
    [R_OVERLAP] = "output and input overlap, they must be the same or disjoint",
    [R_OUTPUT_TOO_SMALL] = "the output is shorter than the input",
    [R_TAG_LENGTH] = "the tag must have 1 to 16 bytes, and not less than min_tag of the configuration",
    [R_TAG_WHEN_SEALING] = "a tag can be set for decryption only",
    [R_NO_TAG_YET] = "the tag can be read after the final call of an encryption only",
    [R_NO_TAG_SET] = "set the expected tag before the final call of a decryption",
    [R_FIXED_IV_LENGTH] = "the fixed part of the IV must have 4 bytes or more and leave 8 or more",
    [R_NO_FIXED_IV] = "set the fixed part of the IV first",
    [R_TLS_IV_WHEN_SEALING] = "the end of the IV can be set for decryption only",
    [R_TLS_AAD] = "the TLS record header must have 13 bytes and a length that holds explicit IV and tag",
    [R_TLS_RECORD] = "a TLS record must be given whole, in place and with 24 bytes or more",
    [R_IVS_USED_UP] = "all IVs under this key are used up, set a new key",
    [R_KEY_LENGTH_FIXED] = "the key length of this cipher cannot be changed, fetch the one with the length you need",
    [R_NONCE_LENGTH] = "the nonce of AES-GCM-SIV must have 12 bytes",
    [R_SECOND_TEXT] = "AES-GCM-SIV takes only one data update per message, give it the whole text at once",
    [R_SIV_AAD_TOO_LONG] = "more than 2^36 bytes of associated data in one message of AES-GCM-SIV",
    [R_SIV_TEXT_TOO_LONG] = "more than 2^36 bytes of text in one message of AES-GCM-SIV, split it",
    [R_SIV_TAG_LENGTH] = "the tag of AES-GCM-SIV has 16 bytes, no more and no fewer",
    [R_NO_TAG_BEFORE_TEXT] = "set the expected tag before the text of a decryption with AES-GCM-SIV",
    [R_NO_TAG_OF_TEXT] = "the tag can be read after the text of an encryption only",
    [R_RAND_NOT_INSTANTIATED] = "instantiate the generator first",
    [R_RAND_INSTANTIATED] = "the generator is instantiated already, uninstantiate it first",
    [R_RAND_STRENGTH] = "the generator has a strength of 256 bits, ask for no more",
    [R_RAND_REQUEST] = "more than 65536 bytes in one request to the generator, split it",
    [R_RAND_INPUT_LENGTH] = "entropy, personalisation string or additional input has a length that the generator cannot take",
    [R_RAND_PARENT] = "the parent of the generator gave no seed, or one of the wrong length",
    [R_RAND_PARENT_STRENGTH] = "the parent of the generator is not instantiated or has a strength below 256 bits",
    [R_RAND_PARENT_LOCK] = "the parent of the generator cannot be locked",
    [R_SEED_PARENT] = "a seed source has no parent",
};

void reasons_fill(OSSL_ITEM table[REASON_END])
{
    /* OSSL_ITEM has no const; libcrypto does not write there */
    for (unsigned int r = 1; r < REASON_END; r++)
        table[r - 1] = (OSSL_ITEM){ .id = r, .ptr = (void *)(uintptr_t)text[r] };
    table[REASON_END - 1] = (OSSL_ITEM){ 0 };
}

static void raise_args(const struct provider *prov, enum reason reason, int line, const char *func,
                       const char *detail, va_list args)
{
    if (prov->new_error == NULL || prov->vset_error == NULL)
        return;
    prov->new_error(prov->handle);
    if (prov->set_error_debug != NULL)
        prov->set_error_debug(prov->handle, PROVIDER_NAME, line, func);
    prov->vset_error(prov->handle, reason, detail, args);
}

static void raise_bare(const struct provider *prov, enum reason reason, int line, const char *func, ...)
{
    va_list none;
    va_start(none, func);
    raise_args(prov, reason, line, func, NULL, none);
    va_end(none);
}

int reason_raise(const struct provider *prov, enum reason reason, int line, const char *func)
{
    raise_bare(prov, reason, line, func);
    return 0;
}

int reason_raise_with(const struct provider *prov, enum reason reason, int line, const char *func,
                      const char *detail, ...)
{
    va_list args;
    va_start(args, detail);
    raise_args(prov, reason, line, func, detail, args);
    va_end(args);
    return 0;
}
