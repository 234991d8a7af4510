/* external_sources.c - the mappings of a virtual dataset and the list of external files:
 * creation list <-> annotation. */
#include "hdf5/datasets/datasets.h"
#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/references/references.h"
#include <limits.h>
#include <stdlib.h>

#define NAME_BYTES  ((size_t)1 << 16) /* of a file or dataset named by a source */
#define SOURCES_MAX ((size_t)1 << 20)

vz_sources_kind vz_sources_requested(H5D_layout_t layout, hid_t dcpl)
{
    if (layout == H5D_VIRTUAL)
        return VZ_SOURCES_VIRTUAL;
    return layout == H5D_CONTIGUOUS && H5Pget_external_count(dcpl) > 0 ? VZ_SOURCES_EXTERNAL : VZ_SOURCES_NONE;
}

vz_sources_kind vz_sources_kind_read(const vz_node *node)
{
    if (vz_json_kind_of(vz_annotation_get(node, "vds")) == VZ_JSON_ARRAY)
        return VZ_SOURCES_VIRTUAL;
    return vz_json_kind_of(vz_annotation_get(node, "ext")) == VZ_JSON_ARRAY ? VZ_SOURCES_EXTERNAL : VZ_SOURCES_NONE;
}

/* ---- to the annotation ---- */

static vz_json *print_extent(hid_t space, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    vz_json *list = vz_json_array(err);
    for (int d = 0; list && d < rank; d++)
        if (!vz_json_append(list, vz_json_uint64(dims[d], err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

typedef ssize_t (*get_name)(hid_t dcpl, size_t index, char *name, size_t size);

static bool print_name(vz_json *entry, const char *key, get_name get, hid_t dcpl, size_t index, vz_error *err)
{
    const ssize_t length = get(dcpl, index, NULL, 0);
    if (length < 0)
        return vz_fail(err, VZ_HDF5, "cannot read a source's name");
    if ((size_t)length >= NAME_BYTES)
        return vz_fail(err, VZ_LIMIT, "the name of a source has %zd bytes", length);
    char *name = malloc((size_t)length + 1);
    if (!name)
        return vz_fail_memory(err);
    const bool ok = (get(dcpl, index, name, (size_t)length + 1) >= 0 || vz_fail(err, VZ_HDF5, "cannot read a name")) &&
                    vz_json_set_text(entry, key, name, err);
    free(name);
    return ok;
}

/* Without an offset and touching blocks as one, as HDF5 keeps selections in files. */
static bool simplify(hid_t space)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_ndims(space);
    if (!vz_h5_selection_fold(space))
        return false;
    if (H5Sget_select_type(space) != H5S_SEL_HYPERSLABS || H5Sis_regular_hyperslab(space) <= 0)
        return true;
    if (H5Sget_regular_hyperslab(space, start, stride, count, block) < 0)
        return false;
    for (int d = 0; d < rank; d++)
        if (count[d] != H5S_UNLIMITED && block[d] != H5S_UNLIMITED && (count[d] == 1 || stride[d] == block[d])) {
            block[d] *= count[d];
            stride[d] = count[d] = 1;
        }
    return H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block) >= 0;
}

static vz_json *print_mapping(hid_t dcpl, size_t index, vz_error *err)
{
    vz_json *entry = vz_json_object(err);
    const hid_t from = H5Pget_virtual_srcspace(dcpl, index), to = H5Pget_virtual_vspace(dcpl, index);
    bool ok = entry && ((from >= 0 && to >= 0) || vz_fail(err, VZ_HDF5, "cannot read a mapping"));
    ok = ok && ((simplify(from) && simplify(to)) || vz_fail(err, VZ_HDF5, "cannot simplify a selection"));
    ok = ok && print_name(entry, "f", H5Pget_virtual_filename, dcpl, index, err) &&
         print_name(entry, "d", H5Pget_virtual_dsetname, dcpl, index, err) &&
         vz_json_set(entry, "e", print_extent(from, err), err) &&
         vz_json_set(entry, "s", vz_reference_region_print(from, err), err) &&
         vz_json_set(entry, "v", vz_reference_region_print(to, err), err);
    const hid_t kept = vz_h5_errors_keep(err);
    if (from >= 0)
        H5Sclose(from);
    if (to >= 0)
        H5Sclose(to);
    vz_h5_errors_restore(kept);
    if (ok)
        return entry;
    vz_json_free(entry);
    return NULL;
}

vz_json *vz_sources_describe_virtual(hid_t dcpl, vz_error *err)
{
    size_t count = 0;
    if (H5Pget_virtual_count(dcpl, &count) < 0) {
        vz_fail(err, VZ_HDF5, "cannot count the mappings");
        return NULL;
    }
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_json_append(list, print_mapping(dcpl, i, err), err);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

/* [name, offset, size], size null = unlimited */
static vz_json *print_file(hid_t dcpl, unsigned index, char *name, vz_error *err)
{
    off_t offset = 0;
    hsize_t size = 0;
    vz_json *entry = vz_json_array(err);
    name[NAME_BYTES - 1] = name[NAME_BYTES - 2] = '\0';
    bool ok = entry && (H5Pget_external(dcpl, index, NAME_BYTES - 1, name, &offset, &size) >= 0 ||
                        vz_fail(err, VZ_HDF5, "cannot read an external file's name"));
    ok = ok && (strlen(name) < NAME_BYTES - 2 || vz_fail(err, VZ_LIMIT, "the name of an external file is too long"));
    ok = ok && vz_json_append(entry, vz_json_text(name, err), err) &&
         vz_json_append(entry, vz_json_int64(offset, err), err) &&
         vz_json_append(entry, size == H5F_UNLIMITED ? vz_json_null(err) : vz_json_uint64(size, err), err);
    if (ok)
        return entry;
    vz_json_free(entry);
    return NULL;
}

vz_json *vz_sources_describe_external(hid_t dcpl, vz_error *err)
{
    const int count = H5Pget_external_count(dcpl);
    if (count > VZ_EXTERNAL_MAX) {
        vz_fail(err, VZ_LIMIT, "a dataset in %d external files: more than %d", count, VZ_EXTERNAL_MAX);
        return NULL;
    }
    vz_json *list = vz_json_array(err);
    char *name = malloc(NAME_BYTES);
    bool ok = list && (name || vz_fail_memory(err));
    for (int i = 0; ok && i < count; i++)
        ok = vz_json_append(list, print_file(dcpl, (unsigned)i, name, err), err);
    free(name);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

/* ---- back ---- */

/* HDF5 keeps no extent of a source: it shows the smallest one that holds the selection, and none
 * of an unlimited one. */
static bool fit_extent(hid_t space, int rank)
{
    hsize_t first[H5S_MAX_RANK], end[H5S_MAX_RANK] = {0};
    const hssize_t points = H5Sget_select_npoints(space);
    if (H5Sget_select_type(space) != H5S_SEL_HYPERSLABS || points == 0)
        return true; /* all, none */
    if (points > 0 && H5Sget_select_bounds(space, first, end) < 0)
        return false;
    for (int d = 0; points > 0 && d < rank; d++)
        end[d]++;
    const hid_t extent = H5Screate_simple(rank, end, NULL);
    const bool ok = extent >= 0 && H5Sextent_copy(space, extent) >= 0;
    if (extent >= 0)
        H5Sclose(extent);
    return ok;
}

/* Elements of the virtual selection; of one block, where blocks are without end. */
static hsize_t points_of(hid_t space)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK], points = 1;
    const hssize_t limited = H5Sget_select_npoints(space);
    if (limited >= 0 || H5Sget_regular_hyperslab(space, start, stride, count, block) < 0)
        return limited >= 0 ? (hsize_t)limited : 0;
    for (int d = 0; d < H5Sget_simple_extent_ndims(space); d++)
        points *= block[d] * (count[d] == H5S_UNLIMITED ? 1 : count[d]);
    return points;
}

/* A list that was read from an HDF5 file has no extent of a source that is selected whole. Any
 * extent that has as many elements stands for it, since the source tells when it is opened. */
static hid_t parse_source(const vz_json *entry, hid_t to, bool as_given)
{
    hsize_t dims[H5S_MAX_RANK] = {0};
    const vz_json *extent = vz_json_get(entry, "e");
    const bool unknown = vz_json_length(extent) == 0 && vz_json_is(vz_json_get(entry, "s"), "all");
    const size_t rank = unknown ? 1 : vz_json_length(extent);
    uint64_t number;
    if (rank > H5S_MAX_RANK)
        return H5I_INVALID_HID;
    dims[0] = unknown ? points_of(to) : 0;
    for (size_t d = 0; !unknown && d < rank; d++) {
        if (!vz_json_get_uint64(vz_json_at(extent, d), &number))
            return H5I_INVALID_HID;
        dims[d] = number;
    }
    const hid_t space = rank ? H5Screate_simple((int)rank, dims, NULL) : H5Screate(H5S_SCALAR);
    if (space >= 0 && vz_reference_region_select(space, vz_json_get(entry, "s"), NULL) &&
        (as_given || fit_extent(space, (int)rank)))
        return space;
    if (space >= 0)
        H5Sclose(space);
    return H5I_INVALID_HID;
}

static bool show_mapping(const vz_json *entry, hid_t space, bool as_given, hid_t dcpl)
{
    const char *file = vz_json_get_string(vz_json_get(entry, "f"), NULL);
    const char *name = vz_json_get_string(vz_json_get(entry, "d"), NULL);
    const hid_t to = file && name ? H5Scopy(space) : H5I_INVALID_HID;
    const bool selected = to >= 0 && vz_reference_region_select(to, vz_json_get(entry, "v"), NULL);
    const hid_t from = selected ? parse_source(entry, to, as_given) : H5I_INVALID_HID;
    const bool ok = from >= 0 && H5Pset_virtual(dcpl, to, file, name, from) >= 0;
    if (to >= 0)
        H5Sclose(to);
    if (from >= 0)
        H5Sclose(from);
    return ok;
}

static bool is_allocated_late(const vz_node *node)
{
    int64_t time;
    return vz_json_get_int64(vz_json_get(vz_annotation_get(node, "pl"), "alloc"), &time) && time == H5D_ALLOC_TIME_LATE;
}

/* H5Pset_layout makes the allocation time that of virtual datasets; H5Pset_virtual alone leaves
 * it at "late". */
static bool show_virtual(const vz_node *node, hid_t space, bool as_given, hid_t dcpl, vz_error *err)
{
    const vz_json *list = vz_annotation_get(node, "vds");
    const size_t count = vz_json_length(list);
    bool ok = (count > 0 && is_allocated_late(node)) || H5Pset_layout(dcpl, H5D_VIRTUAL) >= 0;
    if (count > SOURCES_MAX)
        return vz_fail(err, VZ_LIMIT, "a virtual dataset of %zu mappings", count);
    for (size_t i = 0; ok && i < count; i++)
        ok = VZ_H5_QUIETLY(show_mapping(vz_json_at(list, i), space, as_given, dcpl));
    return ok || vz_fail(err, VZ_CORRUPT, "the mappings of a virtual dataset do not fit it");
}

static bool show_file(const vz_json *entry, hid_t dcpl)
{
    const char *name = vz_json_get_string(vz_json_at(entry, 0), NULL);
    const vz_json *bytes = vz_json_at(entry, 2);
    int64_t offset;
    uint64_t size = H5F_UNLIMITED;
    return name && vz_json_get_int64(vz_json_at(entry, 1), &offset) && offset >= 0 &&
           (vz_json_kind_of(bytes) == VZ_JSON_NULL || vz_json_get_uint64(bytes, &size)) &&
           H5Pset_external(dcpl, name, (off_t)offset, size) >= 0;
}

const char *vz_external_name(const vz_node *node, size_t index)
{
    return vz_json_get_string(vz_json_at(vz_json_at(vz_annotation_get(node, "ext"), index), 0), NULL);
}

static bool show_external(const vz_node *node, hid_t dcpl, vz_error *err)
{
    const vz_json *list = vz_annotation_get(node, "ext");
    const size_t count = vz_json_length(list);
    bool ok = H5Pset_layout(dcpl, H5D_CONTIGUOUS) >= 0;
    if (count > VZ_EXTERNAL_MAX)
        return vz_fail(err, VZ_LIMIT, "a dataset in %zu external files: more than %d", count, VZ_EXTERNAL_MAX);
    for (size_t i = 0; ok && i < count; i++)
        ok = VZ_H5_QUIETLY(show_file(vz_json_at(list, i), dcpl));
    return ok || vz_fail(err, VZ_CORRUPT, "the list of external files does not fit the dataset");
}

bool vz_sources_show(const vz_node *node, hid_t space, bool as_given, hid_t dcpl, vz_error *err)
{
    switch (vz_sources_kind_read(node)) {
    case VZ_SOURCES_VIRTUAL:
        return show_virtual(node, space, as_given, dcpl, err);
    case VZ_SOURCES_EXTERNAL:
        return show_external(node, dcpl, err);
    default:
        return true;
    }
}

/* ---- asking HDF5 ---- */

bool vz_sources_check(hid_t type, hid_t space, hid_t dcpl, vz_error *err)
{
    const hid_t file = vz_dataset_native_memory_file(NULL);
    const hid_t list = file >= 0 ? H5Pcopy(dcpl) : H5I_INVALID_HID;
    /* Nothing may be written to external files here. A virtual dataset writes no fill value, and
     * HDF5 refuses "never" for text and sequences. */
    const bool writes = vz_sources_requested(H5Pget_layout(dcpl), dcpl) == VZ_SOURCES_EXTERNAL;
    const bool ready = list >= 0 && (!writes || H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0);
    const hid_t made = ready ? H5Dcreate_anon(file, type, space, list, H5P_DEFAULT) : H5I_INVALID_HID;
    if (made < 0)
        vz_fail(err, VZ_HDF5, "HDF5 refuses such a dataset");
    const hid_t ids[] = {made, list, file};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            vz_h5_close_quietly(ids[i]);
    return made >= 0;
}
