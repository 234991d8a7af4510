/* chunk_index.c - the list of stored chunks. */
#include "hdf5/datasets/datasets_internal.h"

#include "hdf5/datasets/view_internal.h"

#include <stdlib.h>

typedef struct listing {
    unsigned rank;
    vz_dataset_chunk_entry *chunks;
    vz_error *err;
    bool failed;
} listing;

void vz_dataset_stored_chunks_free(vz_dataset_chunk_entry *chunk)
{
    while (chunk) {
        vz_dataset_chunk_entry *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

static bool list_chunk(void *context, const uint64_t *chunk, uint64_t size)
{
    (void)size;
    listing *l = context;
    vz_dataset_chunk_entry *stored = calloc(1, sizeof *stored);
    if (!stored) {
        l->failed = !vz_fail_memory(l->err);
        return false;
    }
    memcpy(stored->chunk, chunk, l->rank * sizeof *chunk);
    stored->next = l->chunks;
    l->chunks = stored;
    return true;
}

bool vz_dataset_stored_chunks_list(vz_node *node, vz_dataset_chunk_entry **chunks, vz_error *err)
{
    listing l = {.err = err};
    vz_array *io = vz_dataset_io(node, err);
    if (io)
        l.rank = node->meta->rank;
    const bool ok = io && vz_array_flush(io, err) && vz_array_each_chunk(io, false, list_chunk, &l, err) && !l.failed;
    *chunks = l.chunks;
    return ok;
}
