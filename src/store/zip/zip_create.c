/* zip_create.c - new zip files and one-file stores, empty ones, also in the place of a file that
 * is there. */
#include "base/os/file.h"
#include "base/os/process.h"
#include "store/zip/replace_internal.h"
#include "store/zip/state_internal.h"
#include "store/zip/zip_internal.h"
#include <errno.h>

#define STEP 65536 /* bytes of zeros that are written at once */

static void fail_to_create(const char *path, int sys_errno, vz_error *err)
{
    vz_fail_errno(err, sys_errno, "cannot create the file");
    vz_error_where(err, path, NULL);
}

/* ---- what an empty store is ---- */

/* The end record of a zip without entries, at `offset`. */
static bool write_end(int file, uint64_t offset, vz_error *err)
{
    uint8_t record[VZ_ZIP_END_SIZE] = {'P', 'K', 5, 6};
    if (offset >= UINT32_MAX)
        return vz_fail(err, VZ_LIMIT, "a file that begins with %llu bytes", (unsigned long long)offset);
    vz_bytes_store_le32(record + 16, (uint32_t)offset);
    return vz_os_file_write(file, offset, record, sizeof record, err);
}

static uint64_t first_of(const vz_signature *header)
{
    return header->kind == VZ_SIGNATURE_STORE ? vz_signature_end(header->base) : 0;
}

static bool write_empty(int file, const vz_signature *header, vz_error *err)
{
    return (header->kind != VZ_SIGNATURE_STORE || vz_signature_write(file, header->base, err)) &&
           write_end(file, first_of(header), err);
}

/* ---- in a file that is there ---- */

static bool write_zeros(int file, uint64_t after, vz_error *err)
{
    static const uint8_t zeros[STEP];
    for (uint64_t at = 0; at < after; at += STEP)
        if (!vz_os_file_write(file, at, zeros, after - at < STEP ? (size_t)(after - at) : STEP, err))
            return false;
    return true;
}

static bool cut(int file, uint64_t size, vz_error *err)
{
    while (vz_os_ftruncate(file, (off_t)size) != 0)
        if (errno != EINTR)
            return vz_fail_errno(err, errno, "cannot truncate the file");
    return true;
}

/* At its end the file gets the end record of an empty zip, which holds while its beginning is
 * written over. */
static bool empty_it(int file, const vz_signature *header, vz_error *err)
{
    struct stat status;
    const uint64_t first = first_of(header);
    if (vz_os_fstat(file, &status) != 0)
        return vz_fail_errno(err, errno, "cannot stat the file");
    const uint64_t size = (uint64_t)status.st_size > first ? (uint64_t)status.st_size : first + VZ_ZIP_END_SIZE;
    vz_zip_end end = {.directory = size};
    vz_buffer record = {0};
    bool ok = vz_zip_print_end(&record, &end, err) && vz_os_file_write(file, size, record.data, record.size, err);
    vz_buffer_clear(&record);
    if (!ok)
        cut(file, (uint64_t)status.st_size, NULL);
    return ok && write_zeros(file, first, err) && write_empty(file, header, err) &&
           cut(file, first + VZ_ZIP_END_SIZE, err);
}

static bool is_empty(int file)
{
    struct stat status;
    return vz_os_fstat(file, &status) == 0 && status.st_size == 0;
}

/* Mode, owner, access lists, names and who has it open stay what they are. */
static bool make_over(int file, bool only_empty, const vz_signature *header, vz_error *err)
{
    bool has_lock;
    if (!vz_zip_lock_writing(file, &has_lock, err))
        return false;
    const bool ok = only_empty && !is_empty(file)
                        ? vz_fail_errno(err, EEXIST, "somebody else has written into the empty file")
                        : empty_it(file, header, err);
    if (has_lock)
        vz_zip_unlock_writing(file);
    return ok;
}

/* ---- making one ---- */

vz_store *vz_zip_make(const char *path, vz_store_make how, const vz_signature *header, vz_error *err)
{
    const bool exclusive = how == VZ_MAKE_NEW;
    const int flags = O_RDWR | O_NONBLOCK | O_NOCTTY;
    int file = exclusive ? -1 : vz_os_open(path, flags);
    const bool is_new = file < 0;
    if (is_new && (exclusive || errno == ENOENT))
        file = vz_os_create(path, flags | O_EXCL, 0666);
    if (file < 0) {
        fail_to_create(path, errno, err);
        return NULL;
    }
    const bool had_nothing = is_new || is_empty(file);
    if (is_new ? write_empty(file, header, err) : make_over(file, how == VZ_MAKE_OVER_EMPTY, header, err)) {
        vz_store *store = vz_zip_of_file(file, path, header, true, err);
        if (store && !is_new) /* beside a name that was free nobody left anything that hinders */
            vz_zip_remove_residue(store->path);
        if (store && had_nothing)
            vz_zip_of(store)->made_ns = vz_os_now_ns();
        return store;
    }
    vz_os_close(file);
    if (is_new)
        vz_os_unlink(path);
    vz_error_where(err, path, NULL);
    return NULL;
}

vz_store *vz_zip_create(const char *path, bool exclusive, vz_error *err)
{
    const vz_signature none = {.kind = VZ_SIGNATURE_NONE};
    return vz_zip_make(path, exclusive ? VZ_MAKE_NEW : VZ_MAKE_OVER, &none, err);
}

vz_store *vz_zip_create_one_file(const char *path, bool exclusive, uint64_t user_block, vz_error *err)
{
    const vz_signature header = {.kind = VZ_SIGNATURE_STORE, .base = user_block};
    return vz_zip_make(path, exclusive ? VZ_MAKE_NEW : VZ_MAKE_OVER, &header, err);
}
