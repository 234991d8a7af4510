/* element_steps.c - finds the steps between a dtype and an HDF5 type. */
#include "hdf5/types/elements_internal.h"
#include "hdf5/types/types_internal.h"
#include <stdlib.h>

static bool build(vz_steps *steps, const vz_dtype *dtype, const vz_type_tree *layout, size_t stored, size_t shown,
                  vz_error *err);

static bool no_fit(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "the stored elements cannot be shown as this HDF5 datatype");
}

static bool add(vz_steps *steps, vz_step step, vz_error *err)
{
    vz_step *last = steps->count ? &steps->steps[steps->count - 1] : NULL;
    if (last && step.run == &vz_steps_run_copy && last->run == &vz_steps_run_copy &&
        last->stored + last->size == step.stored && last->shown + last->size == step.shown) {
        last->size += step.size;
        return true;
    }
    if (steps->count == steps->capacity) {
        const size_t capacity = steps->capacity ? 2 * steps->capacity : 8;
        vz_step *grown = realloc(steps->steps, capacity * sizeof *grown);
        if (!grown)
            return vz_fail_memory(err);
        steps->steps = grown;
        steps->capacity = capacity;
    }
    steps->steps[steps->count++] = step;
    return true;
}

/* Adds a step that owns `inner` (freed on failure). */
static bool add_with(vz_steps *steps, vz_step step, vz_steps *inner, vz_error *err)
{
    step.inner = inner;
    if (inner && add(steps, step, err))
        return true;
    vz_steps_free(inner);
    return false;
}

/* ---- one function for each kind of dtype ---- */

/* Elements of one size without pointers: only the order of bytes may differ. */
static bool add_fixed(vz_steps *steps, const vz_dtype *dtype, const vz_type_tree *layout, vz_step step, vz_error *err)
{
    if (layout->has_pointers || layout->size != dtype->size)
        return no_fit(err);
    step.run = &vz_steps_run_copy;
    step.size = dtype->size;
    const vz_type_tree *number =
        layout->is_complex ? (layout->base ? layout->base : layout->members[0].layout) : layout;
    const bool ordered = vz_dtype_is_number(dtype) || dtype->kind == VZ_DTYPE_COMPLEX;
    if (ordered && number->is_number && number->size > 1 && number->number.big_endian != dtype->big_endian) {
        step.run = &vz_steps_run_swap;
        step.unit = number->size;
    }
    return add(steps, step, err);
}

/* As the type that it is, or as a float of 32 bits. */
static bool add_narrow(vz_steps *steps, const vz_dtype *dtype, const vz_type_tree *layout, vz_step step, vz_error *err)
{
    const bool big = layout->exotic >= 0 && H5Tget_order(layout->exotic) == H5T_ORDER_BE;
    step.size = step.unit = dtype->size;
    if (layout->narrow == dtype->narrow) {
        step.run = dtype->size > 1 && big != dtype->big_endian ? &vz_steps_run_swap : &vz_steps_run_copy;
        return add(steps, step, err);
    }
    const bool is_integer = vz_narrow_form_of(dtype->narrow)->special == VZ_NARROW_INTEGER;
    if (is_integer || layout->class != H5T_FLOAT || !layout->is_number)
        return no_fit(err);
    step.run = &vz_steps_run_narrow;
    step.layout = layout;
    step.number = (vz_number_format){VZ_NUMBER_FLOAT, dtype->size, dtype->big_endian, dtype->narrow};
    return add(steps, step, err);
}

static bool add_unicode(vz_steps *steps, const vz_dtype *dtype, const vz_type_tree *layout, vz_step step, vz_error *err)
{
    if (!layout->is_variable)
        return no_fit(err);
    step.run = &vz_steps_run_unicode;
    step.size = dtype->size;
    step.big_endian = dtype->big_endian;
    return add(steps, step, err);
}

static vz_steps *steps_of(const vz_dtype *dtype, const vz_type_tree *layout, vz_error *err)
{
    vz_steps *steps = calloc(1, sizeof *steps);
    if (!steps) {
        vz_fail_memory(err);
        return NULL;
    }
    steps->stored_size = dtype->size;
    steps->shown_size = layout->size;
    if (!build(steps, dtype, layout, 0, 0, err)) {
        vz_steps_free(steps);
        return NULL;
    }
    return steps;
}

/* Sequences written by us: the items' bytes are packed little-endian elements. The steps keep
 * the dtype they were made for. */
static bool add_packed_sequence(vz_steps *steps, const vz_type_tree *layout, vz_step step, vz_error *err)
{
    vz_dtype *item = vz_type_to_zarr(layout->base, (vz_type_context){.inside = true, .little = true}, err);
    vz_steps *inner = item ? steps_of(item, layout->base, err) : NULL;
    if (inner)
        inner->owned = item;
    else
        vz_dtype_free(item);
    return add_with(steps, step, inner, err);
}

static bool add_json(vz_steps *steps, const vz_dtype *dtype, const vz_type_tree *layout, vz_step step, vz_error *err)
{
    if (!vz_type_json_item_fits(layout, dtype->item))
        return no_fit(err);
    step.run = &vz_steps_run_json;
    step.layout = layout;
    return add(steps, step, err);
}

static bool add_object(vz_steps *steps, const vz_dtype *dtype, const vz_type_tree *layout, vz_step step, vz_error *err)
{
    if (dtype->object == VZ_OBJECT_OTHER || dtype->object == VZ_OBJECT_NONE)
        return vz_fail(err, VZ_UNSUPPORTED, "objects encoded with \"%.60s\" cannot be read yet",
                       dtype->codec ? dtype->codec : "no object codec");
    if (dtype->object == VZ_OBJECT_JSON)
        return add_json(steps, dtype, layout, step, err);
    if (layout->class == H5T_STRING && dtype->object != VZ_OBJECT_SEQUENCE) {
        step.run = layout->is_variable ? &vz_steps_run_text : &vz_steps_run_fixed;
        step.layout = layout;
        return add(steps, step, err);
    }
    if (layout->class == H5T_VLEN && dtype->object != VZ_OBJECT_TEXT && !layout->base->has_pointers) {
        step.run = &vz_steps_run_sequence;
        if (dtype->object == VZ_OBJECT_BYTES)
            return add_packed_sequence(steps, layout, step, err);
        return add_with(steps, step, steps_of(dtype->item, layout->base, err), err);
    }
    if (dtype->object != VZ_OBJECT_BYTES || !vz_type_is_record(layout))
        return no_fit(err);
    step.run = &vz_steps_run_record;
    step.layout = layout;
    return add(steps, step, err);
}

/* A field with dimensions (made by others) is an array member. */
static bool add_field(vz_steps *steps, const vz_dtype_field *field, const vz_type_tree *layout, size_t stored,
                      size_t shown, vz_error *err)
{
    if (field->rank == 0)
        return build(steps, field->dtype, layout, stored, shown, err);
    size_t count = 1;
    for (unsigned d = 0; d < field->rank; d++)
        count *= field->dims[d]; /* the struct's size was checked when it was made */
    if (layout->class != H5T_ARRAY || layout->count != count)
        return no_fit(err);
    const vz_step step = {.run = &vz_steps_run_repeat, .stored = stored, .shown = shown, .count = count};
    return add_with(steps, step, steps_of(field->dtype, layout->base, err), err);
}

static bool build_members(vz_steps *steps, const vz_dtype *dtype, const vz_type_tree *layout, size_t stored,
                          size_t shown, vz_error *err)
{
    if (layout->count != dtype->field_count)
        return no_fit(err);
    for (size_t i = 0; i < dtype->field_count; i++) {
        const vz_dtype_field *field = &dtype->fields[i];
        const vz_type_tree_member *member = &layout->members[i];
        if (strcmp(field->name, member->name) != 0)
            return no_fit(err);
        const size_t first = steps->count;
        if (!add_field(steps, field, member->layout, stored + field->offset, shown + member->offset, err))
            return false;
        for (size_t s = first; s < steps->count; s++)
            steps->steps[s].is_member = true;
    }
    return true;
}

static bool build_numbered(vz_steps *steps, const vz_dtype *dtype, const vz_type_tree *layout, size_t stored,
                           size_t shown, vz_error *err)
{
    char name[24];
    if (layout->count != dtype->field_count)
        return no_fit(err);
    for (size_t i = 0; i < dtype->field_count; i++) {
        const vz_dtype_field *field = &dtype->fields[i];
        if (field->rank != 0 || strcmp(field->name, vz_type_field_name(i, name)) != 0)
            return no_fit(err);
        if (!build(steps, field->dtype, layout->base, stored + field->offset, shown + i * layout->base->size, err))
            return false;
    }
    return true;
}

/* As vz_type_repeated_row makes it, whatever a document may have under that name. */
static bool is_repeated(const vz_dtype *dtype)
{
    const vz_dtype_field *field = dtype->kind == VZ_DTYPE_STRUCT && dtype->field_count == 1 ? &dtype->fields[0] : NULL;
    return field && field->rank == 1 && strcmp(field->name, VZ_REPEATED_FIELD) == 0 &&
           field->dtype->kind == VZ_DTYPE_STRUCT && field->dims[0] == field->dtype->field_count;
}

static bool build(vz_steps *steps, const vz_dtype *dtype, const vz_type_tree *layout, size_t stored, size_t shown,
                  vz_error *err)
{
    const vz_step step = {.stored = stored, .shown = shown};
    if (dtype->kind == VZ_DTYPE_OBJECT || dtype->object == VZ_OBJECT_OTHER)
        return add_object(steps, dtype, layout, step, err);
    if (dtype->kind == VZ_DTYPE_UNICODE)
        return add_unicode(steps, dtype, layout, step, err);
    if (dtype->kind == VZ_DTYPE_NARROW)
        return add_narrow(steps, dtype, layout, step, err);
    if (is_repeated(dtype)) {
        const vz_dtype *record = dtype->fields[0].dtype;
        const size_t count = dtype->fields[0].dims[0];
        const vz_step rows = {
            .run = &vz_steps_run_rows, .stored = stored, .shown = shown, .count = count, .record = record};
        return add_with(steps, rows, steps_of(record, layout, err), err);
    }
    if (dtype->kind == VZ_DTYPE_STRUCT && layout->class == H5T_COMPOUND)
        return build_members(steps, dtype, layout, stored, shown, err);
    if (dtype->kind == VZ_DTYPE_STRUCT && layout->class == H5T_ARRAY)
        return build_numbered(steps, dtype, layout, stored, shown, err);
    if (dtype->size == 0) /* |S0, |V0: shown as one zero byte */
        return !layout->has_pointers || no_fit(err);
    return add_fixed(steps, dtype, layout, step, err);
}

vz_steps *vz_steps_new(const vz_dtype *dtype, const vz_type_tree *layout, vz_error *err)
{
    return steps_of(dtype, layout, err);
}

void vz_steps_free(vz_steps *steps)
{
    if (!steps)
        return;
    for (size_t i = 0; i < steps->count; i++)
        vz_steps_free(steps->steps[i].inner);
    free(steps->steps);
    vz_dtype_free(steps->owned);
    free(steps);
}

/* A compound whose members are called 0, 1 ... looks like an array of so many. */
static bool is_the_base(const vz_dtype *dtype, const vz_type_tree *layout)
{
    vz_steps *steps = layout->base->class == H5T_COMPOUND ? steps_of(dtype, layout->base, NULL) : NULL;
    vz_steps_free(steps);
    return steps != NULL;
}

bool vz_steps_hold_whole_array(const vz_dtype *dtype, const vz_type_tree *layout)
{
    char name[24];
    if (layout->class != H5T_ARRAY)
        return false;
    if (dtype->kind == VZ_DTYPE_RAW)
        return dtype->size == layout->size && !layout->has_pointers;
    if (dtype->kind != VZ_DTYPE_STRUCT || dtype->field_count != layout->count)
        return false;
    for (size_t i = 0; i < layout->count; i++)
        if (strcmp(dtype->fields[i].name, vz_type_field_name(i, name)) != 0)
            return false;
    return !is_the_base(dtype, layout);
}
