/* SPDX-License-Identifier: Apache-2.0
 *
 * What the public API has besides its modes.
 */
#include <hwaead/hwaead.h>

const char *hwaead_strerror(hwaead_err err)
{
    switch (err) {
    case HWAEAD_OK: return "success";
    case HWAEAD_ERR_CPU: return "this CPU or operating system lacks the AES or carry-less multiply instructions";
    case HWAEAD_ERR_TIER: return "no such tier, or it cannot run on this CPU";
    case HWAEAD_ERR_ARGUMENT: return "a required pointer is NULL or key storage is too small";
    case HWAEAD_ERR_KEY_LENGTH: return "the key must be 16, 24 or 32 bytes long";
    case HWAEAD_ERR_NO_KEY: return "the key was never set or has been wiped";
    case HWAEAD_ERR_NONCE_LENGTH: return "the nonce has a length that this mode does not take";
    case HWAEAD_ERR_TAG_LENGTH: return "the tag has a length that this mode does not take";
    case HWAEAD_ERR_TOO_LONG: return "the text or the associated data is longer than this mode allows";
    case HWAEAD_ERR_TOO_SHORT: return "the sealed message or the output buffer is too short";
    case HWAEAD_ERR_OVERLAP: return "buffers overlap other than exactly in place";
    case HWAEAD_ERR_AUTH: return "authentication failed: the message is not what was sealed";
    case HWAEAD_ERR_ENTROPY: return "the operating system gave no random bytes";
    }
    return "unknown error";
}

const char *hwaead_version(void)
{
    return HWAEAD_VERSION;
}
