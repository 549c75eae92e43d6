/* SPDX-License-Identifier: Apache-2.0
 *
 * X3 and X5: messages where the OS gives nothing. After init there is no system call in them, no file, no /proc. Nor
 * is there one in a random IV, but for the seed of the process's first.
 */
#include "evp.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

enum { WELL = 42, NO_SECCOMP = 43 };

static void leave(int status)
{
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

/* Only read, write, and the ways out; anything else kills the process. */
static bool only_read_write_exit(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {COUNT(code), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Everything that a connection does with its context: keys, IVs, both directions, TLS, SSH, forged ones. */
static bool messages(EVP_CIPHER_CTX *a, EVP_CIPHER_CTX *b)
{
    static uint8_t text[20000], ct[20000], out[20000], record[5000];
    uint8_t key[32] = {1}, iv[12] = {2}, head[13] = {3}, tag[16], octet, iv2[12] = {9};
    bool good = true;
    for (int i = 0; i < 200 && good; i++) {
        const size_t n = (size_t)i * 100;
        key[1] = (uint8_t)i;
        good = EVP_CipherInit_ex2(a, NULL, key, iv, 1, NULL) == 1 && aad(a, head, 13) && update(a, ct, text, n) &&
               finish(a) && get_tag(a, tag, 16) == 1 && EVP_CipherInit_ex2(b, NULL, key, iv, 0, NULL) == 1 &&
               set_tag(b, tag, 16) == 1 && aad(b, head, 13) && update(b, out, ct, n) && finish(b) &&
               memcmp(out, text, n) == 0;
        tag[0] ^= 1;
        good = good && init_iv(b, iv, 0) == 1 && set_tag(b, tag, 16) == 1 && aad(b, head, 13) &&
               update(b, out, ct, n) && !finish(b);
        good = good && EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_GCM_SET_IV_FIXED, -1, iv2) == 1 &&
               EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_GCM_IV_GEN, 1, &octet) == 1 && EVP_Cipher(a, NULL, head, 4) == 4 &&
               EVP_Cipher(a, ct, text, 64) == 64 && EVP_Cipher(a, NULL, NULL, 0) == 0 && get_tag(a, tag, 16) == 1;
        memset(head, 0, 13);
        head[11] = 4000 >> 8;
        head[12] = 4000 & 255;
        good = good && EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_AEAD_TLS1_AAD, 13, head) == 16 &&
               update(a, record, record, 4000);
    }
    return good;
}

static void ready(EVP_CIPHER_CTX **a, EVP_CIPHER_CTX **b)
{
    *a = evp_ctx();
    *b = evp_ctx();
    CHECK(EVP_CipherInit_ex2(*a, ours[K256], NULL, NULL, 1, NULL) == 1);
    CHECK(EVP_CipherInit_ex2(*b, ours[K256], NULL, NULL, 0, NULL) == 1);
}

static int status_of(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

static bool seccomp_is_here(void)
{
    pid_t pid = fork();
    if (pid == 0)
        leave(only_read_write_exit() ? WELL : NO_SECCOMP);
    int status = status_of(pid);
    return WIFEXITED(status) && WEXITSTATUS(status) == WELL;
}

/* Messages without an IV, with an IV that is random in its last 8 bytes. */
static bool random_ivs(EVP_CIPHER_CTX *a, int n)
{
    uint8_t key[32] = {1}, text[16] = {2}, old[2][12] = {{0}}, now[2][12], octet;
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        good = EVP_CIPHER_CTX_reset(a) == 1 && EVP_EncryptInit_ex2(a, ours[K256], key, NULL, NULL) == 1 &&
               update(a, text, text, 16) && finish(a) && get_octets(a, "iv", now[0], 12) == 1 &&
               EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_GCM_SET_IV_FIXED, 4, key) == 1 &&
               EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_GCM_IV_GEN, 1, &octet) == 1 &&
               get_octets(a, "updated-iv", now[1], 12) == 1;
        for (int j = 0; j < 2; j++)
            good = good && memcmp(now[j] + 4, old[j] + 4, 8) != 0;
        memcpy(old, now, sizeof old);
    }
    return good;
}

static void no_system_calls(void)
{
    EVP_CIPHER_CTX *a, *b;
    ready(&a, &b);
    pid_t pid = fork();
    if (pid == 0) {
        if (!random_ivs(a, 1) || !only_read_write_exit())
            leave(NO_SECCOMP);
        leave(random_ivs(a, 1000) && messages(a, b) ? WELL : 1);
    }
    int status = status_of(pid);
    where("status %x", (unsigned)status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == WELL);
    EVP_CIPHER_CTX_free(a);
    EVP_CIPHER_CTX_free(b);
}

/* The filter does kill: by a system call of the test, and by the seed for a process's first random IV. */
static void the_filter_kills(void)
{
    for (int way = 0; way < 2; way++) {
        EVP_CIPHER_CTX *a, *b;
        ready(&a, &b);
        pid_t pid = fork();
        if (pid == 0) {
            uint8_t key[32] = {1}, out[4] = {0};
            prctl(PR_SET_DUMPABLE, 0); /* no core file */
            if (!only_read_write_exit())
                leave(NO_SECCOMP);
            if (way == 0)
                syscall(SYS_getpid);
            else if (EVP_EncryptInit_ex2(a, NULL, key, NULL, NULL) == 1)
                update(a, out, out, 4);
            leave(1);
        }
        int status = status_of(pid);
        where("way %d: status %x", way, (unsigned)status);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
        EVP_CIPHER_CTX_free(a);
        EVP_CIPHER_CTX_free(b);
    }
}

/* X5: no file can grow, and there is an empty root with no /proc: contexts, copies, random IVs, errors, too. */
static void no_files(void)
{
    char dir[] = "/tmp/hwaead-root-XXXXXX";
    NEED(mkdtemp(dir) != NULL);
    const bool root = geteuid() == 0;
    if (!root)
        printf("Not done: chroot, for which this test has to run as root. RLIMIT_FSIZE was.\n");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        uint8_t out[16] = {0};
        int n;
        if (setrlimit(RLIMIT_FSIZE, &none) != 0 || (root && (chroot(dir) != 0 || chdir("/") != 0)))
            leave(2);
        if (root && access("/proc", F_OK) == 0)
            leave(3);
        EVP_CIPHER_CTX *a, *b;
        ready(&a, &b);
        bool good = messages(a, b);
        EVP_CIPHER_CTX *c = evp_ctx();
        good &= EVP_CIPHER_CTX_copy(c, a) == 1;
        uint8_t key[32] = {7};
        good &= EVP_EncryptInit_ex2(c, ours[K128], key, NULL, NULL) == 1 &&
                EVP_EncryptUpdate(c, out, &n, out, 16) == 1 && EVP_EncryptFinal_ex(c, out, &n) == 1;
        good &= EVP_EncryptUpdate(c, out, &n, out, 16) == 0 && ERR_get_error() != 0;
        leave(good ? WELL : 1);
    }
    int status = status_of(pid);
    rmdir(dir);
    where("status %x", (unsigned)status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == WELL);
}

static const struct evp_case cases[] = {
    {"X3", "no system calls", no_system_calls},
    {"X3", "the filter kills", the_filter_kills},
    {"X5", "no files, no /proc", no_files},
};

int main(int argc, char **argv)
{
    if (!(argc == 2 && strcmp(argv[1], "--list") == 0) && !seccomp_is_here())
        return check_skip("no process can give itself a seccomp filter here, so X3 and X5 did not run");
    return evp_main(argc, argv, cases, COUNT(cases));
}
