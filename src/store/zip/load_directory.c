/* load_directory.c - what is in a zip file: which directory counts, its entries, and the delta
 * records of flushes behind it.
 *
 * An end record with which the file ends counts, unless it is ours and older than what the slots
 * of a one-file store tell. Then the newer slot counts. Other programs that write the file leave
 * an end record of their own. An end record whose checksum does not hold may be ours with a
 * damaged byte: what a slot tells of that directory goes first. */
#include "base/os/file.h"
#include "base/os/process.h"
#include "store/zip/state_internal.h"
#include "store/zip/central_internal.h"

#define ATTEMPTS 20   /* to read a file that somebody writes meanwhile */
#define PAUSE_US 2000 /* between two of them */

/* Facts that the file states about itself. */
typedef struct evidence {
    vz_zip_end end;
    bool has_end;
    vz_zip_slot slots[VZ_SIGNATURE_SLOTS]; /* the newer one first */
    unsigned slot_count;
    vz_buffer records; /* of the end record's directory, or of the slot's that was looked at last */
} evidence;

/* A plain zip file may be a one-file store whose first bytes are damaged. Then only its slots,
 * where they are, know what was flushed. */
static bool check_beginning(const vz_zip *zip, vz_byte_source *source, const evidence *e, vz_error *err)
{
    vz_zip_slot slots[VZ_SIGNATURE_SLOTS];
    unsigned count = 0;
    if (vz_zip_is_one_file(zip) || (e->has_end && !e->end.original))
        return true; /* a one-file store that was closed is read as a zip file */
    for (uint64_t base = 0; vz_signature_end(base) <= zip->size; base = base ? 2 * base : VZ_SIGNATURE_USER_BLOCK) {
        if (!vz_zip_slot_read(source, base, slots, &count, err))
            return false;
        if (count && slots[0].is_open)
            return vz_fail(err, VZ_CORRUPT, "the first bytes of this one-file store are damaged");
    }
    return true;
}

static bool gather(const vz_zip *zip, vz_byte_source *source, evidence *e, vz_error *err)
{
    *e = (evidence){.records = e->records};
    if (vz_zip_is_one_file(zip) && zip->size >= vz_zip_first(zip) &&
        !vz_zip_slot_read(source, zip->header.base, e->slots, &e->slot_count, err))
        return false;
    return vz_zip_end_at_end(source, zip->size, &e->end, &e->records, &e->has_end, err) &&
           check_beginning(zip, source, e, err);
}

/* Does the slot tell of that directory, or of the one that it is a copy of, where the end
 * record's checksum does not hold? */
static bool is_named_by_slot(const evidence *e)
{
    const vz_zip_slot *slot = &e->slots[0];
    if (!e->has_end || e->slot_count == 0 || e->end.is_ours || e->end.size != slot->end.size)
        return false;
    return slot->is_open ? e->end.directory >= slot->used : e->end.directory == slot->end.directory;
}

static bool end_counts(const evidence *e)
{
    const vz_zip_slot *slot = &e->slots[0];
    if (!e->has_end || e->slot_count == 0 || !e->end.is_ours)
        return e->has_end && !is_named_by_slot(e);
    return e->end.generation > slot->end.generation || (e->end.generation == slot->end.generation && slot->deltas == 0);
}

/* ---- taking one of them ---- */

/* Nothing of an attempt that failed stays. */
static bool start_anew(vz_zip *zip, vz_error *err)
{
    vz_keytree_free(zip->tree);
    zip->encrypted = false;
    zip->doubt = VZ_ZIP_SURE;
    zip->slot = (vz_zip_slot){0};
    return (zip->tree = vz_keytree_new(err)) != NULL;
}

/* The directory of e->end is read: e->records. */
static bool take_end(vz_zip *zip, const evidence *e, vz_error *err)
{
    const vz_zip_slot *slot = &e->slots[0];
    const vz_zip_end *end = &e->end;
    if (!start_anew(zip, err) || !vz_zip_take_directory(zip, end, &e->records, end->directory, err))
        return false;
    zip->directory = *end;
    zip->directory.is_doubtful = false;
    zip->doubt = end->is_doubtful ? VZ_ZIP_DOUBTFUL : VZ_ZIP_SURE;
    zip->end = end->directory;
    if (e->slot_count)
        zip->slot.sequence = slot->sequence;
    if (e->slot_count && !end->is_ours)
        zip->directory.generation = slot->end.generation + 1;
    return true;
}

static bool take_slot(vz_zip *zip, vz_byte_source *source, const vz_zip_slot *slot, vz_buffer *records, vz_error *err)
{
    uint32_t crc;
    if (slot->used > zip->size || slot->end.directory > zip->size || slot->end.size > zip->size - slot->end.directory)
        return vz_fail(err, VZ_CORRUPT, "the zip file has no central directory (is it complete?)");
    if (!start_anew(zip, err) || !vz_zip_end_sum(source, &slot->end, records, &crc, err))
        return false;
    if (crc != slot->end.crc)
        return vz_fail(err, VZ_CORRUPT, "the central directory is damaged");
    zip->directory = slot->end;
    zip->end = slot->used;
    if (!vz_zip_take_directory(zip, &slot->end, records, slot->end.directory, err) ||
        !vz_zip_take_deltas(zip, slot, &(vz_zip_slot){0}, err))
        return false;
    zip->slot = *slot;
    return true;
}

/* After a power cut the newer slot may name what never came to the disk: the older one does
 * then. A record that is there, with a damaged byte, is no sign of that. */
static bool take_slots(vz_zip *zip, vz_byte_source *source, evidence *e, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (take_slot(zip, source, &e->slots[0], &e->records, &failed)) {
        if (!e->slots[0].is_open) /* the file has to end with that directory's end record */
            zip->doubt = VZ_ZIP_DAMAGED_END;
        return true;
    }
    if (failed.class == VZ_CORRUPT && e->slots[0].is_open && e->slot_count == VZ_SIGNATURE_SLOTS &&
        take_slot(zip, source, &e->slots[1], &e->records, NULL)) {
        zip->slot.sequence = e->slots[0].sequence;
        return true;
    }
    if (failed.class == VZ_INVALID)
        failed.class = VZ_CORRUPT;
    if (err)
        *err = failed;
    return false;
}

/* If the file was closed, and another program has changed nothing but bytes of the directory,
 * that counts in the end. */
static bool take_shown(vz_zip *zip, vz_byte_source *source, evidence *e, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (take_slots(zip, source, e, &failed))
        return true;
    if (failed.class == VZ_CORRUPT && !e->slots[0].is_open)
        return vz_zip_end_sum(source, &e->end, &e->records, &e->end.crc, err) && take_end(zip, e, err);
    if (err)
        *err = failed;
    return false;
}

static bool take_any(vz_zip *zip, vz_byte_source *source, evidence *e, vz_error *err)
{
    if (end_counts(e)) {
        vz_error failed = VZ_ERROR_NONE;
        if (take_end(zip, e, &failed))
            return true;
        if (failed.class != VZ_CORRUPT || e->slot_count == 0 || !take_slots(zip, source, e, NULL)) {
            if (err)
                *err = failed;
            return false;
        }
        return true;
    }
    if (is_named_by_slot(e))
        return take_shown(zip, source, e, err);
    if (e->slot_count)
        return take_slots(zip, source, e, err);
    if (!vz_zip_end_before(source, zip->size, &e->end, &e->has_end, err))
        return false;
    return e->has_end ? vz_zip_end_sum(source, &e->end, &e->records, &e->end.crc, err) && take_end(zip, e, err)
                      : vz_fail(err, VZ_CORRUPT, "the zip file has no central directory (is it complete?)");
}

/* ---- the file may change ---- */

static bool look(vz_zip *zip)
{
    if (zip->file < 0 || vz_os_fstat(zip->file, &zip->status) != 0)
        return false;
    zip->size = (uint64_t)zip->status.st_size;
    return true;
}

static bool is_other(const struct stat *a, const struct stat *b)
{
    return a->st_size != b->st_size || !vz_time_is_same(&a->st_mtim, &b->st_mtim);
}

/* Of a file that was closed as this connector leaves it the directory can be searched where it
 * lies. A byte source that waits for another thread is not read later, under a lock. */
static bool open_pages(vz_zip *zip)
{
    vz_byte_source file = vz_byte_source_over_file(zip->file), *source = zip->file < 0 ? zip->source : &file;
    if (!vz_zip_is_one_file(zip) || (zip->file < 0 && !source->is_read_anywhere))
        return false;
    zip->size = (uint64_t)zip->status.st_size;
    zip->pages = vz_zip_pages_open(source, zip->header.base, zip->size, zip->versions);
    if (!zip->pages)
        return false;
    const vz_zip_slot *slot = vz_zip_pages_slot(zip->pages);
    vz_keytree_free(zip->tree);
    zip->tree = NULL;
    zip->encrypted = false;
    zip->doubt = VZ_ZIP_SURE;
    zip->slot = *slot;
    zip->directory = slot->end;
    zip->end = slot->end.directory;
    zip->live = slot->end.size + vz_zip_pages_live(zip->pages);
    zip->versions += slot->end.count;
    source->is_searched = true;
    return true;
}

bool vz_zip_load(vz_zip *zip, vz_error *err)
{
    return open_pages(zip) || vz_zip_load_tree(zip, err);
}

bool vz_zip_load_tree(vz_zip *zip, vz_error *err)
{
    vz_byte_source file = vz_byte_source_over_file(zip->file), *source = zip->file < 0 ? zip->source : &file;
    evidence e = {.has_end = false};
    vz_error failed;
    bool ok = false;
    zip->size = (uint64_t)zip->status.st_size;
    for (unsigned attempt = 0;; attempt++) {
        const struct stat before = zip->status;
        failed = VZ_ERROR_NONE;
        ok = gather(zip, source, &e, &failed) && take_any(zip, source, &e, &failed);
        if (ok && e.slot_count && e.slots[0].is_damaged)
            zip->doubt = VZ_ZIP_DAMAGED_SLOT;
        if (ok || failed.class != VZ_CORRUPT || attempt == ATTEMPTS || !look(zip) || !is_other(&before, &zip->status))
            break;
        vz_os_sleep_us(PAUSE_US); /* somebody writes the file just now */
    }
    vz_buffer_clear(&e.records);
    if (!ok && err)
        *err = failed;
    return ok;
}
