/* SPDX-License-Identifier: Apache-2.0
 *
 * hwaead random: the library's random bytes on standard output, for programs that test generators.
 */
#include "random.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hwaead/hwaead.h>

const char random_usage[] =
    "random writes random bytes of the library to standard output, without end or N of them. It refuses a terminal\n"
    "unless --hex (32 bytes a line) or --force is given. --request R asks the library for R bytes at a time (1 to 65536;\n"
    "65536 unless given). Exit code 0 also when the reader goes away; 1: no random bytes, or they cannot be written.\n";

struct options {
    uint64_t bytes;
    size_t request;
    int hex, force;
};

static int read_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long n = text != NULL && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (end == NULL || *end != '\0' || errno != 0 || n < min || n > max)
        return 0;
    *number = n;
    return 1;
}

static int read_options(struct options *o, int argc, char **argv)
{
    uint64_t request = 65536;
    *o = (struct options){.bytes = UINT64_MAX};
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--hex") == 0)
            o->hex = 1;
        else if (strcmp(argv[i], "--force") == 0)
            o->force = 1;
        else if (strcmp(argv[i], "--bytes") == 0 && i + 1 < argc && read_number(argv[i + 1], 0, UINT64_MAX, &o->bytes))
            i++;
        else if (strcmp(argv[i], "--request") == 0 && i + 1 < argc && read_number(argv[i + 1], 1, 65536, &request))
            i++;
        else
            return 0;
    }
    o->request = (size_t)request;
    return 1;
}

/* 1: written; 0: nobody reads any more; -1: failed. */
static int write_all(const uint8_t *bytes, size_t n)
{
    while (n != 0) {
        const ssize_t done = write(STDOUT_FILENO, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return errno == EPIPE ? 0 : -1;
        bytes += done;
        n -= (size_t)done;
    }
    return 1;
}

/* 32 bytes a line; the last line may be shorter. */
static size_t to_hex(uint8_t *text, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t *at = text;
    for (size_t i = 0; i < n; i++) {
        *at++ = (uint8_t)digits[bytes[i] >> 4];
        *at++ = (uint8_t)digits[bytes[i] & 15];
        if (i % 32 == 31 || i + 1 == n)
            *at++ = '\n';
    }
    return (size_t)(at - text);
}

int random_command(int argc, char **argv)
{
    enum { CHUNK = 65536 };
    static uint8_t bytes[CHUNK], text[CHUNK * 2 + CHUNK / 32 + 1];
    struct options o;
    if (!read_options(&o, argc, argv)) {
        fputs(random_usage, stderr);
        return 2;
    }
    if (isatty(STDOUT_FILENO) && !o.hex && !o.force) {
        fputs("Standard output is a terminal: give --hex, or --force for the bytes as they are.\n", stderr);
        return 2;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    int written = 1;
    for (uint64_t left = o.bytes; left != 0 && written == 1;) {
        const size_t n = left < CHUNK ? (size_t)left : CHUNK;
        for (size_t done = 0, piece; done < n; done += piece) {
            piece = n - done < o.request ? n - done : o.request;
            const hwaead_err err = hwaead_random_bytes(bytes + done, piece);
            if (err != HWAEAD_OK) {
                fprintf(stderr, "No random bytes: %s.\n", hwaead_strerror(err));
                return 1;
            }
        }
        written = o.hex ? write_all(text, to_hex(text, bytes, n)) : write_all(bytes, n);
        if (o.bytes != UINT64_MAX)
            left -= n;
    }
    if (written < 0)
        perror("Standard output");
    return written < 0;
}
