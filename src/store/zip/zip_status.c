/* zip_status.c - what a zip file or a one-file store reports about itself: unfinished writing,
 * and bytes that are dead. */
#include "store/zip/state_internal.h"
#include "store/zip/zip_internal.h"
#include "store/zip/replace_internal.h"

/* Does the file end as its last flush left it, so that only this connector knows all that is in
 * it? */
static bool is_open_ended(const vz_zip *zip)
{
    return vz_zip_is_one_file(zip) && (zip->slot.is_open || zip->slot.deltas);
}

/* Nobody holds the writers' lock. */
static bool is_left(const vz_zip *zip)
{
    if (zip->file < 0 || vz_zip_lock(zip->file, VZ_ZIP_LOCK_WRITING, VZ_OS_LOCK_SHARED) != VZ_ZIP_TAKEN)
        return false;
    vz_zip_unlock_writing(zip->file);
    return true;
}

static const char *const doubts[] = {
    [VZ_ZIP_DOUBTFUL] =
        "the checksum of its list of entries is wrong, though each entry is where the list says: another "
        "program changed the file, or a byte of the list is damaged",
    [VZ_ZIP_DAMAGED_END] = "its end record is damaged; the list of entries was found without it",
    [VZ_ZIP_DAMAGED_SLOT] = "a slot with records of flushes is damaged; the entries were found without it",
    [VZ_ZIP_DAMAGED_INDEX] = "the index of its list of entries is damaged; the entries were found without it",
};

static bool tell_doubt(const vz_zip *zip, vz_leftover_visit visit, void *context, vz_error *err)
{
    const vz_leftover doubt = {.path = zip->base.path,
                               .is_in_store = true,
                               .doubt = doubts[zip->doubt],
                               .is_damage = zip->doubt != VZ_ZIP_DOUBTFUL};
    return zip->doubt == VZ_ZIP_SURE || visit(context, &doubt, err);
}

bool vz_zip_each_unfinished(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    bool is_sound;
    if (!vz_zip_check_pages(zip, &is_sound, err))
        return false;
    if (!is_sound && zip->doubt == VZ_ZIP_SURE)
        zip->doubt = VZ_ZIP_DAMAGED_INDEX;
    const vz_leftover itself = {
        .path = store->path, .is_in_store = true, .is_dead = is_open_ended(zip) && is_left(zip)};
    return tell_doubt(zip, visit, context, err) && (!is_open_ended(zip) || visit(context, &itself, err)) &&
           (zip->file < 0 || vz_zip_each_leftover(store, visit, context, err));
}

bool vz_zip_unused(vz_store *store, uint64_t *size, uint64_t *unused)
{
    const vz_zip *zip = vz_zip_of(store);
    const uint64_t needed = zip->live + vz_zip_first(zip) + zip->prefix;
    *size = zip->size;
    *unused = zip->size > needed ? zip->size - needed : 0;
    return true;
}

bool vz_zip_image(vz_store *store, void *data, size_t room, uint64_t *size, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_os_rwlock_read(&zip->lock);
    *size = zip->size;
    const bool ok = !data || (*size <= room ? vz_zip_read(zip, 0, data, (size_t)*size, err)
                                            : vz_fail(err, VZ_LIMIT, "an image of %llu bytes, for which there are %zu",
                                                      (unsigned long long)*size, room));
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}
