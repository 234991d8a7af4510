/* in_place_session.c - a zip file while it is changed in place. Before its first byte changes,
 * its directory is written once more, as a guard. The guard lies so far behind the end that new
 * values have room before it. Every reader finds the directory with which the file ends. That
 * one stays true until the file is cut off behind a new one. */
#include "base/os/file.h"
#include "base/os/file_system.h"
#include "base/os/process.h"
#include "store/zip/state_internal.h"
#include "store/zip/central_internal.h"
#include "store/zip/zip_internal.h"
#include <errno.h>
#include <libdeflate.h>

#define RESERVE_MIN ((uint64_t)1 << 20) /* bytes before the guard */
#define RESERVE_FEW ((uint64_t)1 << 16) /* where files may not be so large */
/* at least so many times the guard's own size are put before the next one */
#define GUARD_SHARE 8
#define ALIGNMENT   4096

/* ---- writing ---- */

bool vz_zip_write_at(vz_zip *zip, uint64_t offset, const void *data, size_t size, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_zip_write(zip, offset, data, size, &failed))
        return true;
    if (failed.sys_errno == ENOSPC || failed.sys_errno == EDQUOT) {
        vz_zip_room_punch(&zip->session.room, zip->file);
        return vz_zip_write(zip, offset, data, size, err);
    }
    if (err)
        *err = failed;
    return false;
}

/* ---- the guard ---- */

/* The directory as it stands in the file, and an end record for it at `at`. */
static bool print_guard(const vz_zip *zip, uint64_t at, vz_buffer *out, vz_zip_end *guard, vz_error *err)
{
    const vz_zip_end *directory = &zip->directory;
    *guard = *directory;
    guard->directory = at;
    guard->original = directory->original ? directory->original : directory->after;
    out->size = 0;
    if (!vz_buffer_reserve(out, (size_t)directory->size + VZ_ZIP_END_MOST, err) ||
        !vz_zip_read(zip, directory->directory, out->data, (size_t)directory->size, err))
        return false;
    out->size = (size_t)directory->size;
    if (libdeflate_crc32(0, out->data, out->size) != directory->crc)
        return vz_fail(err, VZ_BUSY, "somebody else changed the zip file while it was open");
    return vz_zip_print_end(out, guard, err);
}

/* Behind `after`, with room for more. */
static uint64_t place_guard(const vz_zip *zip, uint64_t after, bool few)
{
    const vz_zip_session *s = &zip->session;
    const uint64_t own = zip->directory.size + VZ_ZIP_END_MOST, put = s->room.frontier - s->start;
    uint64_t reserve = RESERVE_MIN > GUARD_SHARE * own ? RESERVE_MIN : GUARD_SHARE * own;
    if (put > reserve)
        reserve = put;
    if (few || zip->file < 0) /* of a byte source it is known what comes */
        reserve = RESERVE_FEW;
    uint64_t at = after + s->coming + reserve;
    if (at < zip->size)
        at = zip->size;
    at = (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return few || vz_os_may_grow_to(at + own) ? at : place_guard(zip, after, true);
}

/* Is anything brought before what follows it? Of a file whose writer is killed the system has it
 * all; a byte source may be written out of buffers. */
static bool needs_order(const vz_zip *zip)
{
    return zip->base.durable || zip->file < 0;
}

static bool write_guard(vz_zip *zip, uint64_t after, vz_error *err)
{
    vz_zip_session *s = &zip->session;
    const uint64_t at = place_guard(zip, after, false);
    vz_buffer bytes = {0};
    vz_zip_end guard;
    if (at > INT64_MAX / 2)
        return vz_fail(err, VZ_LIMIT, "the zip file would be too large");
    bool ok = print_guard(zip, at, &bytes, &guard, err);
    if (ok && !(vz_zip_write_at(zip, at, bytes.data, bytes.size, err) &&
                (!needs_order(zip) || vz_zip_write_barrier(zip, err)))) {
        vz_zip_cut(zip, zip->size, NULL);
        ok = false;
    }
    if (ok) {
        s->is_guarded = true;
        s->guard = at;
        zip->size = guard.after;
        s->tail_size = bytes.size - (size_t)zip->directory.size;
        memcpy(s->tail, bytes.data + zip->directory.size, s->tail_size);
    }
    vz_buffer_clear(&bytes);
    return ok;
}

bool vz_zip_move_guard(vz_zip *zip, uint64_t after, vz_error *err)
{
    return after + zip->session.coming <= zip->session.guard || write_guard(zip, after, err);
}

/* ---- beginning ---- */

/* Nothing is being written now. */
static void know_status(vz_zip *zip)
{
    if (zip->file < 0)
        zip->status.st_size = (off_t)zip->size;
    else if (vz_os_fstat(zip->file, &zip->status) != 0)
        zip->status.st_mtim = (struct timespec){0}; /* not known */
}

/* Cuts off residue of a killed writer behind the directory, if the file then ends with that
 * directory's own end record. */
static void take_back(vz_zip *zip)
{
    const vz_zip_end *known = &zip->directory;
    const uint64_t to = known->original ? known->original : known->after;
    vz_byte_source file = vz_byte_source_over_file(zip->file), *source = zip->file < 0 ? zip->source : &file;
    vz_zip_end end;
    bool found = false;
    if (zip->slot.deltas || to >= zip->size || !vz_zip_end_at_end(source, to, &end, NULL, &found, NULL) || !found ||
        end.crc != known->crc || end.size != known->size || end.count != known->count || end.after != to)
        return;
    end.generation = known->generation;
    end.original = 0;
    if (vz_zip_cut(zip, to, NULL))
        zip->directory = end;
}

bool vz_zip_needs_end_repair(const vz_zip *zip)
{
    const bool goes_on = zip->size > zip->directory.after && (zip->directory.is_torn || zip->slot.is_open);
    return !zip->slot.deltas && (zip->directory.original || goes_on);
}

/* Where new bytes go: behind all that the directory, or a delta record, tells of. */
static uint64_t find_frontier(const vz_zip *zip)
{
    if (zip->slot.deltas)
        return zip->slot.used;
    if (zip->directory.count == 0)
        return vz_zip_first(zip); /* in the place of the end record of an empty zip: the guard tells
                                   * the same */
    return zip->directory.original && zip->directory.original <= zip->directory.directory ? zip->size
                                                                                          : zip->directory.after;
}

/* The slot names the directory before the guard is written: a copy that is cut short shall not
 * hide it. */
static bool name_directory(vz_zip *zip, vz_error *err)
{
    if (!vz_zip_is_one_file(zip))
        return true;
    vz_zip_slot slot = zip->slot;
    slot.sequence++;
    slot.is_open = true;
    slot.end = zip->directory;
    slot.used = zip->session.room.frontier;
    if (!vz_zip_write_slot(zip, &slot, err) || (needs_order(zip) && !vz_zip_write_barrier(zip, err)))
        return false;
    zip->slot = slot;
    return true;
}

static bool begin(vz_zip *zip, uint64_t coming, vz_error *err)
{
    struct stat now;
    bool gone;
    vz_zip_session *s = &zip->session;
    if (!vz_zip_check(zip, &now, &gone, err))
        return false;
    if (gone) { /* whatever was written to it would be lost */
        zip->rewrites = true;
        return true;
    }
    take_back(zip);
    const uint64_t frontier = find_frontier(zip);
    if (s->room.frontier != frontier)
        s->room = (vz_zip_room){.frontier = frontier};
    s->start = frontier;
    s->coming = coming + zip->directory.size + zip->slot.delta_bytes + VZ_ZIP_END_MOST;
    s->owner = vz_process_id();
    s->forks = vz_zip_forks();
    if (name_directory(zip, err) && write_guard(zip, frontier, err))
        return true;
    know_status(zip); /* that was us */
    return false;
}

bool vz_zip_begin(vz_zip *zip, vz_error *err)
{
    const bool was_locked = zip->session.is_locked;
    if (!vz_zip_need_tree(zip, err))
        return false;
    zip->rewrites |= zip->base.without_locks && !zip->session.is_guarded;
    if (zip->rewrites || zip->session.is_guarded)
        return true;
    if (!was_locked) {
        bool has_locks;
        if (!vz_zip_lock_writing(zip->file, &has_locks, err))
            return false;
        zip->rewrites = !has_locks;
        zip->session.is_locked = has_locks;
    }
    if (zip->rewrites || begin(zip, 0, err))
        return true;
    if (!was_locked) {
        vz_zip_unlock_writing(zip->file);
        zip->session.is_locked = false;
    }
    return false;
}

bool vz_zip_begin_alone(vz_zip *zip, uint64_t coming, vz_error *err)
{
    if (zip->session.is_guarded)
        return true;
    if (!begin(zip, coming, err))
        return false;
    zip->session.coming -= coming; /* the guard leaves room for it */
    return true;
}

/* ---- ending ---- */

/* The system brings older bytes to the disk by itself (dirty_expire_centisecs). */
#define YOUNG_NS ((int64_t)30 * 1000000000)

/* An empty file is no loss, nor is one that was not there a moment ago, unless somebody minds. */
bool vz_zip_is_worth_a_sync(const vz_zip *zip)
{
    const bool is_young = zip->made_ns && vz_os_now_ns() - zip->made_ns < YOUNG_NS;
    return zip->base.durable || (!is_young && (zip->directory.count > 0 || zip->slot.deltas));
}

bool vz_zip_drop_guard(vz_zip *zip, const vz_zip_end *end, vz_error *err)
{
    /* A power cut must not take the guard without leaving what is before it. */
    if ((vz_zip_is_worth_a_sync(zip) && !vz_zip_write_barrier(zip, err)) || !vz_zip_cut(zip, end->after, err))
        return false;
    zip->session.is_guarded = false;
    zip->directory = *end;
    vz_zip_slot closed = {.sequence = zip->slot.sequence + 1, .end = *end, .used = end->after};
    if (vz_zip_is_one_file(zip) && !vz_zip_write_slot(zip, &closed, NULL))
        closed.sequence--; /* the end record is newer than what the slots say, and so counts */
    zip->slot = closed;
    zip->session.room.frontier = end->after;
    zip->session.added = 0;
    know_status(zip);
    return true;
}

/* The end record of an empty zip was written over: it is written anew. */
static bool end_empty(vz_zip *zip)
{
    vz_buffer record = {0};
    vz_zip_end end = {.directory = vz_zip_first(zip), .generation = zip->directory.generation};
    const bool ok = vz_zip_print_end(&record, &end, NULL) &&
                    vz_zip_write(zip, end.directory, record.data, record.size, NULL) &&
                    vz_zip_cut(zip, end.after, NULL);
    vz_buffer_clear(&record);
    return ok;
}

static void go_back(vz_zip *zip)
{
    if (zip->directory.count == 0)
        end_empty(zip);
    else
        take_back(zip);
}

static bool has_size(const vz_zip *zip)
{
    struct stat now;
    uint64_t size;
    if (zip->file < 0)
        return vz_byte_source_size(zip->source, &size, NULL) && size == zip->size;
    return vz_os_fstat(zip->file, &now) == 0 && (uint64_t)now.st_size == zip->size;
}

static void give_up(vz_zip *zip)
{
    bool is_ours;
    if (zip->slot.deltas || !has_size(zip) || !vz_zip_has_tail(zip, &is_ours, NULL) || !is_ours)
        return; /* deltas: the slot tells what counts */
    go_back(zip);
}

void vz_zip_repair_end(vz_zip *zip)
{
    struct stat now;
    bool gone, has_locks;
    if (zip->rewrites || zip->base.without_locks || zip->session.is_guarded ||
        !vz_zip_lock_writing(zip->file, &has_locks, NULL))
        return;
    if (has_locks && vz_zip_check(zip, &now, &gone, NULL) && !gone)
        go_back(zip);
    if (has_locks && !zip->session.is_locked)
        vz_zip_unlock_writing(zip->file);
    know_status(zip);
    zip->settled = false;
}

void vz_zip_end_writing(vz_zip *zip)
{
    vz_zip_session *s = &zip->session;
    if (s->owner == vz_process_id()) { /* and not a copy of it */
        if (s->is_guarded)
            give_up(zip);
        if (s->is_locked)
            vz_zip_unlock_writing(zip->file);
    }
    s->is_locked = s->is_guarded = false;
    vz_buffer_clear(&s->removed);
}
