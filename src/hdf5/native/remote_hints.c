/* remote_hints.c - addresses in nodes of HDF5's version 1 B-trees and symbol tables, which HDF5
 * reads next, one after another. A hint for the source of the bytes: no node is trusted. */
#include "base/util/bytes.h"
#include "hdf5/native/remote_internal.h"

#define NODE_HEAD   24   /* signature, kind, level, count, two siblings */
#define TABLE_HEAD  8    /* signature, version, count */
#define TABLE_ENTRY 40   /* name, object header, cache type, scratch */
#define HEADER_SIZE 1024 /* bytes around an object header's start that mostly hold it */

static uint16_t load16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static void add(vz_native_hints *hints, uint64_t address, uint64_t size)
{
    uint64_t at;
    if (hints->count == VZ_NATIVE_HINTS_MAX || !vz_add(hints->base, address, &at) || at >= hints->file_size)
        return;
    const uint64_t rest = hints->file_size - at;
    hints->reads[hints->count++] =
        (vz_byte_read){.offset = at, .size = (size_t)(size < rest ? size : rest), .is_metadata = true};
}

/* Keys and children take turns; the last key ends them. The size of a node tells the size of its
 * keys. A node has room for twice a number of children, and that number is equal in all of them. */
static void read_tree(vz_native_hints *hints, const uint8_t *node, size_t size)
{
    const unsigned kind = node[4], level = node[5], count = load16(node + 6);
    const size_t child_size = level > 0 ? size : HEADER_SIZE; /* of a leaf: tables */
    if (kind == 1 && level == 0)
        return; /* chunks of elements */
    const size_t key = kind == 0 ? 8 : hints->key_size;
    for (size_t i = 0, at = NODE_HEAD + key; key > 0 && i < count && at + 8 <= size; i++, at += key + 8)
        add(hints, vz_bytes_load_le64(node + at), child_size);
    if (kind == 1 && level == 1 && key > 0)
        vz_native_guess_chunks(hints, node, size);
}

static void read_table(vz_native_hints *hints, const uint8_t *node, size_t size)
{
    const unsigned count = load16(node + 6);
    for (size_t i = 0, at = TABLE_HEAD; i < count && at + TABLE_ENTRY <= size; i++, at += TABLE_ENTRY)
        add(hints, vz_bytes_load_le64(node + at + 8), HEADER_SIZE);
}

/* A chunk's key has its size, its mask and an offset along each dimension and in an element. The
 * child behind a key lies in the file, and the last offset is 0: that tells how many there are. */
static size_t key_size_of(const vz_native_hints *hints, const uint8_t *node, size_t size)
{
    const unsigned count = load16(node + 6);
    for (unsigned dimensions = 2; dimensions <= H5S_MAX_RANK + 1; dimensions++) {
        const size_t key = 8 + 8 * (size_t)dimensions;
        size_t i = 0, at = NODE_HEAD + key;
        while (i < count && at + 8 <= size && vz_bytes_load_le64(node + at) > 0 &&
               vz_bytes_load_le64(node + at) < hints->file_size &&
               vz_bytes_load_le64(node + at - 8) == 0) /* the offset in an element */
            i++, at += key + 8;
        if (count > 1 && i == count)
            return key;
    }
    return 0;
}

void vz_native_hints_find(vz_native_hints *hints, const uint8_t *node, size_t size)
{
    hints->count = 0;
    if (size >= NODE_HEAD && memcmp(node, "TREE", 4) == 0) {
        hints->key_size = node[4] == 1 ? key_size_of(hints, node, size) : 0;
        read_tree(hints, node, size);
    } else if (size >= TABLE_HEAD && memcmp(node, "SNOD", 4) == 0) {
        read_table(hints, node, size);
    }
}
