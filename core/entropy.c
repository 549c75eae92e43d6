/* SPDX-License-Identifier: Apache-2.0 */
#include "secret.h"

#include <errno.h>
#include <sys/random.h>

int os_random(uint8_t *out, size_t n)
{
    size_t done = 0;
    while (done < n) {
        ssize_t got = getrandom(out + done, n - done, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            secret_wipe(out, n);
            return 0;
        }
        done += (size_t)got;
    }
    return 1;
}
