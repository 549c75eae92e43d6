/* SPDX-License-Identifier: Apache-2.0
 *
 * Random walks: the same calls, in random order and with random arguments, on a context of ours and on one of the
 * default provider. Results, lengths and bytes have to be equal after each call, except where hwaead refuses on
 * purpose what default lets pass (the D rows of the contract). After such a step both begin a new message.
 */
#include "evp.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 600, OURS, REF };

static struct {
    EVP_CIPHER_CTX *ours, *ref;
    int k, enc;
    bool tls;     /* this walk is one of SSH and TLS: the IV counts */
    bool lost;    /* a call of this message failed (D2, D4), or the key changed in it */
    bool started; /* bytes or AAD have gone in */
    bool over;    /* after final */
    bool turned;  /* the direction changed while the IV counted (D9) */
    bool header;  /* tlsaad was set, which default keeps where it keeps the tag */
    size_t iv_len;
    uint8_t buffer[2][MOST + 64]; /* ours, ref */
} w;

/* What the default provider of OpenSSL 3.0.2 cannot do yet: copy a context (ours is copied all the same, and must go on
 * like default's original), and refuse to go on with the IV after a change of its length. */
static bool default_copies, default_drops_iv;

static size_t refusals, steps;
static char trace[512]; /* the last calls */
static size_t traced_len;

static void traced(const char *call, size_t n)
{
    if (traced_len > sizeof trace - 60) {
        memmove(trace, trace + traced_len / 2, traced_len - traced_len / 2 + 1);
        traced_len -= traced_len / 2;
    }
    traced_len += (size_t)snprintf(trace + traced_len, sizeof trace - traced_len, " %s(%zu)", call, n);
}

/* The trace becomes the note only when it is wanted: making it is most of the cost of a step. */
#define EXPECT(cond) ((cond) ? (void)CHECK(true) : (where("%s", trace), (void)CHECK(cond)))
#define EXPECT_BYTES(a, b, n) \
    (memcmp((a), (b), (n)) == 0 ? (void)CHECK(true) : (where("%s", trace), (void)CHECK_BYTES((a), (b), (n))))

static void restart(void)
{
    struct msg m = rnd_msg(w.k, w.iv_len, 0, 0);
    w.enc = (int)rnd(2);
    traced_len = 0;
    traced("begin, enc", (size_t)w.enc);
    EXPECT(begin(w.ours, NULL, &m, w.enc) == 1 && begin(w.ref, NULL, &m, w.enc) == 1);
    if (w.tls) {
        uint8_t iv[128];
        memcpy(iv, m.iv, w.iv_len);
        EXPECT(EVP_CIPHER_CTX_ctrl(w.ours, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv) == 1);
        EXPECT(EVP_CIPHER_CTX_ctrl(w.ref, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv) == 1);
        uint8_t a, b; /* default arms the IV here, ours counts from the first get on */
        EXPECT(get_octets(w.ours, "tlsivgen", &a, 1) == 1 && get_octets(w.ref, "tlsivgen", &b, 1) == 1 && a == b);
    }
    w.lost = w.over = w.header = w.turned = false;
    w.started = w.tls;
}

/* False, after a new start, when the results of a call differ. Only a refusal that is meant is no failure. */
static bool same(bool mine, bool theirs, bool refusal_meant)
{
    struct queue q = drain();
    (void)q;
    steps++;
    if (mine == theirs)
        return mine;
    EXPECT(!mine && refusal_meant);
    refusals++;
    restart();
    return false;
}

static void random_update(bool is_aad, bool one_shot)
{
    size_t n = rnd(4) == 0 ? rnd(MOST) : rnd(40);
    bool in_place = rnd(2) != 0;
    struct msg m = rnd_msg(w.k, 12, n, n);
    uint8_t *o = is_aad ? NULL : w.buffer[0], *r = is_aad ? NULL : w.buffer[1];
    memcpy(w.buffer[0], m.text, n);
    memcpy(w.buffer[1], m.text, n);
    traced(is_aad ? one_shot ? "cipher AAD" : "aad" : one_shot ? "cipher" : "update", n);
    const uint8_t *in_o = in_place && !is_aad ? o : m.text, *in_r = in_place && !is_aad ? r : m.text;
    int got_o = -3, got_r = -3;
    bool mine, theirs;
    if (one_shot) {
        if (n == 0)
            return; /* D3 */
        got_o = EVP_Cipher(w.ours, o, in_o, (unsigned)n);
        got_r = EVP_Cipher(w.ref, r, in_r, (unsigned)n);
        mine = got_o >= 0;
        theirs = got_r >= 0;
    } else {
        mine = EVP_CipherUpdate(w.ours, o, &got_o, in_o, (int)n) == 1;
        theirs = EVP_CipherUpdate(w.ref, r, &got_r, in_r, (int)n) == 1;
    }
    const bool lost = w.lost || w.over;
    if (same(mine, theirs, w.lost)) {
        EXPECT(got_o == got_r && got_o == (int)n);
        EXPECT_BYTES(w.buffer[0], w.buffer[1], n);
        w.started |= n > 0;
    } else if (!lost && !mine) {
        w.lost = true;
    }
}

static void random_final(bool one_shot)
{
    traced(one_shot ? "cipher final" : "final", 0);
    int n_o = -3, n_r = -3;
    bool mine, theirs;
    if (one_shot) {
        mine = EVP_Cipher(w.ours, NULL, NULL, 0) == 0;
        theirs = EVP_Cipher(w.ref, NULL, NULL, 0) == 0;
    } else {
        mine = EVP_CipherFinal_ex(w.ours, NULL, &n_o) == 1 && n_o == 0;
        theirs = EVP_CipherFinal_ex(w.ref, NULL, &n_r) == 1 && n_r == 0;
    }
    if (same(mine, theirs, w.lost))
        w.over = true;
    else
        w.lost = true;
}

static void random_set_tag(void)
{
    uint8_t tag[20];
    size_t n = rnd(5) == 0 ? rnd(18) : 16;
    if (w.over)
        return; /* default keeps the tag that was set where it keeps the one that was made, even on refusal */
    rnd_bytes(tag, sizeof tag);
    traced("set_tag", n);
    same(set_param(w.ours, OSSL_PARAM_construct_octet_string("tag", tag, n)) == 1,
         set_param(w.ref, OSSL_PARAM_construct_octet_string("tag", tag, n)) == 1, false);
}

static void random_get_tag(void)
{
    uint8_t a[20] = {0}, b[20] = {0};
    size_t n = rnd(18);
    if (w.header)
        return;
    traced("get_tag", n);
    if (same(get_octets(w.ours, "tag", a, n) == 1, get_octets(w.ref, "tag", b, n) == 1, !w.over || !w.enc || w.lost))
        EXPECT_BYTES(a, b, sizeof a); /* refused on purpose: D1 */
}

static void random_get(void)
{
    static const char *const names[] = {"iv", "updated-iv", "keylen", "ivlen"};
    size_t i = rnd(COUNT(names));
    uint8_t a[140] = {0}, b[140] = {0};
    traced("get", i);
    if (i < 2) {
        size_t n = rnd(2) ? w.iv_len : rnd(130);
        if (same(get_octets(w.ours, names[i], a, n) == 1, get_octets(w.ref, names[i], b, n) == 1, false))
            EXPECT_BYTES(a, b, sizeof a);
    } else {
        size_t x, y;
        if (same(get_size(w.ours, names[i], &x) == 1, get_size(w.ref, names[i], &y) == 1, false))
            EXPECT(x == y);
    }
}

static void random_init(void)
{
    struct msg m = rnd_msg(w.k, w.iv_len, 0, 0);
    bool key = rnd(3) == 0, iv = w.tls ? false : rnd(4) != 0;
    int enc = rnd(3) == 0 ? 1 - w.enc : rnd(2) ? w.enc : -1;
    traced(key ? iv ? "init key, IV, enc" : "init key, enc" : iv ? "init IV, enc" : "init enc",
           (size_t)(enc == -1 ? 9 : enc));
    bool mine = EVP_CipherInit_ex2(w.ours, NULL, key ? m.key : NULL, iv ? m.iv : NULL, enc, NULL) == 1;
    bool theirs = EVP_CipherInit_ex2(w.ref, NULL, key ? m.key : NULL, iv ? m.iv : NULL, enc, NULL) == 1;
    if (!same(mine, theirs, false))
        return;
    bool turned = enc != -1 && enc != w.enc;
    if (turned)
        w.enc = enc;
    w.turned |= turned && w.tls;
    if (iv) {
        w.lost = w.over = w.started = false;
    } else if ((key || turned) && w.started && !w.over) {
        /* in the middle of a message default goes on with what there is, which makes no sense: compare no more */
        restart();
    }
}

static void random_ivlen(void)
{
    size_t n = rnd(3) ? w.iv_len : rnd(131);
    if (w.tls)
        return;
    traced("ivlen", n);
    bool r = same(set_ivlen(w.ours, n) == 1, set_ivlen(w.ref, n) == 1, false);
    if (r && n != w.iv_len) {
        w.iv_len = n;
        uint8_t out[5];
        EXPECT(!update(w.ours, out, out, 5));
        EXPECT(!update(w.ref, out, out, 5) || !default_drops_iv);
        ERR_clear_error();
        restart();
    }
}

/* The copy goes on, or the original. */
static void copy(EVP_CIPHER_CTX **x, bool take_copy)
{
    EVP_CIPHER_CTX *other = evp_ctx();
    const bool good = EVP_CIPHER_CTX_copy(other, *x) == 1;
    EXPECT(good);
    if (good && take_copy) {
        EVP_CIPHER_CTX *original = *x;
        *x = other;
        other = original;
    }
    EVP_CIPHER_CTX_free(other);
}

static void random_copy(void)
{
    traced("copy", 0);
    const bool take_copy = rnd(2);
    copy(&w.ours, take_copy);
    if (default_copies)
        copy(&w.ref, take_copy);
}

static void random_ivgen(void)
{
    uint8_t a[140] = {0}, b[140] = {0};
    size_t n = rnd(3) == 0 ? rnd(140) : w.iv_len;
    traced("ivgen", n);
    if (same(get_octets(w.ours, "tlsivgen", a, n) == 1, get_octets(w.ref, "tlsivgen", b, n) == 1, w.turned)) {
        EXPECT_BYTES(a, b, sizeof a);
        w.lost = w.over = false;
        w.started = true; /* the IV went into the key that there is now */
    }
}

static void random_ivinv(void)
{
    uint8_t end[16];
    size_t n = 1 + rnd(8);
    rnd_bytes(end, sizeof end);
    traced("ivinv", n);
    if (same(set_param(w.ours, OSSL_PARAM_construct_octet_string("tlsivinv", end, n)) == 1,
             set_param(w.ref, OSSL_PARAM_construct_octet_string("tlsivinv", end, n)) == 1, w.turned)) {
        w.lost = w.over = false;
        w.started = true;
    }
}

static void random_record(void)
{
    if (w.turned) {
        restart(); /* ours refuses the record before it looks at its IV, default after */
        return;
    }
    uint8_t header[20];
    size_t n = rnd(3) == 0 ? rnd(60) : 24 + rnd(MOST - 24), size = rnd(10) == 0 ? rnd(20) : 13;
    rnd_bytes(header, sizeof header);
    header[11] = (uint8_t)(n >> 8);
    header[12] = (uint8_t)n;
    bool in_place = rnd(10) != 0;
    struct msg m = rnd_msg(w.k, 12, 0, n);
    traced("tlsaad", size);
    w.header = true;
    if (!same(set_param(w.ours, OSSL_PARAM_construct_octet_string("tlsaad", header, size)) == 1,
              set_param(w.ref, OSSL_PARAM_construct_octet_string("tlsaad", header, size)) == 1, false)) {
        int eaten; /* a header that default has refused still announces a record there */
        if (size == 13)
            EVP_CipherUpdate(w.ref, w.buffer[1], &eaten, w.buffer[1], 24);
        restart();
        return;
    }
    size_t pad_o, pad_r;
    EXPECT(get_size(w.ours, "tlsaadpad", &pad_o) == 1 && get_size(w.ref, "tlsaadpad", &pad_r) == 1);
    EXPECT(pad_o == pad_r);
    traced("record", n);
    memcpy(w.buffer[0], m.text, n);
    memcpy(w.buffer[1], m.text, n);
    int a = -3, b = -3;
    bool mine = EVP_CipherUpdate(w.ours, w.buffer[0], &a, in_place ? w.buffer[0] : m.text, (int)n) == 1;
    bool theirs = EVP_CipherUpdate(w.ref, w.buffer[1], &b, in_place ? w.buffer[1] : m.text, (int)n) == 1;
    if (n == 0)
        restart(); /* in default an update of nothing leaves the record announced, too */
    else if (same(mine, theirs, false)) {
        EXPECT(a == b);
        EXPECT_BYTES(w.buffer[0], w.buffer[1], n);
        w.over = true;
    } else if (in_place && !w.enc && n >= 24) {
        EXPECT_BYTES(w.buffer[0], w.buffer[1], n); /* forged: cleansed alike */
    }
    w.lost = true; /* nothing works until a new IV, in both; D1 for the tag */
}

static void walk(int k, bool tls, int length)
{
    w.k = k;
    w.tls = tls;
    w.iv_len = tls ? 12 + rnd(2) * 4 : rnd(4) == 0 ? 1 + rnd(128) : 12;
    w.ours = evp_ctx();
    w.ref = evp_ctx();
    CHECK(EVP_CipherInit_ex2(w.ours, ours[k], NULL, NULL, 1, NULL) == 1);
    CHECK(EVP_CipherInit_ex2(w.ref, ref[k], NULL, NULL, 1, NULL) == 1);
    restart();
    for (int i = 0; i < length; i++)
        switch (rnd(tls ? 22 : 18)) {
        case 0:
        case 1:
        case 2:
            random_update(true, false);
            break;
        case 3:
        case 4:
        case 5:
            random_update(false, false);
            break;
        case 6:
            random_update(false, true);
            break;
        case 7:
            random_update(true, true);
            break;
        case 8:
        case 9:
            random_final(false);
            break;
        case 10:
            random_final(true);
            break;
        case 11:
            random_set_tag();
            break;
        case 12:
            random_get_tag();
            break;
        case 13:
            random_get();
            break;
        case 14:
        case 15:
            random_init();
            break;
        case 16:
            random_ivlen();
            break;
        case 17:
            random_copy();
            break;
        case 18:
        case 19:
            random_ivgen();
            break;
        case 20:
            random_ivinv();
            break;
        default:
            random_record();
        }
    EVP_CIPHER_CTX_free(w.ours);
    EVP_CIPHER_CTX_free(w.ref);
}

static void ask_default(void)
{
    EVP_CIPHER_CTX *a = evp_ctx(), *b = evp_ctx();
    struct msg m = rnd_msg(K256, 12, 0, 0);
    uint8_t out[5] = {0};
    CHECK(begin(a, ref[K256], &m, 1) == 1);
    default_copies = EVP_CIPHER_CTX_copy(b, a) == 1;
    CHECK(set_ivlen(a, 16) == 1);
    default_drops_iv = !update(a, out, out, 5);
    if (!default_copies || !default_drops_iv)
        printf("%s's default %s a context and %s the IV with a new length\n", OpenSSL_version(OPENSSL_VERSION),
               default_copies ? "copies" : "cannot copy", default_drops_iv ? "drops" : "keeps");
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
    ERR_clear_error();
}

static void walks(bool tls)
{
    steps = refusals = 0;
    ask_default();
    for (int i = 0; i < 3000; i++)
        walk(i % NKEYS, tls, 200);
    printf("%zu steps, of these %zu refused on purpose\n", steps, refusals);
}

static void plain(void)
{
    walks(false);
    CHECK(subject_is_default || refusals > 0); /* the walk does reach the deviations */
}

static void with_tls(void)
{
    walks(true);
}

/* Walks that seal with one and open with the other, all calls legal: everything must succeed. */
static void good_ways(void)
{
    for (int i = 0; i < 4000; i++) {
        int k = i % NKEYS;
        struct msg m = rnd_msg(k, rnd(3) == 0 ? 1 + rnd(128) : 12, rnd(200), rnd(700));
        static uint8_t ct[700], out[700];
        uint8_t tag[16];
        size_t tag_len = 1 + rnd(16);
        where("message %d", i);
        const EVP_CIPHER *a = i % 2 ? ours[k] : ref[k], *b = i % 2 ? ref[k] : ours[k];
        CHECK(seal(a, &m, ct, tag));
        CHECK(open_(b, &m, ct, tag, tag_len, out));
        CHECK_BYTES(out, m.text, m.len);
    }
    CHECK(drain().total == 0);
}

static const struct evp_case cases[] = {
    {"G3 G5 G7 G8 G13 G14 G16 G18 G20 G21 G25 G27 G32 G33 D1 D2 D4", "random walks", plain},
    {"T2 T3 T4 T6 T7 D9", "random walks with the IV counting", with_tls},
    {"G2", "sealed by one, opened by the other", good_ways},
};

int main(int argc, char **argv)
{
    return evp_main(argc, argv, cases, COUNT(cases));
}
