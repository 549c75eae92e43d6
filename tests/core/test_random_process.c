/* SPDX-License-Identifier: Apache-2.0
 *
 * No two processes and no two threads ever get the same block of output, however they came to be: fork, vfork, raw
 * clone, from any thread, in the middle of requests, in signal handlers.
 *
 *     core_test_random_process page|pid|blind
 *
 * page: forks are seen by the page that the kernel wipes; pid: by the process id, as on old kernels. blind: they are
 * not seen at all, and the program fails unless it finds that blocks repeat: it can tell.
 *
 * The public functions are included here rather than linked, for their rules.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_random.c"
#include "check.h"

/* ---- What all processes write down ---- */

enum { MOST = 1 << 20, TEXT = 70000, TEXT_KEPT = 1024 };

static struct {
    atomic_uint used, lost, errors;
    uint8_t blocks[MOST][BLOCK];
} *notes;

static void note(const uint8_t *bytes, size_t n)
{
    for (; n != 0; bytes += n < BLOCK ? n : BLOCK, n -= n < BLOCK ? n : BLOCK) {
        const unsigned at = atomic_fetch_add(&notes->used, 1);
        if (at >= MOST)
            atomic_fetch_add(&notes->lost, 1);
        else
            memcpy(notes->blocks[at], bytes, n < BLOCK ? n : BLOCK);
    }
}

static void must(hwaead_err err)
{
    if (err != HWAEAD_OK)
        atomic_fetch_add(&notes->errors, 1);
}

static void short_use(void)
{
    uint8_t key[HWAEAD_RANDOM_KEY_LEN], nonce[HWAEAD_RANDOM_NONCE_LEN];
    must(hwaead_random_key32(key));
    must(hwaead_random_nonce12(nonce));
    note(key, sizeof key);
    note(nonce, sizeof nonce);
}

static void use(void)
{
    uint8_t some[4096];
    static _Thread_local uint8_t text[TEXT];
    for (int i = 0; i < 5; i++)
        short_use();
    must(hwaead_random_bytes(some, 64));
    note(some, 64);
    must(hwaead_random_bytes(some, sizeof some));
    note(some, sizeof some);
    must(hwaead_random_bytes(text, sizeof text));
    note(text, TEXT_KEPT);
    note(text + TEXT - TEXT % BLOCK - TEXT_KEPT, TEXT_KEPT);
    short_use();
}

/* ---- Ways to become a process ---- */

static pid_t raw_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void wait_for(pid_t pid)
{
    int status = -1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (pid <= 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        atomic_fetch_add(&notes->errors, 1);
}

static void *use_in_thread(void *unused)
{
    use();
    return unused;
}

static void thread_and_wait(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, use_in_thread, NULL) != 0 || pthread_join(thread, NULL) != 0)
        atomic_fetch_add(&notes->errors, 1);
}

static void siblings(pid_t (*make)(void), int with_threads)
{
    pid_t pids[6];
    use();
    for (int i = 0; i < 6; i++) {
        pids[i] = make();
        if (pids[i] == 0) {
            use();
            if (with_threads)
                thread_and_wait();
            use();
            _exit(0);
        }
        short_use();
    }
    for (int i = 0; i < 6; i++)
        wait_for(pids[i]);
    use();
}

static void descendants(pid_t (*make)(void), int depth, int use_first)
{
    if (use_first)
        use();
    for (int i = 0; i < 2 && depth > 0; i++) {
        const pid_t pid = make();
        if (pid == 0) {
            descendants(make, depth - 1, use_first);
            use();
            _exit(0);
        }
        wait_for(pid);
    }
    use();
}

/* The child runs in our memory, on our generators, while we wait. */
static int use_and_exit(void *unused)
{
    (void)unused;
    use();
    return 0;
}

static void borrowed_memory(void)
{
    static uint8_t stack[1 << 18] __attribute__((aligned(16)));
    for (int i = 0; i < 4; i++) {
        short_use();
        wait_for(clone(use_and_exit, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
        short_use();
        const pid_t pid = vfork();
        if (pid == 0) {
            (void)use_and_exit(NULL);
            _exit(0);
        }
        wait_for(pid);
        use();
    }
}

/* ---- While others generate ---- */

static atomic_int stop;

static void *generate_until_stopped(void *unused)
{
    while (!atomic_load(&stop)) {
        short_use();
        sched_yield();
    }
    return unused;
}

static void *forks_in_thread(void *unused)
{
    siblings(fork, 0);
    siblings(raw_clone, 0);
    return unused;
}

static void busy_process(void)
{
    pthread_t threads[4], forking;
    int made = 0;
    atomic_store(&stop, 0);
    for (int i = 0; i < 4; i++)
        made += pthread_create(&threads[i], NULL, generate_until_stopped, NULL) == 0;
    made += pthread_create(&forking, NULL, forks_in_thread, NULL) == 0;
    CHECK(made == 5);
    for (int i = 0; i < 3; i++)
        siblings(fork, 1);
    CHECK(pthread_join(forking, NULL) == 0);
    atomic_store(&stop, 1);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/* ---- In signal handlers ---- */

static volatile sig_atomic_t signals, forks_left, is_child;

static uint8_t keys_of_handler[2 * HWAEAD_RANDOM_KEY_LEN];

static void use_in_handler(int number)
{
    (void)number;
    signals++;
    must(hwaead_random_bytes(keys_of_handler, sizeof keys_of_handler));
    note(keys_of_handler, sizeof keys_of_handler);
    short_use();
}

/* What the handler took, or erased, in the middle of a request. */
static int is_of_handler(const uint8_t *block)
{
    static const uint8_t erased[BLOCK];
    return memmem(keys_of_handler, sizeof keys_of_handler, block, BLOCK) != NULL || memcmp(block, erased, BLOCK) == 0;
}

/* Both processes return into whatever was interrupted. */
static void fork_in_handler(int number)
{
    (void)number;
    signals++;
    if (forks_left == 0 || is_child)
        return;
    forks_left--;
    const pid_t pid = fork();
    if (pid == 0)
        is_child = 1;
    else if (pid < 0)
        atomic_fetch_add(&notes->errors, 1);
}

/* Requests with a signal each so many microseconds, until there were enough of them. */
static void under_signals(void (*handler)(int), int enough)
{
    const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    signals = 0;
    CHECK(sigaction(SIGALRM, &action, &old) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    uint8_t key[HWAEAD_RANDOM_KEY_LEN];
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    while (signals < enough && !is_child) {
        for (int i = 0; i < 2000 && !is_child; i++)
            must(hwaead_random_key32(key) == HWAEAD_OK && !is_of_handler(key) && !is_of_handler(key + BLOCK)
                     ? HWAEAD_OK : HWAEAD_ERR_ENTROPY);
        sigprocmask(SIG_BLOCK, &alarm, NULL); /* what both processes have since before the fork is not written down */
        if (!is_child)
            short_use();
        sigprocmask(SIG_UNBLOCK, &alarm, NULL);
    }
    if (is_child) {
        for (int i = 0; i < 20; i++)
            short_use();
        _exit(0);
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0 && sigaction(SIGALRM, &old, NULL) == 0);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {
    }
}

/* ---- At the worst moments ---- */

/* Forks when the clock is looked at, which is after bytes were taken from a buffer and before they are given out, and
 * when a seed is drawn. */
static int fork_at_clock, fork_at_draw;
static pid_t forked;

static void fork_if(int *asked)
{
    if (*asked) {
        *asked = 0;
        forked = fork();
    }
}

static time_t forking_clock(time_t *out)
{
    fork_if(&fork_at_clock);
    return time(out);
}

static ssize_t forking_os(void *arg, uint8_t *out, size_t n)
{
    const ssize_t got = entropy_machine.os(arg, out, n);
    fork_if(&fork_at_draw);
    return got;
}

static void worst_moments(void)
{
    struct entropy forking = entropy_machine;
    forking.os = forking_os;
    forking.cpu_seed = forking.cpu_random = NULL; /* else two processes differ by these alone */
    rules.clock = forking_clock;
    rules.source = &forking;
    const uint32_t seconds = atomic_load(&rules.seconds);
    for (int draw = 0; draw < 2; draw++)
        for (size_t n = 12; n <= 40000; n = n * 7 + 4) {
            uint8_t out[40000];
            short_use();
            forked = -1;
            fork_at_clock = !draw;
            fork_at_draw = draw;
            atomic_store(&rules.seconds, draw ? 0 : seconds);
            must(hwaead_random_bytes(out, n));
            atomic_store(&rules.seconds, seconds);
            note(out, n);
            short_use();
            if (forked == 0)
                _exit(0);
            wait_for(forked);
        }
    rules.clock = time;
    rules.source = &entropy_machine;
}

/* ---- The judgement ---- */

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, BLOCK);
}

static unsigned repeated_blocks(void)
{
    const unsigned n = atomic_load(&notes->used);
    unsigned found = 0;
    qsort(notes->blocks, n < MOST ? n : MOST, BLOCK, by_bytes);
    for (unsigned i = 1; i < n && i < MOST; i++)
        found += memcmp(notes->blocks[i], notes->blocks[i - 1], BLOCK) == 0;
    return found;
}

static void refuses_without_aes(void)
{
    uint8_t out[100];
    memset(out, 0x77, sizeof out);
    CHECK(hwaead_random_bytes(out, 50) == HWAEAD_ERR_CPU);
    for (int i = 0; i < 100; i++)
        CHECK(out[i] == (i < 50 ? 0 : 0x77));
    CHECK(hwaead_random_key32(out) == HWAEAD_ERR_CPU && hwaead_random_nonce12(out) == HWAEAD_ERR_CPU);
    printf("SKIP: %s, and no random bytes are given out\n", hwaead_cpu_missing());
}

/* QEMU's user mode, which agrees to any advice, crashes when threads fork at bad moments. */
static int is_emulated(void)
{
    return madvise(notes, BLOCK, -1) == 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc == 2 ? argv[1] : "";
    static _Atomic uint32_t constant = 7;
    if (strcmp(mode, "page") != 0 && strcmp(mode, "pid") != 0 && strcmp(mode, "blind") != 0) {
        fprintf(stderr, "usage: %s page|pid|blind\n", argv[0]);
        return 2;
    }
    if (hwaead_cpu_missing() != NULL) {
        refuses_without_aes();
        const int failed = check_done();
        return failed != 0 ? failed : check_skip(hwaead_cpu_missing());
    }
    if (strcmp(mode, "pid") == 0)
        atomic_store(&rules.forks.page, &rules.forks.none);
    if (strcmp(mode, "blind") == 0)
        atomic_store(&rules.forks.page, &constant);
    notes = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (notes == MAP_FAILED)
        return 1;

    if (is_emulated()) {
        return check_skip("not in an emulator of processes, which does not survive this");
    }
    descendants(fork, 3, 0); /* nobody has used it yet */
    siblings(fork, 0);
    siblings(raw_clone, 0);
    siblings(fork, 1);
    descendants(fork, 4, 1);
    descendants(raw_clone, 3, 1);
    borrowed_memory();
    worst_moments();
    busy_process();
    under_signals(use_in_handler, 300);
    forks_left = 40;
    under_signals(fork_in_handler, 200);

    const unsigned repeated = repeated_blocks(), used = atomic_load(&notes->used);
    printf("%u blocks of output, %u of them repeated; forks are seen by: %s\n", used, repeated, mode);
    CHECK(atomic_load(&notes->lost) == 0 && atomic_load(&notes->errors) == 0);
    CHECK(used > 10000 && forks_left == 0);
    CHECK((repeated != 0) == (strcmp(mode, "blind") == 0));
    if (strcmp(mode, "page") == 0 && atomic_load(&rules.forks.page) == &rules.forks.none) {
        const int failed = check_done();
        return failed != 0 ? failed : check_skip("this kernel wipes no pages, so that forks were seen by the process id");
    }
    return check_done();
}
