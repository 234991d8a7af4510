/* verify_elements.c - extents and elements of two datasets. */
#include "command/convert/copy_internal.h"
#include "command/convert/verify_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool vz_verify_extent(hid_t a, hid_t b, vz_error *err)
{
    if (a < 0 || b < 0)
        return vz_convert_h5_fail(err, "its extent cannot be had");
    return H5Sextent_equal(a, b) > 0 || vz_differ(err, "the extents differ");
}

typedef struct pair {
    vz_verification *v;
    hid_t dataset[2], type[2], space[2];
    vz_convert_element *element;
    vz_slabs slabs;
    uint64_t memory, room[2];
    void *buffer[2];
} pair;

/* The place of the element with that number in a box, as text. */
static bool differ_at(const pair *p, const uint64_t *start, const uint64_t *extent, uint64_t number, vz_error *err)
{
    char text[256] = "";
    uint64_t at[VZ_SLABS_RANK_MAX];
    for (unsigned i = p->slabs.rank; i-- > 0; number /= extent[i])
        at[i] = start[i] + number % extent[i];
    for (unsigned i = 0; i < p->slabs.rank; i++) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%llu", i ? ", " : "", (unsigned long long)at[i]);
    }
    return vz_differ(err, "the values at (%s) differ", text);
}

static bool compare_box(pair *p, const hid_t space[2], const uint64_t *start, const uint64_t *extent, uint64_t count,
                        vz_error *err)
{
    bool same = true;
    size_t where = 0;
    bool ok = true, was_read[2] = {false, false};
    for (int side = 0; ok && side < 2; side++) {
        was_read[side] =
            H5Dread(p->dataset[side], p->type[side], space[side], p->space[side], H5P_DEFAULT, p->buffer[side]) >= 0;
        ok = was_read[side] ||
             vz_convert_h5_fail(err, "its elements cannot be read %s", side ? "in the target" : "in the source");
    }
    ok = ok && vz_convert_element_compare(p->element, p->buffer[SOURCE], p->buffer[TARGET], count, vz_verify_reference,
                                          p->v, &same, &where, err);
    if (ok && p->element->has_variable)
        vz_boxes_adapt(&p->slabs, p->element, p->buffer[SOURCE], count, p->memory);
    for (int side = 0; side < 2; side++)
        if (was_read[side] && p->element->has_variable)
            H5Treclaim(p->type[side], space[side], H5P_DEFAULT, p->buffer[side]);
    return ok && (same || differ_at(p, start, extent, where, err));
}

static bool verify_box(pair *p, const uint64_t *start, const uint64_t *extent, vz_error *err)
{
    const uint64_t count = vz_slabs_count(p->slabs.rank, extent);
    hid_t space[2] = {-1, -1};
    bool ok = true;
    for (int side = 0; ok && side < 2; side++) {
        space[side] = vz_convert_box_select(p->slabs.rank, start, extent, p->space[side], err);
        ok = space[side] >= 0 && vz_convert_box_reserve(&p->buffer[side], &p->room[side], count, p->element->size, err);
    }
    ok = ok && compare_box(p, space, start, extent, count, err);
    vz_convert_id_close(space[SOURCE]);
    vz_convert_id_close(space[TARGET]);
    if (ok && p->v->request->watch.done)
        p->v->request->watch.done(p->v->request->watch.context, count * p->element->size);
    return ok;
}

/* The fill values, as the lists of properties have them. */
static bool verify_fill(pair *p, vz_error *err)
{
    bool ok = true, same = true;
    size_t where;
    if (p->element->has_variable || p->element->has_reference)
        return true; /* empty, or null */
    void *fill[2] = {calloc(1, p->element->size), calloc(1, p->element->size)};
    ok = (fill[SOURCE] && fill[TARGET]) || vz_fail_memory(err);
    for (int side = 0; ok && side < 2; side++) {
        const hid_t dcpl = H5Dget_create_plist(p->dataset[side]);
        ok = (dcpl >= 0 && H5Pget_fill_value(dcpl, p->type[side], fill[side]) >= 0) ||
             vz_convert_h5_fail(err, "its fill value cannot be had");
        vz_convert_id_close(dcpl);
    }
    ok = ok && vz_convert_element_compare(p->element, fill[SOURCE], fill[TARGET], 1, vz_verify_reference, p->v, &same,
                                          &where, err);
    free(fill[SOURCE]);
    free(fill[TARGET]);
    return ok && (same || vz_differ(err, "the fill values differ"));
}

/* Compares chunks that one of them has stored; all others are fill value in both. */
static bool verify_stored(pair *p, const vz_convert_stored_chunks *stored, vz_error *err)
{
    uint64_t start[VZ_SLABS_RANK_MAX], extent[VZ_SLABS_RANK_MAX];
    bool ok = true;
    for (int side = 0; ok && side < 2; side++)
        for (size_t i = 0; ok && i < stored[side].count; i++)
            ok = vz_convert_stored_box(p->dataset[side], &stored[side], i, start, extent)
                     ? verify_box(p, start, extent, err)
                     : vz_fail(err, VZ_CORRUPT, "a chunk lies beyond its extent");
    return ok;
}

static bool verify_boxes(pair *p, vz_error *err)
{
    uint64_t start[VZ_SLABS_RANK_MAX], extent[VZ_SLABS_RANK_MAX];
    vz_convert_stored_chunks stored[2] = {0};
    if (vz_convert_stored_take_sparse(p->dataset[SOURCE], &stored[SOURCE]) &&
        vz_convert_stored_take_sparse(p->dataset[TARGET], &stored[TARGET]) &&
        vz_boxes_begin(&p->slabs, p->dataset[SOURCE], p->dataset[TARGET], p->element, p->memory, err)) {
        const bool same = verify_fill(p, err) && verify_stored(p, stored, err);
        vz_convert_stored_clear(&stored[SOURCE]);
        vz_convert_stored_clear(&stored[TARGET]);
        return same;
    }
    vz_convert_stored_clear(&stored[SOURCE]);
    vz_convert_stored_clear(&stored[TARGET]);
    bool ok = vz_boxes_begin(&p->slabs, p->dataset[SOURCE], p->dataset[TARGET], p->element, p->memory, err);
    while (ok && vz_slabs_next(&p->slabs, start, extent))
        ok = verify_box(p, start, extent, err);
    return ok;
}

bool vz_verify_elements(vz_verification *v, hid_t a, hid_t b, vz_error *err)
{
    pair p = {.v = v, .dataset = {a, b}, .memory = v->request->memory / 4};
    for (int side = 0; side < 2; side++) {
        const hid_t type = H5Dget_type(p.dataset[side]);
        p.space[side] = H5Dget_space(p.dataset[side]);
        p.type[side] = type < 0 ? type : H5Tcopy(type);
        vz_convert_id_close(type);
        if (p.type[side] >= 0)
            p.type[side] = vz_convert_copy_netcdf_type(v->request, p.type[side], err);
    }
    bool ok = (p.type[SOURCE] >= 0 && p.type[TARGET] >= 0) || vz_convert_h5_fail(err, "its type cannot be had");
    ok = ok && vz_verify_extent(p.space[SOURCE], p.space[TARGET], err) &&
         (p.element = vz_convert_element_of(p.type[SOURCE], err)) && verify_boxes(&p, err);
    vz_convert_element_free(p.element);
    for (int side = 0; side < 2; side++) {
        free(p.buffer[side]);
        vz_convert_id_close(p.type[side]);
        vz_convert_id_close(p.space[side]);
    }
    return ok;
}
