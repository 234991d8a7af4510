/* byte_source_zip.c - a zip file whose bytes a byte source has: it is changed where it is. Puts
 * wait in the spool, since only one thread may write to the byte source. A commit writes them as
 * any zip file is changed in place, behind a guard. A reader of the bytes finds the old or the new
 * directory, whenever the writer ends.
 *
 * Dead bytes stay in the file. In memory all values are packed into a file of their own instead,
 * which is copied over the byte source's bytes. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include <stdlib.h>

#define COPY_SIZE      ((size_t)1 << 20)
#define USER_BLOCK_MAX ((uint64_t)1 << 30) /* bytes, which are held in memory once */

/* ---- packing what is in memory ---- */

static bool copy(vz_byte_source *source, int from, uint64_t size, vz_error *err)
{
    uint8_t *buffer = malloc(COPY_SIZE);
    bool ok = buffer || vz_fail_memory(err);
    for (uint64_t at = 0; ok && at < size; at += COPY_SIZE) {
        const size_t part = size - at < COPY_SIZE ? (size_t)(size - at) : COPY_SIZE;
        ok = vz_os_file_read(from, at, buffer, part, err) && vz_byte_source_write(source, at, buffer, part, err);
    }
    free(buffer);
    return ok && vz_byte_source_truncate(source, size, err) && vz_byte_source_flush(source, err);
}

/* From here on values are read from the packed file: the byte source's bytes are about to change
 * under them. */
static void adopt(vz_zip *zip, const vz_zip_packed *packed, uint64_t size)
{
    if (zip->file >= 0)
        vz_os_close(zip->file);
    if (zip->spool >= 0)
        vz_os_close(zip->spool);
    zip->file = packed->file;
    vz_zip_spool_begin(zip, packed->spool, packed->spooled);
    zip->directory = packed->end;
    zip->end = packed->end.directory;
    zip->size = size;
    zip->status.st_size = (off_t)size;
    zip->slot = packed->slot;
    vz_buffer_clear(&zip->session.removed);
    zip->session = (vz_zip_session){0};
    vz_keytree_relocate(zip->tree);
}

static bool pack(vz_zip *zip, vz_error *err)
{
    vz_zip_packed packed = {.file = vz_byte_source_open_scratch(zip->source, err), .spool = -1};
    if (packed.file < 0)
        return false;
    off_t size = -1;
    if (vz_zip_pack(zip, &packed, err) && (size = vz_os_end(packed.file)) > 0) {
        adopt(zip, &packed, (uint64_t)size);
        return true;
    }
    vz_os_close(packed.file);
    if (packed.spool >= 0)
        vz_os_close(packed.spool);
    return false;
}

/* Where copying fails the byte source may have a part of it. The store goes on with the packed
 * file, and the next commit copies again. */
static bool replace(vz_zip *zip, vz_error *err)
{
    if (!pack(zip, err) || !copy(zip->source, zip->file, (uint64_t)zip->status.st_size, err))
        return false;
    vz_os_close(zip->file);
    zip->file = -1;
    zip->changed = false;
    return true;
}

/* ---- commit ---- */

/* Values in the spool that go into the zip file, and values that stay there. */
typedef struct waiting {
    uint64_t size;
    bool has_hidden;
} waiting;

static bool add_waiting(const char *key, bool is_hidden, vz_keytree_value *value, void *context, vz_error *err)
{
    waiting *w = context;
    (void)err;
    if (value->place != VZ_KEYTREE_SPOOLED)
        return true;
    w->has_hidden |= is_hidden;
    if (!is_hidden)
        w->size += vz_zip_local_size(key, value) + value->stored +
                   (value->stored < VZ_ZIP_ALIGNED_FROM ? 0 : VZ_ZIP_ALIGNMENT + VZ_ZIP_PADDING_MIN);
    return true;
}

static void empty_spool(vz_zip *zip)
{
    if (zip->spool >= 0)
        vz_os_close(zip->spool);
    vz_zip_spool_begin(zip, -1, 0);
}

static bool append(vz_zip *zip, vz_error *err)
{
    waiting w = {0};
    if (!vz_keytree_each_changed(zip->tree, add_waiting, &w, err) || !vz_zip_begin_alone(zip, w.size, err) ||
        !vz_zip_append(zip, err))
        return false;
    if (!w.has_hidden)
        empty_spool(zip);
    zip->changed = !vz_byte_source_flush(zip->source, err); /* if not, the next commit says it once
                                                             * more */
    return !zip->changed;
}

static bool commit(vz_zip *zip, vz_error *err)
{
    if (zip->file >= 0)
        return replace(zip, err);
    struct stat now;
    bool gone;
    if ((zip->session.is_guarded && !vz_zip_check(zip, &now, &gone, err)) || !append(zip, err))
        return false;
    if (zip->source->in_memory && vz_zip_is_worth_packing(zip))
        return replace(zip, err);
    return true;
}

static bool byte_source_commit(vz_store *store, vz_error *err)
{
    vz_zip *zip = vz_zip_of(store);
    vz_os_rwlock_write(&zip->lock);
    const bool ok = !zip->changed || commit(zip, err);
    vz_os_rwlock_unlock(&zip->lock);
    return ok;
}

static bool byte_source_sync(vz_store *store, vz_error *err)
{
    return vz_byte_source_flush(vz_zip_of(store)->source, err);
}

/* ---- the store ---- */

static void byte_source_close(vz_store *store)
{
    vz_zip_end_writing(vz_zip_of(store)); /* while there is the byte source */
    vz_byte_source_close(vz_zip_of(store)->source, NULL);
    vz_zip_class.close(store);
}

/* No path leads to it, and no lock of the file system's keeps others out. */
static vz_store_class class;

static void make_class(void)
{
    class = vz_zip_class;
    class.commit = byte_source_commit;
    class.flush = NULL;
    class.compact = NULL;
    class.sync = byte_source_sync;
    class.close = byte_source_close;
    class.is_at = NULL;
    class.open_lock = NULL;
}

static bool load(vz_zip *zip, bool writable, vz_error *err)
{
    uint64_t size;
    if (!vz_byte_source_size(zip->source, &size, err))
        return false;
    if (size > INT64_MAX)
        return vz_fail(err, VZ_CORRUPT, "a file of %llu bytes", (unsigned long long)size);
    zip->status.st_size = (off_t)size;
    if (!vz_zip_load(zip, err))
        return false;
    if (writable && !vz_byte_source_is_writable(zip->source))
        return vz_fail(err, VZ_READ_ONLY, "the file cannot be written");
    return !writable || !zip->encrypted || vz_fail(err, VZ_UNSUPPORTED, "writing to a zip file with encrypted entries");
}

vz_store *vz_zip_over_byte_source(vz_byte_source *source, const char *name, const vz_signature *header, bool writable,
                                  vz_error *err)
{
    static vz_os_once once = VZ_OS_ONCE_INIT;
    vz_os_run_once(&once, make_class);
    vz_zip *zip = calloc(1, sizeof *zip);
    char *copy = zip ? strdup(name) : NULL;
    if (!copy) {
        free(zip);
        vz_byte_source_close(source, NULL);
        vz_fail_memory(err);
        return NULL;
    }
    zip->base.class = &class;
    zip->base.path = copy;
    zip->base.capabilities =
        VZ_STORE_LIST | VZ_STORE_RENAME | VZ_STORE_CHEAP | VZ_STORE_IN_ONE | (writable ? VZ_STORE_WRITE : 0);
    zip->base.identity = source->identity;
    zip->base.handle = source->handle;
    zip->file = -1;
    zip->source = source;
    zip->rewrites = true;
    zip->header = header->kind == VZ_SIGNATURE_STORE ? *header : (vz_signature){0};
    zip->base.user_block = zip->header.base;
    vz_zip_spool_begin(zip, -1, 0);
    vz_os_rwlock_init(&zip->lock);
    if (load(zip, writable, err))
        return &zip->base;
    vz_error_where(err, name, NULL);
    byte_source_close(&zip->base);
    return NULL;
}

/* ---- making one ---- */

static bool write_header(vz_byte_source *source, uint64_t base, vz_error *err)
{
    uint8_t block[VZ_SIGNATURE_BLOCK_SIZE];
    const vz_bytes bytes = vz_signature_print(VZ_SIGNATURE_STORE, block);
    const uint64_t end = vz_signature_end(base);
    if (!vz_signature_is_base(base))
        return vz_fail(err, VZ_INVALID, "a user block of %llu bytes: none, or 512 times a power of two",
                       (unsigned long long)base);
    uint8_t *start = calloc(1, (size_t)end);
    if (!start)
        return vz_fail_memory(err);
    memcpy(start + base, bytes.data, bytes.size);
    const bool ok = vz_byte_source_write(source, 0, start, (size_t)end, err);
    free(start);
    return ok;
}

bool vz_store_make_over(vz_byte_source *source, bool one_file, uint64_t user_block, vz_error *err)
{
    uint8_t record[VZ_ZIP_END_SIZE] = {0};
    const uint64_t end = one_file ? vz_signature_end(user_block) : 0;
    if (!one_file && user_block)
        return vz_fail(err, VZ_UNSUPPORTED, "a user block before a zip file");
    if (user_block > USER_BLOCK_MAX)
        return vz_fail(err, VZ_LIMIT, "a user block of %llu bytes", (unsigned long long)user_block);
    vz_bytes_store_le32(record, VZ_ZIP_END_SIGNATURE);
    vz_bytes_store_le32(record + 16, (uint32_t)end);
    return (!one_file || write_header(source, user_block, err)) &&
           vz_byte_source_write(source, end, record, sizeof record, err) &&
           vz_byte_source_truncate(source, end + sizeof record, err);
}
