/* compare_elements.c - extents and elements of two datasets. */
#include "command/convert/compare_internal.h"
#include "command/convert/copy_internal.h"
#include <stdlib.h>
#include <string.h>

static bool differ_extents(vz_comparison *v, hid_t a, hid_t b, vz_error *err)
{
    vz_buffer text[2] = {0};
    bool ok = vz_words_extent(a, false, &text[SOURCE], err) && vz_words_extent(b, false, &text[TARGET], err);
    if (ok && strcmp((const char *)text[SOURCE].data, (const char *)text[TARGET].data) == 0) {
        text[SOURCE].size = text[TARGET].size = 0;
        ok = vz_words_extent(a, true, &text[SOURCE], err) && vz_words_extent(b, true, &text[TARGET], err);
    }
    ok = ok && vz_compare_differ_texts(v, VZ_DIFFERENCE_EXTENT, NULL, (const char *)text[SOURCE].data,
                                       (const char *)text[TARGET].data, err);
    vz_buffer_clear(&text[SOURCE]);
    vz_buffer_clear(&text[TARGET]);
    return ok;
}

static bool is_same_shape(hid_t a, hid_t b)
{
    hsize_t one[H5S_MAX_RANK] = {0}, other[H5S_MAX_RANK] = {0};
    const int rank = H5Sget_simple_extent_ndims(a);
    return rank == H5Sget_simple_extent_ndims(b) && H5Sget_simple_extent_type(a) == H5Sget_simple_extent_type(b) &&
           H5Sget_simple_extent_dims(a, one, NULL) >= 0 && H5Sget_simple_extent_dims(b, other, NULL) >= 0 &&
           memcmp(one, other, sizeof one) == 0;
}

bool vz_compare_extents(vz_comparison *v, hid_t a, hid_t b, bool *same, vz_error *err)
{
    *same = false;
    if (a < 0 || b < 0)
        return vz_convert_h5_fail(err, "its extent cannot be had");
    *same = is_same_shape(a, b);
    return H5Sextent_equal(a, b) > 0 || differ_extents(v, a, b, err);
}

bool vz_compare_count(vz_comparison *v, const vz_convert_element *element, const void *a, const void *b, size_t count,
                      uint64_t *differ, size_t *first, vz_error *err)
{
    *differ = 0;
    for (size_t done = 0; done < count;) {
        bool same = true;
        size_t where = 0;
        if (!vz_convert_element_compare(element, (const char *)a + done * element->size,
                                        (const char *)b + done * element->size, count - done, vz_compare_reference, v,
                                        &same, &where, err))
            return false;
        if (same)
            return true;
        if ((*differ)++ == 0)
            *first = done + where;
        if (!v->how->goes_on)
            return true;
        done += where + 1;
    }
    return true;
}

/* ---- boxes ---- */

typedef struct pair {
    vz_comparison *v;
    hid_t dataset[2], type[2], space[2];
    vz_convert_element *element;
    vz_slabs slabs;
    uint64_t memory, room[2];
    void *buffer[2];
    uint64_t differ;          /* elements that did */
    vz_buffer place, text[2]; /* of the first one */
} pair;

static bool note_first(pair *p, const uint64_t *start, const uint64_t *extent, uint64_t number, vz_error *err)
{
    bool ok = true;
    for (int side = 0; ok && side < 2; side++)
        ok = vz_words_value(p->v->file[side], p->type[side], (const char *)p->buffer[side] + number * p->element->size,
                            &p->text[side], err);
    return ok && vz_words_place(p->slabs.rank, start, extent, number, &p->place, err);
}

static bool compare_box(pair *p, const hid_t space[2], const uint64_t *start, const uint64_t *extent, uint64_t count,
                        vz_error *err)
{
    uint64_t differ = 0;
    size_t first = 0;
    bool ok = true, was_read[2] = {false, false};
    for (int side = 0; ok && side < 2; side++) {
        was_read[side] =
            H5Dread(p->dataset[side], p->type[side], space[side], p->space[side], H5P_DEFAULT, p->buffer[side]) >= 0;
        ok = was_read[side] ||
             vz_convert_h5_fail(err, "its elements cannot be read %s", side ? "in the target" : "in the source");
    }
    ok = ok && vz_compare_count(p->v, p->element, p->buffer[SOURCE], p->buffer[TARGET], count, &differ, &first, err);
    if (ok && p->element->has_variable)
        vz_boxes_adapt(&p->slabs, p->element, p->buffer[SOURCE], count, p->memory);
    if (ok && differ > 0 && p->differ == 0)
        ok = note_first(p, start, extent, first, err);
    p->differ += differ;
    for (int side = 0; side < 2; side++)
        if (was_read[side] && p->element->has_variable)
            H5Treclaim(p->type[side], space[side], H5P_DEFAULT, p->buffer[side]);
    return ok;
}

static bool compare_at(pair *p, const uint64_t *start, const uint64_t *extent, vz_error *err)
{
    const uint64_t count = vz_slabs_count(p->slabs.rank, extent);
    hid_t space[2] = {-1, -1};
    bool ok = true;
    for (int side = 0; ok && side < 2; side++) {
        space[side] = vz_convert_box_select(p->slabs.rank, start, extent, p->space[side], err);
        ok = space[side] >= 0 && vz_convert_box_reserve(&p->buffer[side], &p->room[side], count, p->element->size, err);
    }
    ok = ok && compare_box(p, space, start, extent, count, err);
    vz_compare_close(space);
    if (ok && p->v->request->watch.done)
        p->v->request->watch.done(p->v->request->watch.context, count * p->element->size);
    return ok;
}

static bool is_enough(const pair *p)
{
    return p->differ > 0 && !p->v->how->goes_on;
}

/* ---- the fill value ---- */

static bool differ_fill(pair *p, void *const fill[2], vz_error *err)
{
    vz_buffer text[2] = {0};
    bool ok = true;
    for (int side = 0; ok && side < 2; side++)
        ok = vz_words_value(p->v->file[side], p->type[side], fill[side], &text[side], err);
    ok = ok && vz_compare_differ_texts(p->v, VZ_DIFFERENCE_FILL, NULL, (const char *)text[SOURCE].data,
                                       (const char *)text[TARGET].data, err);
    vz_buffer_clear(&text[SOURCE]);
    vz_buffer_clear(&text[TARGET]);
    return ok;
}

/* As the lists of properties have it. Text and references have an empty one, or null. */
static bool compare_fill(pair *p, bool *same, vz_error *err)
{
    size_t where;
    *same = true;
    if (p->element->has_variable || p->element->has_reference)
        return true;
    void *fill[2] = {calloc(1, p->element->size), calloc(1, p->element->size)};
    bool ok = (fill[SOURCE] && fill[TARGET]) || vz_fail_memory(err), is_defined = true;
    for (int side = 0; ok && side < 2; side++) {
        H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
        const hid_t dcpl = H5Dget_create_plist(p->dataset[side]);
        ok = (dcpl >= 0 && H5Pfill_value_defined(dcpl, &defined) >= 0 &&
              (defined == H5D_FILL_VALUE_UNDEFINED || H5Pget_fill_value(dcpl, p->type[side], fill[side]) >= 0)) ||
             vz_convert_h5_fail(err, "its fill value cannot be had");
        is_defined = is_defined && defined != H5D_FILL_VALUE_UNDEFINED;
        vz_convert_id_close(dcpl);
    }
    if (!is_defined)
        memcpy(fill[SOURCE], fill[TARGET], fill[SOURCE] && fill[TARGET] ? p->element->size : 0);
    ok = ok && vz_convert_element_compare(p->element, fill[SOURCE], fill[TARGET], 1, vz_compare_reference, p->v, same,
                                          &where, err);
    if (ok && !*same)
        ok = differ_fill(p, fill, err);
    free(fill[SOURCE]);
    free(fill[TARGET]);
    return ok;
}

/* ---- all elements ---- */

static bool has_box(const vz_convert_stored_chunks *list, hid_t dataset, const uint64_t *start, const uint64_t *extent,
                    unsigned rank)
{
    uint64_t at[VZ_SLABS_RANK_MAX], size[VZ_SLABS_RANK_MAX];
    size_t low = 0, high = list->count;
    while (low < high) { /* sorted by offset, in C order */
        const size_t middle = low + (high - low) / 2;
        int order = 0;
        for (unsigned i = 0; order == 0 && i < rank; i++)
            order = (list->items[middle].offset[i] > start[i]) - (list->items[middle].offset[i] < start[i]);
        if (order == 0)
            return vz_convert_stored_box(dataset, list, middle, at, size) &&
                   memcmp(size, extent, rank * sizeof *size) == 0;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static int by_offset(const void *a, const void *b)
{
    const vz_convert_chunk_info *one = a, *other = b;
    for (int i = 0; i < H5S_MAX_RANK; i++)
        if (one->offset[i] != other->offset[i])
            return one->offset[i] < other->offset[i] ? -1 : 1;
    return 0;
}

/* Compares chunks that one of them has stored; all others are fill value in both. */
static bool compare_stored(pair *p, const vz_convert_stored_chunks stored[2], vz_error *err)
{
    uint64_t start[VZ_SLABS_RANK_MAX], extent[VZ_SLABS_RANK_MAX];
    bool ok = true;
    for (int side = 0; ok && side < 2; side++)
        for (size_t i = 0; ok && i < stored[side].count && !is_enough(p); i++) {
            if (!vz_convert_stored_box(p->dataset[side], &stored[side], i, start, extent))
                return vz_fail(err, VZ_CORRUPT, "a chunk lies beyond its extent");
            if (side == TARGET && has_box(&stored[SOURCE], p->dataset[SOURCE], start, extent, p->slabs.rank))
                continue;
            ok = compare_at(p, start, extent, err);
        }
    return ok;
}

static bool compare_sparse(pair *p, vz_convert_stored_chunks stored[2], bool *done, vz_error *err)
{
    bool same_fill = true;
    *done = true;
    for (int side = 0; *done && side < 2; side++)
        *done = vz_convert_stored_is_nothing(p->dataset[side], &stored[side]) ||
                vz_convert_stored_take_sparse(p->dataset[side], &stored[side]);
    if (!*done)
        return true;
    if (stored[SOURCE].count)
        qsort(stored[SOURCE].items, stored[SOURCE].count, sizeof *stored[SOURCE].items, by_offset);
    return vz_boxes_begin(&p->slabs, p->dataset[SOURCE], p->dataset[TARGET], p->element, p->memory, err) &&
           compare_fill(p, &same_fill, err) && compare_stored(p, stored, err);
}

static bool compare_boxes(pair *p, vz_error *err)
{
    uint64_t start[VZ_SLABS_RANK_MAX], extent[VZ_SLABS_RANK_MAX];
    vz_convert_stored_chunks stored[2] = {0};
    bool done, same_fill;
    bool ok = compare_sparse(p, stored, &done, err);
    vz_convert_stored_clear(&stored[SOURCE]);
    vz_convert_stored_clear(&stored[TARGET]);
    if (done || !ok)
        return ok;
    ok = (!p->v->how->goes_on || compare_fill(p, &same_fill, err)) &&
         vz_boxes_begin(&p->slabs, p->dataset[SOURCE], p->dataset[TARGET], p->element, p->memory, err);
    while (ok && !is_enough(p) && vz_slabs_next(&p->slabs, start, extent))
        ok = compare_at(p, start, extent, err);
    return ok;
}

static bool open_pair(pair *p, vz_error *err)
{
    for (int side = 0; side < 2; side++) {
        const hid_t type = H5Dget_type(p->dataset[side]);
        p->space[side] = H5Dget_space(p->dataset[side]);
        p->type[side] = type < 0 ? type : H5Tcopy(type);
        vz_convert_id_close(type);
        if (p->type[side] >= 0)
            p->type[side] = vz_convert_copy_netcdf_type(p->v->request, p->type[side], err);
    }
    if (p->type[SOURCE] < 0 || p->type[TARGET] < 0)
        return vz_convert_h5_fail(err, "its type cannot be had");
    p->element = vz_convert_element_of(p->type[SOURCE], err);
    return p->element != NULL;
}

static bool differ_elements(const pair *p, vz_error *err)
{
    const hssize_t of = H5Sget_simple_extent_npoints(p->space[SOURCE]);
    return vz_compare_differ(
        p->v,
        (vz_difference){.kind = VZ_DIFFERENCE_VALUE,
                        .text = {(const char *)p->text[SOURCE].data, (const char *)p->text[TARGET].data},
                        .place = (const char *)p->place.data,
                        .count = p->v->how->goes_on ? p->differ : 0,
                        .of = of < 0 ? 0 : (uint64_t)of},
        err);
}

bool vz_compare_elements(vz_comparison *v, hid_t a, hid_t b, vz_error *err)
{
    pair p = {.v = v, .dataset = {a, b}, .memory = v->request->memory / 4};
    vz_error failed = VZ_ERROR_NONE;
    bool ok = open_pair(&p, &failed) && compare_boxes(&p, &failed);
    const bool reported = !ok && failed.class == VZ_CHANGED; /* the reporter has enough */
    if (ok && p.differ > 0)
        ok = differ_elements(&p, err);
    else if (reported)
        *err = failed;
    else if (!ok)
        ok = vz_compare_unreadable(v, &failed, err);
    vz_convert_element_free(p.element);
    for (int side = 0; side < 2; side++) {
        free(p.buffer[side]);
        vz_buffer_clear(&p.text[side]);
        vz_convert_id_close(p.type[side]);
        vz_convert_id_close(p.space[side]);
    }
    vz_buffer_clear(&p.place);
    return ok;
}
