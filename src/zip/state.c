/* state.c - what a zip file or a one-file store tells of itself to who looks after it: unfinished writing, bytes
 * that nobody needs any more. */
#include "zip/inside.h"
#include "zip/lock.h"
#include "zip/new.h"
#include <fcntl.h>

/* Does the file end as its last flush left it, so that only this connector knows all that is in it? */
static bool is_open_ended(const vz_zip *zip)
{
    return vz_zip_is_one_file(zip) && (zip->slot.is_open || zip->slot.deltas);
}

/* Nobody holds the writers' lock. */
static bool is_left(const vz_zip *zip)
{
    if (zip->file < 0 || vz_zip_lock(zip->file, VZ_ZIP_LOCK_WRITING, F_RDLCK) != VZ_ZIP_TAKEN)
        return false;
    vz_zip_unlock_writing(zip->file);
    return true;
}

bool vz_zip_each_unfinished(vz_store *store, vz_leftover_visit visit, void *context, vz_error *err)
{
    const vz_zip *zip = vz_zip_of(store);
    const vz_leftover itself = {
        .path = store->path, .is_in_store = true, .is_dead = is_open_ended(zip) && is_left(zip)};
    return (!is_open_ended(zip) || visit(context, &itself, err)) &&
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
