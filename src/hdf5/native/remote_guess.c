/* remote_guess.c - where chunks of a selection probably lie, before the leaves of their B-tree were
 * read. Chunks that were written in order lie in order, and a leaf was made soon after the first
 * chunks in it. So the addresses of leaves tell where chunks between them are. They are asked for
 * in the round trip of the leaves. A wrong guess costs bytes only. */
#include "base/util/bytes.h"
#include "hdf5/native/remote_internal.h"

#define NODE_HEAD 24                    /* as in remote_hints.c */
#define GUESS_MAX ((uint64_t)16 << 20)  /* bytes */
#define SPARE     ((uint64_t)256 << 10) /* bytes that are no chunks and do not matter */
#define SLACK     4                     /* chunks at both ends */
#define LEAVES    VZ_NATIVE_HINTS_MAX

/* A leaf: the number of its first chunk, its place in the file, the size of that chunk. */
typedef struct leaf {
    uint64_t number, address, size;
} leaf;

typedef struct tree {
    leaf leaves[LEAVES];
    size_t count;
    uint64_t moved; /* chunks of a leaf that were there before it */
} tree;

static uint64_t number_of(const vz_native_chunks *chunks, const uint8_t *offsets)
{
    uint64_t at[H5S_MAX_RANK];
    for (int i = 0; i < chunks->rank; i++)
        at[i] = vz_bytes_load_le64(offsets + 8 * i) / chunks->chunk[i];
    return vz_native_chunk_number(chunks, at);
}

/* Leaves whose numbers and places both rise. The first one is left out: it was made with the
 * second, and its chunks were there before both. */
static bool read_leaves(const vz_native_hints *hints, const uint8_t *node, size_t size, tree *t)
{
    const unsigned count = (unsigned)(node[6] | node[7] << 8);
    const size_t step = hints->key_size + 8;
    t->count = 0;
    t->moved = (size - NODE_HEAD) / step / 10 + 2; /* HDF5 leaves nine tenths behind */
    for (size_t i = 1; i < count && t->count < LEAVES; i++) {
        const size_t at = NODE_HEAD + i * step;
        if (at + step > size)
            return false;
        leaf *l = &t->leaves[t->count];
        *l = (leaf){number_of(hints->wanted->chunks, node + at + 8), vz_bytes_load_le64(node + at + hints->key_size),
                    vz_bytes_load_le64(node + at) & UINT32_MAX};
        if (l->address >= hints->file_size || (i > 1 && (l->number <= l[-1].number || l->address <= l[-1].address)))
            return false;
        t->count++;
    }
    return t->count > 0;
}

/* Bytes from one chunk to the next, between a leaf and its neighbour. */
static double step_at(const tree *t, size_t i)
{
    const size_t next = i + 1 < t->count ? i + 1 : i, before = next > i ? i : i > 0 ? i - 1 : i;
    if (next == before)
        return (double)t->leaves[i].size;
    return (double)(t->leaves[next].address - t->leaves[before].address) /
           (double)(t->leaves[next].number - t->leaves[before].number);
}

/* Where a chunk probably begins, and `more` chunks before or behind it. */
static double place_of(const tree *t, uint64_t number, int more)
{
    size_t i = 0;
    while (i + 1 < t->count && t->leaves[i + 1].number <= number)
        i++;
    const double distance = (double)number - (double)t->leaves[i].number - (double)t->moved + more;
    return (double)t->leaves[i].address + distance * step_at(t, i);
}

static void add(vz_native_hints *hints, uint64_t first, uint64_t end)
{
    if (hints->count < VZ_NATIVE_HINTS_MAX && first < end)
        hints->reads[hints->count++] =
            (vz_byte_read){.offset = first, .size = (size_t)(end - first), .is_metadata = true};
}

/* Adds the places between the hints that are there. */
static void add_between(vz_native_hints *hints, uint64_t first, uint64_t end)
{
    const size_t count = hints->count;
    while (first < end) {
        uint64_t next = end, next_end = end;
        for (size_t i = 0; i < count; i++) {
            const vz_byte_read *read = &hints->reads[i];
            if (read->offset < next && read->offset + read->size > first) {
                next = read->offset > first ? read->offset : first;
                next_end = read->offset + read->size;
            }
        }
        add(hints, first, next);
        first = next_end;
    }
}

void vz_native_guess_chunks(vz_native_hints *hints, const uint8_t *node, size_t size)
{
    static tree t; /* HDF5 makes one call at a time */
    const vz_native_wanted *wanted = hints->wanted;
    if (!wanted || hints->key_size != 8 + 8 * ((size_t)wanted->chunks->rank + 1) || !read_leaves(hints, node, size, &t))
        return;
    const double last = (double)(hints->file_size - hints->base);
    double low = place_of(&t, wanted->first, -SLACK), high = place_of(&t, wanted->last, 1 + SLACK);
    low = low < 0 ? 0 : low;
    high = high > last ? last : high;
    const double chunks = (double)wanted->count * (double)t.leaves[0].size;
    if (high > low && high - low <= (double)GUESS_MAX && high - low <= 2 * chunks + (double)SPARE)
        add_between(hints, hints->base + (uint64_t)low, hints->base + (uint64_t)high);
}
