/* remote_elements.c - elements of datasets in HDF5 files on servers that HDF5 would look for in
 * other files. External storage is read past every driver, so it is refused. Sources of virtual
 * datasets may have such storage themselves: they are looked at, and held open until the dataset
 * closes. */
#include "base/util/hash.h"
#include "hdf5/native/remote_internal.h"
#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MAX   16    /* virtual datasets over virtual datasets */
#define SOURCES_MAX 65536 /* of one dataset, all together */
#define NAME_SIZE   4096

typedef struct checking {
    vz_native_elements *elements;
    vz_strmap *met; /* sources that are held or not there, by who names them, file and name */
    vz_error *err;
} checking;

static bool check_dataset(checking *c, void *dataset, unsigned depth);

static void release(vz_native_elements *elements)
{
    for (size_t i = elements->count; i-- > 0;) {
        const vz_native_held_source *held = &elements->held[i];
        if (held->dataset)
            VZ_H5_QUIETLY(H5VLdataset_close(held->dataset, vz_native_connector(), H5P_DATASET_XFER_DEFAULT, NULL));
        if (held->file >= 0)
            vz_h5_close_quietly(held->file);
    }
    free(elements->held);
    vz_native_array_free(elements->array);
    if (elements->chunks)
        free(elements->chunks->places);
    free(elements->chunks);
    *elements = (vz_native_elements){0};
}

static bool fail_hdf5(vz_error *err)
{
    return vz_native_result(-1, err) >= 0;
}

/* ---- the file of a dataset ---- */

static void *file_of(void *dataset)
{
    void *file = NULL;
    const vz_loc self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_DATASET};
    H5VL_object_get_args_t args = {.op_type = H5VL_OBJECT_GET_FILE, .args.get_file.file = &file};
    return H5VLobject_get(dataset, &self, vz_native_connector(), &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0 ? NULL
                                                                                                            : file;
}

/* An access list whose names count from the file of the dataset. */
static hid_t list_of(void *dataset)
{
    void *file = file_of(dataset);
    H5VL_file_get_args_t args = {.op_type = H5VL_FILE_GET_FAPL, .args.get_fapl.fapl_id = H5I_INVALID_HID};
    if (!file || H5VLfile_get(file, vz_native_connector(), &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0)
        return H5I_INVALID_HID;
    return args.args.get_fapl.fapl_id;
}

static const vz_native_remote *remote_of(hid_t fapl)
{
    const vz_native_remote_info *info = vz_native_remote_is_used(fapl) ? H5Pget_driver_info(fapl) : NULL;
    return info ? info->remote : NULL;
}

vz_byte_source *vz_native_remote_source(void *dataset)
{
    const hid_t fapl = list_of(dataset);
    const vz_native_remote *remote = fapl < 0 ? NULL : remote_of(fapl);
    vz_byte_source *source = remote ? remote->source : NULL; /* the file has it, too */
    if (fapl >= 0)
        vz_h5_close_quietly(fapl);
    return source;
}

/* ---- external storage ---- */

static bool refuse_external(void *dataset, hid_t dcpl, vz_error *err)
{
    char name[256] = "";
    off_t offset = 0;
    hsize_t size = 0;
    vz_reach reach;
    vz_option_hosts hosts;
    const hid_t fapl = list_of(dataset);
    const vz_native_remote *remote = fapl < 0 ? NULL : remote_of(fapl);
    VZ_H5_QUIETLY(H5Pget_external(dcpl, 0, sizeof name - 1, name, &offset, &size));
    if (remote) {
        const vz_named named = vz_native_remote_named(remote, name);
        if (vz_named_decide(&named, VZ_TARGET_DISK, &reach, &hosts, err))
            vz_fail(err, VZ_UNSUPPORTED, "external storage of a dataset in an HDF5 file on a server");
    } else {
        vz_fail(err, VZ_PERMISSION, "external storage, which a file of this machine has");
    }
    if (fapl >= 0)
        vz_h5_close_quietly(fapl);
    return false;
}

/* ---- sources of virtual datasets ---- */

/* A place for one more, which is held from then on. NULL with err set. */
static vz_native_held_source *hold(checking *c)
{
    vz_native_elements *e = c->elements;
    if (e->count == e->capacity) {
        const size_t capacity = e->capacity ? 2 * e->capacity : 8;
        vz_native_held_source *held = realloc(e->held, capacity * sizeof *held);
        if (!held) {
            vz_fail_memory(c->err);
            return NULL;
        }
        e->held = held;
        e->capacity = capacity;
    }
    e->held[e->count] = (vz_native_held_source){.file = H5I_INVALID_HID};
    return &e->held[e->count++];
}

/* NULL without a reason: it is not there, and HDF5 shows fill value. */
static hid_t open_file(void *dataset, const char *name)
{
    const hid_t fapl = list_of(dataset);
    hid_t file = H5I_INVALID_HID;
    if (fapl >= 0 && H5Pset_vol(fapl, vz_native_own_connector(), NULL) >= 0)
        file = H5Fopen(name, H5F_ACC_RDONLY, fapl);
    if (fapl >= 0)
        vz_h5_close_quietly(fapl);
    return file;
}

static void *open_source(void *at, H5I_type_t type, const char *name)
{
    char path[NAME_SIZE + 1];
    const vz_loc self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = type};
    snprintf(path, sizeof path, "%s%s", *name == '/' ? "" : "/", name);
    return H5VLdataset_open(at, &self, vz_native_connector(), path, H5P_DATASET_ACCESS_DEFAULT,
                            H5P_DATASET_XFER_DEFAULT, NULL);
}

static bool check_source(checking *c, void *dataset, const char *file_name, const char *name, unsigned depth)
{
    const bool is_here = strcmp(file_name, ".") == 0;
    vz_native_held_source *held = hold(c);
    if (!held)
        return false;
    vz_native_is_noted = false;
    if (!is_here)
        held->file = VZ_H5_QUIETLY(open_file(dataset, file_name));
    void *file = held->file >= 0 ? vz_native_under(vz_object_of_id(held->file)) : NULL, *source = NULL;
    if (is_here || file)
        source = held->dataset =
            VZ_H5_QUIETLY(open_source(is_here ? dataset : file, is_here ? H5I_DATASET : H5I_FILE, name));
    if (vz_native_is_noted)
        return fail_hdf5(c->err);
    return !source || check_dataset(c, source, depth + 1);
}

/* Two names of HDF5 that end where their texts do. */
static bool read_names(hid_t dcpl, size_t i, char file[NAME_SIZE], char name[NAME_SIZE], vz_error *err)
{
    const ssize_t file_size = H5Pget_virtual_filename(dcpl, i, file, NAME_SIZE);
    const ssize_t name_size = H5Pget_virtual_dsetname(dcpl, i, name, NAME_SIZE);
    if (file_size < 0 || name_size < 0)
        return fail_hdf5(err);
    if (file_size >= NAME_SIZE || name_size >= NAME_SIZE)
        return vz_fail(err, VZ_LIMIT, "a source of a virtual dataset with a name of more than %d bytes", NAME_SIZE);
    return (!strchr(file, '%') && !strchr(name, '%')) ||
           vz_fail(err, VZ_UNSUPPORTED, "a virtual dataset in an HDF5 file on a server with \"%%\" in a source's name");
}

static bool check_virtual(checking *c, void *dataset, hid_t dcpl, unsigned depth)
{
    static char file[NAME_SIZE], name[NAME_SIZE]; /* HDF5 makes one call at a time */
    char key[2 * NAME_SIZE + 32];
    size_t count = 0;
    if (depth > DEPTH_MAX)
        return vz_fail(c->err, VZ_LIMIT, "more than %d virtual datasets over each other", DEPTH_MAX);
    if (H5Pget_virtual_count(dcpl, &count) < 0)
        return fail_hdf5(c->err);
    for (size_t i = 0; i < count; i++) {
        if (!read_names(dcpl, i, file, name, c->err))
            return false;
        snprintf(key, sizeof key, "%p %s %s", file_of(dataset), file, name);
        if (vz_strmap_get(c->met, key))
            continue;
        if (vz_strmap_count(c->met) >= SOURCES_MAX)
            return vz_fail(c->err, VZ_LIMIT, "more than %d sources of a virtual dataset", SOURCES_MAX);
        char *file_copy = strdup(file), *name_copy = strdup(name);
        const bool ok = ((file_copy && name_copy) || vz_fail_memory(c->err)) && vz_strmap_put(c->met, key, c, c->err) &&
                        check_source(c, dataset, file_copy, name_copy, depth);
        free(file_copy);
        free(name_copy);
        if (!ok)
            return false;
    }
    return true;
}

static bool check_dataset(checking *c, void *dataset, unsigned depth)
{
    H5VL_dataset_get_args_t args = {.op_type = H5VL_DATASET_GET_DCPL};
    if (VZ_H5_QUIETLY(H5VLdataset_get(dataset, vz_native_connector(), &args, H5P_DATASET_XFER_DEFAULT, NULL)) < 0)
        return fail_hdf5(c->err);
    const hid_t dcpl = args.args.get_dcpl.dcpl_id;
    bool ok = true;
    if (H5Pget_external_count(dcpl) > 0)
        ok = refuse_external(dataset, dcpl, c->err);
    else if (H5Pget_layout(dcpl) == H5D_VIRTUAL)
        ok = check_virtual(c, dataset, dcpl, depth);
    vz_h5_close_quietly(dcpl);
    return ok;
}

bool vz_native_remote_check(vz_object *dataset, vz_error *err)
{
    vz_native_elements *elements = vz_native_elements_of(dataset);
    if (!vz_native_is_remote(dataset) || elements->is_checked)
        return true;
    vz_native_guard guard;
    checking c = {.elements = elements, .met = vz_strmap_new(), .err = err};
    if (!c.met)
        return vz_fail_memory(err);
    elements->release = release;
    vz_native_guard_begin(&guard, dataset, H5I_INVALID_HID);
    elements->is_checked = check_dataset(&c, vz_native_under(dataset), 0);
    vz_native_guard_end(&guard);
    vz_strmap_free(c.met, NULL);
    if (!elements->is_checked)
        release(elements);
    return elements->is_checked;
}
