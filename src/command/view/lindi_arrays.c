/* lindi_arrays.c - arrays of a copy as LINDI has them: documents, attributes, elements. */
#include "array/array/array.h"
#include "codec/chain/chain.h"
#include "command/view/view_internal.h"
#include <stdlib.h>

#define JSON2                                                                                                          \
    "[{\"id\":\"json2\",\"encoding\":\"utf-8\",\"skipkeys\":false,\"ensure_ascii\":true,\"check_circular\":true,"      \
    "\"allow_nan\":true,\"indent\":null,\"separators\":[\",\",\":\"],\"sort_keys\":true,\"strict\":true}]"
#define ZLIB       "{\"id\":\"zlib\",\"level\":5}"
#define SMALL_SIZE 256 /* bytes of a text's code points that are not compressed */

/* ---- documents ---- */

bool vz_view_lindi_document(vz_view *view, const char *prefix, const char *name, const vz_json *value, vz_error *err)
{
    char *key = vz_document_key_join(prefix, name, err);
    const bool ok = key && vz_view_output_json(&view->out, key, value, err);
    free(key);
    return ok;
}

/* LINDI writes no empty ones. */
bool vz_view_lindi_write_attributes(vz_view *view, const char *prefix, const vz_json *attributes, vz_error *err)
{
    return vz_json_length(attributes) == 0 || vz_view_lindi_document(view, prefix, ".zattrs", attributes, err);
}

/* ---- arrays ---- */

typedef struct lindi_array {
    vz_node *node;
    char *prefix, *path;
    vz_view_lindi_form form;
    bool is_linked, is_scalar;
    uint64_t count;     /* elements */
    uint64_t size;      /* bytes of a text that is a scalar, as UTF-32 */
    bool is_compressed; /* is that compressed? */
} lindi_array;

static bool set_list(vz_json *document, const char *name, const uint64_t *sizes, unsigned rank, vz_error *err)
{
    return vz_json_set(document, name, vz_meta_print_sizes(sizes, rank, err), err);
}

static bool set_parsed(vz_json *document, const char *name, const char *text, vz_error *err)
{
    return vz_json_set(document, name, vz_json_parse(text, strlen(text), err), err);
}

/* One chunk has all elements. */
static bool set_grid(const lindi_array *a, vz_json *document, vz_error *err)
{
    const vz_meta *meta = a->node->meta;
    uint64_t chunks[VZ_MAX_RANK] = {1};
    for (unsigned d = 0; d < meta->rank; d++)
        chunks[d] = a->count > 0 ? meta->shape[d] : 1;
    return set_list(document, "chunks", chunks, a->is_scalar ? 1 : meta->rank, err);
}

static bool set_text_type(const lindi_array *a, vz_json *document, vz_error *err)
{
    char dtype[VZ_DECIMAL_SIZE + 2] = "<U";
    vz_decimal(a->size / 4, dtype + 2);
    return vz_json_set_text(document, "dtype", dtype, err) && vz_json_set_text(document, "fill_value", "", err) &&
           vz_json_set(document, "filters", vz_json_null(err), err) &&
           set_parsed(document, "compressor", a->is_compressed ? ZLIB : "null", err);
}

static bool adapt_document(const lindi_array *a, vz_json *document, vz_error *err)
{
    static const uint64_t one[] = {1};
    bool ok = !a->is_scalar || set_list(document, "shape", one, 1, err);
    if (a->form == VZ_LINDI_NUMBERS)
        return ok && (!a->is_scalar || set_list(document, "chunks", one, 1, err));
    ok = ok && set_grid(a, document, err);
    if (a->form == VZ_LINDI_TEXTS && a->is_scalar)
        return ok && set_text_type(a, document, err);
    return ok && vz_json_set_text(document, "dtype", "|O", err) &&
           vz_json_set(document, "fill_value", vz_json_int64(0, err), err) &&
           set_parsed(document, "filters", JSON2, err) && vz_json_set(document, "compressor", vz_json_null(err), err);
}

static bool write_array_document(vz_view *view, const lindi_array *a, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    char *key = vz_document_key_join(a->prefix, ".zarray", err);
    vz_json *document = NULL;
    bool ok = key &&
              vz_store_get(vz_hierarchy_store(view->request->root->hierarchy), key, VZ_WHOLE, &text, &found, err) &&
              (found || vz_fail(err, VZ_NOT_FOUND, "%.300s has no document", a->path)) &&
              vz_view_finish_document(view, key, ".zarray", &text, err) &&
              (document = vz_json_parse((const char *)text.data, text.size, err)) && adapt_document(a, document, err) &&
              vz_view_output_json(&view->out, key, document, err);
    vz_json_free(document);
    vz_buffer_clear(&text);
    free(key);
    return ok;
}

static bool add_link(const vz_view *view, const lindi_array *a, vz_json *attributes, vz_error *err)
{
    vz_json *link = vz_json_object(err);
    if (link && vz_json_set_text(link, "link_type", "hdf5_dataset", err) &&
        vz_json_set_text(link, "url", view->request->name, err) && vz_json_set_text(link, "name", a->path + 1, err))
        return vz_json_set(attributes, "_EXTERNAL_ARRAY_LINK", link, err);
    vz_json_free(link);
    return false;
}

static bool write_array_attributes(vz_view *view, const lindi_array *a, vz_error *err)
{
    vz_json *attributes = vz_view_lindi_attributes(a->node, a->path, err);
    const bool ok = attributes && (!a->is_scalar || vz_json_set(attributes, "_SCALAR", vz_json_bool(true, err), err)) &&
                    (a->form != VZ_LINDI_RECORDS ||
                     vz_json_set(attributes, "_COMPOUND_DTYPE", vz_view_lindi_members(a->node, err), err)) &&
                    (!a->is_linked || add_link(view, a, attributes, err)) &&
                    vz_view_lindi_write_attributes(view, a->prefix, attributes, err);
    vz_json_free(attributes);
    return ok;
}

/* ---- elements ---- */

/* Chunks that the copy has, but for those that are referred to. */
static bool write_chunks(vz_view *view, const lindi_array *a, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool ok = vz_store_list(vz_hierarchy_store(view->request->root->hierarchy), a->prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++) {
        char *key = vz_document_key_join(a->prefix, entries[i].name, err);
        ok = key && (entries[i].is_prefix || vz_zarr_is_document(entries[i].name) ||
                     vz_view_write_value(view, key, entries[i].name, err));
        free(key);
    }
    vz_entries_free(entries, count);
    return ok;
}

static bool compress(vz_buffer *bytes, vz_error *err)
{
    vz_codecs codecs = {0};
    vz_chain chain = {0};
    vz_buffer out = {0};
    vz_json *zlib = vz_json_parse(ZLIB, sizeof ZLIB - 1, err);
    bool ok = zlib && vz_codecs_append_numcodecs(&codecs, zlib, err);
    if (ok && (ok = vz_chain_open_bytes(&chain, &codecs, bytes->size, err))) {
        ok = vz_chain_encode_bytes(&chain, (vz_bytes){bytes->data, bytes->size}, &out, 0, err);
        vz_chain_clear(&chain);
    }
    vz_codecs_clear(&codecs);
    vz_json_free(zlib);
    vz_buffer_clear(ok ? bytes : &out);
    if (ok)
        *bytes = out;
    return ok;
}

static bool write_elements(vz_view *view, const lindi_array *a, const vz_buffer *elements, vz_error *err)
{
    const uint64_t first[VZ_MAX_RANK] = {0};
    char name[VZ_VIEW_CHUNK_NAME];
    char *key = vz_meta_chunk_key(a->node->meta, "", first, name, sizeof name, err)
                    ? vz_document_key_join(a->prefix, name, err)
                    : NULL;
    const vz_bytes bytes = {elements->data, elements->size};
    view->out.inlined += a->form == VZ_LINDI_TEXTS && a->is_scalar ? 0 : bytes.size;
    const bool ok =
        key && (a->form == VZ_LINDI_TEXTS && a->is_scalar ? vz_view_output_bytes(&view->out, key, bytes, err)
                                                          : vz_view_output_document(&view->out, key, bytes, err));
    free(key);
    return ok;
}

/* Elements come first, as the document tells of their size. */
static bool write_array_parts(vz_view *view, lindi_array *a, vz_error *err)
{
    vz_buffer elements = {0};
    const bool converts = a->form != VZ_LINDI_NUMBERS && a->count > 0;
    vz_error failed = VZ_ERROR_NONE;
    bool ok = !converts || vz_view_lindi_elements(a->node, a->form, &elements, &failed);
    if (!ok)
        vz_fail(err, failed.class, "%.300s: %.400s", a->path, failed.text);
    a->size = elements.size;
    a->is_compressed = a->form == VZ_LINDI_TEXTS && a->is_scalar && a->size > SMALL_SIZE;
    ok = ok && (!a->is_compressed || compress(&elements, err)) && write_array_document(view, a, err) &&
         write_array_attributes(view, a, err) && (!converts || write_elements(view, a, &elements, err)) &&
         (a->form != VZ_LINDI_NUMBERS || a->is_linked || write_chunks(view, a, err));
    vz_buffer_clear(&elements);
    return ok;
}

bool vz_view_lindi_write_array(vz_view *view, vz_node *node, vz_error *err)
{
    lindi_array a = {.node = node, .prefix = vz_node_prefix(node, err), .path = vz_node_path(node, err), .count = 1};
    bool ok = a.prefix && a.path && vz_view_lindi_find_form(node, a.path, &a.form, err);
    if (ok) {
        a.is_linked = vz_strmap_get(view->linked, a.prefix) != NULL;
        a.is_scalar = node->meta->rank == 0;
        for (unsigned d = 0; d < node->meta->rank; d++)
            if (!vz_mul(a.count, node->meta->shape[d], &a.count))
                a.count = UINT64_MAX;
        ok = write_array_parts(view, &a, err);
    }
    free(a.prefix);
    free(a.path);
    return ok;
}
