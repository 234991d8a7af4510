/* reference_kind.c - reference files as a kind of stores. The content tells, not the name. A
 * path may go on inside of one, as below a directory. */
#include "base/os/file.h"
#include "store/kerchunk/kerchunk_internal.h"
#include <errno.h>
#include <stdlib.h>

enum { TAR_LOOK = 16 /* bytes */ };

static __thread vz_targets targets_now;

void vz_kerchunk_use(vz_targets targets)
{
    targets_now = targets;
}

vz_targets vz_kerchunk_used_targets(void)
{
    return targets_now;
}

static vz_kerchunk_origin origin_of(const struct stat *status, const char *path)
{
    vz_kerchunk_origin origin = {.path = path, .is_own = vz_os_is_own(status)};
    origin.options.targets = targets_now;
    origin.stamp = (vz_stamp){.exists = true,
                              .size = (uint64_t)status->st_size,
                              .device = (uint64_t)status->st_dev,
                              .inode = (uint64_t)status->st_ino,
                              .modified = status->st_mtim};
    origin.identity = (vz_identity){{origin.stamp.device, origin.stamp.inode}};
    return origin;
}

vz_kerchunk_origin vz_kerchunk_origin_below(const vz_store *below, const char *document, const vz_options *remote)
{
    struct stat status;
    vz_kerchunk_origin origin = {.path = below->path, .is_remote = remote, .identity = below->identity};
    if (remote)
        origin.options = *remote;
    origin.options.targets = targets_now;
    origin.is_own = !remote && vz_os_stat(below->path, &status) == 0 && vz_os_is_own(&status);
    origin.identity.part[1] ^= vz_hash(document, strlen(document), 0);
    return origin;
}

/* Asked as it is read: servers refuse questions about a value that they give. */
bool vz_kerchunk_document_below(vz_store *below, const char *document, size_t most, bool (*is)(vz_bytes text),
                                bool *is_it, vz_error *err)
{
    vz_buffer text = {.limit = most};
    bool found = false;
    const bool ok = vz_store_get(below, document, VZ_WHOLE, &text, &found, err);
    *is_it = ok && found && is((vz_bytes){text.data, text.size});
    vz_buffer_clear(&text);
    return ok;
}

bool vz_kerchunk_stamp_below(vz_store *below, const char *document, size_t size, vz_stamp *stamp, vz_error *err)
{
    *stamp = (vz_stamp){.exists = true, .size = size};
    return !(below->capabilities & VZ_STORE_CHEAP) || vz_store_stat(below, document, stamp, err);
}

static bool read_part(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    uint8_t *place = vz_os_range_room(out, size, err);
    if (!place || !vz_os_file_read(*(const int *)context, offset, place, size, err))
        return false;
    out->size += size;
    return true;
}

/* The text, which may lie in an archive. */
static bool read_text(int file, const struct stat *status, const char *path, vz_kerchunk_archive *archive,
                      vz_buffer *text, vz_error *err)
{
    const vz_kerchunk_reader reader = {read_part, &file, (uint64_t)status->st_size};
    uint8_t start[TAR_LOOK] = {0};
    const size_t size = reader.size < sizeof start ? (size_t)reader.size : sizeof start;
    if (!vz_os_file_read(file, 0, start, size, err))
        return false;
    return vz_kerchunk_tar_is((vz_bytes){start, size})
               ? vz_kerchunk_archive_read(archive, &reader, path, VZ_KERCHUNK_MAX_SIZE, text, err)
               : vz_os_file_read_text(file, VZ_KERCHUNK_MAX_SIZE, text, err);
}

static vz_store *open_file(int file, const struct stat *status, const char *path, vz_error *err)
{
    vz_buffer text = {0};
    vz_kerchunk_archive archive = {0};
    vz_kerchunk_origin origin = origin_of(status, path);
    origin.archive = &archive;
    if (read_text(file, status, path, &archive, &text, err))
        return vz_kerchunk_over(&text, &origin, err);
    vz_buffer_clear(&text);
    vz_kerchunk_archive_clear(&archive);
    vz_error_where(err, path, NULL);
    return NULL;
}

/* *is_it: its members say so. A file that cannot be read is none. */
static bool look_into(const vz_location_probe *probe, bool *is_it, vz_error *err)
{
    const uint64_t all = (uint64_t)probe->status.st_size;
    const size_t size = all < VZ_KERCHUNK_LOOK ? (size_t)all : VZ_KERCHUNK_LOOK;
    uint8_t *text = malloc(size + 1);
    if (!text)
        return vz_fail_memory(err);
    *is_it = vz_os_file_read(probe->file, 0, text, size, NULL) && vz_kerchunk_is((vz_bytes){text, size});
    free(text);
    return true;
}

/* The key that is left of a path: without slashes at its end. */
static char *key_of(const char *inside)
{
    size_t length = inside ? strlen(inside) : 0;
    while (length > 0 && inside[length - 1] == '/')
        length--;
    return strndup(inside ? inside : "", length);
}

static bool recognise(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    *is_it = false;
    if (!vz_location_probe_look(probe, err))
        return false;
    if (probe->source || probe->file < 0 || !S_ISREG(probe->status.st_mode) || probe->status.st_size < 2 ||
        probe->is_hdf5 || !vz_kerchunk_may_begin(probe->start, sizeof probe->start))
        return true;
    if (!look_into(probe, is_it, err) || !*is_it)
        return !*is_it && (!err || err->class == VZ_OK);
    char *path = strndup(probe->path, probe->length);
    location->inside = key_of(probe->inside);
    if (!path || !location->inside) {
        free(path);
        return vz_fail_memory(err);
    }
    location->is_sure = true;
    location->store = open_file(probe->file, &probe->status, path, &location->why);
    location->is_lindi = location->store && vz_kerchunk_is_lindi(location->store);
    location->identity = (vz_identity){{(uint64_t)probe->status.st_dev, (uint64_t)probe->status.st_ino}};
    free(path);
    return location->store || location->why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static vz_store *open_again(const char *root, vz_error *err)
{
    struct stat status;
    vz_store *store = NULL;
    const int file = vz_os_open(root, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (file < 0 || vz_os_fstat(file, &status) != 0)
        vz_fail_errno(err, errno, "cannot open the reference file");
    else
        store = open_file(file, &status, root, err);
    if (file >= 0)
        vz_os_close(file);
    return store;
}

static vz_store *open_in_earnest(vz_store *looked, const char *root, bool writable, vz_error *err)
{
    if (writable) {
        vz_store_close(looked);
        vz_fail(err, VZ_READ_ONLY, "a reference file can only be read (h5zarr convert makes a store of it)");
        vz_error_where(err, root, NULL);
        return NULL;
    }
    return looked ? vz_store_with_path(looked, root, err) : open_again(root, err);
}

static vz_store *create(const char *path, vz_store_make how, uint64_t user_block, vz_error *err)
{
    (void)path, (void)how, (void)user_block;
    vz_fail(err, VZ_UNSUPPORTED, "making a reference file");
    return NULL;
}

const vz_store_kind vz_kerchunk_kind = {
    .name = "references",
    .title = "reference file",
    .is_file = true,
    .recognise = recognise,
    .open = open_in_earnest,
    .create = create,
    .remove = vz_os_path_remove_file,
};
