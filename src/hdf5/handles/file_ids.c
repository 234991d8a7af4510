/* file_ids.c - the ids that are open on a file. The library keeps no such list for a connector:
 * its tables of ids are walked, and each object found has its file. */
#include "hdf5/handles/file_internal.h"
#include <stdlib.h>

static const struct {
    unsigned flag;
    H5I_type_t type;
} kinds[] = {
    /* In the order in which native lists them. */
    {H5F_OBJ_FILE, H5I_FILE},         {H5F_OBJ_DATASET, H5I_DATASET}, {H5F_OBJ_GROUP, H5I_GROUP},
    {H5F_OBJ_DATATYPE, H5I_DATATYPE}, {H5F_OBJ_ATTR, H5I_ATTR},
};

typedef struct search {
    const vz_file *file;
    bool local;
    hid_t *ids;
    size_t max, count;
} search;

static bool note_id(void *context, hid_t id, vz_object *object)
{
    search *s = context;
    if (!vz_handle_is_zarr(object))
        return true;
    const vz_file *file = vz_handle_of(object)->file;
    if (s->local ? file != s->file : file->hierarchy != s->file->hierarchy)
        return true;
    if (s->ids) {
        if (s->count == s->max)
            return false;
        s->ids[s->count] = id;
    }
    s->count++;
    return true;
}

bool vz_file_ids(const vz_file *file, unsigned types, hid_t *ids, size_t max, size_t *count)
{
    search s = {.file = file, .local = (types & H5F_OBJ_LOCAL) != 0, .ids = ids, .max = max};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (types & kinds[i].flag)
            vz_object_each_id(kinds[i].type, note_id, &s);
    *count = s.count;
    return true;
}

/* Closes an id whatever its reference count is. */
static bool close_id(hid_t id)
{
    while (H5Iis_valid(id) > 0)
        if (H5Idec_ref(id) < 0)
            return false;
    return true;
}

bool vz_file_close_objects(vz_file *file, vz_error *err)
{
    const unsigned types = H5F_OBJ_LOCAL | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_DATATYPE | H5F_OBJ_ATTR;
    size_t count = 0;
    vz_file_ids(file, types, NULL, 0, &count);
    if (count == 0)
        return true;
    hid_t *ids = calloc(count, sizeof *ids);
    if (!ids)
        return vz_fail_memory(err);
    vz_file_ids(file, types, ids, count, &count);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = close_id(ids[i]);
    free(ids);
    return ok || vz_fail_hdf5(err);
}

typedef struct degree_search {
    const vz_hierarchy *hierarchy;
    H5F_close_degree_t degree;
} degree_search;

static bool note_degree(void *context, hid_t id, vz_object *object)
{
    (void)id;
    degree_search *s = context;
    if (!vz_handle_is_zarr(object) || vz_handle_of(object)->file->hierarchy != s->hierarchy)
        return true;
    s->degree = vz_handle_of(object)->file->degree;
    return false;
}

H5F_close_degree_t vz_file_close_degree_of_others(const vz_hierarchy *hierarchy)
{
    degree_search s = {hierarchy, H5F_CLOSE_DEFAULT};
    vz_object_each_id(H5I_FILE, note_degree, &s);
    return s.degree;
}
