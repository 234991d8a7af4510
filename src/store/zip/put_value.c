/* put_value.c - puts a value at its place in the zip file at once, where no reader looks before
 * a directory tells of it. Where the file cannot be changed in place, the value goes to the end
 * of a spool file without a name. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include <errno.h>
#include <libdeflate.h>

static bool enter(vz_zip *zip, const char *key, const vz_keytree_value *value, bool only_new, vz_error *err)
{
    vz_os_rwlock_write(&zip->lock);
    const vz_keytree_value *found = vz_keytree_find(zip->tree, key);
    const vz_keytree_value old = found ? *found : (vz_keytree_value){0};
    const bool ok =
        only_new && found ? vz_fail_errno(err, EEXIST, "cannot create") : vz_keytree_put(zip->tree, key, value, err);
    vz_zip_drop(ok ? &old : value, zip);
    zip->changed |= ok && !vz_keytree_is_hidden(key);
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}

static void drop(vz_zip *zip, const vz_keytree_value *value)
{
    vz_os_rwlock_write(&zip->lock);
    vz_zip_drop(value, zip);
    vz_os_rwlock_unlock(&zip->lock);
}

/* A place for the value: in the zip file or the spool. */
static bool take(vz_zip *zip, const char *key, vz_keytree_value *value, size_t *padding, vz_error *err)
{
    vz_os_rwlock_write(&zip->lock);
    const bool ok = vz_zip_begin(zip, err) && (zip->rewrites ? vz_zip_spool_take(zip, value, err)
                                                             : vz_zip_take_place(zip, key, value, padding, err));
    if (ok)
        value->version = ++zip->versions;
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}

static void make_room(vz_zip *zip)
{
    vz_os_rwlock_write(&zip->lock);
    vz_zip_room_punch(&zip->session.room, zip->file);
    vz_os_rwlock_unlock(&zip->lock);
}

/* On a full disk once more, when what is free has given back its room. */
static bool write_value(vz_zip *zip, const char *key, const vz_keytree_value *value, size_t padding, vz_bytes bytes,
                        vz_error *err)
{
    if (value->place == VZ_KEYTREE_SPOOLED)
        return vz_os_file_write(zip->spool, value->offset, bytes.data, bytes.size, err);
    vz_error failed = VZ_ERROR_NONE;
    if (vz_zip_write_entry(zip, key, value, padding, bytes.data, &failed))
        return true;
    if (failed.sys_errno == ENOSPC || failed.sys_errno == EDQUOT) {
        make_room(zip);
        return vz_zip_write_entry(zip, key, value, padding, bytes.data, err);
    }
    if (err)
        *err = failed;
    return false;
}

static bool put(vz_store *store, const char *key, vz_bytes bytes, bool only_new, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    size_t padding = 0;
    if (strlen(key) > VZ_ZIP_NAME_MAX)
        return vz_fail(err, VZ_LIMIT, "the key is longer than a name in a zip file can be");
    vz_keytree_value value = {.is_changed = true,
                              .stored = bytes.size,
                              .size = bytes.size,
                              .flags = vz_zip_name_flags(key),
                              .crc = libdeflate_crc32(0, bytes.data, bytes.size)};
    if (!take(zip, key, &value, &padding, err))
        return false;
    if (write_value(zip, key, &value, padding, bytes, err))
        return enter(zip, key, &value, only_new, err);
    drop(zip, &value);
    make_room(zip);
    return false;
}

bool vz_zip_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return put(store, key, value, false, err);
}

bool vz_zip_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return put(store, key, value, true, err);
}
