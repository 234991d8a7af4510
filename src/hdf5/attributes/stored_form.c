/* stored_form.c - elements with references in the form for a memory type. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/references/references.h"
#include <stdlib.h>

/* ---- elements from one layout to another ---- */

static bool respace(const vz_type_tree *from, const uint8_t *in, const vz_type_tree *to, uint8_t *out, size_t count,
                    vz_arena *arena, vz_error *err);

static const vz_type_tree_member *member_named(const vz_type_tree *compound, const char *name)
{
    for (size_t i = 0; i < compound->count; i++)
        if (strcmp(compound->members[i].name, name) == 0)
            return &compound->members[i];
    return NULL;
}

static bool respace_members(const vz_type_tree *from, const uint8_t *in, const vz_type_tree *to, uint8_t *out,
                            vz_arena *arena, vz_error *err)
{
    for (size_t i = 0; i < from->count; i++) {
        const vz_type_tree_member *a = &from->members[i], *b = member_named(to, a->name);
        if (b && !respace(a->layout, in + a->offset, b->layout, out + b->offset, 1, arena, err))
            return false;
    }
    return true;
}

static bool respace_sequence(const vz_type_tree *from, const uint8_t *in, const vz_type_tree *to, uint8_t *out,
                             vz_arena *arena, vz_error *err)
{
    hvl_t old, new = {0};
    uint64_t size;
    memcpy(&old, in, sizeof old);
    if (!vz_mul(old.len, to->base->size, &size))
        return vz_fail(err, VZ_LIMIT, "an attribute with too many elements");
    if (old.len > 0) {
        new = (hvl_t){old.len, vz_arena_alloc(arena, size, err)};
        if (!new.p)
            return false;
        memset(new.p, 0, size);
    }
    memcpy(out, &new, sizeof new);
    return respace(from->base, old.p, to->base, new.p, old.len, arena, err);
}

static bool respace_one(const vz_type_tree *from, const uint8_t *in, const vz_type_tree *to, uint8_t *out,
                        vz_arena *arena, vz_error *err)
{
    if (from->is_reference || to->is_reference) { /* the text stands first, in whatever room */
        memcpy(out, in, sizeof(char *));
        return true;
    }
    switch (from->class) {
    case H5T_COMPOUND:
        return respace_members(from, in, to, out, arena, err);
    case H5T_ARRAY:
        return respace(from->base, in, to->base, out, from->count, arena, err);
    case H5T_VLEN:
        return respace_sequence(from, in, to, out, arena, err);
    default:
        memcpy(out, in, from->size);
        return true;
    }
}

/* `out` is zeroed. Parts without references are the same in both; what they point to is not
 * copied. */
static bool respace(const vz_type_tree *from, const uint8_t *in, const vz_type_tree *to, uint8_t *out, size_t count,
                    vz_arena *arena, vz_error *err)
{
    if (!from->has_references && !to->has_references) {
        memcpy(out, in, count * from->size);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        if (!respace_one(from, in + i * from->size, to, out + i * to->size, arena, err))
            return false;
    return true;
}

static uint8_t *respaced(const vz_type_tree *from, const uint8_t *elements, const vz_type_tree *to, size_t count,
                         vz_arena *arena, vz_error *err)
{
    uint64_t size;
    if (!vz_mul(count, to->size, &size)) {
        vz_fail(err, VZ_LIMIT, "an attribute with too many elements");
        return NULL;
    }
    uint8_t *out = vz_arena_alloc(arena, size ? size : 1, err);
    if (!out)
        return NULL;
    memset(out, 0, size);
    return respace(from, elements, to, out, count, arena, err) ? out : NULL;
}

/* ---- forms ---- */

bool vz_attribute_form_init(vz_attribute_form *form, const vz_attribute_value *value, hid_t mem_type, vz_error *err)
{
    *form = (vz_attribute_form){.type = vz_reference_form(value->type, mem_type, err)};
    form->layout = form->type >= 0 ? vz_type_tree_new(form->type, err) : NULL;
    form->bytes =
        form->layout ? respaced(value->layout, value->bytes, form->layout, value->count, &form->arena, err) : NULL;
    if (form->bytes)
        return true;
    vz_attribute_form_clear(form);
    return false;
}

uint8_t *vz_attribute_form_undo(vz_attribute_form *form, const vz_attribute_value *value, const uint8_t *elements,
                                vz_error *err)
{
    return respaced(form->layout, elements, value->layout, value->count, &form->arena, err);
}

void vz_attribute_form_clear(vz_attribute_form *form)
{
    if (form->type >= 0)
        H5Tclose(form->type);
    vz_type_tree_free(form->layout);
    vz_arena_clear(&form->arena);
    *form = (vz_attribute_form){.type = H5I_INVALID_HID};
}
