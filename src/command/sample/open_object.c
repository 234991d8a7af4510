/* open_object.c - an object, and what is known of it before any element is read. */
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

#define FILTER_NAME 64

/* The text in a buffer, as heap. */
static char *text_of(vz_buffer *text, bool ok, vz_error *err)
{
    if (ok && text->data)
        return (char *)text->data;
    vz_buffer_clear(text);
    if (ok)
        vz_fail_memory(err);
    return NULL;
}

/* ---- facts of an array ---- */

static bool take_shape(vz_sample_object *o, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    vz_sample_facts *facts = &o->facts;
    const hid_t space = H5Dget_space(o->id);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    const bool ok =
        rank >= 0 && rank <= VZ_SAMPLE_RANK_MAX && (!rank || H5Sget_simple_extent_dims(space, dims, NULL) >= 0);
    facts->is_null = ok && H5Sget_simple_extent_type(space) == H5S_NULL;
    vz_convert_id_close(space);
    if (!ok)
        return vz_convert_h5_fail(err, "its extent cannot be had");
    facts->rank = (unsigned)rank;
    facts->elements = facts->is_null ? 0 : 1;
    bool is_empty = false;
    for (int i = 0; i < rank; i++) {
        facts->shape[i] = dims[i];
        is_empty = is_empty || dims[i] == 0;
        facts->elements = vz_sample_product(facts->elements, dims[i]);
    }
    if (is_empty)
        facts->elements = 0;
    return true;
}

static bool add_filter(hid_t dcpl, unsigned index, vz_buffer *out, vz_error *err)
{
    static const char *const known[] = {"", "deflate", "shuffle", "fletcher32", "szip", "nbit", "scaleoffset"};
    char name[FILTER_NAME] = "";
    unsigned flags, config;
    size_t values = 0;
    const H5Z_filter_t id = H5Pget_filter2(dcpl, index, &flags, &values, NULL, sizeof name, name, &config);
    name[sizeof name - 1] = '\0';
    const char *before = index ? ", " : "";
    if (id > 0 && id < (H5Z_filter_t)(sizeof known / sizeof *known))
        return vz_words_printf(out, err, "%s%s", before, known[id]);
    return *name ? vz_words_printf(out, err, "%s%s", before, name)
                 : vz_words_printf(out, err, "%sfilter %d", before, (int)id);
}

static bool take_filters(vz_sample_object *o, hid_t dcpl, vz_error *err)
{
    vz_buffer text = {0};
    const int count = H5Pget_nfilters(dcpl);
    bool ok = vz_words_printf(&text, err, "%s", "");
    for (int i = 0; ok && i < count; i++)
        ok = add_filter(dcpl, (unsigned)i, &text, err);
    H5Eclear2(H5E_DEFAULT);
    o->facts.filters = o->filters = text_of(&text, ok, err);
    return o->filters != NULL;
}

/* That it has none, or one that cannot be had, is no failure. */
static void take_fill(vz_sample_object *o, hid_t dcpl)
{
    vz_error ignored = VZ_ERROR_NONE;
    vz_buffer text = {0};
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    const vz_sample_facts *facts = &o->facts;
    if (facts->element_size > VZ_SAMPLE_ELEMENT_MAX || vz_sample_is_variable(o->type) ||
        H5Pfill_value_defined(dcpl, &defined) < 0 || defined == H5D_FILL_VALUE_UNDEFINED)
        return;
    void *fill = calloc(1, facts->element_size);
    const bool ok = fill && H5Pget_fill_value(dcpl, o->type, fill) >= 0 &&
                    vz_sample_element_text(o->file, o->type, fill, &text, &ignored);
    free(fill);
    H5Eclear2(H5E_DEFAULT);
    o->facts.fill = o->fill = text_of(&text, ok, &ignored);
}

/* Reasons why no element is to be read. */
static void take_why(vz_sample_object *o, hid_t dcpl)
{
    char why[H5VL_ZARR_TEXT_SIZE] = "";
    vz_error err = VZ_ERROR_NONE;
    const vz_sample_facts *facts = &o->facts;
    const uint64_t chunk = facts->is_chunked ? vz_sample_chunk_bytes(o) : 0;
    if (!vz_convert_is_understood(o->id, why)) {
        if (!*why)
            snprintf(why, sizeof why, "its metadata is not understood");
    } else if (facts->element_size > VZ_SAMPLE_ELEMENT_MAX) {
        snprintf(why, sizeof why, "elements of %llu bytes are too large to be shown",
                 (unsigned long long)facts->element_size);
    } else if (chunk > VZ_SAMPLE_CHUNK_MAX) {
        snprintf(why, sizeof why, "chunks of %llu bytes are too large to be read for a look",
                 (unsigned long long)chunk);
    } else if (!vz_convert_filters_check_readable(dcpl, &err)) {
        snprintf(why, sizeof why, "%s", err.text);
    }
    if (*why)
        o->facts.why = o->why = strdup(why);
}

static bool take_array(vz_sample_object *o, vz_error *err)
{
    hsize_t chunk[H5S_MAX_RANK];
    vz_buffer words = {0};
    vz_sample_facts *facts = &o->facts;
    o->type = H5Dget_type(o->id);
    const hid_t dcpl = o->type < 0 ? o->type : H5Dget_create_plist(o->id);
    bool ok = dcpl >= 0 || vz_convert_h5_fail(err, "its type and properties cannot be had");
    ok = ok && take_shape(o, err);
    if (ok) {
        facts->element_size = H5Tget_size(o->type);
        facts->class = vz_sample_class_of(o->type);
        facts->is_variable = vz_sample_is_variable(o->type);
        facts->is_chunked = facts->rank > 0 && H5Pget_layout(dcpl) == H5D_CHUNKED &&
                            H5Pget_chunk(dcpl, (int)facts->rank, chunk) == (int)facts->rank;
        for (unsigned i = 0; facts->is_chunked && i < facts->rank; i++)
            facts->chunk[i] = chunk[i] ? chunk[i] : 1;
        ok = vz_sample_type_words(o->type, &words, err);
        facts->type = o->type_words = text_of(&words, ok, err);
        ok = o->type_words && take_filters(o, dcpl, err);
    }
    if (ok) {
        take_fill(o, dcpl);
        take_why(o, dcpl);
    }
    vz_convert_id_close(dcpl);
    return ok;
}

/* ---- objects ---- */

static bool take_token(vz_sample_object *o, vz_error *err)
{
    H5O_info2_t info;
    if (H5Oget_info3(o->id, &info, H5O_INFO_BASIC) < 0)
        return vz_convert_h5_fail(err, "the object tells nothing of itself");
    char *text = malloc(2 * sizeof info.token + 1);
    if (!text)
        return vz_fail_memory(err);
    for (size_t i = 0; i < sizeof info.token; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)&info.token)[i]);
    o->facts.token = o->token = text;
    return true;
}

static bool take_kind(vz_sample_object *o, vz_error *err)
{
    const H5I_type_t kind = H5Iget_type(o->id);
    o->facts.kind = kind == H5I_GROUP ? VZ_SAMPLE_GROUP : kind == H5I_DATASET ? VZ_SAMPLE_ARRAY : VZ_SAMPLE_TYPE;
    return o->facts.kind != VZ_SAMPLE_ARRAY || take_array(o, err);
}

vz_sample_object *vz_sample_object_open(vz_sample_file *file, const char *path, vz_error *err)
{
    vz_sample_object *o = calloc(1, sizeof *o);
    if (!o) {
        vz_fail_memory(err);
        return NULL;
    }
    *o = (vz_sample_object){.file = file, .id = H5Oopen(file->file, path, H5P_DEFAULT), .type = -1, .dxpl = -1};
    bool ok = o->id >= 0 || vz_convert_h5_fail(err, "cannot be opened");
    o->path = strdup(path);
    ok = ok && (o->path || vz_fail_memory(err)) && take_token(o, err);
    o->facts.path = o->path;
    if (ok && take_kind(o, err))
        return o;
    vz_error_where(err, file->name, path);
    vz_sample_object_close(o);
    return NULL;
}

void vz_sample_object_close(vz_sample_object *o)
{
    if (!o)
        return;
    vz_convert_id_close(o->dxpl);
    vz_convert_id_close(o->type);
    vz_convert_id_close(o->id);
    vz_sample_chunk_list_clear(&o->chunks);
    char *const texts[] = {o->path, o->token, o->type_words, o->filters, o->fill, o->why, o->units};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free(o);
}

const vz_sample_facts *vz_sample_facts_of(const vz_sample_object *object)
{
    return &object->facts;
}
