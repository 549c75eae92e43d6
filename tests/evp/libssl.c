/* SPDX-License-Identifier: Apache-2.0
 *
 * libssl in one process, client and server over memory, each with ours or with default: what of TLS 1.2, DTLS 1.2
 * and TLS 1.3 concerns a cipher. `stats` tells who did the work.
 */
#include "evp.h"

#include <string.h>

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

enum { OURS = 1, CHUNK = 40000 };

static EVP_PKEY *pkey;
static X509 *cert;

static void certificate(void)
{
    if (cert != NULL)
        return;
    pkey = EVP_EC_gen("P-256");
    cert = X509_new();
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -60);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, pkey);
    X509_NAME *name = X509_NAME_new();
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
    X509_set_subject_name(cert, name);
    X509_set_issuer_name(cert, name);
    X509_NAME_free(name);
    CHECK(X509_sign(cert, pkey, EVP_sha256()) > 0);
}

static const char *owner(int is_ours)
{
    return is_ours ? "ours" : "default";
}

struct peer {
    OSSL_LIB_CTX *lib;
    SSL_CTX *ctx;
    SSL *ssl;
};

static uint64_t counter(OSSL_LIB_CTX *from, const char *name)
{
    uint64_t n = 0;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint64(name, &n), OSSL_PARAM_construct_end()};
    OSSL_PROVIDER *p = OSSL_PROVIDER_load(from, "hwaead");
    CHECK(p != NULL && OSSL_PROVIDER_get_params(p, ask) == 1);
    OSSL_PROVIDER_unload(p);
    return n;
}

static bool peer_new(struct peer *p, bool server, bool is_ours, bool dtls, int version, const char *suite)
{
    char lines[64] = "stats = 1\ntier = ";
    strcat(strcat(lines, evp_tier()), "\n");
    p->lib = OSSL_LIB_CTX_new();
    if (p->lib == NULL || !evp_config(p->lib, lines, is_ours ? "?provider=hwaead" : "?provider=default", true))
        return false;
    const SSL_METHOD *method = dtls ? DTLS_method() : TLS_method();
    p->ctx = SSL_CTX_new_ex(p->lib, NULL, method); /* P12 */
    if (p->ctx == NULL)
        return false;
    bool good = SSL_CTX_set_min_proto_version(p->ctx, version) == 1 &&
                SSL_CTX_set_max_proto_version(p->ctx, version) == 1 &&
                (version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(p->ctx, suite)
                                           : SSL_CTX_set_cipher_list(p->ctx, suite)) == 1;
    if (server)
        good &= SSL_CTX_use_certificate(p->ctx, cert) == 1 && SSL_CTX_use_PrivateKey(p->ctx, pkey) == 1;
    SSL_CTX_set_options(p->ctx, SSL_OP_NO_QUERY_MTU | SSL_OP_ALLOW_CLIENT_RENEGOTIATION);
    p->ssl = SSL_new(p->ctx);
    if (!good || p->ssl == NULL)
        return false;
    if (dtls)
        SSL_set_mtu(p->ssl, 1400);
    if (server)
        SSL_set_accept_state(p->ssl);
    else
        SSL_set_connect_state(p->ssl);
    return true;
}

static void peer_free(struct peer *p)
{
    SSL_free(p->ssl);
    SSL_CTX_free(p->ctx);
    OSSL_LIB_CTX_free(p->lib);
}

/* ---- A wire of datagrams, which may lose, repeat and reorder ---- */

enum { DATAGRAMS = 256, DATAGRAM_MAX = 2048 };

struct wire {
    uint8_t data[DATAGRAMS][DATAGRAM_MAX];
    size_t len[DATAGRAMS];
    size_t head, tail; /* tail - head of them are on the way */
    bool bad;
    size_t lost, repeated, reordered;
};

struct ends {
    struct wire *in, *out;
};

static void put(struct wire *w, const void *data, size_t n)
{
    if (w->tail - w->head == DATAGRAMS || n > DATAGRAM_MAX)
        return;
    memcpy(w->data[w->tail % DATAGRAMS], data, n);
    w->len[w->tail++ % DATAGRAMS] = n;
}

static void swap_last_two(struct wire *w)
{
    uint8_t keep[DATAGRAM_MAX];
    const size_t a = (w->tail - 1) % DATAGRAMS, b = (w->tail - 2) % DATAGRAMS, n = w->len[a];
    memcpy(keep, w->data[a], DATAGRAM_MAX);
    memcpy(w->data[a], w->data[b], DATAGRAM_MAX);
    memcpy(w->data[b], keep, DATAGRAM_MAX);
    w->len[a] = w->len[b];
    w->len[b] = n;
}

static int wire_write(BIO *bio, const char *data, int n)
{
    struct wire *w = ((struct ends *)BIO_get_data(bio))->out;
    const size_t fate = w->bad ? rnd(10) : 9;
    if (fate == 0) {
        w->lost++;
        return n;
    }
    put(w, data, (size_t)n);
    if (fate == 1) {
        put(w, data, (size_t)n);
        w->repeated++;
    } else if (fate == 2 && w->tail - w->head >= 2) {
        swap_last_two(w);
        w->reordered++;
    }
    return n;
}

static int wire_read(BIO *bio, char *out, int n)
{
    struct wire *w = ((struct ends *)BIO_get_data(bio))->in;
    BIO_clear_retry_flags(bio);
    if (w->head == w->tail) {
        BIO_set_retry_read(bio);
        return -1;
    }
    const size_t len = w->len[w->head % DATAGRAMS];
    if (len > (size_t)n)
        return -1;
    memcpy(out, w->data[w->head++ % DATAGRAMS], len);
    return (int)len;
}

static long wire_ctrl(BIO *bio, int command, long number, void *arg)
{
    (void)bio, (void)number, (void)arg;
    return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP;
}

static int wire_create(BIO *bio)
{
    BIO_set_init(bio, 1);
    return 1;
}

static struct wire up, down;
static struct ends client_ends = {&down, &up}, server_ends = {&up, &down};

static bool connect_datagrams(SSL *client, SSL *server)
{
    static BIO_METHOD *method;
    memset(&up, 0, sizeof up);
    memset(&down, 0, sizeof down);
    if (method == NULL) {
        method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagrams");
        BIO_meth_set_write(method, wire_write);
        BIO_meth_set_read(method, wire_read);
        BIO_meth_set_ctrl(method, wire_ctrl);
        BIO_meth_set_create(method, wire_create);
    }
    BIO *a = BIO_new(method), *b = BIO_new(method);
    if (a == NULL || b == NULL)
        return false;
    BIO_set_data(a, &client_ends);
    BIO_set_data(b, &server_ends);
    SSL_set_bio(client, a, a);
    SSL_set_bio(server, b, b);
    return true;
}

static bool connect_peers(struct peer *a, struct peer *b)
{
    BIO *x = NULL, *y = NULL;
    if (BIO_new_bio_pair(&x, 0, &y, 0) != 1)
        return false;
    SSL_set_bio(a->ssl, x, x);
    SSL_set_bio(b->ssl, y, y);
    return true;
}

static bool handshake(struct peer *a, struct peer *b)
{
    for (int i = 0; i < 100; i++) {
        const int ra = SSL_do_handshake(a->ssl), rb = SSL_do_handshake(b->ssl);
        if (ra == 1 && rb == 1)
            return true;
        if ((ra != 1 && SSL_get_error(a->ssl, ra) == SSL_ERROR_SSL) ||
            (rb != 1 && SSL_get_error(b->ssl, rb) == SSL_ERROR_SSL))
            return false;
    }
    return false;
}

/* n bytes from one to the other. */
static bool transfer(SSL *from, SSL *to, const uint8_t *data, size_t n)
{
    static uint8_t got[CHUNK];
    size_t sent = 0, received = 0;
    for (int stuck = 0; received < n && stuck < 1000; stuck++) {
        if (sent < n) {
            size_t done = 0;
            if (SSL_write_ex(from, data + sent, n - sent, &done) == 1)
                sent += done;
        }
        size_t done = 0;
        if (SSL_read_ex(to, got + received, n - received, &done) == 1) {
            received += done;
            stuck = 0;
        }
    }
    return received == n && memcmp(got, data, n) == 0;
}

static const struct {
    const char *name;
    int version;
    const char *suite;
} suites[] = {
    {"TLS 1.2, AES-128-GCM", TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {"TLS 1.2, AES-256-GCM", TLS1_2_VERSION, "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {"TLS 1.3, AES-128-GCM", TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"},
    {"TLS 1.3, AES-256-GCM", TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384"},
};

static void matrix(void)
{
    static uint8_t data[CHUNK];
    certificate();
    for (size_t s = 0; s < COUNT(suites); s++)
        for (int who = 0; who < 4; who++) {
            struct peer client = {0}, server = {0};
            const bool client_ours = who & OURS, server_ours = who & 2;
            where("%s, client %s, server %s", suites[s].name, owner(client_ours), owner(server_ours));
            CHECK(peer_new(&client, false, client_ours, false, suites[s].version, suites[s].suite));
            CHECK(peer_new(&server, true, server_ours, false, suites[s].version, suites[s].suite));
            CHECK(connect_peers(&client, &server));
            if (!CHECK(handshake(&client, &server)))
                ERR_print_errors_fp(stdout);
            CHECK(SSL_version(client.ssl) == suites[s].version);
            for (int i = 0; i < 40; i++) {
                size_t n = 1 + rnd(i % 4 ? 500 : CHUNK);
                rnd_bytes(data, n);
                CHECK(transfer(client.ssl, server.ssl, data, n));
                CHECK(transfer(server.ssl, client.ssl, data, n));
                if (suites[s].version == TLS1_3_VERSION && i % 8 == 7) { /* T11 */
                    const int back = i % 16 == 7 ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED;
                    CHECK(SSL_key_update(client.ssl, SSL_KEY_UPDATE_REQUESTED) == 1);
                    CHECK(SSL_key_update(server.ssl, back) == 1);
                }
            }
            CHECK((counter(client.lib, "hwaead.sealed") > 40) == client_ours);
            CHECK((counter(client.lib, "hwaead.opened") > 40) == client_ours);
            CHECK((counter(server.lib, "hwaead.sealed") > 40) == server_ours);
            const bool records = server_ours && suites[s].version == TLS1_2_VERSION;
            CHECK((counter(server.lib, "hwaead.tls-records") > 40) == records);
            SSL_shutdown(client.ssl);
            SSL_shutdown(server.ssl);
            peer_free(&client);
            peer_free(&server);
            ERR_clear_error();
        }
}

/* ---- T14: DTLS 1.2 over a wire that loses, repeats and reorders ---- */

static void datagrams(void)
{
    static const char *const dtls_suites[] = {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384"};
    enum { MESSAGES = 400, LEN = 300 };
    static uint8_t sent[MESSAGES][LEN];
    certificate();
    for (size_t s = 0; s < COUNT(dtls_suites); s++)
        for (int who = 1; who < 4; who++) {
            struct peer client = {0}, server = {0};
            bool arrived[MESSAGES] = {false};
            size_t count = 0, forged = 0;
            where("%s, client %s, server %s", dtls_suites[s], owner(who & OURS), owner(who & 2));
            CHECK(peer_new(&client, false, who & OURS, true, DTLS1_2_VERSION, dtls_suites[s]));
            CHECK(peer_new(&server, true, who & 2, true, DTLS1_2_VERSION, dtls_suites[s]));
            CHECK(connect_datagrams(client.ssl, server.ssl) && handshake(&client, &server));
            up.bad = true;
            for (size_t i = 0; i < MESSAGES; i++) {
                size_t n;
                rnd_bytes(sent[i], LEN);
                memcpy(sent[i], &i, sizeof i);
                CHECK(SSL_write_ex(client.ssl, sent[i], LEN, &n) == 1 && n == LEN);
                if (i % 9 == 4 && up.tail > up.head) { /* and one is forged */
                    up.data[(up.tail - 1) % DATAGRAMS][20 + rnd(LEN)] ^= 1;
                    forged++;
                }
                uint8_t got[LEN];
                while (i % 3 == 0 && up.head != up.tail)
                    if (SSL_read_ex(server.ssl, got, LEN, &n) == 1) {
                        size_t which;
                        memcpy(&which, got, sizeof which);
                        CHECK(n == LEN && which < MESSAGES && !arrived[which]); /* no replay gets through */
                        if (which < MESSAGES && CHECK_BYTES(got, sent[which], LEN))
                            arrived[which] = true;
                        count++;
                    }
            }
            CHECK(up.lost > 0 && up.repeated > 0 && up.reordered > 0 && forged > 0);
            CHECK(count + up.lost + forged >= MESSAGES - 3 && count < MESSAGES);
            up.bad = false;
            CHECK(transfer(server.ssl, client.ssl, sent[0], LEN));
            CHECK(counter(server.lib, "hwaead.tls-records") >= (who & 2 ? count : 0));
            CHECK((counter(client.lib, "hwaead.tls-records") > 0) == (who & OURS));
            peer_free(&client);
            peer_free(&server);
            ERR_clear_error();
        }
}

/* T11: renegotiation and resumption in TLS 1.2. */
static bool renegotiate(struct peer *client, struct peer *server)
{
    for (int i = 0; i < 100; i++) {
        uint8_t none[1];
        size_t n;
        SSL_do_handshake(client->ssl);
        SSL_read_ex(server->ssl, none, 1, &n);
        SSL_do_handshake(server->ssl);
        if (!SSL_renegotiate_pending(client->ssl) && SSL_is_init_finished(client->ssl) &&
            SSL_is_init_finished(server->ssl))
            return true;
    }
    return false;
}

static void renegotiation(void)
{
    static uint8_t data[CHUNK];
    certificate();
    for (int who = 1; who < 4; who++) {
        struct peer client = {0}, server = {0};
        where("client %s, server %s", owner(who & OURS), owner(who & 2));
        CHECK(peer_new(&client, false, who & OURS, false, TLS1_2_VERSION, suites[1].suite));
        CHECK(peer_new(&server, true, who & 2, false, TLS1_2_VERSION, suites[1].suite));
        CHECK(connect_peers(&client, &server) && handshake(&client, &server));
        for (int i = 0; i < 3; i++) {
            rnd_bytes(data, 3000);
            CHECK(transfer(client.ssl, server.ssl, data, 3000));
            CHECK(SSL_renegotiate(client.ssl) == 1);
            CHECK(renegotiate(&client, &server));
            CHECK(transfer(server.ssl, client.ssl, data, 3000) && transfer(client.ssl, server.ssl, data, 3000));
        }
        SSL_SESSION *session = SSL_get1_session(client.ssl);
        SSL_shutdown(client.ssl);
        SSL_shutdown(server.ssl);
        SSL_free(client.ssl);
        SSL_free(server.ssl);
        ERR_clear_error();
        client.ssl = SSL_new(client.ctx);
        server.ssl = SSL_new(server.ctx);
        SSL_set_connect_state(client.ssl);
        SSL_set_accept_state(server.ssl);
        CHECK(SSL_set_session(client.ssl, session) == 1);
        CHECK(connect_peers(&client, &server) && handshake(&client, &server));
        CHECK(SSL_session_reused(client.ssl) == 1);
        CHECK(transfer(client.ssl, server.ssl, data, 3000) && transfer(server.ssl, client.ssl, data, 3000));
        SSL_SESSION_free(session);
        peer_free(&client);
        peer_free(&server);
        ERR_clear_error();
    }
}

/* A bit that is changed on the wire ends the connection. */
static void tampered(void)
{
    certificate();
    for (size_t s = 0; s < COUNT(suites); s++) {
        struct peer client = {0}, server = {0};
        uint8_t record[1000], out[1000] = {0};
        size_t n = 0;
        where("%s", suites[s].name);
        CHECK(peer_new(&client, false, true, false, suites[s].version, suites[s].suite));
        CHECK(peer_new(&server, true, true, false, suites[s].version, suites[s].suite));
        BIO *to_server = BIO_new(BIO_s_mem()), *to_client = BIO_new(BIO_s_mem());
        BIO_up_ref(to_server);
        BIO_up_ref(to_client);
        BIO_set_mem_eof_return(to_server, -1);
        BIO_set_mem_eof_return(to_client, -1);
        SSL_set_bio(client.ssl, to_client, to_server);
        SSL_set_bio(server.ssl, to_server, to_client);
        CHECK(handshake(&client, &server));
        SSL_read_ex(client.ssl, out, sizeof out, &n); /* tickets */
        ERR_clear_error();
        CHECK(SSL_write_ex(client.ssl, out, 500, &n) == 1);
        int len = BIO_read(to_server, record, sizeof record);
        CHECK(len > 500);
        record[100] ^= 0x10;
        CHECK(BIO_write(to_server, record, len) == len);
        n = 0;
        const int r = SSL_read_ex(server.ssl, out, sizeof out, &n);
        CHECK(r == 0 && n == 0 && SSL_get_error(server.ssl, r) == SSL_ERROR_SSL);
        CHECK(ERR_GET_REASON(ERR_peek_error()) == SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC);
        ERR_clear_error();
        peer_free(&client);
        peer_free(&server);
    }
}

static const struct evp_case cases[] = {
    {"P12 T10 T11", "versions, suites, sides, key updates", matrix},
    {"T14", "DTLS on a bad wire", datagrams},
    {"T11", "renegotiation and resumption", renegotiation},
    {"G12 T4", "tampered records", tampered},
};

int main(int argc, char **argv)
{
    int r = evp_main(argc, argv, cases, COUNT(cases));
    X509_free(cert);
    EVP_PKEY_free(pkey);
    return r;
}
