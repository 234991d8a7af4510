/* thumbnail_strided.c - thumbnails of large arrays: one element of each pixel, chunk by chunk. */
#include "base/os/process.h"
#include "base/util/c_library.h"
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 65536 /* of one read */

/* The index in the array of the element of a pixel. */
static uint64_t index_of(const vz_sample_part *part, int dimension, uint64_t of, unsigned pixels, unsigned pixel)
{
    return part->start[dimension] +
           (uint64_t)((2 * (unsigned __int128)pixel + 1) * of / (2 * (unsigned __int128)pixels)) *
               part->step[dimension];
}

/* Pixels from `from` on whose elements lie in one chunk along the dimension: where they end. */
static unsigned end_of_chunk(const vz_sample_pixels *p, int dimension, uint64_t of, unsigned pixels, unsigned from)
{
    const vz_sample_chunk_list *list = vz_sample_chunk_list_of(p->array);
    const vz_sample_part *part = &p->picture->part;
    if (dimension < 0)
        return 1;
    const unsigned along = (unsigned)dimension;
    const uint64_t chunk = vz_sample_chunk_at(list, along, index_of(part, dimension, of, pixels, from));
    unsigned end = from + 1;
    while (end < pixels && vz_sample_chunk_at(list, along, index_of(part, dimension, of, pixels, end)) == chunk)
        end++;
    return end;
}

/* Pixels whose elements lie in one chunk. */
typedef struct tile {
    unsigned x, y, x_end, y_end;
} tile;

/* The element of a pixel. */
static void place_of(const vz_sample_pixels *p, unsigned x, unsigned y, uint64_t *at)
{
    const vz_sample_picture *picture = p->picture;
    const vz_sample_part *part = &picture->part;
    memcpy(at, part->start, part->rank * sizeof *at);
    at[picture->column_dimension] = index_of(part, picture->column_dimension, p->columns, picture->width, x);
    if (picture->row_dimension >= 0)
        at[picture->row_dimension] = index_of(part, picture->row_dimension, p->rows, picture->height, y);
}

static bool is_stored(const vz_sample_pixels *p, unsigned x, unsigned y)
{
    static const uint64_t ones[VZ_SAMPLE_RANK_MAX] = {[0 ... VZ_SAMPLE_RANK_MAX - 1] = 1};
    uint64_t at[VZ_SAMPLE_RANK_MAX];
    place_of(p, x, y, at);
    return vz_sample_chunks_stored(vz_sample_chunk_list_of(p->array), at, ones, 1) > 0;
}

/* Rows of pixels that have elements of their own. */
static unsigned pixel_rows(const vz_sample_picture *picture)
{
    return picture->row_dimension < 0 ? 1 : picture->height;
}

static bool next_tile(const vz_sample_pixels *p, tile *t)
{
    const vz_sample_picture *picture = p->picture;
    t->x = t->x_end;
    if (t->x == picture->width || t->y_end == 0) {
        t->x = 0;
        t->y = t->y_end;
        if (t->y == pixel_rows(picture))
            return false;
        t->y_end = end_of_chunk(p, picture->row_dimension, p->rows, picture->height, t->y);
    }
    t->x_end = end_of_chunk(p, picture->column_dimension, p->columns, picture->width, t->x);
    return true;
}

void vz_sample_pixels_shrink(vz_sample_pixels *p)
{
    vz_sample_picture *picture = p->picture;
    const uint64_t bytes = p->array->facts.is_chunked ? vz_sample_chunk_bytes(p->array) : 0;
    for (;;) {
        uint64_t stored = 0;
        for (tile t = {0}; bytes && next_tile(p, &t);)
            stored += is_stored(p, t.x, t.y);
        if (vz_sample_product(stored, bytes) <= VZ_SAMPLE_BYTES_MAX || stored <= 1)
            return;
        picture->width = (picture->width + 1) / 2;
        if (picture->row_dimension >= 0)
            picture->height = (picture->height + 1) / 2;
    }
}

/* ---- reading ---- */

static void note_tile(vz_sample_pixels *p, const tile *t, vz_sample_pixel state)
{
    for (unsigned y = t->y; y < t->y_end; y++)
        for (unsigned x = t->x; x < t->x_end; x++)
            vz_sample_pixels_note(p, (uint64_t)y * p->picture->width + x, state);
}

static size_t list_points(const vz_sample_pixels *p, const tile *t, hsize_t *points)
{
    uint64_t at[VZ_SAMPLE_RANK_MAX];
    const unsigned rank = p->array->facts.rank;
    const int channel = vz_sample_pixels_channel(p);
    size_t count = 0;
    for (unsigned y = t->y; y < t->y_end; y++)
        for (unsigned x = t->x; x < t->x_end; x++) {
            place_of(p, x, y, at);
            for (unsigned c = 0; c < p->picture->channels; c++, count++) {
                if (channel >= 0)
                    at[channel] = c;
                for (unsigned i = 0; i < rank; i++)
                    points[count * rank + i] = at[i];
            }
        }
    return count;
}

static bool read_points(vz_sample_pixels *p, const hsize_t *points, size_t count, void *elements, vz_error *err)
{
    const hsize_t length = count;
    const hid_t space = H5Dget_space(p->array->id), memory = H5Screate_simple(1, &length, NULL);
    const bool ok = space >= 0 && memory >= 0 && H5Sselect_elements(space, H5S_SELECT_SET, count, points) >= 0 &&
                    H5Dread(p->array->id, p->type, memory, space, H5P_DEFAULT, elements) >= 0;
    if (!ok)
        vz_convert_h5_fail(err, "cannot be read");
    vz_convert_id_close(memory);
    vz_convert_id_close(space);
    return ok;
}

/* Of an array in one piece, which may be too large to be decoded for a look: each by itself. How
 * many were read before one failed, or the time was over. */
static size_t read_each(vz_sample_pixels *p, const hsize_t *points, size_t count, char *elements)
{
    size_t done = 0;
    vz_error ignored = VZ_ERROR_NONE;
    if (!vz_sample_chunk_list_of(p->array)->is_one)
        return 0;
    while (done < count && vz_os_now_ns() <= p->until &&
           read_points(p, points + done * p->array->facts.rank, 1, elements + done * p->size, &ignored))
        done++;
    return done;
}

/* Pixels of a tile, of which so many elements were read. */
static void add_tile(vz_sample_pixels *p, const tile *t, const void *elements, size_t count)
{
    size_t i = 0;
    for (unsigned y = t->y; y < t->y_end; y++)
        for (unsigned x = t->x; x < t->x_end; x++)
            for (unsigned c = 0; c < p->picture->channels; c++, i++) {
                const uint64_t pixel = (uint64_t)y * p->picture->width + x;
                if (i < count)
                    vz_sample_pixels_add(p, pixel, c, vz_sample_pixels_value(p, elements, i));
                else
                    vz_sample_pixels_note(p, pixel, VZ_PIXEL_SKIPPED);
            }
}

static bool take_tile(vz_sample_pixels *p, const tile *t, vz_error *err)
{
    vz_sample_picture *picture = p->picture;
    const size_t most = (size_t)(t->y_end - t->y) * (t->x_end - t->x) * picture->channels;
    hsize_t *points = vz_realloc_items(NULL, most, p->array->facts.rank * sizeof *points);
    void *elements = vz_realloc_items(NULL, most, p->size);
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = (points && elements) || vz_fail_memory(err);
    const size_t count = ok ? list_points(p, t, points) : 0;
    size_t done = ok && read_points(p, points, count, elements, &failed) ? count : 0;
    if (ok && done == 0)
        done = read_each(p, points, count, elements);
    if (done > 0) {
        add_tile(p, t, elements, done);
    } else if (ok) {
        note_tile(p, t, VZ_PIXEL_UNREADABLE);
        if (picture->unreadable++ == 0)
            snprintf(picture->why, sizeof picture->why, "%s", failed.text);
    }
    free(points);
    free(elements);
    return ok;
}

/* Of as many rows as one read may have points for. */
static bool take_rows(vz_sample_pixels *p, const tile *t, vz_error *err)
{
    const unsigned along = (t->x_end - t->x) * p->picture->channels;
    const unsigned rows = POINTS_MAX / along ? POINTS_MAX / along : 1;
    bool ok = true;
    for (unsigned y = t->y; ok && y < t->y_end; y += rows) {
        const tile part = {t->x, y, t->x_end, y + rows < t->y_end ? y + rows : t->y_end};
        ok = take_tile(p, &part, err);
    }
    return ok;
}

bool vz_sample_pixels_take_some(vz_sample_pixels *p, vz_error *err)
{
    bool ok = true;
    for (tile t = {0}; ok && next_tile(p, &t);) {
        if (!is_stored(p, t.x, t.y))
            note_tile(p, &t, VZ_PIXEL_ABSENT);
        else if (vz_os_now_ns() > p->until)
            note_tile(p, &t, VZ_PIXEL_SKIPPED);
        else
            ok = take_rows(p, &t, err);
    }
    return ok;
}
