/* file.h - open files of the "zarr" kind, their ids, and files mounted on groups. */
#ifndef VZ_HANDLES_FILE_H
#define VZ_HANDLES_FILE_H

#include "hdf5/handles/handle.h"
#include "hierarchy/resolve/path.h"

/* Flags for opening other files that this one names: its own flags. Read-only if several ranks
 * write it, since each rank opens the other files alone. */
unsigned vz_file_flags_beside(const vz_file *file);

/* file_access.c. */
/* Before a handle opened with `flags` counts. It gets the intent of the other handles on its store,
 * if there are any, and is refused where they disagree. */
bool vz_file_join_others(vz_file *file, unsigned flags, vz_error *err);

/* The access list gets the size of the page buffer that a file of HDF5 would have; false where
 * it would be refused. */
bool vz_file_choose_page_buffer(vz_file *file, bool creating, vz_error *err);

/* H5Fstart_swmr_write: everything is written, and the intent of all handles on the store says
 * so. */
bool vz_file_start_swmr(vz_file *file, vz_error *err);

/* file_finish.c. */
/* Writes dirty data before a file, or the last object of a closed file, goes. A failure is
 * reported, and the next close tries again. If that fails, too, without a change in between, the
 * data are dropped. */
bool vz_file_write_before_close(vz_handle *handle, vz_error *err);

/* At exit, when every id is closed: tries files whose close had failed a last time. */
void vz_file_close_at_exit(void);

/* Reports on stderr that a file is not written yet. */
void vz_file_report_left(const vz_error *err);

/* Call before a path is probed. Tries to write files whose close had failed. The file
 * `truncated`, which is about to be truncated, is dropped in any case; NULL: none. */
void vz_file_retry_left(const char *truncated);

/* file_ids.c: open ids of a file (H5F_OBJ_LOCAL) or of all files on its store. ids may be NULL
 * (count only). */
bool vz_file_ids(const vz_file *file, unsigned types, hid_t *ids, size_t max, size_t *count);

/* Closes every object opened through the file, as H5F_CLOSE_STRONG wants. */
bool vz_file_close_objects(vz_file *file, vz_error *err);

/* -- Mount --
 * Files mounted on groups of other files (H5Fmount). A path that reaches such a group continues
 * at the root of the mounted file. All files of a tree stay open while one of them has an id or
 * an open object. */
/* Mounts on the group `node`, whose full path is `path` (may be NULL). Takes `child`, a handle
 * on the root of the file to mount. Refuses a file that is mounted already, a group in use, a
 * file below itself, and files of different close degrees. */
bool vz_mount(vz_file *parent, vz_node *node, const char *path, vz_handle *child, vz_error *err);

/* Ends the mount on a group, or that of the file with this root. Closes the handles that only
 * the mount kept open. */
bool vz_unmount(const vz_node *node, vz_error *err);

/* -- Mount table --
 * Which file is mounted where. State of the module instance. */
/* Number of open ids of files and objects in the tree of a file. */
typedef struct vz_mount_count {
    size_t files, objects;
} vz_mount_count;
vz_mount_count vz_mount_count_open(vz_file *file);

/* Calls `call` for all files of the tree, the topmost first. `call` must not change the tree. */
bool vz_mount_each(vz_file *top, bool (*call)(vz_file *file, vz_error *err), vz_error *err);

/* Is a file mounted on the group? */
bool vz_mount_is_point(const vz_node *node);

/* The file where the paths of this one begin: the topmost it is mounted in, or itself. */
vz_file *vz_mount_top(vz_file *file);

#endif
