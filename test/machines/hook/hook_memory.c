/* hook_memory.c - the replacements of calls that allocate, see hook_calls.c. */
#include "hook_inside.h"
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *hook_malloc(size_t size)
{
    return REFUSED(HOOK_MEMORY) ? NULL : malloc(size);
}

static void *hook_calloc(size_t count, size_t size)
{
    return REFUSED(HOOK_MEMORY) ? NULL : calloc(count, size);
}

static void *hook_realloc(void *old, size_t size)
{
    return REFUSED(HOOK_MEMORY) ? NULL : realloc(old, size);
}

static void *hook_aligned_alloc(size_t alignment, size_t size)
{
    return REFUSED(HOOK_MEMORY) ? NULL : aligned_alloc(alignment, size);
}

static int hook_posix_memalign(void **place, size_t alignment, size_t size)
{
    return REFUSED(HOOK_MEMORY) ? ENOMEM : posix_memalign(place, alignment, size);
}

static void *hook_mmap(void *place, size_t size, int protection, int flags, int file, off_t offset)
{
    return REFUSED(HOOK_MEMORY) ? MAP_FAILED : mmap(place, size, protection, flags, file, offset);
}

static char *hook_strdup(const char *text)
{
    return REFUSED(HOOK_MEMORY) ? NULL : strdup(text);
}

static char *hook_strndup(const char *text, size_t size)
{
    return REFUSED(HOOK_MEMORY) ? NULL : strndup(text, size);
}

static int hook_vasprintf(char **text, const char *format, va_list arguments)
{
    if (REFUSED(HOOK_MEMORY)) {
        *text = (char *)(uintptr_t)0xdead; /* undefined, says the manual */
        return -1;
    }
    return vasprintf(text, format, arguments);
}

static int hook_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = hook_vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

const struct hook_replacement hook_allocations[] = {
    {"malloc", hook_malloc},
    {"calloc", hook_calloc},
    {"realloc", hook_realloc},
    {"aligned_alloc", hook_aligned_alloc},
    {"posix_memalign", hook_posix_memalign},
    {"mmap", hook_mmap},
    {"mmap64", hook_mmap},
    {"strdup", hook_strdup},
    {"__strdup", hook_strdup},
    {"strndup", hook_strndup},
    {"__strndup", hook_strndup},
    {"asprintf", hook_asprintf},
    {"vasprintf", hook_vasprintf},
    {NULL, NULL},
};
