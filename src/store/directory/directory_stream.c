/* directory_stream.c - a directory of files: a value that is put in pieces. They go into its
 * partial file, which takes the value's place by a rename. It does so in a staging area, too: a
 * forked child may read there before its parent has finished. */
#include "store/directory/directory_internal.h"
#include "store/store/request.h"
#include "base/os/file.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct file_pieces {
    vz_pieces base;
    struct vz_directory *directory;
    char *key;
    int file;     /* -1: no more is written */
    bool damaged; /* closing it failed: what is in it may be wrong */
    long owner;   /* the process that began it */
    char path[PATH_MAX];
} file_pieces;

static void forget(file_pieces *p)
{
    if (p->file >= 0)
        vz_os_close(p->file);
    free(p->key);
    free(p);
}

static bool write_piece(vz_pieces *pieces, uint64_t offset, vz_bytes bytes, vz_error *err)
{
    return vz_os_file_write(((file_pieces *)pieces)->file, offset, bytes.data, bytes.size, err);
}

/* A file system may tell only here that it could not keep what was written. */
static bool end_writing(file_pieces *p, vz_error *err)
{
    if (p->file >= 0) {
        p->damaged = !vz_directory_close_partial(p->directory, p->file, true, NULL, err);
        p->file = -1;
        return !p->damaged;
    }
    return !p->damaged || vz_fail(err, VZ_IO, "what was written of it may be lost");
}

static bool read_piece(vz_pieces *pieces, uint64_t offset, size_t size, vz_buffer *out, vz_error *err)
{
    file_pieces *p = (file_pieces *)pieces;
    bool found;
    return end_writing(p, err) &&
           vz_directory_get(&p->directory->base, p->path, (vz_range){VZ_RANGE_AT, offset, size}, out, &found, err) &&
           (found || vz_fail(err, VZ_IO, "a file that was not finished is gone"));
}

static bool put_pieces(vz_pieces *pieces, bool is_new, vz_error *err)
{
    file_pieces *p = (file_pieces *)pieces;
    if (!end_writing(p, err))
        return false;
    if (is_new)
        return vz_directory_check_absent(&p->directory->base, p->key, err) &&
               vz_directory_name_new(p->directory, p->path, p->key, err);
    if (vz_os_rename_at(p->directory->root, p->path, p->directory->root, p->key) != 0)
        return vz_fail_errno(err, errno, "cannot replace");
    atomic_store_explicit(&p->directory->unsynced, true, memory_order_relaxed);
    return true;
}

static void drop_pieces(vz_pieces *pieces)
{
    file_pieces *p = (file_pieces *)pieces;
    if (!p->base.is_in && p->owner == vz_process_id())
        vz_directory_drop_partial(p->directory, p->path);
    forget(p);
}

static const vz_pieces_class class = {.write = write_piece, .read = read_piece, .put = put_pieces, .drop = drop_pieces};

vz_pieces *vz_directory_begin_pieces(vz_store *store, const char *key, const char *name, vz_error *err)
{
    file_pieces *p = calloc(1, sizeof *p);
    char *copy = p ? strdup(key) : NULL;
    if (!copy) {
        free(p);
        vz_fail_memory(err);
        return NULL;
    }
    p->directory = vz_directory_of(store);
    p->key = copy;
    p->owner = vz_process_id();
    p->file = vz_directory_open_partial(p->directory, key, name, p->path, sizeof p->path, err);
    p->base.class = &class;
    if (p->file >= 0)
        return &p->base;
    forget(p);
    return NULL;
}
