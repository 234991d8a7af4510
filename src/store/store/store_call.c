/* store_call.c - see call.h. */
#include "store/store/call_internal.h"
#include <errno.h>

/* Parts between single slashes, none of them empty, "." or "..": a key can name nothing outside
 * of the store. */
static bool is_key(const char *key)
{
    for (;;) {
        const size_t length = strcspn(key, "/");
        if (length == 0 || (length == 1 && key[0] == '.') || (length == 2 && key[0] == '.' && key[1] == '.'))
            return false;
        if (!key[length])
            return true;
        key += length + 1;
    }
}

bool vz_store_call_check_length(const vz_store *store, const char *key, size_t room, vz_error *err)
{
    return !store->class->key_max || strlen(key) + room <= store->class->key_max ||
           vz_fail_errno(err, ENAMETOOLONG, "the path in the store");
}

bool vz_store_call_check_key(const vz_store *store, const char *key, vz_error *err)
{
    return (is_key(key) || vz_fail(err, VZ_INVALID, "\"%.100s\" is no key", key)) &&
           vz_store_call_check_length(store, key, 0, err);
}

bool vz_store_call_check_prefix(const vz_store *store, const char *prefix, vz_error *err)
{
    return !*prefix || vz_store_call_check_key(store, prefix, err);
}

bool vz_store_call_check_writable(const vz_store *store, vz_error *err)
{
    return store->capabilities & VZ_STORE_WRITE || vz_fail(err, VZ_READ_ONLY, "the store was opened read-only");
}

bool vz_store_call_done(const vz_store *store, const char *key, bool ok, vz_error *err)
{
    if (!ok)
        vz_error_where(err, store->path, key);
    return ok;
}

bool vz_store_call_place(vz_store *store, const char *key, vz_store_key_location *at, vz_error *err)
{
    if (store->staging_operations && !store->in_place)
        return store->staging_operations->place(store->staging, key, at, err);
    at->store = store;
    at->key = key;
    return true;
}
