/* own.c - gives each variable-length value in a buffer memory of its own. */
#include "types/own.h"
#include "types/counts.h"

#include <stdlib.h>

#define MAX_DEPTH 64

/* Where variable-length data lies in a type: worked out once, then walked for each element. */
typedef struct place {
    enum { NOTHING, TEXT, SEQUENCE, MEMBERS, ARRAY } kind;
    size_t size;        /* bytes of one value */
    bool has_vlen;      /* in it, or in a part of it */
    size_t count;       /* members, or elements of an array */
    size_t *offset;     /* members */
    struct place *part; /* members, or one for the elements */
} place;

static void place_clear(place *p)
{
    size_t parts = p->kind == MEMBERS ? p->count : p->part ? 1 : 0;
    for (size_t i = 0; i < parts; i++)
        place_clear(&p->part[i]);
    free(p->part);
    free(p->offset);
    *p = (place){0};
}

static bool place_of(hid_t type, place *p, unsigned depth, vz_error *err);

static bool place_of_base(hid_t type, place *p, unsigned depth, vz_error *err)
{
    hid_t base = H5Tget_super(type);
    if (base < 0)
        return vz_fail(err, VZ_HDF5, "a datatype has no base type");
    p->part = calloc(1, sizeof *p->part);
    bool ok = p->part ? place_of(base, p->part, depth + 1, err) : vz_fail_memory(err);
    H5Tclose(base);
    return ok;
}

static bool place_of_members(hid_t type, place *p, unsigned depth, vz_error *err)
{
    int count = H5Tget_nmembers(type);
    if (count < 0)
        return vz_fail(err, VZ_HDF5, "a compound type has no members");
    p->part = calloc((unsigned)count + 1u, sizeof *p->part);
    p->offset = calloc((unsigned)count + 1u, sizeof *p->offset);
    bool ok = p->part && p->offset ? true : vz_fail_memory(err);
    for (int i = 0; ok && i < count; i++) {
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        p->offset[i] = H5Tget_member_offset(type, (unsigned)i);
        ok =
            member >= 0 ? place_of(member, &p->part[i], depth + 1, err) : vz_fail(err, VZ_HDF5, "a member has no type");
        p->count++;
        if (member >= 0)
            H5Tclose(member);
    }
    return ok;
}

static size_t array_length(hid_t type)
{
    hsize_t dims[H5S_MAX_RANK];
    size_t count = 1;
    int rank = H5Tget_array_dims2(type, dims);
    for (int d = 0; d < rank; d++)
        count *= (size_t)dims[d];
    return count;
}

static bool read_place(hid_t type, place *p, unsigned depth, vz_error *err)
{
    if (depth > MAX_DEPTH)
        return vz_fail(err, VZ_LIMIT, "a datatype is nested deeper than %d", MAX_DEPTH);
    *p = (place){.size = H5Tget_size(type)};
    switch (H5Tget_class(type)) {
    case H5T_STRING:
        p->kind = H5Tis_variable_str(type) > 0 ? TEXT : NOTHING;
        return true;
    case H5T_VLEN:
        p->kind = SEQUENCE;
        return place_of_base(type, p, depth, err);
    case H5T_ARRAY:
        p->kind = ARRAY;
        p->count = array_length(type);
        return place_of_base(type, p, depth, err);
    case H5T_COMPOUND:
        p->kind = MEMBERS;
        return place_of_members(type, p, depth, err);
    default:
        return true;
    }
}

static bool has_vlen(const place *p)
{
    if (p->kind == TEXT || p->kind == SEQUENCE)
        return true;
    if (p->kind == ARRAY)
        return p->part->has_vlen;
    for (size_t i = 0; p->kind == MEMBERS && i < p->count; i++)
        if (p->part[i].has_vlen)
            return true;
    return false;
}

static bool place_of(hid_t type, place *p, unsigned depth, vz_error *err)
{
    const bool ok = read_place(type, p, depth, err);
    p->has_vlen = ok && has_vlen(p);
    return ok;
}

struct vz_vlen {
    place root;
};

vz_vlen *vz_vlen_of(hid_t type, vz_error *err)
{
    vz_vlen *vlen = calloc(1, sizeof *vlen);
    vz_counted.types++;
    if (!vlen)
        vz_fail_memory(err);
    else if (place_of(type, &vlen->root, 0, err))
        return vlen;
    vz_vlen_free(vlen);
    return NULL;
}

void vz_vlen_free(vz_vlen *vlen)
{
    if (vlen)
        place_clear(&vlen->root);
    free(vlen);
}

bool vz_type_has_vlen(hid_t type)
{
    vz_vlen *vlen = vz_vlen_of(type, NULL);
    const bool result = vlen && vlen->root.has_vlen;
    vz_vlen_free(vlen);
    return result;
}

bool vz_allocator_of(hid_t dxpl, vz_allocator *allocator, vz_error *err)
{
    H5MM_free_t release;
    void *info;
    *allocator = (vz_allocator){0};
    if (vz_is_default_list(dxpl))
        return true;
    if (H5Pget_vlen_mem_manager(dxpl, &allocator->allocate, &allocator->info, &release, &info) < 0)
        return vz_fail(err, VZ_HDF5, "cannot read the transfer property list");
    return true;
}

void *vz_allocate(const vz_allocator *allocator, size_t size, vz_error *err)
{
    if (size == 0)
        return NULL;
    void *memory = allocator->allocate ? allocator->allocate(size, allocator->info) : malloc(size);
    if (!memory)
        vz_fail_memory(err);
    return memory;
}

static bool own_values(const place *p, uint8_t *values, size_t count, const vz_allocator *allocator, vz_error *err);

static bool own_text(uint8_t *value, const vz_allocator *allocator, vz_error *err)
{
    char *text, *copy;
    memcpy(&text, value, sizeof text);
    if (!text)
        return true;
    size_t size = strlen(text) + 1;
    copy = vz_allocate(allocator, size, err);
    if (!copy)
        return false;
    memcpy(copy, text, size);
    memcpy(value, &copy, sizeof copy);
    return true;
}

static bool own_sequence(const place *p, uint8_t *value, const vz_allocator *allocator, vz_error *err)
{
    hvl_t sequence;
    memcpy(&sequence, value, sizeof sequence);
    size_t size = sequence.len * p->part->size;
    void *copy = vz_allocate(allocator, size, err);
    if (size && !copy)
        return false;
    if (size)
        memcpy(copy, sequence.p, size);
    sequence.p = copy;
    memcpy(value, &sequence, sizeof sequence);
    return own_values(p->part, copy, sequence.len, allocator, err);
}

static bool own_value(const place *p, uint8_t *value, const vz_allocator *allocator, vz_error *err)
{
    switch (p->kind) {
    case TEXT:
        return own_text(value, allocator, err);
    case SEQUENCE:
        return own_sequence(p, value, allocator, err);
    case ARRAY:
        return own_values(p->part, value, p->count, allocator, err);
    case MEMBERS:
        for (size_t i = 0; i < p->count; i++)
            if (!own_value(&p->part[i], value + p->offset[i], allocator, err))
                return false;
        return true;
    default:
        return true;
    }
}

static bool own_values(const place *p, uint8_t *values, size_t count, const vz_allocator *allocator, vz_error *err)
{
    if (!p->has_vlen)
        return true;
    for (size_t i = 0; i < count; i++)
        if (!own_value(p, values + i * p->size, allocator, err))
            return false;
    return true;
}

bool vz_own(hid_t type, void *elements, size_t count, const vz_allocator *allocator, vz_error *err)
{
    vz_vlen *vlen = vz_vlen_of(type, err);
    const bool ok = vlen && vz_vlen_own(vlen, elements, count, allocator, err);
    vz_vlen_free(vlen);
    return ok;
}

bool vz_vlen_own(const vz_vlen *vlen, void *elements, size_t count, const vz_allocator *allocator, vz_error *err)
{
    return own_values(&vlen->root, elements, count, allocator, err);
}
