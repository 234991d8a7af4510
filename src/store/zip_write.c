/* zip_write.c - what is put goes to the end of a spool file without a name, until the zip file is written. */
#include "store/file.h"
#include "store/zip.h"
#include <errno.h>
#include <libdeflate.h>

static bool enter(vz_zip *zip, const char *key, const vz_zip_value *value, bool only_new, vz_error *err)
{
    pthread_rwlock_wrlock(&zip->lock);
    const vz_zip_value *found = vz_zip_tree_find(zip->tree, key);
    const vz_zip_value old = found ? *found : (vz_zip_value){0};
    const bool ok =
        only_new && found ? vz_fail_errno(err, EEXIST, "cannot create") : vz_zip_tree_put(zip->tree, key, value, err);
    vz_zip_spool_drop(ok ? &old : value, zip);
    zip->changed |= ok && !vz_zip_is_hidden(key);
    pthread_rwlock_unlock(&zip->lock);
    return ok;
}

static bool put(vz_store *store, const char *key, vz_bytes bytes, bool only_new, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    if (strlen(key) > VZ_ZIP_NAME_MAX)
        return vz_fail(err, VZ_LIMIT, "the key is longer than a name in a zip file can be");
    vz_zip_value value = {.place = VZ_ZIP_SPOOLED, .stored = bytes.size, .size = bytes.size};
    if (!vz_zip_spool_take(zip, bytes.size, &value.offset, &value.version, err))
        return false;
    if (!vz_file_write(zip->spool, value.offset, bytes.data, bytes.size, err)) {
        pthread_rwlock_wrlock(&zip->lock);
        vz_zip_spool_drop(&value, zip);
        pthread_rwlock_unlock(&zip->lock);
        return false;
    }
    value.crc = libdeflate_crc32(0, bytes.data, bytes.size);
    return enter(zip, key, &value, only_new, err);
}

bool vz_zip_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return put(store, key, value, false, err);
}

bool vz_zip_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    return put(store, key, value, true, err);
}
