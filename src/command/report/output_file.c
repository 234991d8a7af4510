/* output_file.c - files that the command reads and writes: a model, and the page. */
#include "base/os/file.h"
#include "base/os/process.h"
#include "command/report/report_internal.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define PART_SIZE   ((size_t)1 << 16)
#define LOOKED_AT   1024 /* bytes of a file that tell whether it is a report */
#define STANDARD_IN 0

bool vz_page_read_file(const char *path, vz_buffer *out, vz_error *err)
{
    const bool is_standard = strcmp(path, "-") == 0;
    const int file = is_standard ? STANDARD_IN : vz_os_open(path, O_RDONLY);
    ssize_t got = file < 0 ? -1 : 1;
    *out = (vz_buffer){.limit = VZ_PAGE_MODEL_MAX};
    bool ok = file >= 0;
    while (ok && got > 0 && (ok = vz_buffer_reserve(out, out->size + PART_SIZE, err))) {
        got = vz_os_read(file, out->data + out->size, PART_SIZE);
        out->size += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        vz_fail_errno(err, errno, "cannot be read");
    if (file > STANDARD_IN)
        vz_os_close(file);
    return ok && got == 0;
}

/* ---- writing ---- */

/* A page of ours, or its model, may be made anew; so may what is empty. */
static bool is_report(const char *path)
{
    char text[LOOKED_AT + 1];
    const int file = vz_os_open(path, O_RDONLY);
    const ssize_t got = file < 0 ? -1 : vz_os_read(file, text, LOOKED_AT);
    if (file >= 0)
        vz_os_close(file);
    if (got <= 0)
        return got == 0;
    text[got] = '\0';
    return strstr(text, "name=\"generator\" content=\"h5zarr report\"") || strncmp(text, "{\"report\":", 10) == 0;
}

static bool write_all(int file, const vz_buffer *text, vz_error *err)
{
    size_t done = 0;
    while (done < text->size) {
        const ssize_t wrote = vz_os_write(file, text->data + done, text->size - done);
        if (wrote <= 0)
            return vz_fail_errno(err, errno, "cannot be written");
        done += (size_t)wrote;
    }
    return true;
}

/* Under another name beside it first. */
static bool put(const char *path, const vz_buffer *text, vz_error *err)
{
    char *partial = NULL;
    if (asprintf(&partial, "%s.h5zarr-%ld", path, vz_process_id()) < 0)
        return vz_fail_memory(err);
    const int file = vz_os_create(partial, O_WRONLY | O_EXCL | O_NOFOLLOW, 0666);
    bool ok = file >= 0 || vz_fail_errno(err, errno, "cannot be made");
    ok = ok && write_all(file, text, err);
    if (file >= 0 && vz_os_close(file) != 0 && ok)
        ok = vz_fail_errno(err, errno, "cannot be written");
    if (ok && vz_os_rename(partial, path) != 0)
        ok = vz_fail_errno(err, errno, "cannot get its name");
    if (!ok && file >= 0)
        vz_os_unlink(partial);
    free(partial);
    return ok;
}

/* A pipe, a device. */
static bool pour(const char *path, const vz_buffer *text, vz_error *err)
{
    const int file = vz_os_open(path, O_WRONLY);
    const bool ok = file >= 0 ? write_all(file, text, err) : vz_fail_errno(err, errno, "cannot be written");
    if (file >= 0)
        vz_os_close(file);
    return ok;
}

bool vz_page_save(const char *path, const char *source, bool overwrite, const vz_buffer *text, vz_error *err)
{
    struct stat status, of_source;
    char room[PATH_MAX];
    if (strcmp(path, "-") == 0)
        return fwrite(text->data, 1, text->size, stdout) == text->size || vz_fail(err, VZ_IO, "cannot be written");
    if (strstr(path, "://"))
        return vz_fail(err, VZ_UNSUPPORTED, "reports are made on this machine only");
    if (vz_os_stat(path, &status) != 0)
        return put(path, text, err);
    if (S_ISDIR(status.st_mode))
        return vz_fail(err, VZ_EXISTS, "this is a directory");
    if (!S_ISREG(status.st_mode))
        return pour(path, text, err);
    if (source && vz_os_stat(source, &of_source) == 0 && vz_os_file_is_same(&status, &of_source))
        return vz_fail(err, VZ_INVALID, "this is what the report is of");
    if (!overwrite && !is_report(path))
        return vz_fail(err, VZ_EXISTS, "it is there, and no report: --overwrite replaces it");
    return put(vz_os_realpath(path, room) ? room : path, text, err);
}
