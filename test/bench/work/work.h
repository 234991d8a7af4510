/* work.h - the operations of the HDF5 program. It is an ordinary HDF5 program: which connector it uses is for the
 * environment to say. Each operation prepares, measures one piece of work, and reports; what it takes as arguments
 * stands at each. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "measure.h"
#include <hdf5.h>

typedef void work_operation(void);

/* array.c: path, shape, chunk; codec=none|blosc|zstd|gzip, shuffle=0|1; source, a file of raw float32 */
work_operation array_write, array_read, array_boxes, array_multi, array_grid, stream_write, stream_read;
/* tree.c: path, groups, nodes (in each group) */
work_operation tree_create, tree_list, tree_walk, tree_read, tree_open;
/* small.c: path, count */
work_operation attributes_write, attributes_read, strings_write, strings_read, rows_append, stores_create, stores_open,
    chunks_write, chunks_read;
/* change.c: path, count */
work_operation scales_attach, datasets_delete, datasets_flush, netcdf_flush, datasets_rename, links_change,
    attributes_change, file_reopen;
/* unlimited.c: path, count */
work_operation unlimited_change;
/* variables.c: path */
work_operation variables_walk;

/* -- what operations share (main.c) -- */

/* One that failed ends the program. */
hid_t work_id(hid_t id, const char *what);
void work_status(herr_t status, const char *what);
/* The file of the argument path. Native files are made with the newest format. */
hid_t work_create_file(const char *path);
hid_t work_open_file(const char *path);
/* A creation list with the chunk and the codec of the arguments. */
hid_t work_chunked(int rank, const hsize_t *chunk);
/* The first error of H5Xclose is an error: what was written may be lost. */
void work_close_file(hid_t file);
/* A type of text of variable length in UTF-8. */
hid_t work_text_type(void);
void work_scalar_attribute(hid_t object, const char *name, hid_t type, const void *value);

#endif
