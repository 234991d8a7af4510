/* local_file.c - bytes that stand in the reference file, and ranges of local files. A few files
 * stay open. */
#include "base/os/file.h"
#include "store/kerchunk/kerchunk_internal.h"
#include <errno.h>
#include <stdlib.h>

#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY)

/* ---- files that are open ---- */

static bool look_at(vz_kerchunk_file *file, vz_error *err)
{
    struct stat status;
    if (vz_os_fstat(file->file, &status) != 0)
        return vz_fail_errno(err, errno, "cannot stat it");
    if (!S_ISREG(status.st_mode))
        return vz_fail(err, VZ_CORRUPT, "it is no regular file");
    file->stamp = (vz_stamp){.exists = true,
                             .size = (uint64_t)status.st_size,
                             .device = (uint64_t)status.st_dev,
                             .inode = (uint64_t)status.st_ino,
                             .modified = status.st_mtim};
    return true;
}

/* A device is not even opened. Then the open file decides where it lies, not the name. */
static bool open_file(const vz_kerchunk *store, const char *path, vz_kerchunk_file *file, vz_error *err)
{
    struct stat status;
    const vz_named named = vz_kerchunk_named(store, path);
    if (vz_os_stat(path, &status) != 0)
        return vz_fail_errno(err, errno, "cannot find it");
    if (!S_ISREG(status.st_mode))
        return vz_fail(err, VZ_CORRUPT, "it is no regular file");
    if (!vz_named_check_path(&named, path, false, err))
        return false;
    file->file = vz_os_open(path, FILE_FLAGS);
    if (file->file < 0)
        return vz_fail_errno(err, errno, "cannot open it");
    char *real = look_at(file, err) ? vz_os_path_of_descriptor(file->file, path, err) : NULL;
    const bool ok = real && vz_named_check_path(&named, real, false, err);
    free(real);
    if (!ok)
        vz_os_close(file->file);
    return ok;
}

static void forget(vz_kerchunk_file *file)
{
    if (!file->path)
        return;
    vz_os_close(file->file);
    free(file->path);
    *file = (vz_kerchunk_file){0};
}

/* The slot of the file, or one that nobody uses; NULL: all are in use. Under the lock. */
static vz_kerchunk_file *slot_for(vz_kerchunk *store, const char *path)
{
    vz_kerchunk_file *best = NULL;
    for (size_t i = 0; i < VZ_KERCHUNK_FILES_MAX; i++) {
        vz_kerchunk_file *slot = &store->files[i];
        if (slot->path && strcmp(slot->path, path) == 0)
            return slot;
        if (slot->users == 0 && (!best || (best->path && (!slot->path || slot->used < best->used))))
            best = slot;
    }
    return best;
}

/* *slot: where it stays open; NULL: it is the caller's to close. */
static bool use_file(vz_kerchunk *store, const char *path, vz_kerchunk_file *file, vz_kerchunk_file **slot,
                     vz_error *err)
{
    vz_os_mutex_lock(&store->lock);
    *slot = slot_for(store, path);
    bool ok = true;
    if (*slot && (!(*slot)->path || strcmp((*slot)->path, path) != 0)) {
        forget(*slot);
        char *copy = strdup(path);
        ok = copy ? open_file(store, path, *slot, err) : vz_fail_memory(err);
        if (ok)
            (*slot)->path = copy;
        else
            free(copy);
    } else if (!*slot) {
        ok = open_file(store, path, file, err);
    }
    if (ok && *slot) {
        (*slot)->users++;
        (*slot)->used = ++store->clock;
        *file = **slot;
    }
    vz_os_mutex_unlock(&store->lock);
    return ok;
}

static void leave_file(vz_kerchunk *store, const vz_kerchunk_file *file, vz_kerchunk_file *slot)
{
    if (!slot) {
        vz_os_close(file->file);
        return;
    }
    vz_os_mutex_lock(&store->lock);
    slot->users--;
    vz_os_mutex_unlock(&store->lock);
}

void vz_kerchunk_files_close(vz_kerchunk *store)
{
    for (size_t i = 0; i < VZ_KERCHUNK_FILES_MAX; i++)
        forget(&store->files[i]);
}

/* ---- values ---- */

static bool read_inline(const vz_kerchunk_value *value, const vz_range *ranges, size_t count, vz_buffer *out,
                        vz_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t first;
        size_t size;
        if (!vz_os_range_resolve(value->bytes.size, ranges[i], &first, &size, err))
            return false;
        uint8_t *place = vz_os_range_room(&out[i], size, err);
        if (!place)
            return false;
        if (size > 0)
            memcpy(place, value->bytes.data + first, size);
        out[i].size += size;
    }
    return true;
}

/* Bytes of the file that the value has; a file that ends before them was changed, or is another
 * one. */
static bool measure(const vz_kerchunk_value *value, uint64_t all, uint64_t *start, uint64_t *size, vz_error *err)
{
    *start = value->is_whole ? 0 : value->offset;
    *size = value->is_whole ? all : value->size;
    return (*start <= all && *size <= all - *start) ||
           vz_fail(err, VZ_CORRUPT, "the file has %llu bytes, and the range goes up to byte %llu",
                   (unsigned long long)all, (unsigned long long)(*start + *size));
}

/* Is it the version that the value tells of? */
static bool check_version(const vz_kerchunk_value *value, struct timespec modified, vz_error *err)
{
    const uint64_t second = modified.tv_sec > 0 ? (uint64_t)modified.tv_sec : 0;
    if (value->etag)
        return vz_fail(err, VZ_UNSUPPORTED, "the ETag that it should have is unknown of a file of this machine");
    return value->modified == 0 || second < value->modified || (second == value->modified && modified.tv_nsec == 0) ||
           vz_fail(err, VZ_CORRUPT, "it was changed since its reference was made");
}

static bool read_ranges(const vz_kerchunk_table *table, const vz_kerchunk_value *value, const vz_kerchunk_file *file,
                        const vz_range *ranges, size_t count, vz_buffer *out, vz_error *err)
{
    struct stat status;
    uint64_t start, size;
    if (vz_os_fstat(file->file, &status) != 0)
        return vz_fail_errno(err, errno, "cannot stat it");
    if (!check_version(value, status.st_mtim, err) ||
        !vz_kerchunk_check_source(table, value->name, (uint64_t)status.st_size, status.st_mtim, err) ||
        !measure(value, (uint64_t)status.st_size, &start, &size, err))
        return false;
    for (size_t i = 0, read; i < count; i += read)
        if (!(read = vz_os_file_read_ranges(file->file, start, size, ranges + i, count - i, out + i, err)))
            return false;
    return true;
}

bool vz_kerchunk_read_local(vz_kerchunk *store, const vz_kerchunk_value *value, const char *path,
                            const vz_range *ranges, size_t count, vz_buffer *out, vz_error *err)
{
    if (value->is_inline)
        return read_inline(value, ranges, count, out, err);
    vz_error why = VZ_ERROR_NONE;
    vz_kerchunk_file file, *slot;
    bool ok = use_file(store, path, &file, &slot, &why);
    if (ok) {
        ok = read_ranges(&store->table, value, &file, ranges, count, out, &why);
        leave_file(store, &file, slot);
    }
    return ok || vz_kerchunk_fail(value->name, &why, err);
}

bool vz_kerchunk_stat_local(vz_kerchunk *store, const vz_kerchunk_value *value, const char *path, vz_stamp *stamp,
                            vz_error *err)
{
    if (value->is_inline) {
        *stamp = store->stamp;
        stamp->size = value->bytes.size;
        return true;
    }
    vz_error why = VZ_ERROR_NONE;
    vz_kerchunk_file file, *slot;
    uint64_t start = 0, size = 0;
    if (!use_file(store, path, &file, &slot, &why))
        return vz_kerchunk_fail(value->name, &why, err);
    bool ok = look_at(&file, &why) &&
              vz_kerchunk_check_source(&store->table, value->name, file.stamp.size, file.stamp.modified, &why) &&
              measure(value, file.stamp.size, &start, &size, &why);
    leave_file(store, &file, slot);
    if (!ok)
        return vz_kerchunk_fail(value->name, &why, err);
    *stamp = file.stamp;
    stamp->size = size;
    return true;
}
