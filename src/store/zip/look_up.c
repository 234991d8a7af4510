/* look_up.c - the value of a key: from the tree, or from the pages of a directory that nobody has
 * read as a whole. Anything that is not as the pages say makes the tree, as an open does that reads
 * all. So a damaged byte costs time, and no value. */
#include "store/zip/state_internal.h"
#include "store/zip/pages_internal.h"

static vz_byte_source *source_of(vz_zip *zip, vz_byte_source *over_file)
{
    *over_file = vz_byte_source_over_file(zip->file);
    return zip->file < 0 ? zip->source : over_file;
}

/* ---- the tree instead ---- */

static bool is_same_directory(const vz_zip_end *a, const vz_zip_end *b)
{
    return a->directory == b->directory && a->size == b->size && a->count == b->count &&
           (a->generation == b->generation || !b->is_ours);
}

/* The store knows again what it knew before. */
static void go_back(vz_zip *zip, const vz_zip *before)
{
    vz_keytree_free(zip->tree);
    zip->tree = NULL;
    zip->status = before->status;
    zip->pages = before->pages;
    vz_zip_take_facts(zip, before);
}

bool vz_zip_need_tree(vz_zip *zip, vz_error *err)
{
    struct stat now;
    bool gone;
    if (zip->tree)
        return true;
    if (!vz_zip_check(zip, &now, &gone, err))
        return false;
    vz_zip before = {.status = zip->status, .pages = zip->pages};
    vz_zip_take_facts(&before, zip);
    zip->versions = vz_zip_pages_versions(zip->pages);
    zip->pages = NULL;
    bool ok = vz_zip_load_tree(zip, err);
    if (ok && !is_same_directory(&before.directory, &zip->directory))
        ok = vz_fail(err, VZ_BUSY, "somebody else changed the zip file since it was opened: open it again");
    if (!ok) {
        go_back(zip, &before);
        return false;
    }
    vz_zip_pages_free(before.pages);
    if (zip->versions < before.versions)
        zip->versions = before.versions;
    return true;
}

bool vz_zip_distrust(vz_zip *zip, vz_error *err)
{
    vz_os_rwlock_write(&zip->lock);
    const bool ok = vz_zip_need_tree(zip, err);
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}

/* ---- looking ---- */

bool vz_zip_look_up_locked(vz_zip *zip, const char *key, vz_keytree_value *value, bool *found, vz_error *err)
{
    vz_byte_source file;
    if (!zip->tree)
        return vz_zip_pages_find(zip->pages, source_of(zip, &file), key, value, found, err);
    const vz_keytree_value *place = vz_keytree_find(zip->tree, key);
    *found = place != NULL;
    if (place)
        *value = *place;
    return true;
}

bool vz_zip_look_up(vz_zip *zip, const char *key, vz_keytree_value *value, bool *found, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    for (bool again = false;; again = true) {
        vz_os_rwlock_read(&zip->lock);
        const bool ok = vz_zip_look_up_locked(zip, key, value, found, &failed);
        vz_os_rwlock_unlock(&zip->lock);
        if (ok)
            return true;
        if (again || failed.class != VZ_CORRUPT)
            break;
        if (!vz_zip_distrust(zip, err))
            return false;
    }
    if (err)
        *err = failed;
    return false;
}

/* Where there are no pages, or one is damaged, *done stays false. */
bool vz_zip_look_below(vz_store *store, const char *prefix, const char *name, vz_entry_probe *looks, size_t count,
                       bool *done, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_buffer key = {0};
    vz_byte_source file;
    vz_error failed = VZ_ERROR_NONE;
    const bool ready = !*prefix || (vz_buffer_append(&key, prefix, strlen(prefix), &failed) &&
                                    vz_buffer_append(&key, "/", 1, &failed));
    vz_os_rwlock_read(&zip->lock);
    *done =
        ready && !zip->tree && vz_zip_pages_look(zip->pages, source_of(zip, &file), &key, name, looks, count, &failed);
    vz_os_rwlock_unlock(&zip->lock);
    vz_buffer_clear(&key);
    return failed.class == VZ_OK || failed.class == VZ_CORRUPT || vz_fail(err, failed.class, "%s", failed.text);
}

static bool list(vz_zip *zip, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_byte_source file;
    return zip->tree ? vz_keytree_list(zip->tree, prefix, entries, count, err)
                     : vz_zip_pages_list(zip->pages, source_of(zip, &file), prefix, entries, count, err);
}

bool vz_zip_list_members(vz_zip *zip, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_os_rwlock_read(&zip->lock);
    bool ok = list(zip, prefix, entries, count, &failed);
    vz_os_rwlock_unlock(&zip->lock);
    if (!ok && failed.class == VZ_CORRUPT) {
        if (!vz_zip_distrust(zip, err))
            return false;
        vz_os_rwlock_read(&zip->lock);
        ok = list(zip, prefix, entries, count, &failed);
        vz_os_rwlock_unlock(&zip->lock);
    }
    if (!ok && err)
        *err = failed;
    return ok;
}

/* ---- all of it ---- */

bool vz_zip_check_pages(vz_zip *zip, bool *is_sound, vz_error *err)
{
    vz_byte_source file;
    vz_error failed = VZ_ERROR_NONE;
    *is_sound = true;
    vz_os_rwlock_write(&zip->lock);
    bool ok = true;
    if (!zip->tree) {
        *is_sound = vz_zip_pages_check(zip->pages, source_of(zip, &file), &failed);
        ok = failed.class == VZ_OK || failed.class == VZ_CORRUPT;
        if (!ok && err)
            *err = failed;
        ok = ok && vz_zip_need_tree(zip, err);
    }
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}
