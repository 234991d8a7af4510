/* attribute_io.c - H5Aread and H5Awrite: elements between an attribute's type and the memory
 * type. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/types/types.h"
#include <stdlib.h>

/* Elements on their way from one type to another. Text and sequences that H5Tconvert makes are
 * taken from `arena`. */
typedef struct transit {
    uint8_t *work;       /* room for the elements in either type */
    uint8_t *background; /* what stands in the place they go to, for members that the source lacks;
                          * NULL: no matter */
    vz_arena arena;
} transit;

static void *take_from_arena(size_t size, void *arena)
{
    return vz_arena_alloc(arena, size, NULL);
}

static void leave_to_arena(void *memory, void *arena)
{
    (void)memory;
    (void)arena;
}

static bool holds_compound(hid_t type)
{
    return H5Tdetect_class(type, H5T_COMPOUND) > 0;
}

static bool transit_open(transit *t, size_t count, hid_t from, const void *data, hid_t to, const void *background,
                         vz_error *err)
{
    const size_t from_size = H5Tget_size(from), to_size = H5Tget_size(to);
    uint64_t size;
    *t = (transit){0};
    if (!from_size || !to_size)
        return vz_type_refused(err, "give the size of a datatype");
    if (!vz_mul(count, from_size > to_size ? from_size : to_size, &size))
        return vz_fail(err, VZ_LIMIT, "an attribute with too many elements");
    t->work = calloc(1, size ? size : 1);
    if (t->work && holds_compound(to))
        t->background = calloc(1, size ? size : 1);
    if (!t->work || (holds_compound(to) && !t->background))
        return vz_fail_memory(err);
    memcpy(t->work, data, count * from_size);
    if (t->background)
        memcpy(t->background, background, count * to_size);
    return true;
}

static void transit_close(transit *t)
{
    vz_arena_clear(&t->arena);
    free(t->background);
    free(t->work);
}

static bool transit_run(transit *t, hid_t from, hid_t to, size_t count, vz_error *err)
{
    hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    const bool ok = dxpl >= 0 && H5Pset_vlen_mem_manager(dxpl, take_from_arena, &t->arena, leave_to_arena, NULL) >= 0 &&
                    H5Tconvert(from, to, count, t->work, t->background, dxpl) >= 0;
    if (dxpl >= 0)
        H5Pclose(dxpl);
    return ok || vz_type_refused(err, "convert an attribute between these datatypes");
}

/* ---- reading ---- */

/* Text and sequences of his own for the reader. */
static bool own(hid_t mem_type, void *elements, size_t count, hid_t dxpl, vz_error *err)
{
    vz_allocator allocator;
    vz_type_tree *layout = vz_allocator_of(dxpl, &allocator, err) ? vz_type_tree_new(mem_type, err) : NULL;
    const bool ok = layout && vz_type_copy_vlen(layout, elements, count, &allocator, err);
    vz_type_tree_free(layout);
    return ok;
}

/* The value's elements, in whatever form, to the reader. */
static bool deliver(const vz_attribute_value *value, hid_t from, const uint8_t *bytes, hid_t mem_type, void *buf,
                    hid_t dxpl, vz_error *err)
{
    transit t;
    const size_t size = H5Tget_size(mem_type);
    bool ok = transit_open(&t, value->count, from, bytes, mem_type, buf, err) &&
              (H5Tequal(from, mem_type) > 0 || transit_run(&t, from, mem_type, value->count, err));
    if (ok && value->layout->has_pointers)
        ok = own(mem_type, t.work, value->count, dxpl, err);
    if (ok)
        memcpy(buf, t.work, value->count * size);
    transit_close(&t);
    return ok;
}

/* Texts in the reader's own type, each copied once. */
static bool deliver_texts(const vz_attribute_value *value, void *buf, hid_t dxpl, vz_error *err)
{
    const size_t size = value->count * value->layout->size;
    vz_allocator allocator;
    if (!vz_allocator_of(dxpl, &allocator, err))
        return false;
    uint8_t *work = malloc(size);
    if (!work)
        return vz_fail_memory(err);
    memcpy(work, value->bytes, size);
    const bool ok = vz_type_copy_vlen(value->layout, work, value->count, &allocator, err);
    if (ok)
        memcpy(buf, work, size);
    free(work);
    return ok;
}

/* NetCDF-C and HDF5's H5DS give up a file where one of these leads nowhere, as after a scale was
 * deleted. */
static bool is_list_of_scales(const vz_attribute *attribute)
{
    return strcmp(attribute->name, "DIMENSION_LIST") == 0;
}

static bool deliver_references(const vz_attribute *attribute, const vz_attribute_value *value, hid_t mem_type,
                               void *buf, hid_t dxpl, const vz_reference_maker *maker, vz_error *err)
{
    vz_attribute_form form;
    if (!vz_attribute_form_init(&form, value, mem_type, err))
        return false;
    const vz_reference_context references = {attribute->node->hierarchy, maker, false, NULL};
    const bool ok = (is_list_of_scales(attribute) ? vz_references_resolve_scales : vz_references_resolve)(
                        &references, form.layout, form.bytes, value->count, err) &&
                    deliver(value, form.type, form.bytes, mem_type, buf, dxpl, err);
    vz_attribute_form_clear(&form);
    return ok;
}

/* On failure the value goes, as only some of its references are text. */
static bool spell_out(const vz_attribute *attribute, vz_attribute_value *value, vz_error *err)
{
    if (vz_attribute_value_print_references(value, attribute->node->hierarchy, err))
        return true;
    vz_attribute_value_free(value);
    return false;
}

bool vz_attribute_read(vz_attribute *attribute, hid_t mem_type, void *buf, hid_t dxpl, const vz_reference_maker *maker,
                       vz_error *err)
{
    vz_attribute_value *value = vz_attribute_lend(attribute, err);
    if (!value)
        return false;
    const bool as_is = value->has_tokens && H5Tequal(value->type, mem_type) > 0;
    if (!as_is && !spell_out(attribute, value, err))
        return false;
    bool ok = true;
    if (value->count == 0)
        ; /* nothing to give */
    else if (as_is)
        memcpy(buf, value->bytes, value->count * value->layout->size);
    else if (value->layout->has_references)
        ok = deliver_references(attribute, value, mem_type, buf, dxpl, maker, err);
    else if (!value->layout->has_pointers && H5Tequal(value->type, mem_type) > 0)
        memcpy(buf, value->bytes, value->count * value->layout->size);
    else if (value->common == VZ_COMMON_TEXT && H5Tequal(value->type, mem_type) > 0)
        ok = deliver_texts(value, buf, dxpl, err);
    else
        ok = deliver(value, value->type, value->bytes, mem_type, buf, dxpl, err);
    vz_attribute_give_back(attribute, value);
    return ok;
}

/* ---- writing ---- */

/* A value shown as the text of its JSON stays what it is while that very text is written back. */
static bool is_same_text(const vz_attribute_value *value, const uint8_t *bytes)
{
    const char *text, *old;
    memcpy(&text, bytes, sizeof text);
    memcpy(&old, value->bytes, sizeof old);
    return text && strcmp(text, old) == 0;
}

static bool store(vz_attribute *attribute, const vz_attribute_value *value, const uint8_t *bytes, vz_error *err)
{
    return (value->text_of_json && is_same_text(value, bytes)) || vz_attribute_store(attribute, value, bytes, err);
}

static bool convert_and_store(vz_attribute *attribute, const vz_attribute_value *value, hid_t mem_type, const void *buf,
                              vz_error *err)
{
    transit t;
    const bool ok = transit_open(&t, value->count, mem_type, buf, value->type, value->bytes, err) &&
                    transit_run(&t, mem_type, value->type, value->count, err) && store(attribute, value, t.work, err);
    transit_close(&t);
    return ok;
}

static bool store_references(vz_attribute *attribute, const vz_attribute_value *value, hid_t mem_type, const void *buf,
                             const vz_reference_maker *maker, vz_error *err)
{
    transit t = {0};
    vz_attribute_form form;
    if (!vz_attribute_form_init(&form, value, mem_type, err))
        return false;
    const vz_reference_context references = {attribute->node->hierarchy, maker, false, &t.arena};
    bool ok = transit_open(&t, value->count, mem_type, buf, form.type, form.bytes, err) &&
              transit_run(&t, mem_type, form.type, value->count, err) &&
              vz_references_print(&references, form.layout, t.work, value->count, err);
    const uint8_t *bytes = ok ? vz_attribute_form_undo(&form, value, t.work, err) : NULL;
    ok = bytes && store(attribute, value, bytes, err);
    transit_close(&t);
    vz_attribute_form_clear(&form);
    return ok;
}

bool vz_attribute_write(vz_attribute *attribute, hid_t mem_type, const void *buf, const vz_reference_maker *maker,
                        vz_error *err)
{
    vz_attribute_value *value = vz_node_check_writable(attribute->node, err) ? vz_attribute_lend(attribute, err) : NULL;
    if (!value)
        return false;
    const bool waits = value->layout->has_references && H5Tequal(value->type, mem_type) > 0 &&
                       vz_attribute_value_may_defer(attribute->node, value, buf);
    if (!waits && !spell_out(attribute, value, err))
        return false;
    bool ok = true;
    if (value->count == 0)
        ; /* nothing to store */
    else if (waits)
        ok = vz_attribute_defer(attribute, value, buf, err);
    else if (value->layout->has_references)
        ok = store_references(attribute, value, mem_type, buf, maker, err);
    else if (H5Tequal(value->type, mem_type) > 0)
        ok = store(attribute, value, buf, err);
    else
        ok = convert_and_store(attribute, value, mem_type, buf, err);
    vz_attribute_give_back(attribute, value);
    return ok;
}
