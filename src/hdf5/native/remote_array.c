/* remote_array.c - a chunked dataset of an HDF5 file on a server as an array. Its chunks are the
 * values of a store, at the places that HDF5 lists, so that workers fetch and decode them without
 * HDF5. */
#include "array/array/array.h"
#include "hdf5/datasets/pipeline.h"
#include "hdf5/native/remote_internal.h"
#include "hdf5/types/types.h"
#include "store/store/request.h"
#include <stdlib.h>

#define CHUNK_MAX ((size_t)256 << 20) /* bytes of a decoded chunk; HDF5 reads larger ones */

/* ---- places ---- */

uint64_t vz_native_chunk_number(const vz_native_chunks *chunks, const uint64_t *at)
{
    uint64_t number = 0;
    for (int i = 0; i < chunks->rank; i++)
        number = number * chunks->grid[i] + at[i];
    return number;
}

static int compare(const void *a, const void *b)
{
    const vz_native_place *one = a, *other = b;
    return one->number < other->number ? -1 : one->number > other->number;
}

static const vz_native_place *find_place(const vz_native_chunks *chunks, uint64_t number)
{
    const vz_native_place wanted = {.number = number};
    return bsearch(&wanted, chunks->places, chunks->place_count, sizeof wanted, compare);
}

void vz_native_places_sort(vz_native_chunks *chunks)
{
    if (chunks->place_count > 1)
        qsort(chunks->places, chunks->place_count, sizeof *chunks->places, compare);
}

/* ---- the store of the chunks ---- */

typedef struct chunk_store {
    vz_store base;
    vz_byte_source *source;
    const vz_native_chunks *chunks;
    const vz_meta *meta;
} chunk_store;

static const vz_native_place *place_of(const vz_store *base, const char *key)
{
    const chunk_store *store = (const chunk_store *)base;
    uint64_t at[VZ_MAX_RANK];
    if (!vz_chunk_parse_key(store->meta, key, at) || !vz_chunk_has_key(store->meta, at))
        return NULL;
    return find_place(store->chunks, vz_native_chunk_number(store->chunks, at));
}

static bool read_whole(const vz_store *base, const vz_native_place *place, vz_buffer *out, vz_error *err)
{
    const size_t before = out->size;
    if (!vz_buffer_reserve(out, before + place->size, err) ||
        !vz_byte_source_read(((const chunk_store *)base)->source, place->address, out->data + before, place->size, err))
        return false;
    out->size = before + place->size;
    return true;
}

static bool take_range(vz_bytes whole, const vz_range *range, vz_bytes *part, vz_error *err)
{
    *part = whole;
    if (range->kind == VZ_RANGE_ALL)
        return true;
    if (range->kind != VZ_RANGE_AT || range->offset > whole.size || range->size > whole.size - range->offset)
        return vz_fail(err, VZ_CORRUPT, "the chunk has %zu bytes, too few", whole.size);
    *part = (vz_bytes){whole.data + range->offset, (size_t)range->size};
    return true;
}

/* Parts are cut from the whole: the source has asked for it. */
static bool get_parts(const vz_store *base, const vz_native_place *place, const vz_range *ranges, size_t count,
                      vz_buffer *out, vz_error *err)
{
    vz_buffer whole = {0};
    vz_bytes part;
    bool ok = read_whole(base, place, &whole, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = take_range((vz_bytes){whole.data, whole.size}, &ranges[i], &part, err) &&
             vz_buffer_append(&out[i], part.data, part.size, err);
    vz_buffer_clear(&whole);
    return ok;
}

static bool get(vz_store *base, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    const vz_native_place *place = place_of(base, key);
    *found = place != NULL;
    return !place || get_parts(base, place, &range, 1, out, err);
}

static bool stat_chunk(vz_store *base, const char *key, vz_stamp *stamp, vz_error *err)
{
    (void)err;
    const vz_native_place *place = place_of(base, key);
    *stamp = (vz_stamp){.exists = place != NULL, .size = place ? place->size : 0};
    return true;
}

static void close_store(vz_store *base)
{
    free(base->path);
    free(base);
}

/* ---- batches ---- */

/* The source learns which chunks are read, in their order. */
static bool batch_open(vz_batch *batch, vz_error *err)
{
    vz_byte_read *reads = calloc(batch->count + 1, sizeof *reads);
    size_t count = 0;
    if (!reads)
        return vz_fail_memory(err);
    for (size_t i = 0; i < batch->count; i++) {
        const vz_native_place *place = place_of(batch->store, batch->requests[i].key);
        if (place)
            reads[count++] = (vz_byte_read){.offset = place->address, .size = place->size};
    }
    if (count > 1)
        vz_byte_source_read_many(((chunk_store *)batch->store)->source, reads, count, NULL);
    free(reads);
    return true;
}

static bool answer(vz_batch *batch, vz_request *request, vz_buffer *scratch, vz_error *err)
{
    const vz_native_place *place = place_of(batch->store, request->key);
    const size_t count = request->ranges ? request->range_count : 1;
    request->found = place != NULL;
    request->version = (vz_version){0};
    request->bytes = (vz_bytes){0};
    if (!place || count == 0)
        return true;
    if (request->most && place->size > request->most)
        return vz_fail(err, VZ_LIMIT, "a chunk of %zu bytes", place->size);
    if (request->into && !vz_request_is_whole(request))
        return get_parts(batch->store, place, request->ranges, count, request->into, err);
    vz_buffer *out = request->into ? request->into : scratch;
    if (!request->into)
        out->size = 0;
    if (!read_whole(batch->store, place, out, err))
        return false;
    const vz_bytes whole = {out->data, out->size};
    return request->into || take_range(whole, request->ranges ? request->ranges : &VZ_WHOLE, &request->bytes, err);
}

static vz_request *batch_next(vz_batch *batch, vz_buffer *scratch)
{
    const size_t index = batch->stopped ? batch->count : atomic_fetch_add(&batch->pulled, 1);
    if (index >= batch->count)
        return NULL;
    vz_request *request = &batch->requests[index];
    vz_error failed = VZ_ERROR_NONE;
    if (!answer(batch, request, scratch, &failed))
        vz_batch_failed(batch, request, &failed);
    return request;
}

static void batch_end(vz_batch *batch)
{
    (void)batch;
}

static const vz_batch_class batches = {.open = batch_open, .next = batch_next, .close = batch_end, .drop = batch_end};

static const vz_store_class class = {
    .kind = "chunks of an HDF5 file", .get = get, .stat = stat_chunk, .batches = &batches, .close = close_store};

static vz_store *store_new(vz_byte_source *source, const vz_native_chunks *chunks, const vz_meta *meta)
{
    chunk_store *store = calloc(1, sizeof *store);
    if (!store)
        return NULL;
    store->base.class = &class;
    store->base.path = strdup(class.kind);
    store->base.in_flight = 1;
    store->source = source;
    store->chunks = chunks;
    store->meta = meta;
    if (store->base.path)
        return &store->base;
    close_store(&store->base);
    return NULL;
}

/* ---- what the dataset says ---- */

/* Elements whose bytes in the file are those in memory. */
static bool take_type(vz_object *dataset, vz_native_array *a)
{
    H5VL_dataset_get_args_t args = {.op_type = H5VL_DATASET_GET_TYPE};
    if (H5VLdataset_get(vz_native_under(dataset), vz_native_connector(), &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0)
        return false;
    a->type = H5Tcopy(args.args.get_type.type_id); /* of a committed one */
    vz_h5_close_quietly(args.args.get_type.type_id);
    a->is_number = a->type >= 0 && vz_type_number(a->type, &a->number);
    return a->type >= 0 && !vz_type_has_vlen(a->type) && H5Tdetect_class(a->type, H5T_REFERENCE) == 0;
}

/* HDF5 fills what nobody wrote. */
static bool take_fill(const vz_native_array *a, hid_t dcpl, vz_error *err)
{
    H5D_fill_value_t status;
    H5D_fill_time_t when;
    if (H5Pfill_value_defined(dcpl, &status) < 0 || H5Pget_fill_time(dcpl, &when) < 0)
        return false;
    if (a->is_sparse && (status == H5D_FILL_VALUE_UNDEFINED || when == H5D_FILL_TIME_NEVER))
        return false;
    if (status != H5D_FILL_VALUE_USER_DEFINED)
        return vz_meta_set_zero_fill(a->meta, err);
    void *fill = malloc(a->meta->dtype->size);
    const bool ok = fill && H5Pget_fill_value(dcpl, a->type, fill) >= 0 && vz_meta_set_fill(a->meta, fill, err);
    free(fill);
    return ok;
}

/* Chunks at the end may be stored without filters. */
static bool takes_all_filters(hid_t dcpl)
{
    unsigned options = 0;
    return H5Pget_chunk_opts(dcpl, &options) >= 0 && options == 0;
}

static bool take_meta(vz_native_array *a, const vz_native_chunks *chunks, hid_t dcpl, vz_error *err)
{
    uint64_t count = 1;
    vz_meta *meta = a->meta = calloc(1, sizeof *meta);
    const size_t size = H5Tget_size(a->type);
    if (!meta || size == 0 || chunks->rank > VZ_MAX_RANK)
        return false;
    meta->rank = (unsigned)chunks->rank;
    meta->separator = '.';
    for (unsigned d = 0; d < meta->rank; d++) {
        meta->shape[d] = chunks->extent[d];
        meta->chunks[d] = chunks->chunk[d];
        if (!vz_mul(count, chunks->grid[d], &count))
            return false;
    }
    a->is_sparse = chunks->place_count < count;
    vz_meta_set_order(meta, false);
    meta->dtype = vz_dtype_new(VZ_DTYPE_RAW, size, false, err);
    return meta->dtype && vz_meta_measure_chunk(meta, err) && meta->chunk_size <= CHUNK_MAX &&
           takes_all_filters(dcpl) && vz_pipeline_known(dcpl, size, &meta->codecs) && take_fill(a, dcpl, err);
}

static bool open_array(vz_object *dataset, vz_byte_source *source, const vz_native_chunks *chunks, vz_native_array *a)
{
    vz_error err = VZ_ERROR_NONE;
    H5VL_dataset_get_args_t args = {.op_type = H5VL_DATASET_GET_DCPL};
    if (chunks->are_masked || !take_type(dataset, a) ||
        H5VLdataset_get(vz_native_under(dataset), vz_native_connector(), &args, H5P_DATASET_XFER_DEFAULT, NULL) < 0)
        return false;
    const bool ok = take_meta(a, chunks, args.args.get_dcpl.dcpl_id, &err);
    vz_h5_close_quietly(args.args.get_dcpl.dcpl_id);
    return ok && (a->store = store_new(source, chunks, a->meta)) &&
           (a->array = vz_array_open(a->store, a->meta, "", false, &err));
}

vz_native_array *vz_native_array_new(vz_object *dataset, vz_byte_source *source, const vz_native_chunks *chunks)
{
    vz_native_array *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->type = H5I_INVALID_HID;
    if (open_array(dataset, source, chunks, a))
        return a;
    vz_native_array_free(a);
    return NULL;
}

void vz_native_array_free(vz_native_array *a)
{
    if (!a)
        return;
    vz_array_close(a->array);
    vz_store_close(a->store);
    vz_meta_free(a->meta);
    if (a->type >= 0)
        vz_h5_close_quietly(a->type);
    free(a);
}
