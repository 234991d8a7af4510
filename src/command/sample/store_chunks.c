/* store_chunks.c - the stored chunks of an array of a store, as the store tells them. HDF5 is shown
 * chunks in the form of its filters, with other sizes. */
#include "array/array/array.h"
#include "array/selection/selection.h"
#include "base/os/process.h"
#include "command/sample/sample_internal.h"
#include <string.h>

#define STRIDE 64 /* sizes are asked for in so many rounds, so that they lie evenly at any moment */

/* The array as a node of the store; NULL: it is none, or another one stands for it. */
static vz_node *node_of(vz_sample_object *array)
{
    vz_sample_file *file = array->file;
    vz_error ignored = VZ_ERROR_NONE;
    if (!file->is_store)
        return NULL;
    if (!file->has_subject)
        vz_subject_open(file->name, &file->subject, &ignored);
    file->has_subject = true;
    if (!file->subject.node)
        return NULL;
    vz_node *node = vz_hierarchy_is_array(file->subject.hierarchy)
                        ? file->subject.node
                        : vz_subject_follow(file->subject.node, array->path, &ignored);
    return node && node->kind == VZ_NODE_ARRAY ? node : NULL;
}

/* Are its chunks those that HDF5 shows? */
static bool is_alike(const vz_meta *meta, const vz_sample_chunk_list *list)
{
    if (meta->rank != list->rank)
        return false;
    for (unsigned i = 0; i < meta->rank; i++)
        if (meta->chunks[i] != list->chunk[i])
            return false;
    return true;
}

static bool take_chunk(void *context, const uint64_t *chunk, uint64_t size)
{
    vz_sample_chunk_list *list = context;
    uint64_t number = 0;
    (void)size;
    for (unsigned i = 0; i < list->rank; i++) {
        if (chunk[i] >= list->grid[i])
            return true; /* beyond the extent */
        number = number * list->grid[i] + chunk[i];
    }
    return vz_sample_chunk_add(list, number, UINT64_MAX);
}

bool vz_sample_store_list(vz_sample_object *array, vz_sample_chunk_list *list)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *node = node_of(array);
    const vz_meta *meta = node ? vz_node_understood(node) : NULL;
    const bool is_there = meta && (meta->edges ? meta->rank == list->rank : is_alike(meta, list));
    vz_array *io = is_there ? vz_node_io(node, &err) : NULL;
    if (!io)
        return false;
    if (meta->edges && vz_sample_chunk_take_grid(list, meta) && list->possible == UINT64_MAX) {
        snprintf(list->why, sizeof list->why, "more than 2^64 chunks");
        return true;
    }
    list->is_known = true;
    if (list->possible && !vz_array_each_chunk(io, false, take_chunk, list, &err) && !*list->why)
        snprintf(list->why, sizeof list->why, "%s", err.text);
    return true;
}

static void ask_size(vz_array *io, const vz_sample_chunk_list *list, vz_sample_stored *stored)
{
    uint64_t chunk[VZ_SAMPLE_RANK_MAX], size = 0, number = stored->number;
    bool found = false;
    vz_error ignored = VZ_ERROR_NONE;
    for (unsigned i = list->rank; i-- > 0; number /= list->grid[i])
        chunk[i] = number % list->grid[i];
    if (vz_array_chunk_size(io, chunk, &size, &found, &ignored) && found)
        stored->size = size;
}

void vz_sample_store_sizes(vz_sample_object *array, vz_sample_chunk_list *list)
{
    vz_error ignored = VZ_ERROR_NONE;
    vz_node *node = list->is_sized ? NULL : node_of(array);
    vz_array *io = node ? vz_node_io(node, &ignored) : NULL;
    const int64_t until = vz_os_now_ns() + VZ_SAMPLE_SECONDS_MAX * VZ_OS_NS_PER_S;
    list->is_sized = true;
    for (size_t round = 0; io && round < STRIDE; round++)
        for (size_t i = round; i < list->count; i += STRIDE) {
            if (vz_os_now_ns() > until)
                return;
            ask_size(io, list, &list->items[i]);
        }
}

void vz_sample_store_close(vz_sample_file *file)
{
    vz_subject_close(&file->subject);
}
