/* dispatch.c - Zarr or native? */
#include "hdf5/vol/vol_internal.h"
#include "H5VLzarr.h"
#include "hierarchy/nodes/node.h"
#include "hierarchy/open/open.h"
#include "hdf5/native/native.h"
#include "hdf5/handles/handle.h"
#include "base/os/process.h"
#include "base/util/options.h"
#include <errno.h>
#include <stdlib.h>

/* The alignment of objects in native files: the access list's, or pages if the creation list
 * asks for them. */
static bool find_alignment(hid_t fcpl, hid_t fapl, hsize_t *alignment)
{
    H5F_fspace_strategy_t strategy;
    hbool_t persist;
    hsize_t threshold;
    if (H5Pget_file_space_strategy(fcpl, &strategy, &persist, &threshold) < 0)
        return false;
    return strategy == H5F_FSPACE_STRATEGY_PAGE ? H5Pget_file_space_page_size(fcpl, alignment) >= 0
                                                : H5Pget_alignment(fapl, &threshold, alignment) >= 0;
}

/* Native refuses a user block that does not fit the alignment, and so the same program gets the
 * same answer. */
static bool take_user_block(hid_t fcpl, hid_t fapl, vz_options *options, vz_error *err)
{
    hsize_t size = 0, alignment = 1;
    if (H5Pget_userblock(fcpl, &size) < 0 || (size > 0 && !find_alignment(fcpl, fapl, &alignment)))
        return vz_fail(err, VZ_HDF5, "no user block or alignment in the lists");
    if (alignment > 1 && size % alignment != 0)
        return vz_fail(err, VZ_INVALID, "userblock size must be an integral multiple of file object alignment");
    options->user_block = size;
    return true;
}

/* A pattern's kind counts before the option `container`. */
static bool name_matches(const char *name, vz_options *options)
{
    const char *slash = strrchr(name, '/');
    return vz_patterns_take(options->create, slash ? slash + 1 : name, &options->container);
}

/* Asked for by name: only then the program's objects, and files in memory, become stores. */
static bool is_one_file(vz_option_container container)
{
    return container == VZ_CONTAINER_FILE || container == VZ_CONTAINER_ZIP;
}

static bool is_remote_hdf5(const vz_path_result *found)
{
    return vz_path_result_kind(found) == VZ_PATH_HDF5 && vz_path_result_is_elsewhere(found);
}

static bool refuse_to_replace(const vz_path_result *found, vz_error *err)
{
    vz_fail(err, VZ_READ_ONLY, "an HDF5 file is there, on a server, where it can only be read");
    vz_error_where(err, vz_path_result_label(found), NULL);
    return false;
}

/* HDF5 truncates files only: the directory of a store goes before, unless it is open. */
static bool make_way(const char *name, unsigned flags, vz_path_result **found, vz_error *err)
{
    if (!(flags & H5F_ACC_TRUNC))
        return true;
    *found = vz_path_find(name, err);
    if (*found && is_remote_hdf5(*found))
        return refuse_to_replace(*found, err);
    return *found && (vz_path_result_is_elsewhere(*found) || vz_delete_to_make_way(*found, err));
}

vz_vol_kind vz_vol_kind_to_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, vz_options *options,
                                  vz_path_result **found, vz_error *err)
{
    *found = NULL;
    if (!name || !*name) {
        vz_fail(err, VZ_INVALID, "no file name");
        return VZ_KIND_NONE;
    }
    const vz_driver_kind driver = vz_driver_kind_of(fapl);
    if (driver == VZ_DRIVER_BYTES && name_matches(name, options) && is_one_file(options->container))
        return take_user_block(fcpl, fapl, options, err) ? VZ_KIND_DRIVER : VZ_KIND_NONE;
    if (driver != VZ_DRIVER_USUAL && driver != VZ_DRIVER_RANKS) /* what other drivers do with the
                                                                 * name is theirs */
        return VZ_KIND_NATIVE;
    if (!name_matches(name, options))
        return make_way(name, flags, found, err) ? VZ_KIND_NATIVE : VZ_KIND_NONE;
    if (!take_user_block(fcpl, fapl, options, err))
        return VZ_KIND_NONE;
    if (!(*found = vz_path_find_to_create(name, err)))
        return VZ_KIND_NONE;
    vz_path_result_ask_again(*found);
    if (is_remote_hdf5(*found)) {
        refuse_to_replace(*found, err);
        return VZ_KIND_NONE;
    }
    return vz_vol_kind_may_replace(name, *found, err) ? VZ_KIND_ZARR : VZ_KIND_NONE;
}

static vz_vol_kind nothing_there(const char *name, int sys_errno, vz_error *err)
{
    vz_fail_errno(err, sys_errno ? sys_errno : ENOENT, "unable to open file");
    vz_error_where(err, name, NULL);
    return VZ_KIND_NONE;
}

/* As native says it: without errno, or h5py's mode "a" would take it for a file that is not
 * there. */
static vz_vol_kind no_signature(const char *name, vz_error *err)
{
    vz_fail(err, VZ_CORRUPT, "file signature not found: neither a Zarr store nor an HDF5 file");
    vz_error_where(err, name, NULL);
    return VZ_KIND_NONE;
}

static vz_vol_kind neither(const char *name, vz_error *err)
{
    vz_fail(err, VZ_NOT_FOUND, "neither a Zarr store nor an HDF5 file");
    err->sys_errno = ENOENT;
    vz_error_where(err, name, NULL);
    return VZ_KIND_NONE;
}

static vz_vol_kind of_empty_file(const char *name, unsigned flags, const vz_path_result *found, vz_error *err)
{
    if (!(flags & H5F_ACC_RDWR))
        return no_signature(name, err);
    return vz_vol_kind_may_replace(name, found, err) ? VZ_KIND_EMPTY : VZ_KIND_NONE;
}

/* If a server refused or did not answer, an errno alone does not describe the failure. */
static bool could_not_look(const vz_path_result *found)
{
    return vz_path_result_is_elsewhere(found) && vz_path_result_kind(found) == VZ_PATH_OTHER;
}

/* A container of another format, which the error names. */
static bool is_foreign(const vz_path_result *found)
{
    return vz_path_result_kind(found) == VZ_PATH_OTHER && vz_path_result_has_header(found) &&
           vz_path_result_why(found)->class != VZ_OK;
}

static vz_vol_kind kind_of(const char *name, unsigned flags, const vz_path_result *found, vz_error *err)
{
    const int sys_errno = vz_path_result_errno(found);
    if (could_not_look(found) || is_foreign(found)) {
        *err = *vz_path_result_why(found);
        vz_error_where(err, vz_path_result_label(found), NULL);
        return VZ_KIND_NONE;
    }
    switch (vz_path_result_kind(found)) {
    case VZ_PATH_ZARR:
        return VZ_KIND_ZARR;
    case VZ_PATH_HDF5:
        return is_remote_hdf5(found) ? VZ_KIND_REMOTE : VZ_KIND_NATIVE;
    case VZ_PATH_MISSING:
        return nothing_there(vz_path_result_label(found), sys_errno, err);
    case VZ_PATH_EMPTY_FILE:
        return of_empty_file(name, flags, found, err);
    case VZ_PATH_FILE:
        /* opening it says what is missing */
        return vz_path_result_is_recognised(found) ? VZ_KIND_ZARR : no_signature(name, err);
    case VZ_PATH_EMPTY_DIRECTORY: /* as of an empty file: who was creating a store was killed */
        return flags & H5F_ACC_RDWR && !vz_path_result_is_doorway(found) ? VZ_KIND_EMPTY
                                                                         : neither(vz_path_result_label(found), err);
    case VZ_PATH_OTHER:
        break;
    }
    return sys_errno ? nothing_there(vz_path_result_label(found), sys_errno, err)
                     : neither(vz_path_result_label(found), err);
}

vz_vol_kind vz_vol_kind_to_open(const char *name, unsigned flags, hid_t fapl, vz_options *options,
                                vz_path_result **found, vz_error *err)
{
    *found = NULL;
    if (!name || !*name) {
        vz_fail(err, VZ_INVALID, "no file name");
        return VZ_KIND_NONE;
    }
    const vz_driver_kind driver = vz_driver_kind_of(fapl);
    vz_named named;
    const bool by_file = vz_file_mark_get(fapl, &named);
    named.links = options->links;
    if (driver == VZ_DRIVER_BYTES || driver == VZ_DRIVER_NONE) {
        if (by_file && !vz_path_check_named(name, &named, err))
            return VZ_KIND_NONE;
        return driver == VZ_DRIVER_BYTES ? VZ_KIND_DRIVER : VZ_KIND_NATIVE;
    }
    if (!(*found = vz_path_find_named(name, by_file ? &named : NULL, err)))
        return VZ_KIND_NONE;
    if (by_file && vz_path_result_why(*found)->class == VZ_PERMISSION) { /* not even for native */
        *err = *vz_path_result_why(*found);
        return VZ_KIND_NONE;
    }
    vz_path_result_ask_again(*found);
    const vz_path_kind kind = vz_path_result_kind(*found);
    /* With our header in it a file that is damaged is nobody else's either, nor is a name that
     * no file can have. */
    const bool is_ours =
        kind == VZ_PATH_ZARR || vz_path_result_has_header(*found) || vz_path_result_is_elsewhere(*found);
    if (!is_ours && !name_matches(name, options))
        return VZ_KIND_NATIVE;
    return kind_of(name, flags, *found, err);
}

/* The options in HDF5_VOL_CONNECTOR="zarr ..."; NULL: another connector is the default one. */
static const char *options_of_default(void)
{
    const char *value = vz_os_environment("HDF5_VOL_CONNECTOR");
    if (!value)
        return NULL;
    value += strspn(value, " \t\n\r");
    const size_t length = strlen(H5VL_ZARR_NAME);
    const bool is_ours =
        strncmp(value, H5VL_ZARR_NAME, length) == 0 && (value[length] == '\0' || strchr(" \t\n\r", value[length]));
    return is_ours ? value + length : NULL;
}

static bool are_default_connector(void)
{
    return options_of_default() != NULL;
}

static bool is_native(H5VL_file_specific_args_t *args, hid_t dxpl)
{
    vz_error unused = VZ_ERROR_NONE;
    hbool_t accessible = false;
    H5VL_file_specific_args_t own = *args;
    own.args.is_accessible.accessible = &accessible;
    return vz_native_start(false, &unused) && vz_native_file_specific(&own, dxpl, &unused) >= 0 && accessible;
}

/* Where an open follows, native was asked before. */
static vz_vol_kind_answer of_native(H5VL_file_specific_args_t *args, bool follows, hid_t dxpl)
{
    return !follows && are_default_connector() && is_native(args, dxpl) ? VZ_ANSWER_NATIVE : VZ_ANSWER_NO;
}

static vz_vol_kind_answer behind_driver(H5VL_file_specific_args_t *args, bool follows, hid_t dxpl)
{
    if (vz_vol_driver_store_is_there(args->args.is_accessible.filename, args->args.is_accessible.fapl_id, follows))
        return VZ_ANSWER_STORE;
    return of_native(args, follows, dxpl);
}

/* Yes also if opening it reports the fault, and no other connector could open it. A file with our
 * header that is damaged, or leads nowhere, is an error only if that open follows. */
static bool answer_by_path(const char *name, const vz_path_result *found, bool follows, vz_vol_kind_answer *answer,
                           vz_error *err)
{
    const vz_path_kind kind = vz_path_result_kind(found);
    if (kind == VZ_PATH_MISSING && are_default_connector())
        return nothing_there(name, vz_path_result_errno(found), err) != VZ_KIND_NONE;
    if (kind == VZ_PATH_ZARR || (follows && is_remote_hdf5(found)) || could_not_look(found) ||
        (follows && vz_path_result_has_header(found)))
        *answer = VZ_ANSWER_STORE;
    else if (kind == VZ_PATH_HDF5 && are_default_connector())
        *answer = VZ_ANSWER_NATIVE;
    return true;
}

bool vz_vol_kind_is_accessible(H5VL_file_specific_args_t *args, bool follows, hid_t dxpl, vz_vol_kind_answer *answer,
                               vz_error *err)
{
    vz_options options;
    const char *name = args->args.is_accessible.filename;
    *answer = VZ_ANSWER_NO;
    if (!name || !*name)
        return true;
    switch (vz_driver_kind_of(args->args.is_accessible.fapl_id)) {
    case VZ_DRIVER_BYTES:
        *answer = behind_driver(args, follows, dxpl);
        return true;
    case VZ_DRIVER_NONE:
        *answer = of_native(args, follows, dxpl);
        return true;
    case VZ_DRIVER_USUAL:
    case VZ_DRIVER_NAMED:
    case VZ_DRIVER_RANKS:
        break;
    }
    vz_options_init(&options, vz_os_environment_all(), NULL); /* the open reports a wrong value */
    vz_options_parse(&options, options_of_default(), NULL);
    vz_path_allow(&options);
    vz_named named;
    const bool by_file = vz_file_mark_get(args->args.is_accessible.fapl_id, &named);
    named.links = options.links;
    vz_path_result *found = vz_path_find_named(name, by_file ? &named : NULL, err);
    const bool ok = found && answer_by_path(name, found, follows, answer, err);
    if (found)
        vz_path_result_remember(found);
    vz_path_result_free(found);
    return ok;
}
