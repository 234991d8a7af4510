/* fast_path.c - a box inside one cached chunk. */
#include "hdf5/datasets/view_internal.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/space_internal.h"
#include "array/array/array.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/types/types.h"

typedef struct box {
    hsize_t low[H5S_MAX_RANK];
    uint64_t start[VZ_MAX_RANK], count[VZ_MAX_RANK]; /* of array elements */
    uint64_t elements;                               /* of the shown type */
    bool whole;                                      /* all that there is */
    uint64_t first;                                  /* where they begin in memory */
} box;

/* How many elements lie between the corners of a selection; 0: too many, or there is none. */
static uint64_t volume(unsigned rank, const hsize_t *low, const hsize_t *high)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < rank; d++)
        if (!vz_mul(count, high[d] - low[d] + 1, &count))
            return 0;
    return count;
}

/* The corners of a hyperslab selection that has all that lies between them. */
static bool corners(hid_t space, unsigned rank, uint64_t points, hsize_t *low, hsize_t *high)
{
    return points > 0 && H5Sget_select_bounds(space, low, high) >= 0 && volume(rank, low, high) == points &&
           vz_dataset_hyperslab_is_sound(space, rank, points);
}

static uint64_t points_of(hid_t space)
{
    const hssize_t points = H5Sget_select_npoints(space);
    return points > 0 ? (uint64_t)points : 0;
}

/* Has the program's dataspace the dataset's extent? */
static bool has_extent(hid_t space, const vz_meta *meta, unsigned rank)
{
    hsize_t dims[H5S_MAX_RANK];
    if (rank == 0 || H5Sget_simple_extent_dims(space, dims, NULL) != (int)rank)
        return false;
    for (unsigned d = 0; d < rank; d++)
        if (dims[d] != meta->shape[d])
            return false;
    return true;
}

static bool take_all(const vz_meta *meta, unsigned rank, box *b)
{
    b->whole = true;
    b->elements = 1;
    for (unsigned d = 0; d < rank; d++) {
        b->start[d] = 0;
        b->count[d] = meta->shape[d];
        if (!vz_mul(b->elements, meta->shape[d], &b->elements))
            return false;
    }
    return b->elements > 0;
}

/* A dataspace of another extent, or of a scalar, is dataset_io.c's. Is the box inside the
 * extent? The array tells. */
static bool find_file_box(const vz_dataset_transfer *what, const vz_dataset_view *view, box *b)
{
    const vz_meta *meta = what->node->meta;
    const unsigned rank = view->rank;
    const hid_t space = what->file_space;
    hsize_t high[H5S_MAX_RANK];
    b->whole = false;
    if (space == H5S_BLOCK || space == H5S_PLIST)
        return false;
    if (space != H5S_ALL && !has_extent(space, meta, rank))
        return false;
    const H5S_sel_type kind = space == H5S_ALL ? H5S_SEL_ALL : H5Sget_select_type(space);
    if (kind == H5S_SEL_ALL)
        return take_all(meta, rank, b);
    b->elements = points_of(space);
    if (kind != H5S_SEL_HYPERSLABS || !corners(space, rank, b->elements, b->low, high))
        return false;
    for (unsigned d = 0; d < rank; d++) {
        b->start[d] = b->low[d];
        b->count[d] = high[d] - b->low[d] + 1;
    }
    return true;
}

/* The dimensions of an array type belong to each element. */
static void add_axes(const vz_meta *meta, unsigned rank, box *b)
{
    for (unsigned d = rank; d < meta->rank; d++) {
        b->start[d] = 0;
        b->count[d] = meta->shape[d];
    }
}

/* A part of memory whose elements are neighbours: of one dimension any stretch, of others all of
 * them. */
static bool find_stretch(hid_t space, box *b)
{
    hsize_t dims[H5S_MAX_RANK], low[H5S_MAX_RANK], high[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    if (rank <= 0 || !corners(space, (unsigned)rank, b->elements, low, high))
        return false;
    bool several = false; /* does a dimension before this one have more than one index? */
    b->first = 0;
    for (int d = 0; d < rank; d++) {
        const uint64_t count = high[d] - low[d] + 1;
        if (high[d] >= dims[d] || (several && count != dims[d]))
            return false;
        several = several || count > 1;
        b->first = b->first * dims[d] + low[d];
    }
    return true;
}

static bool find_memory(const vz_dataset_transfer *what, box *b)
{
    const hid_t space = what->mem_space;
    b->first = 0;
    if (space == H5S_BLOCK)
        return true;
    if (space == H5S_ALL)
        return b->whole;
    if (space == H5S_PLIST || points_of(space) != b->elements)
        return false;
    const H5S_sel_type kind = H5Sget_select_type(space);
    return kind == H5S_SEL_ALL || (kind == H5S_SEL_HYPERSLABS && find_stretch(space, b));
}

/* Nothing to do between the elements and those in memory, or what plain C does: *conversion. */
static bool find_conversion(const vz_element_plan *plan, const vz_dataset_view *view, bool reading,
                            const vz_number_conversion **conversion)
{
    *conversion = NULL;
    if (view->same_bytes && plan->same_type)
        return true;
    *conversion = reading ? &plan->to_memory : &plan->to_file;
    return plan->is_number;
}

static bool move_box(const vz_dataset_transfer *what, vz_array *io, const vz_array_box *part, bool reading, bool *moved,
                     vz_error *err)
{
    if (reading) {
        *moved = vz_array_read_box(io, part);
        return true;
    }
    return vz_array_write_box(io, part, moved, err) && (!*moved || vz_flush_after_write(what->node, err));
}

/* An array that was never asked for its elements has no chunk in memory. One that was not written
 * yet has not decided how its chunks are stored. */
static vz_array *ready_io(const vz_dataset_transfer *what, bool reading)
{
    vz_node *node = what->node;
    vz_array *io = what->buf && node->io ? vz_node_io(node, NULL) : NULL;
    return io && vz_array_has_cached(io) && (reading || vz_array_keep_is_set(io)) ? io : NULL;
}

bool vz_dataset_fast_transfer(const vz_dataset_transfer *what, hid_t dxpl, bool reading, bool *moved, vz_error *err)
{
    box b;
    *moved = false;
    vz_array *io = ready_io(what, reading);
    if (!io || !vz_dataset_view_of(what->node, NULL))
        return true;
    vz_dataset_view *view = what->node->view;
    if (view->null || view->per == 0 || !find_file_box(what, view, &b) || !find_memory(what, &b))
        return true;
    add_axes(what->node->meta, view->rank, &b);
    vz_element_plan *plan = vz_element_plan_take(view, what->mem_type, NULL);
    if (!plan)
        return true;
    const vz_number_conversion *conversion;
    bool ok = reading || vz_node_check_elements(what->node, err);
    if (ok && find_conversion(plan, view, reading, &conversion) &&
        vz_dataset_may_convert_numbers(dxpl, conversion != NULL)) {
        uint8_t *memory = (uint8_t *)what->buf + b.first * plan->mem_size;
        ok = move_box(what, io,
                      &(vz_array_box){b.start, b.count, memory, plan->mem_size / (size_t)view->per, conversion},
                      reading, moved, err);
        vz_type_counted.moves += *moved;
    }
    vz_element_plan_release(plan);
    return ok;
}
