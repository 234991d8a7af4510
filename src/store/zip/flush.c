/* flush.c - a flush. Of a one-file store it writes a delta record and a slot that names it. So a
 * program that opens the store by this connector sees what was put, and nothing of it is lost
 * with the process. The directory for everybody follows at the close, or when it is small beside
 * what was added. A plain zip file has no slots: there a flush is a commit. */
#include "store/zip/state_internal.h"
#include <libdeflate.h>

/* the directory is written when so many times its size were added */
#define SHARE 8
/* bytes of delta records that are fine beside a directory of any size */
#define DELTAS_MIN ((uint64_t)1 << 16)

/* Readers go through all delta records, and killed writers leave them. */
static bool needs_directory(const vz_zip *zip, uint64_t size)
{
    const vz_zip_slot *slot = &zip->slot;
    const uint64_t most = zip->directory.size > DELTAS_MIN ? zip->directory.size : DELTAS_MIN;
    return zip->session.is_long || slot->deltas >= VZ_ZIP_DELTAS_MAX || slot->delta_bytes + size > most ||
           zip->session.added / SHARE > zip->directory.size + slot->delta_bytes + size;
}

static bool write_delta(vz_zip *zip, const vz_buffer *bytes, vz_error *err)
{
    vz_zip_session *s = &zip->session;
    const vz_zip_entry_place place = {.first = s->room.frontier, .after = s->room.frontier + bytes->size};
    if (!vz_zip_move_guard(zip, place.after, err) ||
        !vz_zip_write_at(zip, place.first, bytes->data, bytes->size, err) ||
        (zip->base.durable && !vz_zip_write_barrier(zip, err)))
        return false;
    vz_zip_slot slot = zip->slot;
    slot.sequence++;
    slot.is_open = true;
    slot.last = (vz_zip_slot_delta){
        .offset = place.first, .size = (uint32_t)bytes->size, .crc = libdeflate_crc32(0, bytes->data, bytes->size)};
    slot.deltas++;
    slot.delta_bytes += bytes->size;
    slot.used = place.after;
    if (!vz_zip_write_slot(zip, &slot, err) || (zip->base.durable && !vz_zip_write_barrier(zip, err)))
        return false;
    vz_zip_room_take(&s->room, &place);
    zip->slot = slot;
    zip->end = slot.used;
    return true;
}

static bool flush(vz_zip *zip, bool *whole, vz_error *err)
{
    struct stat now;
    bool gone = false;
    vz_buffer bytes = {0};
    *whole = false;
    if (!vz_zip_begin(zip, err) || (!zip->rewrites && !vz_zip_check(zip, &now, &gone, err)))
        return false;
    *whole = zip->rewrites || gone || zip->session.is_long;
    if (*whole)
        return true;
    bool ok = vz_zip_name_entries(zip, err) && vz_zip_print_delta(zip, &zip->slot.last, &bytes, err);
    if (ok && !(*whole = needs_directory(zip, bytes.size)))
        ok = write_delta(zip, &bytes, err);
    vz_buffer_clear(&bytes);
    return ok;
}

bool vz_zip_flush(vz_store *store, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    if (!vz_zip_is_one_file(zip))
        return vz_zip_commit(store, err);
    bool whole = false;
    vz_os_rwlock_write(&zip->lock);
    const bool ok = !zip->changed || flush(zip, &whole, err);
    if (ok && zip->changed && !whole) {
        vz_keytree_shown(zip->tree);
        zip->session.removed.size = 0;
        zip->session.forks = vz_zip_forks();
        zip->changed = false;
        zip->settled = false;
        zip->unsynced = true;
    }
    vz_os_rwlock_unlock(&zip->lock);
    return ok && (!whole || vz_zip_commit(store, err));
}
