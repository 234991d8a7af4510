/* arena.c - memory for many small pieces, freed at once. */
#include "base/util/bytes.h"
#include <stdalign.h>
#include <stdlib.h>

/* Of the first one: with its head as much as C libraries keep at hand for the next who wants it.
 * A kilobyte and more has them look through all that was freed before. */
#define ARENA_FIRST_BLOCK   ((size_t)960)
#define ARENA_LARGEST_BLOCK ((size_t)1 << 20)

struct vz_arena_block {
    struct vz_arena_block *next;
    size_t used;
    size_t capacity;
    alignas(max_align_t) uint8_t data[];
};

static size_t round_up(size_t size)
{
    const size_t step = alignof(max_align_t);
    return (size + step - 1) / step * step;
}

/* Blocks double from the first size to the largest; what is larger than a quarter of that gets a
 * block of its own. */
static size_t next_capacity(const vz_arena *arena)
{
    const size_t last = arena->blocks ? arena->blocks->capacity : 0;
    if (last < ARENA_FIRST_BLOCK)
        return ARENA_FIRST_BLOCK;
    return last >= ARENA_LARGEST_BLOCK / 2 ? ARENA_LARGEST_BLOCK : last * 2;
}

static struct vz_arena_block *block_new(size_t capacity, vz_error *err)
{
    struct vz_arena_block *block = malloc(sizeof *block + capacity);
    if (!block) {
        vz_fail_memory(err);
        return NULL;
    }
    *block = (struct vz_arena_block){.capacity = capacity};
    return block;
}

/* The head is the block in use; a block for one large piece goes behind it, so that the head's
 * rest is not lost. */
static struct vz_arena_block *block_with_room(vz_arena *arena, size_t size, vz_error *err)
{
    struct vz_arena_block *head = arena->blocks;
    if (head && head->capacity - head->used >= size)
        return head;
    const size_t capacity = next_capacity(arena);
    const bool alone = size > capacity / 4;
    struct vz_arena_block *block = block_new(alone ? size : capacity, err);
    if (!block)
        return NULL;
    if (alone && head) {
        block->next = head->next;
        head->next = block;
    } else {
        block->next = head;
        arena->blocks = block;
    }
    return block;
}

void *vz_arena_alloc(vz_arena *arena, size_t size, vz_error *err)
{
    if (size > SIZE_MAX / 2) {
        vz_fail(err, VZ_LIMIT, "%zu bytes at once", size);
        return NULL;
    }
    const size_t rounded = round_up(size ? size : 1);
    struct vz_arena_block *block = block_with_room(arena, rounded, err);
    if (!block)
        return NULL;
    void *place = block->data + block->used;
    block->used += rounded;
    arena->used += rounded;
    return place;
}

void *vz_arena_copy(vz_arena *arena, const void *data, size_t size, vz_error *err)
{
    void *place = vz_arena_alloc(arena, size, err);
    if (place && size)
        memcpy(place, data, size);
    return place;
}

void vz_arena_adopt(vz_arena *into, vz_arena *from)
{
    if (from->blocks) {
        struct vz_arena_block **end = &into->blocks;
        while (*end)
            end = &(*end)->next;
        *end = from->blocks;
    }
    into->used += from->used;
    *from = (vz_arena){0};
}

void vz_arena_clear(vz_arena *arena)
{
    struct vz_arena_block *block = arena->blocks;
    while (block) {
        struct vz_arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (vz_arena){0};
}
