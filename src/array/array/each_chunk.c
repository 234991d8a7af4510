/* each_chunk.c - all stored chunks of an array, with their sizes. */
#include "array/array/array_internal.h"
#include "array/chunks/array_state.h"
#include "array/selection/selection.h"

bool vz_array_each_chunk(vz_array *array, bool sized, vz_array_chunk_visit visit, void *context, vz_error *err)
{
    vz_chunk_list list;
    if (!vz_array_flush(array, err) || !vz_chunk_list_load(array, &list, err))
        return false;
    bool ok = true, go_on = true;
    vz_shards_begin(array);
    for (size_t i = 0; i < list.count && ok && go_on; i++) {
        const uint64_t *chunk = &list.chunks[i * array->meta->rank];
        uint64_t size = 0;
        bool found = true;
        if (!vz_grid_inside(array->meta, chunk))
            continue;
        ok = !sized || vz_array_chunk_size(array, chunk, &size, &found, err);
        if (ok && found)
            go_on = visit(context, chunk, size);
    }
    vz_shards_end(array);
    vz_chunk_list_clear(&list);
    return ok;
}
