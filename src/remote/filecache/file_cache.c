/* file_cache.c - see file_cache.h. Parts stand in the order of their places. */
#include "remote/filecache/file_cache.h"
#include <stdlib.h>

typedef struct part {
    uint64_t first;
    uint8_t *bytes;
    size_t size;
    uint64_t used; /* the time of its last use, in uses */
} part;

struct vz_filecache {
    part *parts;
    size_t count, capacity;
    size_t bytes, most;
    uint64_t now;
};

vz_filecache *vz_filecache_new(size_t most, vz_error *err)
{
    vz_filecache *cache = calloc(1, sizeof *cache);
    if (!cache) {
        vz_fail_memory(err);
        return NULL;
    }
    cache->most = most;
    return cache;
}

void vz_filecache_free(vz_filecache *cache)
{
    for (size_t i = 0; cache && i < cache->count; i++)
        free(cache->parts[i].bytes);
    if (cache)
        free(cache->parts);
    free(cache);
}

size_t vz_filecache_bytes(const vz_filecache *cache)
{
    return cache->bytes;
}

/* The index of the first part that begins behind a place. */
static size_t behind(const vz_filecache *cache, uint64_t place)
{
    size_t low = 0, high = cache->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cache->parts[middle].first <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t end_of(const part *p)
{
    return p->first + p->size;
}

size_t vz_filecache_copy(vz_filecache *cache, uint64_t first, size_t size, void *out)
{
    size_t done = 0;
    for (size_t i = behind(cache, first); done < size && i > 0 && i <= cache->count; i++) {
        part *p = &cache->parts[i - 1];
        const uint64_t at = first + done;
        if (at < p->first || at >= end_of(p))
            break;
        const uint64_t there = end_of(p) - at;
        const size_t take = there < size - done ? (size_t)there : size - done;
        memcpy((uint8_t *)out + done, p->bytes + (at - p->first), take);
        p->used = ++cache->now;
        done += take;
    }
    return done;
}

void vz_filecache_gap(const vz_filecache *cache, uint64_t first, uint64_t *low, uint64_t *high)
{
    const size_t i = behind(cache, first);
    *low = i > 0 ? end_of(&cache->parts[i - 1]) : 0;
    *high = i < cache->count ? cache->parts[i].first : UINT64_MAX;
}

static void drop(vz_filecache *cache, size_t i)
{
    free(cache->parts[i].bytes);
    cache->bytes -= cache->parts[i].size;
    memmove(&cache->parts[i], &cache->parts[i + 1], (--cache->count - i) * sizeof *cache->parts);
}

static void make_room(vz_filecache *cache, size_t size)
{
    while (cache->count > 0 && cache->bytes > cache->most - size) {
        size_t oldest = 0;
        for (size_t i = 1; i < cache->count; i++)
            if (cache->parts[i].used < cache->parts[oldest].used)
                oldest = i;
        drop(cache, oldest);
    }
}

static bool grow(vz_filecache *cache, vz_error *err)
{
    if (cache->count < cache->capacity)
        return true;
    const size_t capacity = cache->capacity ? 2 * cache->capacity : 16;
    part *parts = realloc(cache->parts, capacity * sizeof *parts);
    if (!parts)
        return vz_fail_memory(err);
    cache->parts = parts;
    cache->capacity = capacity;
    return true;
}

/* Cut to the gap in which it begins. */
static bool fits(const vz_filecache *cache, uint64_t first, vz_buffer *bytes)
{
    uint64_t low, high;
    vz_filecache_gap(cache, first, &low, &high);
    if (first < low)
        return false;
    if (bytes->size > high - first)
        bytes->size = (size_t)(high - first);
    return bytes->size > 0 && bytes->size <= cache->most;
}

bool vz_filecache_add(vz_filecache *cache, uint64_t first, vz_buffer *bytes, vz_error *err)
{
    if (!fits(cache, first, bytes)) {
        vz_buffer_clear(bytes);
        return true;
    }
    make_room(cache, bytes->size);
    if (!grow(cache, err)) {
        vz_buffer_clear(bytes);
        return false;
    }
    const size_t i = behind(cache, first);
    memmove(&cache->parts[i + 1], &cache->parts[i], (cache->count++ - i) * sizeof *cache->parts);
    cache->parts[i] = (part){.first = first, .bytes = bytes->data, .size = bytes->size, .used = ++cache->now};
    cache->bytes += bytes->size;
    *bytes = (vz_buffer){0};
    return true;
}

/* ---- reading ahead ---- */

void vz_filecache_ahead_hit(vz_filecache_ahead *ahead, uint64_t first, uint64_t size)
{
    const uint64_t distance = first >= ahead->for_end    ? first - ahead->for_end + 1
                              : first < ahead->for_first ? ahead->for_first - first
                                                         : 0;
    if (first >= ahead->first && first < ahead->end && distance > ahead->used)
        ahead->used = distance;
    ahead->next = first + size;
}

static uint64_t within(uint64_t size, uint64_t least)
{
    return size < least ? least : size > VZ_FILECACHE_AHEAD_MAX ? VZ_FILECACHE_AHEAD_MAX : size;
}

static uint64_t size_near(const vz_filecache_ahead *ahead)
{
    if (!ahead->size)
        return VZ_FILECACHE_AHEAD_BASE;
    const uint64_t size = ahead->used >= ahead->size / 2  ? 2 * ahead->size
                          : ahead->used < ahead->size / 8 ? ahead->size / 2
                                                          : ahead->size;
    return within(size, VZ_FILECACHE_AHEAD_MIN);
}

static uint64_t size_behind(const vz_filecache_ahead *ahead, uint64_t first)
{
    const bool follows = ahead->next && first >= ahead->next && first - ahead->next < VZ_FILECACHE_AHEAD_MIN;
    return follows ? within(2 * ahead->size, VZ_FILECACHE_AHEAD_BASE) : VZ_FILECACHE_AHEAD_MIN;
}

/* Places of windows are multiples of their sizes where what lies before is wanted, too. */
static void place(const vz_filecache_ahead *ahead, bool near, uint64_t first, uint64_t end, uint64_t *low,
                  uint64_t *high)
{
    const uint64_t step = near ? ahead->size : VZ_FILECACHE_AHEAD_MIN;
    *low = first / step * step;
    *high = *low + ahead->size;
    if (*high < end)
        *high = end;
}

void vz_filecache_ahead_plan(vz_filecache_ahead *ahead, bool near, uint64_t first, uint64_t size, uint64_t file_size,
                             uint64_t *low, uint64_t *high)
{
    const uint64_t end = first + size;
    ahead->size = near ? size_near(ahead) : size_behind(ahead, first);
    place(ahead, near, first, end, low, high);
    if (file_size <= VZ_FILECACHE_WHOLE) {
        *low = 0;
        *high = file_size;
    }
    if (*high > file_size)
        *high = file_size;
    ahead->first = *low;
    ahead->end = *high;
    ahead->for_first = first;
    ahead->for_end = end;
    ahead->next = end;
    ahead->used = 0;
}
