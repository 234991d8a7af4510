/* attribute.c - attributes of a node: the operations. */
#include "hdf5/attributes/attributes.h"
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/dialects/hdmf.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/references/references.h"
#include <stdlib.h>

/* ---- whole values; `name` is the key, but in the functions that others call ---- */

static bool is_there(const vz_node *node, const char *name, vz_error *err)
{
    return (!vz_attribute_is_hidden(node, name) && vz_node_has_attribute(node, name)) ||
           vz_fail(err, VZ_NOT_FOUND, "no attribute \"%.200s\"", name);
}

static bool keep(const vz_node *node, const char *name, const char *key, vz_json **entry, vz_error *err)
{
    const vz_json *value = vz_json_get(vz_attribute_entry(node, name), key);
    if (!value)
        return true;
    if (!*entry)
        *entry = vz_json_object(err);
    return *entry && vz_json_set(*entry, key, vz_json_copy(value, err), err);
}

/* A new entry speaks of the same committed type, and of the same name, as the one it takes the
 * place of. */
static bool keep_others(const vz_node *node, const char *name, vz_json **entry, vz_error *err)
{
    return keep(node, name, "ct", entry, err) && keep(node, name, "cs", entry, err);
}

/* *as_is: the JSON value alone says what it is, and no convention means something else by it. */
static bool store_json(vz_node *node, const char *name, const vz_attribute_value *value, const uint8_t *bytes,
                       bool *as_is, vz_error *err)
{
    vz_json *json, *entry;
    if (!vz_attribute_value_write(value, bytes, &json, &entry, err))
        return false;
    const vz_json *const written = json;
    if (!vz_categories_shorten(node, name, &json, &entry, err) || !keep_others(node, name, &entry, err) ||
        !vz_writer_of_node(node)->store_attribute(node, name, &json, &entry, err)) {
        vz_json_free(json);
        vz_json_free(entry);
        return false;
    }
    *as_is = !entry && json == written;
    if (vz_node_set_attribute(node, name, json, err)) {
        vz_hdmf_attribute_set(node, name);
        return vz_attribute_set_entry(node, name, entry, err);
    }
    vz_json_free(entry);
    return false;
}

static bool store_under(vz_node *node, const char *name, const vz_attribute_value *value, const uint8_t *bytes,
                        bool *as_is, vz_error *err)
{
    return store_json(node, name, value, bytes, as_is, err) && vz_times_touch(node, err);
}

/* ---- values that wait for their JSON (attributes_internal.h) ---- */

static bool render_deferred(vz_node *node, const char *name, const void *deferred, vz_error *err)
{
    bool as_is;
    vz_attribute_value *spelled = vz_attribute_value_spell(node, name, deferred, err);
    const bool ok = spelled && store_json(node, name, spelled, spelled->bytes, &as_is, err);
    vz_attribute_value_free(spelled);
    return ok;
}

static void free_deferred(void *value)
{
    vz_attribute_value_free(value);
}

/* References have ids, too, where the root has one. */
static uint64_t moment_of(const vz_node *node)
{
    const bool has_id = vz_node_has_attribute(vz_hierarchy_root(node->hierarchy), VZ_REFERENCE_ID);
    return has_id ? 0 : vz_hierarchy_paths_moment(node->hierarchy);
}

static bool defer_under(vz_node *node, const char *name, const vz_attribute_value *value, const uint8_t *elements,
                        vz_error *err)
{
    static const vz_deferred_class class = {render_deferred, free_deferred, moment_of};
    vz_attribute_value *copy = vz_attribute_value_copy(value, elements, err);
    if (!copy)
        return false;
    copy->has_tokens = true;
    if (!vz_node_defer_attribute(node, name, &class, copy, err))
        return false;
    vz_hdmf_attribute_set(node, name);
    return vz_times_touch(node, err);
}

bool vz_attribute_defer(vz_attribute *attribute, const vz_attribute_value *value, const uint8_t *elements,
                        vz_error *err)
{
    const char *key = vz_attribute_find_key(attribute->node, attribute->name, err);
    return key && defer_under(attribute->node, key, value, elements, err);
}

bool vz_attribute_store(vz_attribute *attribute, const vz_attribute_value *value, const uint8_t *bytes, vz_error *err)
{
    bool as_is;
    const char *key = vz_attribute_find_key(attribute->node, attribute->name, err);
    return key && store_under(attribute->node, key, value, bytes, &as_is, err);
}

/* ---- create, delete, rename ---- */

static bool check_name(vz_node *node, const char *name, vz_error *err)
{
    return !vz_attribute_exists(node, name) || vz_fail(err, VZ_EXISTS, "attribute \"%.200s\" exists", name);
}

/* The value that decoding a new attribute would give, if it is numbers or text that no convention
 * shows otherwise. Text that was not written yet is empty. NULL: it is to be decoded. */
static vz_attribute_value *keep_new(vz_node *node, const char *key, vz_attribute_value *value)
{
    static const char nothing[] = "", *const empty = nothing;
    const vz_type_tree *layout = value->layout;
    const bool is_text = layout->class == H5T_STRING && layout->is_variable && !layout->is_reference;
    if (value->null || (!is_text && !layout->is_number))
        return NULL;
    vz_json *instead = vz_attribute_meaning(node, key, vz_node_attribute(node, key));
    vz_attribute_value *kept = instead ? NULL : malloc(sizeof *kept);
    vz_json_free(instead);
    if (!kept)
        return NULL;
    *kept = *value;
    kept->facts = vz_hierarchy_facts(node->hierarchy);
    *value = (vz_attribute_value){.type = H5I_INVALID_HID};
    for (size_t i = 0; is_text && i < kept->count; i++)
        memcpy(kept->bytes + i * layout->size, &empty, sizeof empty);
    return kept;
}

bool vz_attribute_create(vz_node *node, const char *name, hid_t type, hid_t space, vz_attribute_value **kept,
                         vz_error *err)
{
    vz_attribute_value value;
    bool as_is = false;
    if (kept)
        *kept = NULL;
    if (!vz_node_check_writable(node, err) || !vz_dimensions_release_name(node, name, err) ||
        !check_name(node, name, err))
        return false;
    if (!vz_attribute_value_init(&value, type, space, err))
        return false;
    char *key = vz_attribute_key_new(node, name, err);
    const bool waits = key && vz_attribute_value_may_defer(node, &value, value.bytes);
    const bool ok = key && (waits ? defer_under(node, key, &value, value.bytes, err)
                                  : store_under(node, key, &value, value.bytes, &as_is, err));
    if (key && !ok)
        vz_attribute_key_forget(node, key, NULL);
    if (ok && as_is && kept)
        *kept = keep_new(node, key, &value);
    free(key);
    vz_attribute_value_clear(&value);
    return ok;
}

bool vz_attribute_set_charset(vz_node *node, const char *name, H5T_cset_t cset, vz_error *err)
{
    if (cset != H5T_CSET_UTF8 || vz_attribute_charset(node, name) == cset)
        return true;
    const char *key = vz_attribute_find_key(node, name, err);
    if (!key)
        return false;
    const vz_json *old = vz_attribute_entry(node, key);
    vz_json *entry = old ? vz_json_copy(old, err) : vz_json_object(err);
    if (entry && vz_json_set_text(entry, "cs", "utf8", err))
        return vz_attribute_set_entry(node, key, entry, err);
    vz_json_free(entry);
    return false;
}

bool vz_attribute_delete(vz_node *node, const char *name, vz_error *err)
{
    const char *key = vz_attribute_find_key(node, name, err);
    return key && is_there(node, key, err) && vz_node_remove_attribute(node, key, err) &&
           vz_attribute_set_entry(node, key, NULL, err) && vz_attribute_key_forget(node, key, err) &&
           vz_times_touch(node, err);
}

/* From key to key, with the entry. */
static bool rename_key(vz_node *node, const char *from, const char *to, vz_error *err)
{
    if (!vz_node_rename_attribute(node, from, to, err) || !vz_times_touch(node, err))
        return false;
    vz_json *entries = vz_json_get(node->annotation, "a");
    if (!vz_json_get(entries, from))
        return vz_attribute_set_entry(node, to, NULL, err); /* one that was left behind */
    vz_json_remove(entries, to);
    return vz_json_rename(entries, from, to, err) && vz_node_annotated(node, err);
}

bool vz_attribute_rename(vz_node *node, const char *from, const char *to, vz_error *err)
{
    const char *old = vz_attribute_find_key(node, from, err);
    if (!vz_node_check_writable(node, err) || !old || !is_there(node, old, err))
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
