/* dataset_creation.c - the creation properties of a dataset in the target. They are those of the
 * source, but for what the target cannot have and what the user asked for. */
#include "H5VLzarr.h"
#include "command/convert/copy_internal.h"
#include "command/convert/convert_internal.h"
#include <stdio.h>
#include <string.h>

#define DEFLATE_LEVEL 4
#define FILTER_BLOSC  32001
#define FILTER_ZSTD   32015

/* The property with the list of external files, which no function takes back. */
#define PROPERTY_EXTERNAL "efl"

typedef struct creation {
    vz_convert_job *c;
    const char *path;
    hid_t dcpl;
    unsigned rank;
    uint64_t dims[VZ_CHUNKS_RANK_MAX], maximum[VZ_CHUNKS_RANK_MAX];
    uint64_t element_size;
    bool varies; /* elements of variable length, over which netCDF's libraries know no filter */
} creation;

static bool forget_external(hid_t dcpl, vz_error *err)
{
    const hid_t usual = H5Pcreate(H5P_DATASET_CREATE);
    const bool ok = usual >= 0 && H5Pcopy_prop(dcpl, usual, PROPERTY_EXTERNAL) >= 0;
    if (!ok)
        vz_convert_h5_fail(err, "its creation properties cannot be changed");
    vz_convert_id_close(usual);
    return ok;
}

/* Are all its sources in the file itself? */
static bool is_self_contained(hid_t dcpl)
{
    size_t count;
    bool here = H5Pget_virtual_count(dcpl, &count) >= 0;
    for (size_t i = 0; here && i < count; i++) {
        char name[3];
        here = H5Pget_virtual_filename(dcpl, i, name, sizeof name) == 1 && name[0] == '.';
    }
    return here;
}

/* Elements in files beside the source are brought into the target. */
static bool bring_in(creation *w, vz_error *err)
{
    const H5D_layout_t layout = H5Pget_layout(w->dcpl);
    const int files = layout == H5D_CONTIGUOUS ? H5Pget_external_count(w->dcpl) : 0;
    if (layout < 0 || files < 0)
        return vz_convert_h5_fail(err, "its layout cannot be had");
    if (files > 0) {
        vz_convert_copy_note(w->c, w->path, "its elements were in %d external files, and are in the copy itself",
                             files);
        return forget_external(w->dcpl, err);
    }
    if (layout != H5D_VIRTUAL || (is_self_contained(w->dcpl) && !w->c->places))
        return true;
    vz_convert_copy_note(w->c, w->path,
                         w->c->places ? "a virtual dataset: the view has its elements"
                                      : "a virtual dataset of other files: the copy has its elements");
    return H5Pset_layout(w->dcpl, H5D_CONTIGUOUS) >= 0 || vz_convert_h5_fail(err, "its layout cannot be changed");
}

static bool can_grow(const creation *w)
{
    for (unsigned i = 0; i < w->rank; i++)
        if (w->maximum[i] != w->dims[i])
            return true;
    return false;
}

static bool set_chunks(creation *w, vz_error *err)
{
    uint64_t chunk[VZ_CHUNKS_RANK_MAX];
    hsize_t given[VZ_CHUNKS_RANK_MAX];
    const H5D_layout_t layout = H5Pget_layout(w->dcpl);
    if (w->rank == 0 || layout == H5D_VIRTUAL)
        return true;
    for (unsigned i = 0; i < w->rank; i++)
        if (w->dims[i] == 0)
            return true;
    if (!vz_convert_chunk_rules_apply(&w->c->chunks, w->path, w->rank, w->dims, w->maximum, w->element_size, chunk)) {
        if (layout == H5D_CHUNKED || !can_grow(w))
            return true;
        vz_convert_chunk_guess(w->rank, w->dims, w->element_size, chunk);
    }
    for (unsigned i = 0; i < w->rank; i++)
        given[i] = chunk[i];
    return H5Pset_chunk(w->dcpl, (int)w->rank, given) >= 0 || vz_convert_h5_fail(err, "these chunks cannot be had");
}

/* ---- filters ---- */

static bool remove_filters(hid_t dcpl, vz_error *err)
{
    return H5Pget_nfilters(dcpl) == 0 || H5Premove_filter(dcpl, H5Z_FILTER_ALL) >= 0 ||
           vz_convert_h5_fail(err, "its filters cannot be removed");
}

/* Can HDF5 write through it? It asks also where codecs of a store do. */
static bool can_encode(H5Z_filter_t id)
{
    unsigned flags = 0;
    return H5Zfilter_avail(id) > 0 && H5Zget_filter_info(id, &flags) >= 0 && (flags & H5Z_FILTER_CONFIG_ENCODE_ENABLED);
}

/* Drops properties that this HDF5 cannot write. Reading reports properties that it cannot read.
 * *dropped: something was left out. */
static bool drop_unknown(creation *w, bool *dropped, vz_error *err)
{
    *dropped = false;
    for (int i = H5Pget_nfilters(w->dcpl); i-- > 0;) {
        const vz_convert_filter filter = vz_convert_filter_at(w->dcpl, i);
        if (filter.id < 0)
            return vz_convert_h5_fail(err, "its filters cannot be read");
        if (can_encode(filter.id))
            continue;
        vz_convert_copy_note_filter(w->c, filter.id, filter.name);
        *dropped = true;
        if (H5Premove_filter(w->dcpl, filter.id) < 0)
            return vz_convert_h5_fail(err, "filter %d cannot be left out", (int)filter.id);
    }
    H5Eclear2(H5E_DEFAULT);
    return true;
}

hid_t vz_convert_filters_of(hid_t dcpl, vz_error *err)
{
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    bool ok = list >= 0;
    for (int i = 0, count = H5Pget_nfilters(dcpl); ok && i < count; i++) {
        const vz_convert_filter filter = vz_convert_filter_at(dcpl, i);
        if (filter.id >= 0 && can_encode(filter.id))
            ok = H5Pset_filter(list, filter.id, H5Z_FLAG_OPTIONAL, filter.count, filter.values) >= 0;
    }
    H5Eclear2(H5E_DEFAULT);
    if (ok)
        return list;
    vz_convert_id_close(list);
    vz_convert_h5_fail(err, "its filters cannot be read");
    return H5I_INVALID_HID;
}

static herr_t set_compressor(hid_t dcpl, const char *word)
{
    static const unsigned zstd[] = {3}, blosc[] = {0, 0, 0, 0, 5, 1, 1}; /* level 5, shuffle, lz4 */
    if (strcmp(word, "zlib") == 0)
        return H5Pset_shuffle(dcpl) < 0 ? -1 : H5Pset_deflate(dcpl, DEFLATE_LEVEL);
    if (strcmp(word, "zstd") == 0)
        return H5Pset_filter(dcpl, FILTER_ZSTD, H5Z_FLAG_MANDATORY, 1, zstd);
    return H5Pset_filter(dcpl, FILTER_BLOSC, H5Z_FLAG_MANDATORY, 7, blosc);
}

static bool has_filter(hid_t dcpl, H5Z_filter_t wanted)
{
    unsigned flags, config;
    size_t count = 0;
    const bool has = H5Pget_filter_by_id2(dcpl, wanted, &flags, &count, NULL, 0, NULL, &config) >= 0;
    H5Eclear2(H5E_DEFAULT);
    return has;
}

/* A store compresses what has no filters by itself; of a file shuffle and deflate are in every
 * HDF5. */
static bool keep_filters(creation *w, vz_error *err)
{
    bool dropped;
    if (!drop_unknown(w, &dropped, err))
        return false;
    if (!dropped || w->c->request->target.is_store)
        return !dropped || H5Pget_nfilters(w->dcpl) != 1 || !has_filter(w->dcpl, H5Z_FILTER_SHUFFLE) ||
               remove_filters(w->dcpl, err); /* a shuffle alone would be all that is done to it */
    return (has_filter(w->dcpl, H5Z_FILTER_SHUFFLE) || H5Pset_shuffle(w->dcpl) >= 0) &&
           (H5Pset_deflate(w->dcpl, DEFLATE_LEVEL) >= 0 || vz_convert_h5_fail(err, "it cannot be compressed"));
}

/* A store compresses with a codec of its own, which the list names. */
static bool name_codec(hid_t dcpl, const char *word, vz_error *err)
{
    char text[H5VL_ZARR_WORD_SIZE] = {0};
    snprintf(text, sizeof text, "%s", word);
    return H5Pinsert2(dcpl, H5VL_ZARR_COMPRESS, sizeof text, text, NULL, NULL, NULL, NULL, NULL, NULL) >= 0 ||
           vz_convert_h5_fail(err, "its codec cannot be named");
}

static bool set_filters(creation *w, vz_error *err)
{
    const char *word = vz_convert_compress_word(&w->c->codecs, w->path);
    char why[VZ_VIEW_REASON];
    if (w->varies && w->c->request->for_netcdf)
        return remove_filters(w->dcpl, err);
    if (w->c->places && vz_convert_view_filters(w->c, w->dcpl, why))
        return true; /* also those that this HDF5 lacks: nothing is written through them */
    if (strcmp(word, "auto") == 0)
        return keep_filters(w, err);
    if (!remove_filters(w->dcpl, err))
        return false;
    if (w->c->request->target.is_store)
        return name_codec(w->dcpl, word, err);
    if (strcmp(word, "none") == 0 || H5Pget_layout(w->dcpl) != H5D_CHUNKED)
        return true;
    return set_compressor(w->dcpl, word) >= 0 || vz_convert_h5_fail(err, "this HDF5 has no filter for \"%s\"", word);
}

/* Where nothing else is wanted, a dataset that is to be compressed gets chunks. */
static bool chunk_to_compress(creation *w, vz_error *err)
{
    const char *word = vz_convert_compress_word(&w->c->codecs, w->path);
    const bool wanted = strcmp(word, "auto") != 0 && strcmp(word, "none") != 0;
    uint64_t chunk[VZ_CHUNKS_RANK_MAX];
    hsize_t given[VZ_CHUNKS_RANK_MAX];
    if (!wanted || w->c->request->target.is_store || w->rank == 0 || H5Pget_layout(w->dcpl) != H5D_CONTIGUOUS)
        return true;
    for (unsigned i = 0; i < w->rank; i++)
        if (w->dims[i] == 0)
            return true;
    vz_convert_chunk_guess(w->rank, w->dims, w->element_size, chunk);
    for (unsigned i = 0; i < w->rank; i++)
        given[i] = chunk[i];
    return H5Pset_chunk(w->dcpl, (int)w->rank, given) >= 0 || vz_convert_h5_fail(err, "it cannot be chunked");
}

static bool take_extent(creation *w, hid_t space, vz_error *err)
{
    hsize_t dims[VZ_CHUNKS_RANK_MAX], maximum[VZ_CHUNKS_RANK_MAX];
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 0 || rank > VZ_CHUNKS_RANK_MAX || (rank > 0 && H5Sget_simple_extent_dims(space, dims, maximum) < 0))
        return vz_convert_h5_fail(err, "its extent cannot be had");
    w->rank = (unsigned)rank;
    for (unsigned i = 0; i < w->rank; i++) {
        w->dims[i] = dims[i];
        w->maximum[i] = maximum[i];
    }
    return true;
}

hid_t vz_convert_copy_dataset_list(vz_convert_job *c, hid_t dataset, hid_t space, hid_t type, const char *path,
                                   vz_error *err)
{
    creation w = {.c = c,
                  .path = path,
                  .dcpl = H5Dget_create_plist(dataset),
                  .element_size = H5Tget_size(type),
                  .varies = H5Tget_class(type) == H5T_VLEN || H5Tis_variable_str(type) > 0};
    if (w.dcpl < 0) {
        vz_convert_h5_fail(err, "its creation properties cannot be read");
        return H5I_INVALID_HID;
    }
    if (take_extent(&w, space, err) && bring_in(&w, err) && set_chunks(&w, err) && chunk_to_compress(&w, err) &&
        set_filters(&w, err))
        return w.dcpl;
    vz_convert_id_close(w.dcpl);
    return H5I_INVALID_HID;
}
