/* failing_memory.h - allocations of the library that fail when a test says so. For test programs whose names end with
 * _memory: they are linked so that its calls come here. */
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);

/* The allocation that fails, counted down from here; 0: none does. */
static unsigned allocation_turn;

static bool is_allocation_turn(void)
{
    return allocation_turn > 0 && --allocation_turn == 0;
}

void *__wrap_malloc(size_t size)
{
    return is_allocation_turn() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_allocation_turn() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_allocation_turn() ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *text)
{
    return is_allocation_turn() ? NULL : __real_strdup(text);
}

/* From now on none fails. True: one did. */
static bool end_failing_memory(void)
{
    const bool failed = allocation_turn == 0;
    allocation_turn = 0;
    return failed;
}

#endif
