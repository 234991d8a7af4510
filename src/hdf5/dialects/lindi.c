/* lindi.c - LINDI's conventions, in a reference file that it wrote (vz_hierarchy_is_lindi). */
#include "hdf5/dialects/dialects.h"
#include "hdf5/dialects/dialects_internal.h"
#include "hdf5/dialects/hdmf_internal.h"
#include "hdf5/types/types.h"
#include "array/array/array.h"
#include "array/selection/selection.h"
#include <math.h>
#include <stdlib.h>

#define SOFT_LINK      "_SOFT_LINK"
#define COMPOUND_DTYPE "_COMPOUND_DTYPE"
#define REFERENCE      "_REFERENCE"
#define ELSEWHERE      "_EXTERNAL_ARRAY_LINK"
#define NESTED_MAX     16   /* lists within lists that are looked into */
#define LOOKED_AT      4096 /* elements, for a reference among null ones */

/* ---- links: a group whose attribute names a path ---- */

static bool read_link(vz_node *group, vz_link *link, vz_error *err)
{
    vz_buffer text = {0};
    bool ok = vz_link_read_attributes(group, link, &text, err);
    if (ok && text.size > 0 && memmem(text.data, text.size, SOFT_LINK, sizeof SOFT_LINK - 1)) {
        vz_json *json = vz_json_parse((const char *)text.data, text.size, NULL);
        const char *path = vz_json_get_text(vz_json_get(json, SOFT_LINK), "path");
        ok = !path || vz_link_become_soft(group, link, path, err);
        vz_json_free(json);
    }
    vz_buffer_clear(&text);
    return ok;
}

bool vz_dialect_lindi_links(vz_node *group, vz_error *err)
{
    size_t cursor = 0;
    vz_link *link;
    bool ok = true;
    if (!vz_hierarchy_is_lindi(group->hierarchy))
        return true;
    while (ok && vz_group_next_listed(group, &cursor, &link))
        ok = read_link(group, link, err);
    return ok;
}

/* ---- types ---- */

/* numpy's name of a member's type, as hdmf-zarr says it. */
static const char *name_of_type(const char *numpy)
{
    return strcmp(numpy, "<REFERENCE>") == 0 ? "object" : strcmp(numpy, "object") == 0 ? "utf8" : numpy;
}

/* [[name, type] ...] as hdmf-zarr lists members. */
static vz_json *members_of(const vz_json *pairs, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < vz_json_length(pairs); i++) {
        const vz_json *pair = vz_json_at(pairs, i);
        const char *name = vz_json_get_string(vz_json_at(pair, 0), NULL);
        const char *type = vz_json_get_string(vz_json_at(pair, 1), NULL);
        vz_json *entry = name && type ? vz_json_object(err) : NULL;
        ok = entry && vz_json_set_text(entry, "name", name, err) &&
             vz_json_set_text(entry, "dtype", name_of_type(type), err);
        if (ok)
            ok = vz_json_append(list, entry, err);
        else
            vz_json_free(entry);
    }
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

static bool is_reference(const vz_item *item)
{
    vz_json *json = item->size > 0 && item->data[0] == '{'
                        ? vz_json_parse((const char *)item->data, (size_t)item->size, NULL)
                        : NULL;
    const bool is_it = vz_json_length(json) == 1 && vz_json_get_text(vz_json_get(json, REFERENCE), "path");
    vz_json_free(json);
    return is_it;
}

static bool first_run(void *context, vz_point_run *runs, size_t max, size_t *count, vz_error *err)
{
    uint64_t *left = context;
    (void)max, (void)err;
    *count = *left > 0;
    runs[0] = (vz_point_run){.length = *left};
    *left = 0;
    return true;
}

static bool is_null(const vz_item *item)
{
    return item->size == sizeof "null" - 1 && memcmp(item->data, "null", sizeof "null" - 1) == 0;
}

/* The first of so many elements that is not null; all zero: all are, or they cannot be read. */
static vz_item first_of(vz_node *node, uint64_t count, vz_arena *arena)
{
    vz_error ignored = VZ_ERROR_NONE;
    uint64_t left = count, i = 0;
    vz_item *items = calloc((size_t)count, sizeof *items), first = {0};
    const vz_transfer transfer = {
        .next_runs = first_run, .runs_context = &left, .buffer = items, .element_size = sizeof *items, .arena = arena};
    vz_array *array = items ? vz_node_io(node, &ignored) : NULL;
    const bool ok = array && vz_array_read(array, &transfer, &ignored);
    while (ok && i < count && is_null(&items[i]))
        i++;
    if (ok && i < count)
        first = items[i];
    free(items);
    return first;
}

/* LINDI says of an array of references nothing but what its elements are. Most begin with one. */
static bool holds_references(vz_node *node)
{
    const vz_meta *meta = node->meta;
    uint64_t count = 1;
    vz_arena arena = {0};
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(count, meta->shape[d], &count))
            count = LOOKED_AT;
    vz_item item = count > 0 ? first_of(node, 1, &arena) : (vz_item){0};
    if (count > 1 && item.size == 0)
        item = first_of(node, count < LOOKED_AT ? count : LOOKED_AT, &arena);
    const bool is_it = is_reference(&item);
    vz_arena_clear(&arena);
    return is_it;
}

hid_t vz_dialect_lindi_type(const vz_node *node)
{
    const vz_dtype *dtype = node->meta->dtype;
    const vz_json *pairs = vz_node_attribute(node, COMPOUND_DTYPE);
    if (!vz_hierarchy_is_lindi(node->hierarchy) || dtype->kind != VZ_DTYPE_OBJECT || dtype->item)
        return H5I_INVALID_HID;
    if (pairs) {
        vz_json *names = members_of(pairs, NULL);
        const hid_t type = names ? vz_hdmf_type_named(dtype, names) : H5I_INVALID_HID;
        vz_json_free(names);
        return type;
    }
    return dtype->object == VZ_OBJECT_JSON && holds_references((vz_node *)node) ? vz_type_make_old_reference(NULL)
                                                                                : H5I_INVALID_HID;
}

/* ---- attributes ---- */

static bool number_of(const vz_json *value, double *number)
{
    static const struct {
        const char *text;
        double number;
    } texts[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (vz_json_is(value, texts[i].text)) {
            *number = texts[i].number;
            return true;
        }
    return false;
}

static bool has_numbers(const vz_json *value, unsigned depth)
{
    double number;
    if (number_of(value, &number))
        return true;
    for (size_t i = 0; vz_json_kind_of(value) == VZ_JSON_ARRAY && depth < NESTED_MAX && i < vz_json_length(value); i++)
        if (has_numbers(vz_json_at(value, i), depth + 1))
            return true;
    return false;
}

static vz_json *with_numbers(const vz_json *value, unsigned depth)
{
    double number;
    if (number_of(value, &number))
        return vz_json_double(number, NULL);
    if (vz_json_kind_of(value) != VZ_JSON_ARRAY || depth == NESTED_MAX)
        return vz_json_copy(value, NULL);
    vz_json *list = vz_json_array(NULL);
    for (size_t i = 0; list && i < vz_json_length(value); i++)
        if (!vz_json_append(list, with_numbers(vz_json_at(value, i), depth + 1), NULL)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

vz_json *vz_dialect_lindi_attribute(const vz_node *node, const vz_json *value)
{
    return value && vz_hierarchy_is_lindi(node->hierarchy) && has_numbers(value, 0) ? with_numbers(value, 0) : NULL;
}

bool vz_dialect_lindi_elsewhere(const vz_node *node, const char **file, const char **path)
{
    const vz_json *link = vz_hierarchy_is_lindi(node->hierarchy) ? vz_node_attribute(node, ELSEWHERE) : NULL;
    *file = vz_json_get_text(link, "url");
    *path = vz_json_get_text(link, "name");
    return *file && *path && vz_json_is(vz_json_get(link, "link_type"), "hdf5_dataset");
}

bool vz_dialect_lindi_shows(const vz_node *node, const char *name)
{
    return !vz_hierarchy_is_lindi(node->hierarchy) &&
           (strcmp(name, "_SCALAR") == 0 || strcmp(name, COMPOUND_DTYPE) == 0 || strcmp(name, ELSEWHERE) == 0);
}
