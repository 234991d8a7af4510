/* attribute.c - attributes of a node: the operations. */
#include "map/attribute.h"
#include "map/attribute_name.h"
#include "map/dialect_hdmf_read.h"
#include "map/dialect_hdmf.h"
#include "map/dialect_hdmf_attributes.h"
#include "map/dimensions.h"
#include "map/attribute_value.h"
#include "map/categories.h"
#include "map/own.h"
#include "map/times.h"
#include <stdlib.h>

/* ---- entries of the annotation ---- */

static const vz_json *entry_of(const vz_node *node, const char *name)
{
    return vz_json_get(vz_json_get(node->annotation, "a"), name);
}

/* Takes the entry; NULL removes the one that is there. */
static bool set_entry(vz_node *node, const char *name, vz_json *take, vz_error *err)
{
    vz_json *entries = vz_json_get(node->annotation, "a");
    if (!take && !vz_json_remove(entries, name))
        return true;
    if (!take && vz_json_length(entries) == 0)
        return vz_note_set(node, "a", NULL, err);
    if (take && !entries) {
        entries = vz_json_object(err);
        if (entries && vz_json_set(entries, name, take, err))
            return vz_note_set(node, "a", entries, err);
        vz_json_free(entries);
        return false;
    }
    return (!take || vz_json_set(entries, name, take, err)) && vz_node_annotated(node, err);
}

/* ---- whole values; `name` is the key from here on, but in the functions that others call ---- */

/* NULL + VZ_NOT_FOUND. */
static const char *find_key(const vz_node *node, const char *name, vz_error *err)
{
    const char *key = vz_attribute_key(node, name);
    if (!key)
        vz_fail(err, VZ_NOT_FOUND, "no attribute \"%.200s\"", name);
    return key;
}

static vz_json *find(vz_node *node, const char *name, vz_error *err)
{
    vz_json *json = vz_attribute_is_hidden(node, name) ? NULL : vz_node_attribute(node, name);
    if (!json)
        vz_fail(err, VZ_NOT_FOUND, "no attribute \"%.200s\"", name);
    return json;
}

/* What to read in the place of a value that stands for a reference, new; NULL: the value itself. */
static vz_json *meaning(const vz_node *node, const char *name, const vz_json *json)
{
    vz_json *reference = vz_categories_lengthen(node, name, json, entry_of(node, name));
    return reference ? reference : vz_hdmf_attribute(node, name, json);
}

static bool read_value(vz_node *node, const char *name, vz_value *value, vz_error *err)
{
    const vz_json *json = find(node, name, err);
    vz_json *instead = json ? meaning(node, name, json) : NULL;
    const bool ok = json && vz_value_read(value, instead ? instead : json, entry_of(node, name), err);
    vz_json_free(instead);
    return ok;
}

static bool keep(const vz_node *node, const char *name, const char *key, vz_json **entry, vz_error *err)
{
    const vz_json *value = vz_json_get(entry_of(node, name), key);
    if (!value)
        return true;
    if (!*entry)
        *entry = vz_json_object(err);
    return *entry && vz_json_set(*entry, key, vz_json_copy(value, err), err);
}

/* A new entry speaks of the same committed type, and of the same name, as the one it takes the place of. */
static bool keep_others(const vz_node *node, const char *name, vz_json **entry, vz_error *err)
{
    return keep(node, name, "ct", entry, err) && keep(node, name, "cs", entry, err);
}

static bool write_value(vz_node *node, const char *name, const vz_value *value, const uint8_t *bytes, vz_error *err)
{
    vz_json *json, *entry;
    if (!vz_value_write(value, bytes, &json, &entry, err))
        return false;
    if (!vz_categories_shorten(node, name, &json, &entry, err) || !keep_others(node, name, &entry, err) ||
        !vz_hdmf_store_attribute(node, name, &json, &entry, err)) {
        vz_json_free(json);
        vz_json_free(entry);
        return false;
    }
    if (vz_node_set_attribute(node, name, json, err)) {
        vz_hdmf_attribute_set(node, name);
        return set_entry(node, name, entry, err) && vz_times_touch(node, err);
    }
    vz_json_free(entry);
    return false;
}

/* ---- create, delete, rename ---- */

static bool check_name(vz_node *node, const char *name, vz_error *err)
{
    return !vz_attribute_exists(node, name) || vz_fail(err, VZ_EXISTS, "attribute \"%.200s\" exists", name);
}

bool vz_attribute_create(vz_node *node, const char *name, hid_t type, hid_t space, vz_error *err)
{
    vz_value value;
    if (!vz_node_check_writable(node, err) || !vz_dimensions_give_way(node, name, err) || !check_name(node, name, err))
        return false;
    if (!vz_value_init(&value, type, space, err))
        return false;
    char *key = vz_attribute_key_new(node, name, err);
    const bool ok = key && write_value(node, key, &value, value.bytes, err);
    if (key && !ok)
        vz_attribute_key_forget(node, key, NULL);
    free(key);
    vz_value_clear(&value);
    return ok;
}

bool vz_attribute_set_charset(vz_node *node, const char *name, H5T_cset_t cset, vz_error *err)
{
    if (cset != H5T_CSET_UTF8 || vz_attribute_charset(node, name) == cset)
        return true;
    const char *key = find_key(node, name, err);
    if (!key)
        return false;
    const vz_json *old = entry_of(node, key);
    vz_json *entry = old ? vz_json_copy(old, err) : vz_json_object(err);
    if (entry && vz_json_set(entry, "cs", vz_json_text("utf8", err), err))
        return set_entry(node, key, entry, err);
    vz_json_free(entry);
    return false;
}

bool vz_attribute_delete(vz_node *node, const char *name, vz_error *err)
{
    const char *key = find_key(node, name, err);
    return key && find(node, key, err) && vz_node_remove_attribute(node, key, err) && set_entry(node, key, NULL, err) &&
           vz_attribute_key_forget(node, key, err) && vz_times_touch(node, err);
}

/* From key to key, with the entry. */
static bool rename_key(vz_node *node, const char *from, const char *to, vz_error *err)
{
    if (!vz_node_rename_attribute(node, from, to, err) || !vz_times_touch(node, err))
        return false;
    vz_json *entries = vz_json_get(node->annotation, "a");
    if (!vz_json_get(entries, from))
        return set_entry(node, to, NULL, err); /* one that was left behind */
    vz_json_remove(entries, to);
    return vz_json_rename(entries, from, to, err) && vz_node_annotated(node, err);
}

bool vz_attribute_rename(vz_node *node, const char *from, const char *to, vz_error *err)
{
    const char *old = find_key(node, from, err);
    if (!vz_node_check_writable(node, err) || !old || !find(node, old, err))
        return false;
    if (strcmp(from, to) == 0)
        return true;
    if (!check_name(node, to, err))
        return false;
    char *key = strdup(old), *new = key ? vz_attribute_key_new(node, to, err) : NULL;
    const bool ok = new &&rename_key(node, key, new, err);
    if (new)
        vz_attribute_key_forget(node, ok ? key : new, NULL);
    free(key);
    free(new);
    return ok;
}

/* ---- what HDF5 sees ---- */

bool vz_attribute_type(vz_node *node, const char *name, hid_t *type, vz_error *err)
{
    vz_value value;
    const char *key = find_key(node, name, err);
    if (!key || !read_value(node, key, &value, err))
        return false;
    *type = value.type;
    value.type = H5I_INVALID_HID;
    vz_value_clear(&value);
    return true;
}

bool vz_attribute_space(vz_node *node, const char *name, hid_t *space, vz_error *err)
{
    vz_value value;
    const char *key = find_key(node, name, err);
    if (!key || !read_value(node, key, &value, err))
        return false;
    *space = value.null   ? H5Screate(H5S_NULL)
             : value.rank ? H5Screate_simple((int)value.rank, value.dims, value.max)
                          : H5Screate(H5S_SCALAR);
    vz_value_clear(&value);
    return *space >= 0 || vz_type_refused(err, "make a dataspace");
}

bool vz_attribute_storage_size(vz_node *node, const char *name, hsize_t *size, vz_error *err)
{
    vz_value value;
    const char *key = find_key(node, name, err);
    if (!key || !read_value(node, key, &value, err))
        return false;
    *size = value.count * value.layout->size;
    vz_value_clear(&value);
    return true;
}

/* ---- reading and writing ---- */

/* A type with references: the elements in the form that goes to and from mem_type. */
static bool show_references(vz_node *node, const char *name, hid_t mem_type, vz_value *value, vz_error *err)
{
    if (!value->layout->has_references)
        return true;
    const vz_json *json = vz_node_attribute(node, name);
    vz_json *instead = meaning(node, name, json);
    const hid_t form = vz_reference_form(value->type, mem_type, err);
    const bool ok = form >= 0 && vz_value_show_as(value, form, instead ? instead : json, entry_of(node, name), err);
    vz_json_free(instead);
    return ok;
}

/* Elements on their way from one type to another. Text and sequences that H5Tconvert makes are taken from `arena`. */
typedef struct transit {
    uint8_t *work;   /* room for the elements in either type */
    uint8_t *behind; /* what stands in the place they go to, for members that the source lacks; NULL: no matter */
    vz_arena arena;
} transit;

static void *take_from_arena(size_t size, void *arena)
{
    return vz_arena_take(arena, size, NULL);
}

static void leave_to_arena(void *memory, void *arena)
{
    (void)memory;
    (void)arena;
}

static bool holds_compound(hid_t type)
{
    return H5Tdetect_class(type, H5T_COMPOUND) > 0;
}

static bool transit_open(transit *t, size_t count, hid_t from, const void *data, hid_t to, const void *behind,
                         vz_error *err)
{
    const size_t from_size = H5Tget_size(from), to_size = H5Tget_size(to);
    uint64_t size;
    *t = (transit){0};
    if (!from_size || !to_size)
        return vz_type_refused(err, "give the size of a datatype");
    if (!vz_mul(count, from_size > to_size ? from_size : to_size, &size))
        return vz_fail(err, VZ_LIMIT, "an attribute with too many elements");
    t->work = calloc(1, size ? size : 1);
    if (t->work && holds_compound(to))
        t->behind = calloc(1, size ? size : 1);
    if (!t->work || (holds_compound(to) && !t->behind))
        return vz_fail_memory(err);
    memcpy(t->work, data, count * from_size);
    if (t->behind)
        memcpy(t->behind, behind, count * to_size);
    return true;
}

static void transit_close(transit *t)
{
    vz_arena_clear(&t->arena);
    free(t->behind);
    free(t->work);
}

static bool transit_run(transit *t, hid_t from, hid_t to, size_t count, vz_error *err)
{
    hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
    const bool ok = dxpl >= 0 && H5Pset_vlen_mem_manager(dxpl, take_from_arena, &t->arena, leave_to_arena, NULL) >= 0 &&
                    H5Tconvert(from, to, count, t->work, t->behind, dxpl) >= 0;
    if (dxpl >= 0)
        H5Pclose(dxpl);
    return ok || vz_type_refused(err, "convert an attribute between these datatypes");
}

/* Converts, and gives the reader text and sequences of his own. */
static bool deliver(const vz_value *value, hid_t mem_type, void *buf, hid_t dxpl, vz_error *err)
{
    transit t;
    vz_allocator allocator;
    const size_t size = H5Tget_size(mem_type);
    const hid_t from = value->form >= 0 ? value->form : value->type;
    bool ok = transit_open(&t, value->count, from, value->bytes, mem_type, buf, err) &&
              transit_run(&t, from, mem_type, value->count, err);
    if (ok && value->layout->has_pointers)
        ok = vz_allocator_of(dxpl, &allocator, err) && vz_own(mem_type, t.work, value->count, &allocator, err);
    if (ok)
        memcpy(buf, t.work, value->count * size);
    transit_close(&t);
    return ok;
}

bool vz_attribute_read(vz_node *node, const char *name, hid_t mem_type, void *buf, hid_t dxpl,
                       const vz_reference_maker *maker, vz_error *err)
{
    vz_value value;
    const char *key = find_key(node, name, err);
    if (!key || !read_value(node, key, &value, err))
        return false;
    bool ok =
        show_references(node, key, mem_type, &value, err) &&
        (value.form < 0 || vz_references_resolve(value.form, value.bytes, value.count, node->hierarchy, maker, err));
    if (!ok || value.count == 0)
        ; /* nothing to give */
    else if (!value.layout->has_pointers && H5Tequal(value.type, mem_type) > 0)
        memcpy(buf, value.bytes, value.count * value.layout->size);
    else
        ok = deliver(&value, mem_type, buf, dxpl, err);
    vz_value_clear(&value);
    return ok;
}

/* A value shown as the text of its JSON stays what it is while that very text is written back. */
static bool is_same_text(const vz_value *value, const uint8_t *bytes)
{
    const char *text, *old;
    memcpy(&text, bytes, sizeof text);
    memcpy(&old, value->bytes, sizeof old);
    return text && strcmp(text, old) == 0;
}

static bool store(vz_node *node, const char *name, const vz_value *value, const uint8_t *bytes, vz_error *err)
{
    if (value->text_of_json && is_same_text(value, bytes))
        return true;
    return write_value(node, name, value, bytes, err);
}

bool vz_attribute_write(vz_node *node, const char *name, hid_t mem_type, const void *buf, hid_t dxpl,
                        const vz_reference_maker *maker, vz_error *err)
{
    (void)dxpl; /* what conversion allocates is ours */
    vz_value value;
    const char *key = find_key(node, name, err);
    if (!key || !vz_node_check_writable(node, err) || !read_value(node, key, &value, err))
        return false;
    bool ok = show_references(node, key, mem_type, &value, err);
    const hid_t form = value.form >= 0 ? value.form : value.type;
    if (!ok || value.count == 0) {
        ; /* nothing to store */
    } else if (value.form < 0 && H5Tequal(value.type, mem_type) > 0) {
        ok = store(node, key, &value, buf, err);
    } else {
        transit t;
        ok = transit_open(&t, value.count, mem_type, buf, form, value.bytes, err) &&
             transit_run(&t, mem_type, form, value.count, err) &&
             (value.form < 0 ||
              vz_references_print(form, t.work, value.count, false, node->hierarchy, maker, &t.arena, err)) &&
             store(node, key, &value, t.work, err);
        transit_close(&t);
    }
    vz_value_clear(&value);
    return ok;
}
