/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call leaves on the stack below its caller: no AES round key, neither of the key nor of a GCM-SIV message, and
 * no block so near to an end of AES that it gives them away.
 * Powers of H, E(K, J0) and blocks of text may be there (docs/design.md, Secrets); this counts and prints them.
 *
 * The compiler decides what it spills, so this is a test of the build that is shipped.
 */
#include <stdio.h>
#include <string.h>

#include <hwaead/hazmat.h>

#include "check.h"
#include "gcm.h"
#include "memory.h"
#include "reference.h"
#include "siv.h"
#include "tier.h"

enum { DEPTH = 48 * 1024, LONGEST = 4096, FILL = 0x5a };

static uint8_t seen[DEPTH];
static size_t reached; /* where what was used begins */

static __attribute__((noinline)) void fill_stack(void)
{
    volatile uint8_t below[DEPTH];
    for (size_t i = 0; i < DEPTH; i++)
        below[i] = FILL;
    __asm__ volatile("" : : "r"(below) : "memory");
}

static __attribute__((noinline)) void look_at_stack(void)
{
    volatile uint8_t below[DEPTH];
    __asm__ volatile("" : : "r"(below) : "memory");
    for (size_t i = 0; i < DEPTH; i++)
        seen[i] = below[i];
    for (reached = 0; reached < DEPTH && seen[reached] == FILL; reached++)
        ;
}

static int lies_there(const uint8_t *bytes, size_t n)
{
    return memmem(seen + reached, sizeof seen - reached, bytes, n) != NULL;
}

/* Each open is behind the seal that makes its message; CUT is by the pieces with a text that goes on, LONG_NONCE with a
 * short tag as well. */
enum call {
    GCM_SEAL, GCM_OPEN, GCM_SEAL_PIECES, GCM_OPEN_PIECES, GCM_SEAL_CUT, GCM_OPEN_CUT, GCM_SEAL_LONG_NONCE,
    GCM_OPEN_LONG_NONCE, GCM_REFUSE, SIV_SEAL, SIV_OPEN, SIV_REFUSE, CALLS
};
static const char *const call_names[] = {
    "GCM seal", "GCM open", "GCM seal in pieces", "GCM open in pieces", "GCM seal in cut pieces",
    "GCM open in cut pieces", "GCM seal with a long nonce", "GCM open with a long nonce", "GCM open with a wrong tag",
    "GCM-SIV seal", "GCM-SIV open", "GCM-SIV open with a wrong tag"};

static int opens(enum call call)
{
    return call == GCM_OPEN || call == GCM_OPEN_PIECES || call == GCM_OPEN_CUT || call == GCM_OPEN_LONG_NONCE ||
           call == SIV_OPEN;
}

static hwaead_gcm_key gcm;
static hwaead_siv_key siv;
static uint8_t text[LONGEST], sealed[LONGEST], out[LONGEST], aad[300], nonce[16], tag[16], wrong_tag[16];

static hwaead_err in_pieces(int sealing, size_t aad_len, size_t len, size_t pieces)
{
    static struct gcm_msg msg;
    static uint8_t made[16];
    const struct gcm_key *key = (const struct gcm_key *)(const void *)&gcm;
    hwaead_err err = gcm_start(key, &msg, nonce, 12);
    if (err == HWAEAD_OK)
        err = gcm_aad(key, &msg, aad, aad_len);
    for (size_t i = 0; i < pieces && err == HWAEAD_OK; i++) {
        const size_t at = len * i / pieces, n = len * (i + 1) / pieces - at;
        err = sealing ? gcm_encrypt(key, &msg, sealed + at, text + at, n)
                      : gcm_decrypt(key, &msg, out + at, sealed + at, n);
    }
    gcm_finish(key, &msg, sealing ? tag : made);
    return err;
}

static __attribute__((noinline)) hwaead_err make(enum call call, size_t aad_len, size_t len)
{
    switch (call) {
    case GCM_SEAL: return hwaead_gcm_seal_with_nonce(&gcm, sealed, tag, 16, nonce, 12, aad, aad_len, text, len);
    case GCM_OPEN: return hwaead_gcm_open_with_nonce(&gcm, out, nonce, 12, aad, aad_len, sealed, len, tag, 16);
    case GCM_SEAL_PIECES: return in_pieces(1, aad_len, len, 1);
    case GCM_OPEN_PIECES: return in_pieces(0, aad_len, len, 1);
    case GCM_SEAL_CUT: return in_pieces(1, aad_len, len, 3);
    case GCM_OPEN_CUT: return in_pieces(0, aad_len, len, 3);
    case GCM_SEAL_LONG_NONCE:
        return hwaead_gcm_seal_with_nonce(&gcm, sealed, tag, 12, nonce, 16, aad, aad_len, text, len);
    case GCM_OPEN_LONG_NONCE:
        return hwaead_gcm_open_with_nonce(&gcm, out, nonce, 16, aad, aad_len, sealed, len, tag, 12);
    case GCM_REFUSE:
        return hwaead_gcm_open_with_nonce(&gcm, out, nonce, 12, aad, aad_len, sealed, len, wrong_tag, 16);
    case SIV_SEAL: return hwaead_siv_seal_with_nonce(&siv, sealed, tag, 16, nonce, 12, aad, aad_len, text, len);
    case SIV_OPEN: return hwaead_siv_open_with_nonce(&siv, out, nonce, 12, aad, aad_len, sealed, len, tag, 16);
    default: return hwaead_siv_open_with_nonce(&siv, out, nonce, 12, aad, aad_len, sealed, len, wrong_tag, 16);
    }
}

/* The counter blocks of a message, as others know them, too. */
static uint8_t counters[LONGEST + 2 * BLOCK];

static void count_up(const uint8_t first[BLOCK], int big_endian)
{
    const size_t at = big_endian ? 12 : 0;
    uint32_t count = load_le32(first + at);
    if (big_endian)
        count = __builtin_bswap32(count);
    for (size_t i = 0; i < sizeof counters; i += BLOCK, count++) {
        memcpy(counters + i, first, BLOCK);
        store_le32(counters + i + at, big_endian ? __builtin_bswap32(count) : count);
    }
}

static void count_as(enum call call)
{
    uint8_t first[BLOCK];
    if (call < SIV_SEAL) {
        const struct gcm_key *key = (const struct gcm_key *)(const void *)&gcm;
        store_halves(first, gcm_j0(key, nonce, call == GCM_SEAL_LONG_NONCE || call == GCM_OPEN_LONG_NONCE ? 16 : 12));
    } else {
        memcpy(first, call == SIV_REFUSE ? wrong_tag : tag, BLOCK);
        first[BLOCK - 1] |= 0x80;
    }
    count_up(first, call < SIV_SEAL);
}

/* The first and the last round key may also lie there under a counter block or a block of text, which others may
 * know. */
static unsigned masked_keys_seen(const uint8_t *key, const uint8_t *blocks, size_t len)
{
    unsigned n = 0;
    for (size_t at = 0; at + BLOCK <= len; at += BLOCK) {
        uint8_t masked[BLOCK];
        for (size_t i = 0; i < BLOCK; i++)
            masked[i] = key[i] ^ blocks[at + i];
        n += (unsigned)lies_there(masked, BLOCK);
    }
    return n;
}

static unsigned keys_seen(const struct aes_schedule *aes, uint32_t rounds, size_t len)
{
    unsigned n = 0;
    for (uint32_t i = 0; i <= rounds; i++)
        n += (unsigned)lies_there(aes->rk + BLOCK * i, BLOCK);
    const uint8_t *last = aes->rk + BLOCK * rounds;
    return n + masked_keys_seen(aes->rk, counters, len + 2 * BLOCK) + masked_keys_seen(last, text, len) +
           masked_keys_seen(last, sealed, len);
}

/* A block on its way through AES, one or two rounds from its counter or its key stream. Of AES-128, one that is two rounds
 * from a key stream that is known gives the last round keys, and so the key, in some 2^16 steps: a byte of the last is
 * the key stream's, less the S-box of a byte of the one before, and the key schedule ties them together. */
static unsigned states_seen(const struct aes_schedule *aes, uint32_t rounds, size_t len)
{
    const unsigned near[] = {1, 2, rounds - 2, rounds - 1};
    struct ref_aes ref = {.rounds = rounds};
    unsigned n = 0;
    memcpy(ref.rk, aes->rk, BLOCK * (rounds + 1));
    for (size_t at = 0; at < len + 2 * BLOCK; at += BLOCK)
        for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
            uint8_t state[BLOCK];
            ref_aes_state(&ref, near[i], state, counters + at);
            n += (unsigned)lies_there(state, BLOCK);
        }
    return n;
}

static void check_call(enum call call, size_t key_len, size_t aad_len, size_t len, unsigned *others)
{
    const struct gcm_key *g = (const struct gcm_key *)(const void *)&gcm;
    const struct siv_key *s = (const struct siv_key *)(const void *)&siv;
    struct siv_msg msg;
    if (opens(call))
        CHECK(make(call - 1, aad_len, len) == HWAEAD_OK);
    siv_start(s, &msg, nonce);
    fill_stack();
    hwaead_err err = make(call, aad_len, len);
    look_at_stack();
    count_as(call);
    check_note("%s, key of %zu, aad %zu, text %zu", call_names[call], key_len, aad_len, len);
    CHECK(err == (call == GCM_REFUSE || call == SIV_REFUSE ? HWAEAD_ERR_AUTH : HWAEAD_OK));
    CHECK(keys_seen(&g->aes, g->rounds, len) == 0);
    CHECK(keys_seen(&s->aes, s->rounds, len) == 0);
    CHECK(call < SIV_SEAL || keys_seen(&msg.aes, msg.rounds, len) == 0);
    if (call < SIV_SEAL)
        CHECK(states_seen(&g->aes, g->rounds, len) == 0);
    else
        CHECK(states_seen(&msg.aes, msg.rounds, len) == 0);
    const uint8_t *h = call < SIV_SEAL ? g->powers.h : msg.powers.h;
    *others += lies_there(h + sizeof g->powers.h - BLOCK, BLOCK) || (len >= BLOCK && lies_there(text, BLOCK));
}

/* The scan finds what is there. */
static __attribute__((noinline)) void leave_behind(const uint8_t *bytes)
{
    volatile uint8_t below[2 * BLOCK];
    for (size_t i = 0; i < BLOCK; i++)
        below[i + 5] = bytes[i];
    __asm__ volatile("" : : "r"(below) : "memory");
}

static void control(struct rng *rng)
{
    static uint8_t bytes[BLOCK];
    rng_fill(rng, bytes, sizeof bytes);
    fill_stack();
    look_at_stack();
    check_note("the scan itself");
    CHECK(!lies_there(bytes, BLOCK) && all_bytes(seen + DEPTH / 2, 64, FILL));
    leave_behind(bytes);
    look_at_stack();
    CHECK(lies_there(bytes, BLOCK));
}

int main(int argc, char **argv)
{
    static const size_t short_lens[] = {1,   15,  16,  17,  31,  32,  48,  64,  65,  96,  112, 128,
                                        129, 144, 160, 200, 240, 255, 256, 272, 300, 304};
    static size_t lens[200];
    size_t n = 0;
    for (; n < sizeof short_lens / sizeof *short_lens; n++)
        lens[n] = short_lens[n];
    for (size_t len = 305; len < 2600; len += len < 1200 ? 21 : 47, n++)
        lens[n] = len;
    for (size_t len = 352; len <= 2048; len += 64 + 16 * (len % 3), n++) /* of whole blocks */
        lens[n] = len;
    lens[n++] = LONGEST;
    static const size_t aad_lens[] = {0, 13, 16, 64, 300};
    const struct kernel *kernel = tier_from_args(argc, argv);
    struct rng rng = {77};
    static uint8_t key[32];
    unsigned others = 0, calls = 0;
    control(&rng);
    rng_fill(&rng, text, sizeof text);
    rng_fill(&rng, aad, sizeof aad);
    rng_fill(&rng, nonce, sizeof nonce);
    rng_fill(&rng, wrong_tag, sizeof wrong_tag);
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
        rng_fill(&rng, key, sizeof key);
        CHECK(hwaead_gcm_key_init(&gcm, sizeof gcm, key, key_len, kernel->tier) == HWAEAD_OK);
        CHECK(hwaead_siv_key_init(&siv, sizeof siv, key, key_len, kernel->tier) == HWAEAD_OK);
        for (enum call call = GCM_SEAL; call < CALLS; call++)
            for (size_t a = 0; a < sizeof aad_lens / sizeof *aad_lens; a++)
                for (size_t i = 0; i < n; i++, calls++)
                    check_call(call, key_len, aad_lens[a], lens[i], &others);
    }
    printf("H or text was left by %u of %u calls\n", others, calls);
    return check_done();
}
