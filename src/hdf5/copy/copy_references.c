/* copy_references.c - H5Ocopy that expands references: what they lead to is copied too, under a
 * name in the root group unless the copy has it already. A store has references by names, so
 * they are written when all is named. */
#include "hdf5/h5/h5.h"
#include "hdf5/copy/copy_internal.h"
#include "base/util/bytes.h"
#include <stdio.h>
#include <stdlib.h>

/* references within references: deeper ones wait until all else is named */
#define EXPANDING_MAX 64

/* References in a dataset, or in an attribute of an object. */
struct vz_copy_pending {
    hid_t from, to;  /* one reference each */
    char *attribute; /* NULL: the elements */
};

typedef struct holder {
    hid_t id;    /* dataset or attribute */
    hid_t type;  /* one of the three of references, in memory */
    hid_t space; /* all of them */
    size_t size, count;
    uint8_t *elements;
} holder;

static void close_id(hid_t id)
{
    if (id >= 0)
        vz_h5_close_quietly(id);
}

static hid_t open_holder(hid_t object, const char *attribute)
{
    if (attribute)
        return H5Aopen(object, attribute, H5P_DEFAULT);
    return H5Iinc_ref(object) >= 0 ? object : H5I_INVALID_HID;
}

static void holder_close(holder *h)
{
    if (h->elements && h->type >= 0 && h->space >= 0)
        vz_copy_reclaim(h->type, h->space, h->elements);
    free(h->elements);
    close_id(h->type);
    close_id(h->space);
    close_id(h->id);
}

static bool holder_read(holder *h, vz_objcopy *copy, hid_t object, const char *attribute)
{
    *h = (holder){.id = open_holder(object, attribute), .type = H5I_INVALID_HID, .space = H5I_INVALID_HID};
    if (!vz_copy_hdf5(copy, h->id >= 0))
        return false;
    const hid_t given = attribute ? H5Aget_type(h->id) : H5Dget_type(h->id);
    h->type = given < 0 ? given : H5Tcopy(given);
    close_id(given);
    h->space = attribute ? H5Aget_space(h->id) : H5Dget_space(h->id);
    const hssize_t count = h->space < 0 ? -1 : H5Sget_simple_extent_npoints(h->space);
    if (!vz_copy_hdf5(copy, h->type >= 0 && count >= 0))
        return false;
    h->size = H5Tget_size(h->type);
    h->count = (size_t)count;
    h->elements = calloc(h->count ? h->count : 1, h->size);
    if (!h->elements)
        return vz_fail_memory(copy->err);
    return h->count == 0 ||
           vz_copy_hdf5(copy, (attribute ? H5Aread(h->id, h->type, h->elements)
                                         : H5Dread(h->id, h->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, h->elements)) >= 0);
}

static bool is_null(const uint8_t *element, size_t size)
{
    size_t i = 0;
    while (i < size && element[i] == 0)
        i++;
    return i == size;
}

/* ---- targets ---- */

static hid_t open_target(const holder *h, uint8_t *element)
{
    if (h->size == sizeof(hobj_ref_t))
        return H5Rdereference2(h->id, H5P_DEFAULT, H5R_OBJECT, element);
    if (h->size == sizeof(hdset_reg_ref_t))
        return H5Rdereference2(h->id, H5P_DEFAULT, H5R_DATASET_REGION, element);
    return H5Ropen_object((H5R_ref_t *)element, H5P_DEFAULT, H5P_DEFAULT);
}

/* The name that HDF5 gives it. */
static bool name_in_root(vz_objcopy *copy, hid_t made)
{
    char name[64];
    H5O_info2_t info;
    const hid_t root = H5Gopen2(copy->to, "/", H5P_DEFAULT);
    bool ok = root >= 0 && H5Oget_info3(made, &info, H5O_INFO_BASIC) >= 0;
    if (ok) {
        snprintf(name, sizeof name, "~obj_pointed_by_%llu", (unsigned long long)vz_bytes_load_le64(&info.token));
        ok = H5Olink(made, root, name, H5P_DEFAULT, H5P_DEFAULT) >= 0;
    }
    vz_copy_hdf5(copy, ok);
    close_id(root);
    return ok;
}

/* The copy of an object that a reference leads to, borrowed: `copied` has it. */
static bool copy_of(vz_objcopy *copy, hid_t target, hid_t *known)
{
    if (!vz_copy_known(copy, target, known) || *known)
        return *known != 0;
    copy->expanding++;
    const hid_t made = vz_copy_whole(copy, target);
    copy->expanding--;
    const bool ok = made >= 0 && name_in_root(copy, made);
    close_id(made);
    return ok && vz_copy_known(copy, target, known) && *known;
}

/* As in HDF5 files the whole copy fails. */
static bool fail_lost(vz_objcopy *copy, const holder *h)
{
    char name[200] = "";
    H5Iget_name(h->id, name, sizeof name);
    return vz_fail(copy->err, VZ_NOT_FOUND, "%s: a reference that leads to no object cannot be expanded", name);
}

/* Called for an element once the object it leads to has a copy. */
typedef bool (*copy_use)(const holder *h, uint8_t *element, hid_t known);

/* Copies what the references lead to; `use` may be NULL. */
static bool copy_targets(vz_objcopy *copy, const holder *h, copy_use use)
{
    bool ok = true;
    for (size_t i = 0; ok && i < h->count; i++) {
        uint8_t *element = h->elements + i * h->size;
        hid_t known;
        if (is_null(element, h->size))
            continue;
        const hid_t target = open_target(h, element);
        ok = (target >= 0 || fail_lost(copy, h)) && copy_of(copy, target, &known) &&
             (!use || vz_copy_hdf5(copy, use(h, element, known)));
        close_id(target);
    }
    return ok;
}

/* ---- notes ---- */

static bool note(vz_objcopy *copy, hid_t from, hid_t to, const char *attribute)
{
    if (copy->pending_count == copy->pending_capacity) {
        const size_t capacity = copy->pending_capacity ? 2 * copy->pending_capacity : 16;
        struct vz_copy_pending *pending = realloc(copy->pending, capacity * sizeof *pending);
        if (!pending)
            return vz_fail_memory(copy->err);
        copy->pending = pending;
        copy->pending_capacity = capacity;
    }
    char *name = attribute ? strdup(attribute) : NULL;
    if (attribute && !name)
        return vz_fail_memory(copy->err);
    H5Iinc_ref(from);
    H5Iinc_ref(to);
    copy->pending[copy->pending_count++] = (struct vz_copy_pending){from, to, name};
    return true;
}

static void close_pending(const struct vz_copy_pending *p)
{
    close_id(p->from);
    close_id(p->to);
    free(p->attribute);
}

void vz_copy_drop_pending(vz_objcopy *copy)
{
    for (size_t i = 0; i < copy->pending_count; i++)
        close_pending(&copy->pending[i]);
    free(copy->pending);
    copy->pending = NULL;
    copy->pending_count = copy->pending_capacity = 0;
}

/* The copy of an attribute may have them as they are, that of a dataset never. */
static bool write_null(vz_objcopy *copy, hid_t to, const char *attribute)
{
    holder h;
    bool ok = holder_read(&h, copy, to, attribute);
    if (ok && h.count > 0) {
        ok = vz_copy_null_references(h.type, h.elements, h.count, copy->err) &&
             vz_copy_hdf5(copy, H5Awrite(h.id, h.type, h.elements) >= 0);
    }
    holder_close(&h);
    return ok;
}

bool vz_copy_expand(vz_objcopy *copy, hid_t from, hid_t to, const char *attribute)
{
    if (attribute && !write_null(copy, to, attribute))
        return false;
    if (!(copy->flags & H5O_COPY_EXPAND_REFERENCE_FLAG))
        return true;
    return note(copy, from, to, attribute) &&
           (H5Iget_type(from) == H5I_GROUP ||
            vz_copy_expand_pending(copy, copy->pending_count - 1, copy->pending_count));
}

/* More may be noted meanwhile. */
bool vz_copy_expand_pending(vz_objcopy *copy, size_t first, size_t end)
{
    bool ok = true;
    for (size_t i = first; ok && copy->expanding < EXPANDING_MAX && i < end; i++) {
        holder h;
        const struct vz_copy_pending p = copy->pending[i];
        ok = holder_read(&h, copy, p.from, p.attribute) && copy_targets(copy, &h, NULL);
        holder_close(&h);
    }
    return ok;
}

/* ---- the new references ---- */

static bool region_again(const holder *h, const uint8_t *element, hid_t to, hdset_reg_ref_t *out)
{
    const hid_t space = H5Rget_region(h->id, H5R_DATASET_REGION, element);
    const bool ok = space >= 0 && H5Rcreate(out, to, ".", H5R_DATASET_REGION, space) >= 0;
    close_id(space);
    return ok;
}

static bool new_region_again(H5R_ref_t *reference, hid_t to, H5R_ref_t *out)
{
    const hid_t space = H5Ropen_region(reference, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = space >= 0 && H5Rcreate_region(to, ".", space, H5P_DEFAULT, out) >= 0;
    close_id(space);
    return ok;
}

static bool attribute_again(const H5R_ref_t *reference, hid_t to, H5R_ref_t *out)
{
    const ssize_t length = H5Rget_attr_name(reference, NULL, 0);
    char *name = length < 0 ? NULL : malloc((size_t)length + 1);
    const bool ok = name && H5Rget_attr_name(reference, name, (size_t)length + 1) >= 0 &&
                    H5Rcreate_attr(to, ".", name, H5P_DEFAULT, out) >= 0;
    free(name);
    return ok;
}

static bool new_again(H5R_ref_t *reference, hid_t to)
{
    H5R_ref_t out = {0};
    const H5R_type_t type = H5Rget_type(reference);
    const bool ok = type == H5R_DATASET_REGION2 ? new_region_again(reference, to, &out)
                    : type == H5R_ATTR          ? attribute_again(reference, to, &out)
                                                : H5Rcreate_object(to, ".", H5P_DEFAULT, &out) >= 0;
    H5Rdestroy(reference);
    *reference = out;
    return ok;
}

/* The reference becomes the same to `to`, in place. */
static bool lead_to(const holder *h, uint8_t *element, hid_t to)
{
    if (h->size == sizeof(H5R_ref_t))
        return new_again((H5R_ref_t *)element, to);
    if (h->size == sizeof(hobj_ref_t))
        return H5Rcreate(element, to, ".", H5R_OBJECT, H5I_INVALID_HID) >= 0;
    hdset_reg_ref_t out = {0};
    const bool ok = region_again(h, element, to, &out);
    memcpy(element, &out, sizeof out);
    return ok;
}

static bool write_one(vz_objcopy *copy, const struct vz_copy_pending *p)
{
    holder h;
    bool ok = holder_read(&h, copy, p->from, p->attribute) && copy_targets(copy, &h, lead_to);
    const hid_t to = ok && h.count > 0 ? open_holder(p->to, p->attribute) : H5I_INVALID_HID;
    if (ok && h.count > 0)
        ok = vz_copy_hdf5(
            copy, to >= 0 && (p->attribute ? H5Awrite(to, h.type, h.elements)
                                           : H5Dwrite(to, h.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, h.elements)) >= 0);
    close_id(to);
    holder_close(&h);
    return ok;
}

/* More may be noted meanwhile. */
bool vz_copy_write_expanded(vz_objcopy *copy)
{
    bool ok = true;
    for (size_t i = 0; ok && i < copy->pending_count; i++) {
        const struct vz_copy_pending p = copy->pending[i];
        ok = write_one(copy, &p);
    }
    return ok;
}
