/* adopt.c - opening by default in HDF5 2.0 to 2.2 (see the header).
 *
 * The steps of H5Fopen there: our open callback; the id is made; "post open" of the native connector makes an object
 * for the native file, wrapped in the wrap context if one is set; the wrap context is given back. We set the store's
 * wrap context in the callback, and so are called at the last two. */
#include "native/adopt.h"
#include "h5/errors.h"
#include "native/state.h"
#include <stdio.h>

#define ADOPT_GROWTH 4096 /* bytes by which the native file grows in memory: it stays empty */

/* The first release whose behaviour nobody has looked at. */
#define UNKNOWN_MAJOR 2
#define UNKNOWN_MINOR 3

static _Thread_local hid_t asked_list;
static _Thread_local struct {
    void *file;   /* native */
    hid_t store;  /* the id that has the store's object until they are exchanged */
    bool wrapped; /* "post open" has seen the file */
} pending;

/* A call that only 2.x has tells the line, without calling anything. */
static bool is_line_2(void)
{
    return H5VLopen_lib_context != NULL;
}

static bool has_means(void)
{
    return H5I_object && H5I_subst && H5VL_set_vol_wrapper && H5VL_reset_vol_wrapper;
}

bool vz_adopt_asked(hid_t fapl)
{
    if (!is_line_2())
        return true;
    asked_list = fapl;
    return has_means();
}

static void *create_native_file(void)
{
    char name[64];
    snprintf(name, sizeof name, "vol-zarr adopted %u", ++vz_native.generation);
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (fapl < 0)
        return NULL;
    void *file = NULL;
    if (H5Pset_vol(fapl, vz_native.connector, NULL) >= 0 && H5Pset_fapl_core(fapl, ADOPT_GROWTH, false) >= 0)
        file = VZ_H5_QUIETLY(
            H5VLfile_create(name, H5F_ACC_TRUNC, H5P_FILE_CREATE_DEFAULT, fapl, H5P_DATASET_XFER_DEFAULT, NULL));
    vz_h5_close_quietly(fapl);
    return file;
}

static void close_native_file(void *file)
{
    H5VLfile_close(file, vz_native.connector, H5P_DATASET_XFER_DEFAULT, NULL);
}

static bool is_native_list(hid_t fapl)
{
    hid_t connector = H5I_INVALID_HID;
    int order = -1;
    if (H5Pget_vol_id(fapl, &connector) < 0)
        return false;
    const bool equal = H5VLcmp_connector_cls(&order, connector, vz_native.connector) >= 0 && order == 0;
    H5VLclose(connector);
    return equal;
}

/* A file made by the native connector remembers the connector that the program's own call named. */
static bool was_asked_for_native(void *file)
{
    H5VL_file_get_args_t args = {.op_type = H5VL_FILE_GET_FAPL, .args.get_fapl.fapl_id = H5I_INVALID_HID};
    if (H5VLfile_get(file, vz_native.connector, &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0)
        return false;
    const bool native = is_native_list(args.args.get_fapl.fapl_id);
    H5Pclose(args.args.get_fapl.fapl_id);
    return native;
}

/* The question was asked with the very list of the open; but a program may itself ask and then open. */
bool vz_adopt_needed(hid_t fapl)
{
    if (!is_line_2() || fapl != asked_list)
        return false;
    asked_list = 0;
    pending.file = create_native_file();
    pending.wrapped = false;
    if (pending.file && was_asked_for_native(pending.file))
        return true;
    if (pending.file)
        close_native_file(pending.file);
    pending.file = NULL;
    return false;
}

static void *give_up(vz_error *err)
{
    close_native_file(pending.file);
    pending.file = NULL;
    vz_fail(err, VZ_HDF5, "the store cannot be opened");
    return NULL;
}

void *vz_adopt_open(const char *name, unsigned flags, hid_t fapl, vz_error *err)
{
    if (vz_h5_at_least(UNKNOWN_MAJOR, UNKNOWN_MINOR)) {
        vz_fail(err, VZ_UNSUPPORTED, "opening by default with HDF5 %u.%u: set HDF5_VOL_CONNECTOR=zarr", vz_h5.major,
                vz_h5.minor);
        return give_up(err);
    }
    void *file = pending.file;
    pending.file = NULL; /* the store's own open must not take it for its own */
    pending.store = VZ_H5_QUIETLY(H5Fopen(name, flags, fapl));
    pending.file = file;
    if (pending.store < 0)
        return give_up(err);
    if (H5VL_set_vol_wrapper(H5I_object(pending.store)) >= 0)
        return file;
    vz_h5_close_quietly(pending.store);
    return give_up(err);
}

/* "Post open" took the context a second time; ours is given back here, so that it ends when the library gives back its.
 */
bool vz_adopt_wraps(const void *object)
{
    if (!pending.file || object != pending.file)
        return false;
    pending.wrapped = true;
    H5VL_reset_vol_wrapper();
    return true;
}

typedef struct id_search {
    const void *file;
    hid_t id;
} id_search;

static herr_t find_id(hid_t id, void *context)
{
    id_search *search = context;
    if (H5VLobject(id) != search->file)
        return H5_ITER_CONT;
    search->id = id;
    return H5_ITER_STOP;
}

static void exchange(hid_t a, hid_t b)
{
    void *of_a = H5I_subst(a, H5I_object(b));
    H5I_subst(b, of_a);
}

void vz_adopt_finish(void)
{
    if (!pending.wrapped)
        return;
    id_search search = {pending.file, H5I_INVALID_HID};
    pending.wrapped = false;
    pending.file = NULL;
    H5Iiterate(H5I_FILE, find_id, &search);
    if (search.id >= 0)
        exchange(search.id, pending.store);
    H5Idec_ref(pending.store); /* which is the native file's now */
}
