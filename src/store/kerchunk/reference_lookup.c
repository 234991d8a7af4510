/* reference_lookup.c - what a key stands for: by the table of a reference file, or by the finder of
 * another kind of store. */
#include "store/kerchunk/kerchunk_internal.h"
#include <stdlib.h>

const char *vz_kerchunk_table_key(const vz_kerchunk *store, const char *key)
{
    const size_t length = store->prefix ? strlen(store->prefix) : 0;
    if (length == 0)
        return key;
    if (strncmp(key, store->prefix, length) != 0)
        return NULL;
    return key[length] == '/' ? key + length + 1 : key[length] ? NULL : key + length;
}

const vz_kerchunk_entry *vz_kerchunk_entry_of(const vz_kerchunk *store, const char *key)
{
    const char *known = vz_kerchunk_table_key(store, key);
    return known ? vz_kerchunk_find(&store->table, known) : NULL;
}

static bool find(vz_kerchunk *store, const char *key, vz_kerchunk_value *value, bool *found, vz_error *err)
{
    if (store->finder)
        return store->finder->find(store->context, key, value, found, err);
    const vz_kerchunk_entry *entry = vz_kerchunk_entry_of(store, key);
    *found = entry != NULL;
    return entry ? vz_kerchunk_value_read(&store->table, entry, value, err)
                 : vz_kerchunk_check_absent(&store->table, key, err);
}

bool vz_kerchunk_look_up(vz_kerchunk *store, const char *key, vz_kerchunk_found *at, bool *found, vz_error *err)
{
    *at = (vz_kerchunk_found){0};
    *found = false;
    if (!find(store, key, &at->value, found, err))
        return false;
    if (!*found || at->value.is_inline)
        return true;
    if (at->value.is_below) {
        at->room = (vz_kerchunk_target){.place = store->below, .key = at->value.name};
        at->target = &at->room;
        return true;
    }
    return (at->target = vz_kerchunk_target_of(store, at->value.name, err)) &&
           vz_kerchunk_check_document(key, at->target, err);
}

void vz_kerchunk_found_clear(vz_kerchunk_found *at)
{
    vz_kerchunk_value_clear(&at->value);
    at->target = NULL;
}

bool vz_kerchunk_has(vz_kerchunk *store, const char *key, bool *found, vz_error *err)
{
    vz_kerchunk_value value = {0};
    if (!store->finder) {
        *found = vz_kerchunk_entry_of(store, key) != NULL;
        return true;
    }
    const bool ok = store->finder->find(store->context, key, &value, found, err);
    vz_kerchunk_value_clear(&value);
    return ok;
}

const char *vz_kerchunk_label(const vz_kerchunk *store)
{
    return store->label ? store->label : store->base.path;
}

/* ---- versions ---- */

void vz_kerchunk_demand(const vz_kerchunk_found *at, vz_request *request)
{
    const vz_kerchunk_place *place = at->target->place;
    request->unmodified = at->value.modified;
    if (at->value.etag && place->version_of_etag && request->when == VZ_WHEN_ANY) {
        request->when = VZ_WHEN_VERSION;
        request->version = place->version_of_etag(at->value.etag);
    }
}

bool vz_kerchunk_is_changed(const vz_kerchunk_value *value, vz_error_class failed)
{
    return failed == VZ_CHANGED && (value->etag || value->modified);
}

bool vz_kerchunk_fail_value(const vz_kerchunk_value *value, const vz_error *why, vz_error *err)
{
    vz_error changed = VZ_ERROR_NONE;
    if (!vz_kerchunk_is_changed(value, why->class))
        return vz_kerchunk_fail(value->name, why, err);
    vz_error_set(&changed, VZ_CORRUPT, "it was changed since its reference was made");
    return vz_kerchunk_fail(value->name, &changed, err);
}
