/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __has_feature
# if __has_feature(address_sanitizer)
#  define UNDER_ASAN 1
# endif
#endif
#ifdef __SANITIZE_ADDRESS__
# define UNDER_ASAN 1
#endif

static _Thread_local size_t allocations, frees, fail_at, last_size;
static _Thread_local void *last;
static _Thread_local void (*on_free)(const void *, size_t);

void hooks_reset(void)
{
    allocations = frees = 0;
}

size_t hooks_allocations(void)
{
    return allocations;
}

size_t hooks_frees(void)
{
    return frees;
}

void *hooks_last(size_t *size)
{
    *size = last_size;
    return last;
}

void hooks_fail_at(size_t n)
{
    fail_at = n;
}

static void allocated(void *p, size_t n)
{
    allocations++;
    last = p;
    last_size = n;
}

static void freed(void *p, size_t n)
{
    frees++;
    if (on_free != NULL)
        on_free(p, n);
}

#ifdef UNDER_ASAN

int __sanitizer_install_malloc_and_free_hooks(void (*m)(const volatile void *, size_t),
                                              void (*f)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *p);

static void asan_malloc(const volatile void *p, size_t n)
{
    allocated((void *)(uintptr_t)p, n);
}

static void asan_free(const volatile void *p)
{
    if (p != NULL)
        freed((void *)(uintptr_t)p, __sanitizer_get_allocated_size(p));
}

__attribute__((constructor)) static void install(void)
{
    __sanitizer_install_malloc_and_free_hooks(asan_malloc, asan_free);
}

bool hooks_can_fail(void)
{
    return false;
}

#else

/* glibc's own, by the names that it keeps for this */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void __libc_free(void *p);

# define EXPORTED __attribute__((visibility("default")))

static bool fails(void)
{
    if (fail_at == 0 || --fail_at > 0)
        return false;
    errno = ENOMEM;
    return true;
}

EXPORTED void *malloc(size_t n)
{
    void *p = fails() ? NULL : __libc_malloc(n);
    allocated(p, n);
    return p;
}

EXPORTED void *calloc(size_t n, size_t size)
{
    void *p = fails() ? NULL : __libc_calloc(n, size);
    allocated(p, n * size);
    return p;
}

EXPORTED void *realloc(void *old, size_t n)
{
    void *p = fails() ? NULL : __libc_realloc(old, n);
    allocated(p, n);
    return p;
}

EXPORTED void *memalign(size_t alignment, size_t n)
{
    void *p = fails() ? NULL : __libc_memalign(alignment, n);
    allocated(p, n);
    return p;
}

EXPORTED void *aligned_alloc(size_t alignment, size_t n)
{
    return memalign(alignment, n);
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t n)
{
    void *p = memalign(alignment, n);
    if (p == NULL)
        return ENOMEM;
    *out = p;
    return 0;
}

EXPORTED void free(void *p)
{
    if (p != NULL)
        freed(p, malloc_usable_size(p));
    __libc_free(p);
}

bool hooks_can_fail(void)
{
    return true;
}

#endif

void hooks_on_free(void (*look)(const void *, size_t))
{
    on_free = look;
}

/* ---- getrandom ---- */

static atomic_bool random_fails;
static atomic_size_t random_calls;

__attribute__((visibility("default"))) ssize_t getrandom(void *out, size_t n, unsigned flags)
{
    atomic_fetch_add(&random_calls, 1);
    if (atomic_load(&random_fails)) {
        errno = ENOSYS;
        return -1;
    }
    return (ssize_t)syscall(SYS_getrandom, out, n, flags);
}

void hooks_fail_random(bool on)
{
    atomic_store(&random_fails, on);
}

size_t hooks_random_calls(void)
{
    return atomic_load(&random_calls);
}
