/* chunk_elements.c - a chunk's elements as codecs see them, and chunks that are all fill. */
#include "array/chunks/array_state.h"
#include "array/selection/selection.h"

/* ---- for the codecs ---- */

char vz_chunk_kind(const vz_meta *meta)
{
    const vz_dtype_kind kind = meta->dtype->kind;
    return kind == VZ_DTYPE_INT ? 'i' : kind == VZ_DTYPE_UINT ? 'u' : kind == VZ_DTYPE_FLOAT ? 'f' : 0;
}

const uint64_t *vz_chunk_places(const vz_meta *meta, const uint64_t *shape, uint64_t places[VZ_MAX_RANK])
{
    const bool objects = meta->dtype->kind == VZ_DTYPE_OBJECT;
    for (unsigned i = 0; i < meta->rank; i++)
        places[i] = shape[objects ? i : meta->axes[i]];
    return places;
}

/* ---- fill ---- */

void vz_chunk_fill(const vz_array *array, void *decoded)
{
    if (array->zeros && !array->objects) {
        memset(decoded, 0, array->meta->chunk_size);
        return;
    }
    vz_fill_elements(decoded, array->meta->fill, array->meta->dtype->size, array->meta->chunk_count);
}
