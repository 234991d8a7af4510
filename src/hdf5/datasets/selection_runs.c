/* selection_runs.c - irregular selections as runs, and copies between the memory selection and a
 * packed buffer. */
#include "hdf5/datasets/space_internal.h"

#include <stdlib.h>

#define SEQUENCES 4096 /* sequences fetched from HDF5 in one call */

/* One selection as a stream of (offset, length) pieces, counted in elements. */
typedef struct stream {
    hid_t iterator; /* invalid: contiguous */
    uint64_t left;  /* elements not yet fetched from the iterator */
    size_t next, fetched;
    hsize_t offset[SEQUENCES];
    size_t length[SEQUENCES];
} stream;

static stream *stream_open(hid_t space, uint64_t count, bool contiguous, uint64_t first, vz_error *err)
{
    stream *s = malloc(sizeof *s);
    if (!s) {
        vz_fail_memory(err);
        return NULL;
    }
    s->next = s->fetched = 0;
    s->left = count;
    s->iterator = H5I_INVALID_HID;
    if (contiguous) {
        s->offset[0] = first;
        s->length[0] = (size_t)count;
        s->fetched = 1;
        s->left = 0;
        return s;
    }
    s->iterator = H5Ssel_iter_create(space, 1, 0);
    if (s->iterator < 0) {
        vz_fail(err, VZ_HDF5, "cannot walk a selection");
        free(s);
        return NULL;
    }
    return s;
}

static void stream_close(stream *s)
{
    if (!s)
        return;
    if (s->iterator >= 0)
        H5Ssel_iter_close(s->iterator);
    free(s);
}

/* Makes sure that a piece stands at s->next; false at the end (no error) or on failure. */
static bool stream_fill(stream *s, vz_error *err)
{
    size_t elements = 0;
    if (s->next < s->fetched)
        return true;
    s->next = s->fetched = 0;
    if (s->left == 0)
        return false;
    if (H5Ssel_iter_get_seq_list(s->iterator, SEQUENCES, (size_t)s->left, &s->fetched, &elements, s->offset,
                                 s->length) < 0)
        return vz_fail(err, VZ_HDF5, "cannot walk a selection");
    s->left -= elements;
    return s->fetched > 0;
}

/* Uses up `count` elements of the current piece. */
static void stream_take(stream *s, uint64_t count)
{
    s->offset[s->next] += count;
    s->length[s->next] -= (size_t)count;
    if (s->length[s->next] == 0)
        s->next++;
}

struct vz_pair_runs {
    stream *file;
    stream *memory;   /* NULL: packed */
    uint64_t granted; /* packed: elements still allowed */
    uint64_t position;
};

vz_pair_runs *vz_pair_runs_open(const vz_pair *pair, bool packed, vz_error *err)
{
    vz_pair_runs *runs = calloc(1, sizeof *runs);
    if (!runs) {
        vz_fail_memory(err);
        return NULL;
    }
    runs->granted = packed ? 0 : UINT64_MAX;
    runs->file = stream_open(pair->file, pair->count, false, 0, err);
    if (runs->file && !packed)
        runs->memory = stream_open(pair->memory, pair->count, pair->memory_contiguous, pair->memory_first, err);
    if (!runs->file || (!packed && !runs->memory)) {
        vz_pair_runs_close(runs);
        return NULL;
    }
    return runs;
}

void vz_pair_runs_more(vz_pair_runs *runs, uint64_t limit)
{
    runs->granted = limit;
    runs->position = 0;
}

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool vz_pair_runs_next(void *context, vz_point_run *out, size_t max, size_t *count, vz_error *err)
{
    vz_pair_runs *runs = context;
    vz_error inner = VZ_ERROR_NONE;
    *count = 0;
    while (*count < max && runs->granted > 0 && stream_fill(runs->file, &inner) &&
           (!runs->memory || stream_fill(runs->memory, &inner))) {
        stream *file = runs->file, *memory = runs->memory;
        uint64_t length = smaller(file->length[file->next], runs->granted);
        if (memory)
            length = smaller(length, memory->length[memory->next]);
        out[*count].array = file->offset[file->next];
        out[*count].memory = memory ? memory->offset[memory->next] : runs->position;
        out[*count].length = length;
        stream_take(file, length);
        if (memory) {
            stream_take(memory, length);
        } else {
            runs->position += length;
            runs->granted -= length;
        }
        ++*count;
    }
    if (inner.class != VZ_OK)
        return vz_fail(err, inner.class, "%s", inner.text);
    return true;
}

void vz_pair_runs_close(vz_pair_runs *runs)
{
    if (!runs)
        return;
    stream_close(runs->file);
    stream_close(runs->memory);
    free(runs);
}

struct vz_dataset_scatter {
    stream *memory;
    size_t element_size;
};

vz_dataset_scatter *vz_dataset_scatter_open(const vz_pair *pair, size_t element_size, vz_error *err)
{
    vz_dataset_scatter *scatter = malloc(sizeof *scatter);
    if (!scatter) {
        vz_fail_memory(err);
        return NULL;
    }
    scatter->element_size = element_size;
    scatter->memory = stream_open(pair->memory, pair->count, pair->memory_contiguous, pair->memory_first, err);
    if (!scatter->memory) {
        free(scatter);
        return NULL;
    }
    return scatter;
}

/* The next piece of at most `count` elements: its place in the buffer in bytes and its length in
 * elements. */
static bool next_piece(vz_dataset_scatter *scatter, uint64_t count, size_t *place, size_t *length, vz_error *err)
{
    stream *memory = scatter->memory;
    if (!stream_fill(memory, err))
        return vz_fail(err, VZ_INVALID, "the memory selection ends too early");
    *length = (size_t)smaller(memory->length[memory->next], count);
    *place = (size_t)memory->offset[memory->next] * scatter->element_size;
    stream_take(memory, *length);
    return true;
}

bool vz_dataset_scatter_out(vz_dataset_scatter *scatter, const void *packed, void *buffer, uint64_t count,
                            vz_error *err)
{
    const uint8_t *from = packed;
    size_t place, length;
    while (count > 0) {
        if (!next_piece(scatter, count, &place, &length, err))
            return false;
        memcpy((uint8_t *)buffer + place, from, length * scatter->element_size);
        from += length * scatter->element_size;
        count -= length;
    }
    return true;
}

bool vz_dataset_scatter_in(vz_dataset_scatter *scatter, const void *buffer, void *packed, uint64_t count, vz_error *err)
{
    uint8_t *to = packed;
    size_t place, length;
    while (count > 0) {
        if (!next_piece(scatter, count, &place, &length, err))
            return false;
        memcpy(to, (const uint8_t *)buffer + place, length * scatter->element_size);
        to += length * scatter->element_size;
        count -= length;
    }
    return true;
}

void vz_dataset_scatter_close(vz_dataset_scatter *scatter)
{
    if (!scatter)
        return;
    stream_close(scatter->memory);
    free(scatter);
}
