/* contiguous_rows.c - the part of a chunk that is wanted as stretches of its bytes, each of which
 * goes straight into the buffer, or comes from there. */
#include "array/chunks/array_state.h"
#include "array/chunks/transfer_work.h"
#include "array/selection/selection.h"
#include <stdlib.h>

enum {
    ROW_MIN = 4096,  /* bytes of a stretch that is worth a request of its own */
    ROW_COST = 2048, /* bytes that could be read in the time of one more request */
    ROWS_FREE = 4,   /* so few stretches are read alone whatever their size */
    ROW_LONG = 2048, /* bytes of stretches, one behind the other, that the system moves for less
                      * than a copy */
    ROWS_MAX = 4096,
    PART_MIN = 256,    /* bytes of a stretch that a codec may put where it is wanted */
    ALL_MIN = 1 << 16, /* bytes of a chunk for which a list of stretches is worth making */
};

typedef struct row_count {
    const vz_work *work;
    uint64_t rows, shortest, most;
} row_count;

/* false ends the walk: not a case for rows. */
static bool count_rows(void *context, const vz_box *box, vz_error *err)
{
    row_count *count = context;
    const int64_t size = (int64_t)count->work->layout.chunk_element;
    uint64_t rows = 1, length = 1;
    (void)err;
    if (box->loop_count) {
        const vz_loop *inner = &box->loops[box->loop_count - 1];
        if (inner->chunk_step != size || inner->memory_step != size)
            return false;
        length = inner->count;
    }
    for (unsigned i = 0; i + 1 < box->loop_count; i++)
        if (!vz_mul(rows, box->loops[i].count, &rows))
            return false;
    const uint64_t bytes = length * (uint64_t)size;
    count->shortest = bytes < count->shortest ? bytes : count->shortest;
    return vz_add(count->rows, rows, &count->rows) && count->rows <= count->most;
}

/* Does the piece consist of stretches, `most` at most? Then job->rows says how many; *shortest is
 * in bytes. */
static bool is_rows(const vz_work *work, vz_work_job *job, uint64_t most, uint64_t *shortest)
{
    row_count count = {.work = work, .shortest = UINT64_MAX, .most = most};
    if (work->transfer->conversion || job->piece.cut_count > most)
        return false;
    if (!vz_piece_walk(&work->layout, &job->piece, count_rows, &count, NULL))
        return false;
    job->rows = count.rows;
    *shortest = count.shortest;
    return true;
}

/* Can each be read by itself, too? */
static bool has_rows(const vz_work *work, vz_work_job *job, uint64_t *shortest)
{
    return is_rows(work, job, ROWS_MAX, shortest) &&
           (job->rows == 1 || (work->array->store->capabilities & VZ_STORE_CHEAP));
}

bool vz_rows_are_worth(const vz_work *work, vz_work_job *job)
{
    uint64_t shortest;
    return has_rows(work, job, &shortest) && (job->rows <= ROWS_FREE || shortest >= ROW_MIN);
}

bool vz_rows_are_less(const vz_work *work, vz_work_job *job)
{
    uint64_t shortest;
    return has_rows(work, job, &shortest) && job->rows * ROW_COST <= job->high - job->low;
}

bool vz_rows_are_all(const vz_work *work, vz_work_job *job)
{
    uint64_t shortest;
    return job->way == VZ_WAY_WHOLE && job->piece.cut_count == 0 && work->array->meta->chunk_size >= ALL_MIN &&
           (work->array->store->capabilities & VZ_STORE_SCATTERS) &&
           vz_grid_is_full(work->array->meta, job->piece.chunk) && has_rows(work, job, &shortest) &&
           shortest >= ROW_LONG;
}

/* ---- the list ---- */

typedef void (*row_visit)(void *context, uint64_t offset, uint8_t *place, size_t size);

/* Each turn of the outer loops is one stretch. */
static void each_row(const vz_work *work, const vz_box *box, row_visit visit, void *context)
{
    const unsigned outer = box->loop_count ? box->loop_count - 1 : 0;
    const uint64_t size = (box->loop_count ? box->loops[outer].count : 1) * work->layout.chunk_element;
    uint64_t low[2 * VZ_MAX_RANK] = {0}, high[2 * VZ_MAX_RANK], at[2 * VZ_MAX_RANK] = {0};
    for (unsigned i = 0; i < outer; i++)
        high[i] = box->loops[i].count;
    do {
        uint64_t offset = box->chunk_offset, memory = box->memory_offset;
        for (unsigned i = 0; i < outer; i++) {
            offset += at[i] * (uint64_t)box->loops[i].chunk_step;
            memory += at[i] * (uint64_t)box->loops[i].memory_step;
        }
        visit(context, offset, (uint8_t *)work->transfer->buffer + memory, size);
    } while (vz_grid_next(outer, low, high, at));
}

typedef struct row_list {
    const vz_work *work;
    uint64_t head;
    vz_range *ranges;
    vz_buffer *places;
    size_t count;
} row_list;

static void add_range(void *context, uint64_t offset, uint8_t *place, size_t size)
{
    row_list *list = context;
    list->ranges[list->count] = (vz_range){VZ_RANGE_AT, list->head + offset, size};
    list->places[list->count++] = vz_buffer_borrow(place, size);
}

static bool list_rows(void *context, const vz_box *box, vz_error *err)
{
    row_list *list = context;
    (void)err;
    each_row(list->work, box, add_range, list);
    return true;
}

bool vz_rows_list(const vz_work *work, vz_work_job *job, uint64_t head, vz_error *err)
{
    job->row_ranges = malloc(job->rows * sizeof *job->row_ranges);
    job->row_places = malloc(job->rows * sizeof *job->row_places);
    row_list list = {.work = work, .head = head, .ranges = job->row_ranges, .places = job->row_places};
    if (!list.ranges || !list.places)
        return vz_fail_memory(err);
    const bool ok = vz_piece_walk(&work->layout, &job->piece, list_rows, &list, err);
    job->rows = list.count;
    return ok;
}

void vz_rows_forget(vz_work_job *job)
{
    free(job->row_ranges);
    free(job->row_places);
    job->row_ranges = NULL;
    job->row_places = NULL;
}

size_t vz_rows_parts(const vz_work *work, vz_work_job *job, vz_codec_part *parts, size_t most)
{
    uint64_t shortest;
    size_t count = 0;
    if (!is_rows(work, job, most, &shortest) || shortest < PART_MIN)
        return 0;
    if (vz_rows_list(work, job, 0, NULL))
        for (; count < job->rows; count++)
            parts[count] = (vz_codec_part){job->row_ranges[count].offset, job->row_ranges[count].size,
                                           job->row_places[count].data};
    vz_rows_forget(job);
    return count;
}

/* ---- of a chunk that is written ---- */

typedef struct part_list {
    const vz_work *work;
    vz_bytes *parts;
    size_t count;
    uint64_t end; /* of those so far, in the chunk */
    bool follows; /* each begins where the one before it ends */
} part_list;

static void add_part(void *context, uint64_t offset, uint8_t *place, size_t size)
{
    part_list *list = context;
    list->parts[list->count++] = (vz_bytes){place, size};
    list->follows = list->follows && offset == list->end;
    list->end += size;
}

static bool list_parts(void *context, const vz_box *box, vz_error *err)
{
    part_list *list = context;
    (void)err;
    each_row(list->work, box, add_part, list);
    return true;
}

bool vz_rows_are_parts(const vz_work *work, vz_work_job *job, vz_buffer *memory, vz_parts *parts)
{
    const size_t chunk_size = work->array->meta->chunk_size;
    uint64_t shortest;
    if (!vz_chunk_takes_parts(work->array) || job->piece.cut_count > 0 || chunk_size < ALL_MIN ||
        !vz_grid_is_full(work->array->meta, job->piece.chunk) ||
        !is_rows(work, job, chunk_size / ROW_LONG, &shortest) || shortest < ROW_LONG)
        return false;
    memory->size = 0;
    if (!vz_buffer_reserve(memory, job->rows * sizeof(vz_bytes), NULL))
        return false;
    part_list list = {.work = work, .parts = (vz_bytes *)memory->data, .follows = true};
    if (!vz_piece_walk(&work->layout, &job->piece, list_parts, &list, NULL))
        return false;
    *parts = (vz_parts){list.parts, list.count};
    return list.follows && list.end == chunk_size;
}
