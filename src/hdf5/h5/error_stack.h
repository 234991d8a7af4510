/* error_stack.h - HDF5's error stack across a clean-up: every HDF5 call clears it, also the ones that close things. */
#ifndef VZ_H5_ERROR_STACK_H
#define VZ_H5_ERROR_STACK_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"

/* Takes HDF5's records aside if `err` says that they are what failed (VZ_HDF5); call before cleaning up ... */
hid_t vz_h5_errors_keep(const vz_error *err);
/* ... and put them back as the last act. */
void vz_h5_errors_restore(hid_t kept);
/* ... or not. */
void vz_h5_errors_drop(hid_t kept);

/* Keeps HDF5 from printing the stack at once when a call made inside a callback fails: the program's own call prints it
 * whole, when it returns. */
typedef struct vz_h5_printing {
    bool stopped;
    unsigned is_v2;
    H5E_auto1_t print1;
    H5E_auto2_t print2;
    void *context;
} vz_h5_printing;
vz_h5_printing vz_h5_printing_stop(void);
void vz_h5_printing_restore(const vz_h5_printing *printing);

/* The value of a call during which nothing is printed; unless it runs the program's own code (iterations), whose errors
 * are to be printed. */
#define VZ_H5_QUIETLY_UNLESS(runs_program, call)                                                                       \
    __extension__({                                                                                                    \
        const vz_h5_printing quietly_ = (runs_program) ? (vz_h5_printing){0} : vz_h5_printing_stop();                  \
        __auto_type result_ = (call);                                                                                  \
        vz_h5_printing_restore(&quietly_);                                                                             \
        result_;                                                                                                       \
    })
#define VZ_H5_QUIETLY(call) VZ_H5_QUIETLY_UNLESS(false, call)

/* Closes an id of ours without touching the records: after a call that failed, or may have. */
void vz_h5_close_quietly(hid_t id);

#endif
