/* zip_make.c - new zip files and one-file stores, empty ones, also in the place of a file that is there. */
#include "store/file.h"
#include "store/zip.h"
#include "store/zip_lock.h"
#include "store/zip_new.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const vz_header no_header;

/* ---- plain zip files ---- */

static const uint8_t empty_zip[VZ_ZIP_END_SIZE] = {'P', 'K', 5, 6};

/* An empty zip file in the place of `old`, which whoever has it open keeps. -1 on failure. */
static int replace_by_empty(const char *real, int old, bool with_name, bool *needs_name, vz_error *err)
{
    vz_zip_new new;
    struct stat status;
    if (!vz_zip_new_open(&new, real, with_name, err))
        return -1;
    const bool ok = vz_file_write(new.file, 0, empty_zip, sizeof empty_zip, err) &&
                    (fstat(old, &status) == 0 || vz_fail_errno(err, errno, "cannot stat the old file")) &&
                    vz_zip_keep_attributes(&status, old, new.file, err) && vz_zip_new_place(&new, real, err);
    if (ok)
        return new.file;
    *needs_name = new.needs_name;
    vz_zip_new_drop(&new);
    return -1;
}

static int create_over(const char *path, int old, vz_error *err)
{
    bool needs_name = false;
    vz_error failed = VZ_ERROR_NONE;
    char *real = realpath(path, NULL);
    int file = -1;
    if (!real)
        vz_fail_errno(&failed, errno, "cannot create the zip file");
    else
        file = replace_by_empty(real, old, false, &needs_name, &failed);
    if (file < 0 && needs_name) {
        failed = VZ_ERROR_NONE;
        file = replace_by_empty(real, old, true, &needs_name, &failed);
    }
    if (file < 0 && err)
        *err = failed;
    free(real);
    return file;
}

static vz_store *fail_to_create(const char *path, vz_error *err)
{
    vz_fail_errno(err, errno, "cannot create the file");
    vz_error_where(err, path, NULL);
    return NULL;
}

static int create_new(const char *path, vz_error *err)
{
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        vz_fail_errno(err, errno, "cannot create the zip file");
        return -1;
    }
    if (vz_file_write(file, 0, empty_zip, sizeof empty_zip, err))
        return file;
    close(file);
    unlink(path);
    return -1;
}

vz_store *vz_store_create_zip(const char *path, bool exclusive, vz_error *err)
{
    const int old = exclusive ? -1 : open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (!exclusive && old < 0 && errno != ENOENT)
        return fail_to_create(path, err);
    const int file = old < 0 ? create_new(path, err) : create_over(path, old, err);
    if (old >= 0)
        close(old);
    if (file >= 0)
        return vz_zip_of_file(file, path, &no_header, true, err);
    vz_error_where(err, path, NULL);
    return NULL;
}

/* ---- one-file stores ---- */

/* The header, and the end record of a zip without entries. */
static bool write_empty(int file, uint64_t user_block, vz_error *err)
{
    const uint64_t end = vz_header_end(user_block);
    uint8_t record[VZ_ZIP_END_SIZE] = {'P', 'K', 5, 6};
    if (end >= UINT32_MAX)
        return vz_fail(err, VZ_LIMIT, "a user block of %llu bytes", (unsigned long long)user_block);
    vz_store_le32(record + 16, (uint32_t)end);
    return vz_header_write(file, user_block, err) && vz_file_write(file, end, record, sizeof record, err);
}

/* In the file itself: mode, owner, access lists, names and who has it open stay what they are. Who is writing a store
 * into it is not disturbed. */
static bool make_over(int file, uint64_t user_block, vz_error *err)
{
    bool has_locks;
    if (!vz_zip_lock_writing(file, &has_locks, err))
        return false;
    const bool ok = (ftruncate(file, 0) == 0 || vz_fail_errno(err, errno, "cannot truncate the file")) &&
                    write_empty(file, user_block, err);
    if (has_locks)
        vz_zip_unlock_writing(file);
    return ok;
}

vz_store *vz_store_create_one_file(const char *path, bool exclusive, uint64_t user_block, vz_error *err)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    const vz_header header = {.kind = VZ_HEADER_STORE, .base = user_block};
    int file = exclusive ? -1 : open(path, flags);
    if (!exclusive && file < 0 && errno != ENOENT)
        return fail_to_create(path, err);
    const bool is_new = file < 0;
    if (is_new && (file = open(path, flags | O_CREAT | O_EXCL, 0666)) < 0)
        return fail_to_create(path, err);
    if (is_new ? write_empty(file, user_block, err) : make_over(file, user_block, err))
        return vz_zip_of_file(file, path, &header, true, err);
    close(file);
    if (is_new)
        unlink(path);
    vz_error_where(err, path, NULL);
    return NULL;
}
