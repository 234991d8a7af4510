/* chunk_grid.c - where the chunks of a list lie: all of one shape, or of different ones. */
#include "array/selection/selection.h"
#include "command/sample/sample_internal.h"

uint64_t vz_sample_chunk_at(const vz_sample_chunk_list *list, unsigned i, uint64_t at)
{
    return list->uneven ? vz_grid_at(list->uneven, i, at) : at / list->chunk[i];
}

uint64_t vz_sample_chunk_start(const vz_sample_chunk_list *list, unsigned i, uint64_t chunk)
{
    uint64_t start;
    if (list->uneven)
        return vz_grid_start(list->uneven, i, chunk);
    return vz_mul(chunk, list->chunk[i], &start) ? start : UINT64_MAX;
}

uint64_t vz_sample_chunk_decoded(const vz_sample_chunk_list *list, uint64_t number, uint64_t element_size)
{
    uint64_t bytes = element_size;
    for (unsigned i = list->rank; i-- > 0; number /= list->grid[i] ? list->grid[i] : 1) {
        const uint64_t chunk = list->grid[i] ? number % list->grid[i] : 0;
        bytes = vz_sample_product(bytes, list->uneven ? vz_grid_edge(list->uneven, i, chunk) : list->chunk[i]);
    }
    return bytes;
}

bool vz_sample_chunk_take_grid(vz_sample_chunk_list *list, const vz_meta *meta)
{
    if (meta->rank != list->rank)
        return false;
    list->uneven = meta;
    vz_grid_dims(meta, meta->shape, list->grid);
    list->possible = vz_grid_count(list->rank, list->grid);
    return true;
}
