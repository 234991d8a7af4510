/* read_value.c - reads values by their entry if it fits, else by the rules for JSON. */
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/types/elements.h"
#include "hdf5/types/types.h"
#include <stdlib.h>

#define ATTRIBUTE_MAX ((uint64_t)1 << 32) /* bytes of one attribute in memory */

void vz_attribute_value_clear(vz_attribute_value *value)
{
    if (value->type > 0 && !value->common)
        H5Tclose(value->type);
    vz_type_tree_free(value->own_layout);
    vz_arena_clear(&value->arena);
    free(value->bytes);
    *value = (vz_attribute_value){.type = H5I_INVALID_HID};
}

/* Makes room for elements of the type. */
static bool make_room(vz_attribute_value *value, vz_error *err)
{
    uint64_t size = 1;
    for (unsigned d = 0; d < value->rank; d++)
        if (!vz_mul(size, value->dims[d], &size))
            return vz_fail(err, VZ_LIMIT, "an attribute with too many elements");
    value->count = value->null ? 0 : size;
    if (!vz_mul(value->count, value->layout->size, &size) || size > ATTRIBUTE_MAX)
        return vz_fail(err, VZ_LIMIT, "an attribute of more than %llu bytes", (unsigned long long)ATTRIBUTE_MAX);
    value->bytes = calloc(1, size ? size : 1);
    return value->bytes || vz_fail_memory(err);
}

/* Takes the type. */
static bool begin(vz_attribute_value *value, hid_t type, vz_error *err)
{
    value->type = type;
    value->layout = value->own_layout = type >= 0 ? vz_type_tree_new(type, err) : NULL;
    return value->layout && make_room(value, err);
}

static bool begin_common(vz_attribute_value *value, vz_common common, vz_error *err)
{
    value->common = common;
    value->type = vz_common_type(common, err);
    value->layout = vz_common_layout(common);
    return value->type >= 0 && make_room(value, err);
}

/* Checked before memory is allocated: a document cannot hold such a value. */
static bool check_count(const vz_attribute_value *value, vz_error *err)
{
    uint64_t count = 1;
    for (unsigned d = 0; d < value->rank; d++)
        if (value->dims[d] == 0)
            return true;
    for (unsigned d = 0; d < value->rank; d++)
        if (!vz_mul(count, value->dims[d], &count) || count > VZ_ATTRIBUTES_MAX_VALUES)
            return vz_fail(err, VZ_LIMIT, "an attribute of more than %zu elements", VZ_ATTRIBUTES_MAX_VALUES);
    return true;
}

bool vz_attribute_value_init(vz_attribute_value *value, hid_t type, hid_t space, vz_error *err)
{
    *value = (vz_attribute_value){.type = H5I_INVALID_HID};
    const H5S_class_t class = H5Sget_simple_extent_type(space);
    int rank = 0;
    if (class == H5S_SIMPLE)
        rank = H5Sget_simple_extent_dims(space, value->dims, value->max);
    if (class < 0 || rank < 0)
        return vz_type_refused(err, "describe a dataspace");
    if (class == H5S_SIMPLE && rank == 0)
        return vz_fail(err, VZ_INVALID, "the dataspace has no extent");
    value->null = class == H5S_NULL;
    value->rank = (unsigned)rank;
    if (!check_count(value, err))
        return false;
    const vz_common common = vz_common_of_type(type);
    hid_t copy = common ? H5I_INVALID_HID : H5Tcopy(type);
    if (!common && copy < 0)
        return vz_type_refused(err, "copy a datatype");
    if (common ? begin_common(value, common, err) : begin(value, copy, err))
        return true;
    vz_attribute_value_clear(value);
    return false;
}

/* ---- by the entry ---- */

static bool read_dims(const vz_json *list, hsize_t *dims, unsigned *rank, bool unlimited)
{
    const size_t count = vz_json_length(list);
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || count > VZ_MAX_RANK)
        return false;
    for (size_t d = 0; d < count; d++) {
        uint64_t length;
        const vz_json *item = vz_json_at(list, d);
        if (vz_json_get_uint64(item, &length))
            dims[d] = length;
        else if (unlimited && vz_json_kind_of(item) == VZ_JSON_NULL)
            dims[d] = H5S_UNLIMITED;
        else
            return false;
    }
    *rank = (unsigned)count;
    return true;
}

/* The shape: as entered, else what the lists show; maximum dimensions are raised to it. */
static bool read_shape(vz_attribute_value *value, const vz_inferred *inferred, const vz_json *shape)
{
    const vz_json *dims = vz_json_get(shape, "d"), *max = vz_json_get(shape, "max");
    unsigned rank = 0;
    if (dims) {
        if (!read_dims(dims, value->dims, &value->rank, false))
            return false;
    } else {
        value->rank = inferred->rank;
        memcpy(value->dims, inferred->dims, sizeof inferred->dims);
    }
    memcpy(value->max, value->dims, sizeof value->dims);
    if (max && read_dims(max, value->max, &rank, true) && rank == value->rank) {
        for (unsigned d = 0; d < rank; d++)
            if (value->max[d] < value->dims[d])
                value->max[d] = value->dims[d];
    } else {
        memcpy(value->max, value->dims, sizeof value->dims);
    }
    return true;
}

/* The exact bytes, if they still are what the JSON value says. */
static bool read_bytes(vz_attribute_value *value, const vz_json *json, const vz_json *encoded)
{
    size_t length;
    const char *text = vz_json_get_string(encoded, &length);
    vz_buffer buffer = {0};
    bool ok = text && vz_base64_decode(text, length, &buffer, NULL), exact;
    vz_bytes rest = {buffer.data, buffer.size};
    for (size_t i = 0; ok && i < value->count; i++)
        ok = vz_record_read(value->layout, &rest, value->bytes + i * value->layout->size, &value->arena, NULL);
    vz_json *again = ok && rest.size == 0
                         ? vz_elements_to_json(value->layout, value->rank, value->dims, value->bytes, &exact, NULL)
                         : NULL;
    ok = again && vz_json_equal(again, json);
    vz_json_free(again);
    vz_buffer_clear(&buffer);
    return ok;
}

static bool is_null_value(const vz_json *json)
{
    return vz_json_kind_of(json) == VZ_JSON_NULL || vz_json_is(json, "");
}

/* A shape that the JSON value does not have must not make memory be taken for it. */
static bool read_elements(vz_attribute_value *value, const vz_json *json, const vz_json *entry)
{
    const vz_json *encoded = vz_json_get(entry, "b");
    if (value->null)
        return is_null_value(json);
    if (encoded && read_bytes(value, json, encoded))
        return true;
    if (encoded)
        memset(value->bytes, 0, value->count * value->layout->size);
    return vz_elements_from_json(value->layout, value->rank, value->dims, json, value->bytes, &value->arena);
}

static bool by_entry(vz_attribute_value *value, const vz_json *json, const vz_json *entry)
{
    const vz_inferred inferred = vz_infer(json); /* of all of it: lists of references alone look
                                                  * like any objects */
    json = vz_elements_references(json);
    const vz_json *type_form = vz_json_get(entry, "t"), *shape = vz_json_get(entry, "s");
    value->null = vz_json_is(shape, "null");
    if (!value->null &&
        (!read_shape(value, &inferred, shape) || !vz_attribute_json_has_dims(json, value->rank, value->dims)))
        return false;
    hid_t type = type_form ? vz_short_form_parse(type_form, NULL) : vz_inferred_type(&inferred, NULL);
    return begin(value, type, NULL) && read_elements(value, json, entry);
}

/* ---- by the rules ---- */

static bool set_text(vz_attribute_value *value, const vz_json *json, vz_error *err)
{
    vz_buffer text = {0};
    bool ok = vz_json_print(json, 0, &text, err) && vz_buffer_append(&text, "", 1, err);
    char *copy = ok ? vz_arena_copy(&value->arena, text.data, text.size, err) : NULL;
    vz_buffer_clear(&text);
    memcpy(value->bytes, &copy, sizeof copy);
    return copy != NULL;
}

static bool by_rules(vz_attribute_value *value, const vz_json *json, vz_error *err)
{
    const vz_inferred inferred = vz_infer(json);
    value->null = inferred.kind == VZ_INFER_NULL;
    value->text_of_json = inferred.kind == VZ_INFER_JSON;
    value->rank = inferred.rank;
    memcpy(value->dims, inferred.dims, sizeof value->dims);
    memcpy(value->max, inferred.dims, sizeof value->max);
    const vz_common common = vz_common_of_value(&inferred);
    if (common ? !begin_common(value, common, err) : !begin(value, vz_inferred_type(&inferred, err), err))
        return false;
    if (value->null)
        return true;
    if (value->text_of_json)
        return set_text(value, json, err);
    return vz_elements_from_json(value->layout, value->rank, value->dims, vz_elements_references(json), value->bytes,
                                 &value->arena) ||
           vz_fail_memory(err);
}

bool vz_attribute_value_read(vz_attribute_value *value, const vz_json *json, const vz_json *entry, vz_error *err)
{
    vz_type_counted.values++;
    *value = (vz_attribute_value){.type = H5I_INVALID_HID};
    if (entry) {
        /* an entry that could not be read is not one that does not fit */
        const unsigned failures = vz_memory_failures();
        if (by_entry(value, json, entry))
            return true;
        vz_attribute_value_clear(value);
        if (vz_memory_failures() != failures)
            return vz_fail_memory(err);
    }
    if (by_rules(value, json, err))
        return true;
    vz_attribute_value_clear(value);
    return false;
}

bool vz_attribute_value_known_size(const vz_json *json, size_t *size)
{
    size_t length;
    const char *text;
    switch (vz_json_kind_of(json)) {
    case VZ_JSON_STRING:
        *size = sizeof(char *);
        return (text = vz_json_get_string(json, &length)) && strlen(text) == length;
    case VZ_JSON_TRUE:
    case VZ_JSON_FALSE:
        *size = 1;
        return true;
    case VZ_JSON_INTEGER:
    case VZ_JSON_REAL:
        *size = 8;
        return true;
    default:
        return false;
    }
}

/* ---- writing ---- */

static vz_json *print_dims(const hsize_t *dims, unsigned rank, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    for (unsigned d = 0; list && d < rank; d++) {
        vz_json *item = dims[d] == H5S_UNLIMITED ? vz_json_null(err) : vz_json_uint64(dims[d], err);
        if (!vz_json_append(list, item, err)) {
            vz_json_free(list);
            return NULL;
        }
    }
    return list;
}

/* Puts into *entry, which is made when first needed. */
static bool enter(vz_json **entry, const char *key, vz_json *take, vz_error *err)
{
    if (take && !*entry)
        *entry = vz_json_object(err);
    if (take && *entry)
        return vz_json_set(*entry, key, take, err);
    vz_json_free(take);
    return false;
}

/* Of numbers H5Tequal tells all; of strings it does not look at everything. */
static bool is_same_number(hid_t a, hid_t b)
{
    const H5T_class_t class = H5Tget_class(b);
    return (class == H5T_INTEGER || class == H5T_FLOAT) && H5Tequal(a, b) > 0;
}

static bool enter_type(const vz_attribute_value *value, const vz_inferred *inferred, vz_json **entry, vz_error *err)
{
    if (value->common && value->common == vz_common_of_value(inferred))
        return true;
    hid_t common = vz_inferred_type(inferred, err);
    if (common >= 0 && is_same_number(common, value->type)) {
        H5Tclose(common);
        return true;
    }
    vz_json *a = common >= 0 ? vz_short_form_print(common, err) : NULL;
    vz_json *b = a ? vz_short_form_print(value->type, err) : NULL;
    if (common >= 0)
        H5Tclose(common);
    const bool same = b && vz_json_equal(a, b);
    vz_json_free(a);
    if (b && !same)
        return enter(entry, "t", b, err);
    vz_json_free(b);
    return same;
}

static bool enter_shape(const vz_attribute_value *value, const vz_inferred *inferred, vz_json **entry, vz_error *err)
{
    const size_t size = value->rank * sizeof *value->dims;
    if (value->null)
        return inferred->kind == VZ_INFER_NULL && !*entry ? true : enter(entry, "s", vz_json_text("null", err), err);
    const bool plain = !vz_elements_are_list_like(value->layout) && inferred->kind != VZ_INFER_JSON &&
                       inferred->rank == value->rank && memcmp(inferred->dims, value->dims, size) == 0;
    const bool growing = memcmp(value->max, value->dims, size) != 0;
    if (plain && !growing)
        return true;
    vz_json *shape = vz_json_object(err);
    bool ok = shape != NULL;
    if (ok && !plain)
        ok = vz_json_set(shape, "d", print_dims(value->dims, value->rank, err), err);
    if (ok && growing)
        ok = vz_json_set(shape, "max", print_dims(value->max, value->rank, err), err);
    if (ok)
        return enter(entry, "s", shape, err);
    vz_json_free(shape);
    return false;
}

static bool enter_bytes(const vz_attribute_value *value, const uint8_t *bytes, vz_json **entry, vz_error *err)
{
    vz_buffer record = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < value->count; i++)
        ok = vz_record_write(value->layout, bytes + i * value->layout->size, &record, err);
    char *text = ok ? vz_base64_encode(record.data, record.size, err) : NULL;
    vz_buffer_clear(&record);
    ok = text && enter(entry, "b", vz_json_text(text, err), err);
    free(text);
    return ok;
}

static bool append_shared(vz_json *list, const vz_json *from, size_t count, vz_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!vz_json_append(list, vz_json_share(vz_json_at(from, i)), err))
            return false;
    return true;
}

/* Of a value of which the first items are known. */
static vz_json *render_rest(const vz_attribute_value *value, const uint8_t *bytes, bool *exact, vz_error *err)
{
    const size_t known = value->known_count, size = value->layout->size;
    const hsize_t count = value->count - known;
    vz_json *rest = vz_elements_to_json(value->layout, 1, &count, bytes + known * size, exact, err);
    vz_json *list = rest ? vz_json_array(err) : NULL;
    const bool ok =
        list && append_shared(list, value->known, known, err) && append_shared(list, rest, vz_json_length(rest), err);
    vz_json_free(rest);
    if (ok)
        vz_json_keep_text(list, value->known);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

static vz_json *render(const vz_attribute_value *value, const uint8_t *bytes, bool *exact, vz_error *err)
{
    if (value->known_count)
        return render_rest(value, bytes, exact, err);
    if (!value->null)
        return vz_elements_to_json(value->layout, value->rank, value->dims, bytes, exact, err);
    return value->layout->class == H5T_STRING ? vz_json_text("", err) : vz_json_null(err);
}

/* {"zarr_dtype": "object", "value": what there is}: how HDMF stores references. */
static vz_json *wrap(vz_json *take, vz_error *err)
{
    vz_json *json = vz_json_object(err);
    if (json && vz_json_set_text(json, "zarr_dtype", "object", err)) {
        if (vz_json_set(json, "value", take, err))
            return json;
        take = NULL;
    }
    vz_json_free(take);
    vz_json_free(json);
    return NULL;
}

bool vz_attribute_value_write(const vz_attribute_value *value, const uint8_t *bytes, vz_json **json, vz_json **entry,
                              vz_error *err)
{
    bool exact = true;
    *entry = NULL;
    *json = render(value, bytes, &exact, err);
    if (*json && vz_elements_hold_references(value->layout))
        *json = wrap(*json, err);
    if (!*json)
        return false;
    const vz_inferred inferred = vz_infer(*json);
    if (enter_type(value, &inferred, entry, err) && enter_shape(value, &inferred, entry, err) &&
        (exact || enter_bytes(value, bytes, entry, err)))
        return true;
    vz_json_free(*json);
    vz_json_free(*entry);
    *json = *entry = NULL;
    return false;
}
