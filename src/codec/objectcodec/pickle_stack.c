/* pickle_stack.c - the stack machine: its memory, its stack. pickle_run.c runs programs on it. */
#include "codec/objectcodec/objects_internal.h"

bool vz_unpickler_ends(vz_unpickler *u)
{
    return vz_fail(u->err, VZ_CORRUPT, "pickle: the data end before the value does");
}

/* ---- memory ---- */

void vz_unpickler_clear(vz_unpickler *u)
{
    vz_arena_clear(&u->arena);
}

void *vz_unpickler_take(vz_unpickler *u, size_t size)
{
    if (size > VZ_PICKLE_MEMORY_MAX || u->arena.used > VZ_PICKLE_MEMORY_MAX - size) {
        vz_fail(u->err, VZ_LIMIT, "pickle: its values need more than %zu bytes", VZ_PICKLE_MEMORY_MAX);
        return NULL;
    }
    return vz_arena_alloc(&u->arena, size, u->err);
}

vz_pickled *vz_unpickler_new(vz_unpickler *u, vz_pickled_kind kind)
{
    vz_pickled *value = vz_unpickler_take(u, sizeof *value);
    if (value)
        *value = (vz_pickled){.kind = kind};
    return value;
}

void *vz_unpickler_grown(vz_unpickler *u, const void *array, size_t element, size_t *capacity)
{
    const size_t more = *capacity ? *capacity * 2 : 4;
    void *room =
        more <= VZ_PICKLE_MEMORY_MAX / element ? vz_unpickler_take(u, more * element) : vz_unpickler_take(u, SIZE_MAX);
    if (!room)
        return NULL;
    if (*capacity)
        memcpy(room, array, *capacity * element);
    memset((uint8_t *)room + *capacity * element, 0, (more - *capacity) * element);
    *capacity = more;
    return room;
}

bool vz_unpickler_append(vz_unpickler *u, vz_pickled_list *list, vz_pickled *value)
{
    if (!value)
        return false;
    if (list->count == list->capacity) {
        vz_pickled **items = vz_unpickler_grown(u, list->items, sizeof *items, &list->capacity);
        if (!items)
            return false;
        list->items = items;
    }
    list->items[list->count++] = value;
    return true;
}

bool vz_unpickler_push(vz_unpickler *u, vz_pickled *value)
{
    return vz_unpickler_append(u, &u->stack, value);
}

/* ---- the program's bytes ---- */

const uint8_t *vz_unpickler_read(vz_unpickler *u, uint64_t size)
{
    if (size > u->in.size - u->at) {
        vz_unpickler_ends(u);
        return NULL;
    }
    const uint8_t *bytes = u->in.data + u->at;
    u->at += (size_t)size;
    return bytes;
}

bool vz_unpickler_number(vz_unpickler *u, unsigned size, uint64_t *number)
{
    const uint8_t *bytes = vz_unpickler_read(u, size);
    if (!bytes)
        return false;
    *number = 0;
    for (unsigned i = size; i-- > 0;)
        *number = *number << 8 | bytes[i];
    return true;
}

bool vz_unpickler_line(vz_unpickler *u, vz_bytes *line)
{
    const size_t left = u->in.size - u->at;
    const uint8_t *start = u->in.data + u->at, *end = left ? memchr(start, '\n', left) : NULL;
    if (!end)
        return vz_unpickler_ends(u);
    *line = (vz_bytes){start, (size_t)(end - start)};
    u->at += line->size + 1;
    return true;
}

/* ---- the stack ---- */

size_t vz_unpickler_available(const vz_unpickler *u)
{
    return u->stack.count - (u->mark_count ? u->marks[u->mark_count - 1] : 0);
}

vz_pickled *vz_unpickler_top(vz_unpickler *u)
{
    if (vz_unpickler_available(u) == 0) {
        vz_fail(u->err, VZ_CORRUPT, "pickle: a value is missing on the stack");
        return NULL;
    }
    return u->stack.items[u->stack.count - 1];
}

vz_pickled *vz_unpickler_pop(vz_unpickler *u)
{
    vz_pickled *value = vz_unpickler_top(u);
    if (value)
        u->stack.count--;
    return value;
}

bool vz_unpickler_pop_mark(vz_unpickler *u, vz_pickled ***values, size_t *count)
{
    if (u->mark_count == 0)
        return vz_fail(u->err, VZ_CORRUPT, "pickle: a mark is missing");
    *count = vz_unpickler_available(u);
    u->stack.count -= *count;
    u->mark_count--;
    *values = u->stack.items + u->stack.count;
    return true;
}
