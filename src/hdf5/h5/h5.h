/* h5.h - HDF5 for all modules above. No other file includes <hdf5.h>.
 *
 * The functions are those of the library that loaded us. plugin/host.c fills a table with their
 * addresses, and macros give them their ordinary names. Data symbols (H5T_NATIVE_INT ...) are
 * read through pointers at each use, since their values change over H5close and H5open.
 *
 * Built with the headers of 1.14; runs with 2.x. */
#ifndef VZ_H5_H5_H
#define VZ_H5_H5_H

#include "base/util/error.h"
#include <H5FDdevelop.h>
#include <H5PLextern.h>
#include <H5VLconnector.h>
#include <H5VLconnector_passthru.h>
#include <H5VLnative.h>
#include <hdf5.h>
#include <stdbool.h>

/* Functions of 2.x that the headers of 1.14 do not declare. */
herr_t H5VLopen_lib_context(void **context);
herr_t H5VLclose_lib_context(void *context);
hid_t H5Tdecode2(const void *buf, size_t buf_size);
hid_t H5Tcomplex_create(hid_t base_type_id);
herr_t H5Dread_chunk1(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf);
herr_t H5Dread_chunk2(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf,
                      size_t *buf_size);

#ifndef H5_HAVE_PARALLEL /* of libraries with MPI, whichever; handles are of its sizes */
herr_t H5Pget_fapl_mpio(hid_t fapl_id, void *comm, void *info);
herr_t H5Pget_dxpl_mpio(hid_t dxpl_id, H5FD_mpio_xfer_t *xfer_mode);
herr_t H5Pset_dxpl_mpio(hid_t dxpl_id, H5FD_mpio_xfer_t xfer_mode);
#endif

typedef struct vz_h5_table {
#define VZ_H5_FUNCTION(name) __typeof__(name) *name;
#define VZ_H5_OPTIONAL(name) __typeof__(name) *name; /* NULL in hosts that lack it */
#define VZ_H5_DATA(name)     hid_t *name;
#include "hdf5/h5/functions.def" /* made by CMake from functions.txt */
#include "hdf5/h5/data.def"      /* made by CMake from data.txt */
#undef VZ_H5_FUNCTION
#undef VZ_H5_OPTIONAL
#undef VZ_H5_DATA
    unsigned major, minor, release; /* of the host, known after the first file callback */
} vz_h5_table;

extern vz_h5_table vz_h5;

/* Fills the functions and data pointers; `find` returns the address of a name, or NULL. Returns
 * NULL, or the first required function that the host lacks; the table is then empty. A missing
 * data symbol reads as H5I_INVALID_HID. Makes no HDF5 call. */
typedef void *(*vz_h5_find)(void *context, const char *name, bool is_data);
const char *vz_h5_bind(vz_h5_find find, void *context);

#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK
/* Not in the file that fills the table by name. names.h has lines such as
 * #define H5Fcreate (vz_h5.H5Fcreate), #define H5T_NATIVE_INT_g (*vz_h5.H5T_NATIVE_INT_g). */
#ifndef VZ_H5_NO_NAMES
#include "hdf5/h5/names.h"
#endif

/* -- API context --
 * HDF5's API context around calls that may come without one. Programs call get_object through
 * the library's private functions, and the calls for connectors (H5VLgroup_open ...) require a
 * context. */
typedef struct vz_h5_context {
    bool open;
    void *of_library; /* HDF5 2.x */
} vz_h5_context;

/* Opens a context for the calls up to vz_h5_context_close. If the library cannot make one, the
 * calls use the present context. */
vz_h5_context vz_h5_context_open(void);
void vz_h5_context_close(const vz_h5_context *context);

/* The value of a call within a new context. */
#define VZ_H5_IN_CONTEXT(call)                                                                                         \
    __extension__({                                                                                                    \
        const vz_h5_context context_ = vz_h5_context_open();                                                           \
        __auto_type in_context_ = (call);                                                                              \
        vz_h5_context_close(&context_);                                                                                \
        in_context_;                                                                                                   \
    })

/* -- Caller --
 * Detects which function of HDF5 called us, for the one case in which the answer depends on it. */
/* Is H5Dclose on the stack? False if that cannot be found out. Slow: for failures only. */
bool vz_h5_dclose_calls(void);

/* -- Discovery --
 * Files that HDF5 2.x finds by its plugin search (no HDF5_VOL_CONNECTOR set, only the plugin
 * path).
 *
 * HDF5 2.0 to 2.2 opens such a file with the connector that it found, but registers the id with
 * the native connector, which had failed. The native connector takes our object for a native
 * file and crashes the program. 1.14 is right.
 *
 * The connector is an argument of the library's internal H5VL_register. For the one registration
 * after our callback, the library's call of that function goes through us and gets the right
 * connector. */
/* Does HDF5 search plugins at this moment? In a search HDF5 asks in the middle of a failed open,
 * whose records are on its error stack. A program's own question clears them first. Leaves the
 * records. Drivers whose code clears the stack when a list is copied hide a search. */
bool vz_discovery_searches(void);
/* Notes that HDF5 got the answer that this name is a store. After a search an open follows at
 * once. Makes no HDF5 call. */
void vz_discovery_answered(const char *name, bool searched);
/* A file callback begins: is it the open of this name that follows such an answer? Forgets the
 * answer. */
bool vz_discovery_follows(const char *name);
/* The open callback is about to return `object`: corrects its registration. Closes the list that
 * the search made and HDF5 never closes; drivers run code when it closes, which is too late at
 * exit. VZ_UNSUPPORTED, with a way out, if the host cannot be corrected. */
bool vz_discovery_opened(void *object, hid_t fapl, vz_error *err);
/* The open callback is about to fail: closes the list and keeps HDF5's records. */
void vz_discovery_failed(hid_t fapl);

/* -- Error stack --
 * Keeps HDF5's error stack over a clean-up. Every HDF5 call clears the stack, also those that
 * close ids. */
/* Takes HDF5's records off the stack if `err` says that HDF5 failed (VZ_HDF5). Call it before
 * cleaning up. Returns an error stack for one of the next two functions. */
hid_t vz_h5_errors_keep(const vz_error *err);
/* Puts the records back; the last act of a callback. */
void vz_h5_errors_restore(hid_t kept);
/* Drops the records. */
void vz_h5_errors_drop(hid_t kept);

/* Stops HDF5 from printing the stack when a call inside a callback fails. The program's own call
 * prints all of it when it returns. */
typedef struct vz_h5_printing {
    bool stopped;
    unsigned is_v2;
    H5E_auto1_t print1;
    H5E_auto2_t print2;
    void *context;
} vz_h5_printing;
vz_h5_printing vz_h5_printing_stop(void);
void vz_h5_printing_restore(const vz_h5_printing *printing);

/* The value of a call without printing. If the call runs the program's own code (iterations),
 * its errors are printed. */
#define VZ_H5_QUIETLY_UNLESS(runs_program, call)                                                                       \
    __extension__({                                                                                                    \
        const vz_h5_printing quietly_ = (runs_program) ? (vz_h5_printing){0} : vz_h5_printing_stop();                  \
        __auto_type result_ = (call);                                                                                  \
        vz_h5_printing_restore(&quietly_);                                                                             \
        result_;                                                                                                       \
    })
#define VZ_H5_QUIETLY(call) VZ_H5_QUIETLY_UNLESS(false, call)

/* Closes an id of ours and keeps the records: for use after a call that may have failed. */
void vz_h5_close_quietly(hid_t id);

/* -- Selection offset --
 * The offset of H5Soffset_simple. A dataspace has it beside its selection. HDF5's calls that
 * list a selection, project it or set another extent ignore it, so the offset is folded into the
 * selection first. */
/* Moves the selection by the offset and sets the offset to zero. False if the id is no
 * dataspace, or the offset moves the selection below zero. */
bool vz_h5_selection_fold(hid_t space);
/* A copy whose offset is folded. */
hid_t vz_h5_selection_copy(hid_t space);

#endif
