/* view_elements.c - a dataset of a view. The places of its chunks in the source are noted, and what
 * cannot be referred to is copied, as far as that is wanted. */
#include "command/convert/convert_internal.h"
#include "command/convert/copy_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_SIZE   512       /* bytes of a contiguous dataset that no request is worth */
#define WITNESS_MOST 1024      /* elements of a contiguous dataset that are compared */
#define METADATA_MAX (1 << 19) /* bytes of metadata that HDF5 keeps */

/* ---- the dataset ---- */

typedef struct view {
    vz_convert_job *c;
    hid_t from, to, type, dcpl;
    const vz_convert_element *element;
    const char *path;
    H5D_layout_t layout;
    unsigned rank;
    uint64_t dims[VZ_CONVERT_RANK_MAX], chunk[VZ_CONVERT_RANK_MAX];
    uint64_t count;      /* elements */
    uint64_t chunk_size; /* bytes, decoded */
    bool has_filters;
    vz_convert_stored_chunks left; /* chunks that cannot be referred to */
    vz_convert_place witness;
    bool has_witness, witness_is_inside;
    vz_error *err;
} view;

static bool take_chunk_shape(view *v)
{
    hsize_t chunk[H5S_MAX_RANK];
    if (v->layout != H5D_CHUNKED)
        return true;
    if (H5Pget_chunk(v->dcpl, H5S_MAX_RANK, chunk) != (int)v->rank)
        return false;
    v->chunk_size = v->element->size;
    for (unsigned i = 0; i < v->rank; i++) {
        v->chunk[i] = chunk[i];
        if (chunk[i] == 0 || !vz_mul(v->chunk_size, chunk[i], &v->chunk_size))
            return false;
    }
    return true;
}

static bool take_shape(view *v, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(v->from);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    const bool is_null = space >= 0 && H5Sget_simple_extent_type(space) == H5S_NULL;
    const bool ok =
        rank >= 0 && rank <= VZ_CONVERT_RANK_MAX && (rank == 0 || H5Sget_simple_extent_dims(space, dims, NULL) == rank);
    vz_convert_id_close(space);
    v->rank = ok ? (unsigned)rank : 0;
    v->count = is_null ? 0 : 1;
    for (unsigned i = 0; i < v->rank; i++) {
        v->dims[i] = dims[i];
        if (!vz_mul(v->count, dims[i], &v->count))
            return vz_fail(err, VZ_LIMIT, "its elements are more than 64 bits count");
    }
    return (ok && take_chunk_shape(v)) || vz_convert_h5_fail(err, "its extent cannot be had");
}

/* Why its elements have to be copied; an empty text: they need not. */
static void find_reason(const view *v, char why[VZ_VIEW_REASON])
{
    const char *text = "";
    *why = '\0';
    if (v->element->has_reference)
        text = "references lead to places in the file";
    else if (v->element->has_variable)
        text = "elements of variable length lie in heaps of the file";
    else if (v->layout == H5D_CONTIGUOUS && H5Pget_external_count(v->dcpl) > 0)
        text = "they lie in external files";
    else if (v->layout == H5D_CONTIGUOUS && v->count * v->element->size <= SMALL_SIZE)
        text = "they are few";
    else if (v->layout == H5D_COMPACT)
        text = "a compact dataset has no place of its own";
    else if (v->layout == H5D_VIRTUAL)
        text = "a virtual dataset has none of its own";
    else if (v->layout == H5D_CHUNKED && !vz_convert_stored_can_list())
        text = "HDF5 1.14.0 tells wrong places of chunks";
    else if (v->c->request->by_value && vz_strmap_get(v->c->request->by_value, v->path))
        text = "Zarr stores elements of this type in another form";
    else
        vz_convert_view_filters(v->c, v->dcpl, why);
    if (*text)
        snprintf(why, VZ_VIEW_REASON, "%s", text);
}

/* Of a sparse dataset only chunks that are stored count. */
static uint64_t size_to_copy(const view *v)
{
    uint64_t all = UINT64_MAX, sparse = UINT64_MAX;
    vz_convert_stored_chunks stored;
    if (!vz_mul(v->count, v->element->size, &all))
        all = UINT64_MAX;
    if (all <= v->c->request->inline_max || v->layout != H5D_CHUNKED ||
        !vz_convert_stored_take(v->from, v->rank, &stored))
        return all;
    if (!vz_mul(stored.count, v->chunk_size, &sparse))
        sparse = UINT64_MAX;
    vz_convert_stored_clear(&stored);
    return sparse < all ? sparse : all;
}

static bool check_small(const view *v, const char *why, vz_error *err)
{
    const uint64_t size = size_to_copy(v), most = v->c->request->inline_max;
    return size <= most || vz_fail(err, VZ_LIMIT,
                                   "its elements cannot be referred to, since %s, and %llu bytes of it are more than "
                                   "may be copied into the view (%llu; --inline)",
                                   why, (unsigned long long)size, (unsigned long long)most);
}

/* ---- chunks ---- */

static bool is_inside(const view *v, const uint64_t *start)
{
    for (unsigned i = 0; i < v->rank; i++)
        if (start[i] > v->dims[i] || v->dims[i] - start[i] < v->chunk[i])
            return false;
    return true;
}

/* The first chunk, or better the first that is whole. */
static void offer_witness(view *v, const vz_convert_place *chunk, bool inside)
{
    if (v->has_witness && (v->witness_is_inside || !inside))
        return;
    v->has_witness = true;
    v->witness_is_inside = inside;
    v->witness = *chunk;
    v->witness.kind = VZ_CONVERT_PLACE_WITNESS;
    for (unsigned i = 0; i < v->rank; i++) {
        const uint64_t left = v->dims[i] - chunk->start[i];
        v->witness.extent[i] = v->chunk[i] < left ? v->chunk[i] : left;
    }
}

/* A chunk at the edge may be stored without filters, which its mask does not tell. */
static bool may_be_unfiltered(const view *v, bool inside, hsize_t size)
{
    return !inside && v->has_filters && size == v->chunk_size;
}

static int take_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *context)
{
    view *v = context;
    vz_convert_place place = {.kind = VZ_CONVERT_PLACE_CHUNK, .rank = v->rank, .address = address, .size = size};
    for (unsigned i = 0; i < v->rank; i++) {
        place.start[i] = offset[i];
        if (offset[i] >= v->dims[i])
            return 0; /* of a dataset that was larger once */
    }
    if (address == HADDR_UNDEF)
        return 0;
    const bool inside = is_inside(v, place.start);
    if (mask || may_be_unfiltered(v, inside, size))
        return vz_convert_stored_add(&v->left, offset, size, mask) ? 0 : -1;
    offer_witness(v, &place, inside);
    return vz_convert_places_write(v->c->places, &place, v->err) ? 0 : -1;
}

static bool note_chunks(view *v, vz_error *err)
{
    v->err = err;
    v->left.rank = v->rank;
    if (H5Dchunk_iter(v->from, H5P_DEFAULT, take_chunk, v) >= 0)
        return true;
    vz_convert_h5_fail(err, "its chunks cannot be listed");
    return vz_convert_copy_source_failed(v->c, err);
}

static bool note_contiguous(view *v, vz_error *err)
{
    const haddr_t address = H5Dget_offset(v->from);
    vz_convert_place place = {
        .kind = VZ_CONVERT_PLACE_CHUNK, .rank = v->rank, .address = address, .size = v->count * v->element->size};
    if (address == HADDR_UNDEF)
        return true;
    v->has_witness = true;
    v->witness = place;
    v->witness.kind = VZ_CONVERT_PLACE_WITNESS;
    for (unsigned i = 0; i < v->rank; i++)
        v->witness.extent[i] = 1;
    if (v->rank > 0)
        v->witness.extent[v->rank - 1] = v->dims[v->rank - 1] < WITNESS_MOST ? v->dims[v->rank - 1] : WITNESS_MOST;
    return vz_convert_places_write(v->c->places, &place, err);
}

static bool copy_left(view *v, vz_error *err)
{
    uint64_t start[VZ_CONVERT_RANK_MAX], extent[VZ_CONVERT_RANK_MAX], size = 0;
    if (v->left.count == 0)
        return true;
    if (!vz_mul(v->left.count, v->chunk_size, &size) || size > v->c->request->inline_max)
        return vz_fail(err, VZ_LIMIT,
                       "filters were not applied to %zu of its chunks: these are more bytes than may be copied into "
                       "the view (%llu; --inline)",
                       v->left.count, (unsigned long long)v->c->request->inline_max);
    if (!vz_convert_filters_check_readable(v->dcpl, err))
        return vz_convert_copy_source_failed(v->c, err);
    bool ok = true;
    for (size_t i = 0; ok && i < v->left.count; i++)
        ok = (vz_convert_stored_box(v->from, &v->left, i, start, extent) ||
              vz_fail(err, VZ_CORRUPT, "a chunk lies beyond its extent")) &&
             vz_convert_copy_box(v->c, v->from, v->to, v->element, v->type, start, extent, err);
    return ok;
}

/* The elements of one chunk as our own code stores them, to compare the source's bytes with. */
static bool copy_witness(view *v, vz_error *err)
{
    if (!v->has_witness)
        return true;
    if (!vz_convert_filters_check_readable(v->dcpl, NULL)) {
        H5Eclear2(H5E_DEFAULT);
        memset(v->witness.extent, 0, sizeof v->witness.extent);
    } else if (!vz_convert_copy_box(v->c, v->from, v->to, v->element, v->type, v->witness.start, v->witness.extent,
                                    err)) {
        return false;
    }
    return vz_convert_places_write(v->c->places, &v->witness, err);
}

static bool note_places(view *v, vz_error *err)
{
    char codecs[VZ_VIEW_CODECS];
    vz_convert_view_codecs(v->dcpl, codecs);
    const vz_convert_place dataset = {.kind = VZ_CONVERT_PLACE_DATASET,
                                      .path = v->path,
                                      .codecs = codecs,
                                      .rank = v->rank,
                                      .is_contiguous = v->layout == H5D_CONTIGUOUS};
    const bool ok = vz_convert_places_write(v->c->places, &dataset, err) &&
                    (v->layout == H5D_CONTIGUOUS ? note_contiguous(v, err) : note_chunks(v, err)) &&
                    copy_left(v, err) && copy_witness(v, err);
    vz_convert_stored_clear(&v->left);
    return ok;
}

static bool open_view(view *v, vz_error *err)
{
    v->dcpl = H5Dget_create_plist(v->from);
    v->layout = v->dcpl < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(v->dcpl);
    v->has_filters = v->dcpl >= 0 && H5Pget_nfilters(v->dcpl) > 0;
    return (v->layout >= 0 || vz_convert_h5_fail(err, "its creation properties cannot be read")) && take_shape(v, err);
}

/* Chunks are listed in order, so few nodes of their indexes are met again. HDF5 counts bytes of the
 * file, and a node takes eight times as many in memory. */
void vz_convert_view_bound_metadata(hid_t file)
{
    H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    bool ok = H5Fget_mdc_config(file, &config) >= 0;
    config.set_initial_size = true;
    config.initial_size = config.min_size = config.max_size = METADATA_MAX;
    config.incr_mode = H5C_incr__off;
    config.flash_incr_mode = H5C_flash_incr__off;
    config.decr_mode = H5C_decr__off;
    ok = ok && H5Fset_mdc_config(file, &config) >= 0;
    if (!ok) /* HDF5's own bound holds */
        H5Eclear2(H5E_DEFAULT);
}

bool vz_convert_view_set_elsewhere(const vz_convert_job *c, hid_t dataset, const vz_convert_element *element,
                                   const char *path, hid_t dcpl, vz_error *err)
{
    char why[VZ_VIEW_REASON];
    const hbool_t yes = true;
    H5D_space_status_t status;
    view v = {.c = (vz_convert_job *)c, .from = dataset, .element = element, .path = path};
    bool ok = open_view(&v, err);
    if (ok && v.count > 0) {
        find_reason(&v, why);
        if (!*why && H5Dget_space_status(dataset, &status) >= 0 && status == H5D_SPACE_STATUS_ALLOCATED)
            ok = H5Pinsert2(dcpl, H5VL_ZARR_CHUNKS_ELSEWHERE, sizeof yes, (void *)&yes, NULL, NULL, NULL, NULL, NULL,
                            NULL) >= 0 ||
                 vz_convert_h5_fail(err, "its creation properties cannot be changed");
    }
    vz_convert_id_close(v.dcpl);
    return ok;
}

bool vz_convert_view_elements(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_element *element, hid_t type,
                              const char *path, bool *done, vz_error *err)
{
    char why[VZ_VIEW_REASON];
    view v = {.c = c, .from = from, .to = to, .type = type, .element = element, .path = path};
    bool ok = open_view(&v, err);
    *done = ok && v.count == 0;
    if (ok && !*done) {
        find_reason(&v, why);
        *done = !*why;
        ok = *why ? check_small(&v, why, err) : note_places(&v, err);
    }
    vz_convert_id_close(v.dcpl);
    return ok;
}
