/* refresh.c - a store that is only read follows what others wrote since. A flush of a one-file
 * store is read from its delta records alone; after anything else the directory that counts is
 * read anew. The file may be another one by now: its writer packed it, or had no locks. On
 * failure the store stays what it was. */
#include "base/os/file.h"
#include "base/os/file_system.h"
#include "store/zip/state_internal.h"
#include <errno.h>
#include <stdlib.h>

/* ---- is there anything new? ---- */

/* The status of the file when the look began; of a byte source the size alone. */
static bool look(const vz_zip *zip, struct stat *now, vz_error *err)
{
    uint64_t size;
    *now = (struct stat){0};
    if (zip->file >= 0)
        return vz_os_fstat(zip->file, now) == 0 || vz_fail_errno(err, errno, "cannot stat the zip file");
    if (!vz_byte_source_size(zip->source, &size, err))
        return false;
    now->st_size = (off_t)size;
    return true;
}

static bool is_unchanged(const vz_zip *zip, const struct stat *now)
{
    const struct stat *known = &zip->status;
    return zip->file >= 0 && zip->settled && now->st_size == known->st_size &&
           vz_time_is_same(&now->st_mtim, &known->st_mtim) && vz_time_is_same(&now->st_ctim, &known->st_ctim);
}

static bool is_same_directory(const vz_zip_end *a, const vz_zip_end *b)
{
    return a->generation == b->generation && a->directory == b->directory && a->size == b->size &&
           a->count == b->count && a->shift == b->shift && a->crc == b->crc;
}

/* Does the slot tell of what the store has, and of flushes since? */
static bool goes_on(const vz_zip *zip, const vz_zip_slot *slot)
{
    return slot->is_open && slot->deltas >= zip->slot.deltas && is_same_directory(&slot->end, &zip->directory);
}

static void know(vz_zip *zip, const struct stat *now)
{
    zip->status = *now;
    zip->size = (uint64_t)now->st_size;
    zip->settled = zip->file >= 0 && vz_zip_is_settled(now);
}

/* Later flushes go into the tree. *done=false (and true returned): something else happened. */
static bool take_flushes(vz_zip *zip, const struct stat *now, bool *done, vz_error *err)
{
    vz_byte_source file = vz_byte_source_over_file(zip->file), *source = zip->file < 0 ? zip->source : &file;
    vz_zip_slot slots[VZ_SIGNATURE_SLOTS];
    unsigned count = 0;
    *done = false;
    if (!vz_zip_is_one_file(zip) || !zip->tree)
        return true;
    if (!vz_zip_slot_read(source, zip->header.base, slots, &count, err))
        return false;
    if (count == 0 || !goes_on(zip, &slots[0]) || slots[0].used > (uint64_t)now->st_size)
        return true;
    /* If not, all is read, which tells why. */
    *done = vz_zip_take_deltas(zip, &slots[0], &zip->slot, NULL);
    if (*done) {
        zip->slot = slots[0];
        zip->end = slots[0].used;
        know(zip, now);
    }
    return true;
}

/* ---- all of it ---- */

/* Is the file that kind of store still? It may have been emptied, and have another user block by
 * now. */
static bool find_header(const vz_zip *zip, vz_byte_source *source, const struct stat *now, vz_signature *header,
                        bool *is_store, vz_error *err)
{
    if (!vz_signature_find_in(source, (uint64_t)now->st_size, header, err))
        return false;
    if (header->kind != VZ_SIGNATURE_STORE)
        *header = (vz_signature){0};
    *is_store = header->kind == zip->header.kind;
    return true;
}

static void take_over(vz_zip *zip, vz_zip *fresh)
{
    vz_keytree_free(zip->tree);
    vz_zip_pages_free(zip->pages);
    zip->tree = fresh->tree;
    zip->pages = fresh->pages;
    zip->status = fresh->status;
    zip->settled = fresh->settled;
    zip->header = fresh->header;
    zip->base.user_block = fresh->header.base;
    vz_zip_take_facts(zip, fresh);
}

/* Loads that file, or the byte source (-1), in place of the store's content. */
static bool load(vz_zip *zip, int file, const struct stat *now, bool *is_store, vz_error *err)
{
    vz_byte_source over = vz_byte_source_over_file(file);
    vz_signature header;
    if (!find_header(zip, file < 0 ? zip->source : &over, now, &header, is_store, err))
        return false;
    vz_zip *fresh = *is_store ? calloc(1, sizeof *fresh) : NULL;
    if (!fresh)
        return !*is_store || vz_fail_memory(err);
    fresh->base.path = zip->base.path;
    fresh->file = file;
    fresh->source = zip->source;
    fresh->header = header;
    fresh->status = *now;
    fresh->settled = file >= 0 && vz_zip_is_settled(now);
    fresh->versions = zip->versions; /* no value has a version that another one had */
    const bool ok = vz_zip_load(fresh, err);
    if (ok)
        take_over(zip, fresh);
    else
        vz_keytree_free(fresh->tree);
    free(fresh);
    return ok;
}

/* ---- another file in its place ---- */

/* The file that the store's path leads to now; -1: the one that is open, or none. */
static int open_other(const vz_zip *zip)
{
    struct stat there;
    if (zip->file < 0 || vz_os_stat(zip->base.path, &there) != 0 || !S_ISREG(there.st_mode) ||
        ((uint64_t)there.st_dev == zip->base.identity.part[0] && (uint64_t)there.st_ino == zip->base.identity.part[1]))
        return -1;
    return vz_os_open(zip->base.path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

/* A caller that locked the old file by option `locking` has the new one locked before it is
 * read. */
static bool carry_lock(const vz_zip *zip, int file, vz_error *err)
{
    const vz_store_lock *held = zip->base.lock;
    return !held || held->descriptor < 0 || held->set(file, held->kind) == 0 ||
           vz_fail_errno(err, errno, "cannot lock the file that took this store's place%s", vz_os_lock_trouble());
}

/* The descriptors keep their numbers, which somebody may have asked for. */
static void adopt(vz_zip *zip, int file)
{
    const int lock = zip->base.lock ? zip->base.lock->descriptor : -1;
    if (lock >= 0 && vz_os_dup_to(file, lock) < 0)
        zip->base.lock = NULL; /* the lock is held through zip->file alone */
    if (vz_os_dup_to(file, zip->file) >= 0) {
        vz_os_close(file);
    } else {
        vz_os_close(zip->file);
        zip->file = file;
    }
    zip->base.identity = (vz_identity){{(uint64_t)zip->status.st_dev, (uint64_t)zip->status.st_ino}};
}

/* is_store=false (and true returned): what was put there is no store of this kind. Then this one
 * stays open. */
static bool load_other(vz_zip *zip, int file, bool *is_store, vz_error *err)
{
    struct stat now;
    if (vz_os_fstat(file, &now) != 0)
        return vz_fail_errno(err, errno, "cannot stat the zip file");
    return carry_lock(zip, file, err) && load(zip, file, &now, is_store, err);
}

/* ---- renewing ---- */

static bool renew(vz_zip *zip, vz_error *err)
{
    struct stat now;
    bool done = false;
    const int other = open_other(zip);
    if (other >= 0) {
        const bool ok = load_other(zip, other, &done, err);
        if (ok && done)
            adopt(zip, other);
        else
            vz_os_close(other);
        if (!ok || done)
            return ok;
    }
    if (!look(zip, &now, err))
        return false;
    if (is_unchanged(zip, &now))
        return true;
    if (!take_flushes(zip, &now, &done, err) || (!done && !load(zip, zip->file, &now, &done, err)))
        return false;
    return done || vz_fail(err, VZ_CORRUPT, "the file is no store any more: another program has written it anew");
}

bool vz_zip_renew(vz_store *store, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    if ((store->capabilities & VZ_STORE_WRITE) || (zip->source && zip->source->in_memory))
        return true; /* nobody else writes it, or what he writes makes this one give up */
    vz_os_rwlock_write(&zip->lock);
    const bool ok = renew(zip, err);
    vz_os_rwlock_unlock(&zip->lock);
    if (!ok)
        vz_error_where(err, store->path, NULL);
    return ok;
}
