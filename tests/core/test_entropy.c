/* SPDX-License-Identifier: Apache-2.0
 *
 * The OS as a source of random bytes, and what happens when it gives none, few, or is interrupted: getrandom is
 * the one below.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include <hwaead/hwaead.h>

#include "check.h"
#include "memory.h"
#include "secret.h"

enum { CALLS = 8 };

/* What the next calls do: a negative number is an errno, 0 gives nothing, else at most so many bytes; past the
 * end all that is asked for. */
static int script[CALLS];
static size_t calls;

ssize_t getrandom(void *out, size_t n, unsigned flags)
{
    int step = calls < CALLS ? script[calls] : 10000;
    calls++;
    CHECK(n > 0 && (flags & GRND_NONBLOCK) == 0);
    if (step < 0) {
        errno = -step;
        return -1;
    }
    if (n > (size_t)step)
        n = (size_t)step;
    memset(out, 0xe0 + (int)calls, n);
    return (ssize_t)n;
}

static void set_script(const int *steps)
{
    memcpy(script, steps, sizeof script);
    calls = 0;
}

int main(void)
{
    static const int good[CALLS] = {10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000};
    static const int interrupted[CALLS] = {-EINTR, 5, -EINTR, -EINTR, 1, 10000, 10000, 10000};
    static const int failing[][CALLS] = {
        {-ENOSYS}, {-EIO, 10000}, {3, -EFAULT}, {0}, {-EINTR, 11, -EPERM},
    };
    static const uint8_t bytes[16] = {1};
    uint8_t buffer[40], sealed[100], in[20] = {0};
    hwaead_gcm_key key;

    check_note("random bytes in pieces");
    set_script(interrupted);
    memset(buffer, 0x77, sizeof buffer);
    CHECK(os_random(buffer, 20) == 1);
    CHECK(calls == 6);
    CHECK(all_bytes(buffer, 5, 0xe2) && buffer[5] == 0xe5 && all_bytes(buffer + 6, 14, 0xe6));
    CHECK(all_bytes(buffer + 20, 20, 0x77));
    set_script(good);
    CHECK(os_random(buffer, 0) == 1 && calls == 0);

    if (hwaead_cpu_missing() == NULL) {
        CHECK(hwaead_gcm_key_init(&key, sizeof key, bytes, 16, HWAEAD_TIER_AUTO) == HWAEAD_OK);
        CHECK(calls == 0);
        check_note("a message with a nonce from this source");
        set_script(good);
        CHECK(hwaead_gcm_seal(&key, sealed, sizeof sealed, NULL, 0, in, sizeof in) == HWAEAD_OK);
        CHECK(all_bytes(sealed, HWAEAD_GCM_NONCE_LEN, 0xe1) && calls == 1);
    }
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++) {
        check_note("failure %zu", i);
        set_script(failing[i]);
        memset(buffer, 0x77, sizeof buffer);
        CHECK(os_random(buffer, 20) == 0);
        CHECK(all_bytes(buffer, 20, 0) && all_bytes(buffer + 20, 20, 0x77));
        if (hwaead_cpu_missing() != NULL)
            continue;
        set_script(failing[i]);
        memset(sealed, 0x77, sizeof sealed);
        CHECK(hwaead_gcm_seal(&key, sealed, sizeof sealed, NULL, 0, in, sizeof in) == HWAEAD_ERR_ENTROPY);
        CHECK(all_bytes(sealed, sizeof sealed, 0x77));
        set_script(failing[i]);
        memset(sealed, 0x77, sizeof sealed);
        CHECK(hwaead_gcm_seal(&key, sealed, sizeof sealed, NULL, 0, sealed + 12, 20) == HWAEAD_ERR_ENTROPY);
        CHECK(all_bytes(sealed, sizeof sealed, 0x77)); /* the text is still there */
    }

    check_note("wipe and compare");
    memset(buffer, 0x77, sizeof buffer);
    secret_wipe(NULL, 0);
    secret_wipe(buffer + 3, 0);
    CHECK(all_bytes(buffer, sizeof buffer, 0x77));
    secret_wipe(buffer + 3, 11);
    CHECK(all_bytes(buffer, 3, 0x77) && all_bytes(buffer + 3, 11, 0) && all_bytes(buffer + 14, 26, 0x77));
    for (size_t n = 0; n <= 20; n++) {
        uint8_t a[20] = {1, 2, 3, 0xff, 0, 0x80}, b[20];
        memcpy(b, a, sizeof b);
        CHECK(secret_equal(a, b, n) == 1);
        for (size_t bit = 0; bit < 8 * sizeof b; bit++) {
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
            check_note("%zu bytes, bit %zu differs", n, bit);
            CHECK(secret_equal(a, b, n) == (bit / 8 >= n));
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    return check_done();
}
