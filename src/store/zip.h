/* zip.h - the inside of a zip store, for the zip*.c files only. The format is PKWARE's APPNOTE.TXT, 6.3. */
#ifndef VZ_STORE_ZIP_H
#define VZ_STORE_ZIP_H

#include "store/header.h"
#include "store/medium.h"
#include "store/zip_tree.h"
#include <pthread.h>
#include <sys/stat.h>

/* Fixed parts of the records, in bytes (APPNOTE 4.3.7, 4.3.12, 4.3.14, 4.3.15, 4.3.16). */
#define VZ_ZIP_LOCAL_SIZE        30
#define VZ_ZIP_CENTRAL_SIZE      46
#define VZ_ZIP_END_SIZE          22
#define VZ_ZIP_END64_SIZE        56
#define VZ_ZIP_LOCATOR_SIZE      20
#define VZ_ZIP_LOCAL_SIGNATURE   0x04034b50u
#define VZ_ZIP_CENTRAL_SIGNATURE 0x02014b50u
#define VZ_ZIP_END_SIGNATURE     0x06054b50u
#define VZ_ZIP_END64_SIGNATURE   0x06064b50u
#define VZ_ZIP_LOCATOR_SIGNATURE 0x07064b50u

#define VZ_ZIP_STORED   0
#define VZ_ZIP_DEFLATED 8

#define VZ_ZIP_FLAG_ENCRYPTED 1
#define VZ_ZIP_FLAG_UTF8      (1 << 11)

#define VZ_ZIP_NAME_MAX  65535                /* bytes of a name: what its field can say */
#define VZ_ZIP_VALUE_MAX ((uint64_t)16 << 30) /* bytes of a value that is inflated */
#define VZ_ZIP_RATIO_MAX 1032                 /* deflate cannot do better, so a larger claim is a lie */

typedef struct vz_zip {
    vz_store base;
    pthread_rwlock_t lock; /* the tree, and where the spool ends */
    vz_zip_tree *tree;
    int file;             /* the zip file as it was opened, or written last; -1: `medium` has it */
    vz_medium *medium;    /* has the zip file's bytes where there is no descriptor; else NULL */
    struct stat status;   /* of `file` */
    vz_header header;     /* of a one-file store: VZ_HEADER_STORE; all zeros: a plain zip file */
    uint64_t end;         /* where its central directory begins: no entry reaches beyond */
    int spool;            /* what was put since, and what is hidden: a file without a name; -1 before the first put */
    uint64_t spooled;     /* where it ends */
    unsigned spool_forks; /* forks of this process before it was made */
    uint64_t versions;
    bool settled; /* the file was old enough when its directory was read, so that its times tell whether it changes */
    bool changed;
    bool encrypted; /* some entry is */
    bool unsynced;  /* replaced since the last sync, or before this store was opened */
} vz_zip;

/* A new zip file, and the spool that goes with it. */
typedef struct vz_zip_packed {
    int file;
    uint64_t end;
    int spool; /* -1: nothing is hidden */
    uint64_t spooled;
} vz_zip_packed;

static inline vz_zip *vz_zip_of(vz_store *store)
{
    return (vz_zip *)store;
}

static inline uint16_t vz_zip_load16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

/* zip.c: the store of an open file, which it takes over, also on failure; `path` is what it is called by. `header`:
 * what the file begins with; NULL: it is looked for. */
vz_store *vz_zip_over(int file, const char *path, const vz_header *header, bool writable, vz_error *err);
/* The same by the path without links that leads to it. */
vz_store *vz_zip_of_file(int file, const char *path, const vz_header *header, bool writable, vz_error *err);
vz_store *vz_zip_open(const char *path, const vz_header *header, bool writable, vz_error *err);

/* The functions of its class. */
extern const vz_store_class vz_zip_class;

/* zip_medium.c: the store of a zip file that a medium has, which it takes over, also on failure. */
vz_store *vz_zip_over_medium(vz_medium *medium, const char *name, bool writable, vz_error *err);

/* zip_directory.c: the tree from the central directory of `zip->file`; sets `end`. Refuses what no honest program
 * writes: entries that overlap or leave the file, names that are absolute or contain "." or "..". */
bool vz_zip_load(vz_zip *zip, vz_error *err);

/* zip_last.c: the tree of the file with that status, if it was closed last; false: there is none. */
bool vz_zip_take_last(vz_zip *zip);
/* Leaves the tree of a store that is closed to the next one, or frees it. */
void vz_zip_leave_last(vz_zip *zip);
bool vz_zip_is_settled(const struct stat *status);

/* zip_spool.c. The caller of all but `take` holds zip->lock for writing, or is alone. `begin`: the zip's spool is
 * `spool` from now on, of which `used` bytes are taken (-1: there is none). */
void vz_zip_spool_begin(vz_zip *zip, int spool, uint64_t used);
/* An empty spool for this zip; -1 on failure. */
int vz_zip_spool_new(const vz_zip *zip, vz_error *err);
/* A place for `size` bytes, in a spool that is made if there is none: writers fill theirs at the same time. */
bool vz_zip_spool_take(vz_zip *zip, size_t size, uint64_t *offset, uint64_t *version, vz_error *err);
/* The same for a value that lies in the spool; nothing for others. */
void vz_zip_spool_drop(const vz_zip_value *value, void *zip);

/* zip_read.c: bytes of the zip file, whoever has them; the descriptor behind which the bytes of a value are, -1 where
 * there is none; where they begin, after a look at the local header of a packed one. */
bool vz_zip_read(const vz_zip *zip, uint64_t offset, void *data, size_t size, vz_error *err);
int vz_zip_file_of(const vz_zip *zip, const vz_zip_value *value);
/* Of a value's bytes, or of the zip file's. */
bool vz_zip_read_of(const vz_zip *zip, const vz_zip_value *value, uint64_t offset, void *data, size_t size,
                    vz_error *err);
bool vz_zip_find_data(const vz_zip *zip, const vz_zip_value *value, uint64_t *offset, vz_error *err);
bool vz_zip_get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err);
bool vz_zip_verify(vz_store *store, const char *key, vz_error *err);

/* zip_write.c */
bool vz_zip_put(vz_store *store, const char *key, vz_bytes value, vz_error *err);
bool vz_zip_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err);

/* zip_pack.c: writes all values into packed->file, and those that are hidden into a spool that it opens if there are
 * any; where each went is its `next`. */
bool vz_zip_pack(vz_zip *zip, vz_zip_packed *packed, vz_error *err);

/* zip_commit.c: a new file with all values replaces the old one, and the store goes on as that one's. On failure both
 * are as before, and nothing is left beside. */
bool vz_zip_commit(vz_store *store, vz_error *err);
/* What commit made is on the disk. */
bool vz_zip_sync(vz_store *store, vz_error *err);
/* Mode, owner, access lists and extended attributes go from one file to another, as far as the system lets us. */
bool vz_zip_keep_attributes(const struct stat *old, int from, int to, vz_error *err);

#endif
