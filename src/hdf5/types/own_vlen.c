/* own_vlen.c - gives each variable-length value in a buffer memory of its own. */
#include "hdf5/types/types.h"
#include <stdlib.h>

bool vz_type_has_vlen(hid_t type)
{
    vz_number_format number;
    if (vz_standard_number(type, &number))
        return false;
    const H5T_class_t class = H5Tget_class(type);
    if (class == H5T_INTEGER || class == H5T_FLOAT)
        return false;
    vz_type_tree *layout = vz_type_tree_new(type, NULL);
    const bool result = layout && layout->has_vlen;
    vz_type_tree_free(layout);
    return result;
}

bool vz_allocator_of(hid_t dxpl, vz_allocator *allocator, vz_error *err)
{
    H5MM_free_t release;
    void *info;
    *allocator = (vz_allocator){0};
    if (vz_type_is_default_list(dxpl))
        return true;
    if (H5Pget_vlen_mem_manager(dxpl, &allocator->allocate, &allocator->info, &release, &info) < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the transfer property list");
    return true;
}

static void *allocate(const vz_allocator *allocator, size_t size, vz_error *err)
{
    if (size == 0)
        return NULL;
    void *memory = allocator->allocate ? allocator->allocate(size, allocator->info) : malloc(size);
    if (!memory)
        vz_fail_memory(err);
    return memory;
}

static bool own_text(uint8_t *value, const vz_allocator *allocator, vz_error *err)
{
    char *text, *copy;
    memcpy(&text, value, sizeof text);
    if (!text)
        return true;
    size_t size = strlen(text) + 1;
    copy = allocate(allocator, size, err);
    if (!copy)
        return false;
    memcpy(copy, text, size);
    memcpy(value, &copy, sizeof copy);
    return true;
}

static bool own_sequence(const vz_type_tree *items, uint8_t *value, const vz_allocator *allocator, vz_error *err)
{
    hvl_t sequence;
    memcpy(&sequence, value, sizeof sequence);
    size_t size = sequence.len * items->size;
    void *copy = allocate(allocator, size, err);
    if (size && !copy)
        return false;
    if (size)
        memcpy(copy, sequence.p, size);
    sequence.p = copy;
    memcpy(value, &sequence, sizeof sequence);
    return vz_type_copy_vlen(items, copy, sequence.len, allocator, err);
}

static bool own_value(const vz_type_tree *layout, uint8_t *value, const vz_allocator *allocator, vz_error *err)
{
    switch (layout->class) {
    case H5T_STRING:
        return own_text(value, allocator, err);
    case H5T_VLEN:
        return own_sequence(layout->base, value, allocator, err);
    case H5T_ARRAY:
        return vz_type_copy_vlen(layout->base, value, layout->count, allocator, err);
    default: /* a compound: no other has parts of variable length */
        for (size_t i = 0; i < layout->count; i++)
            if (!vz_type_copy_vlen(layout->members[i].layout, value + layout->members[i].offset, 1, allocator, err))
                return false;
        return true;
    }
}

bool vz_type_copy_vlen(const vz_type_tree *layout, void *elements, size_t count, const vz_allocator *allocator,
                       vz_error *err)
{
    if (!layout->has_vlen)
        return true;
    uint8_t *values = elements;
    for (size_t i = 0; i < count; i++)
        if (!own_value(layout, values + i * layout->size, allocator, err))
            return false;
    return true;
}
