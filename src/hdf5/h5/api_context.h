/* api_context.h - HDF5's API context around calls that may be made without one: get_object is also called by programs that
 * use the library's private functions, and the calls for connectors (H5VLgroup_open ...) take for granted that there
 * is a context. */
#ifndef VZ_H5_API_CONTEXT_H
#define VZ_H5_API_CONTEXT_H

#include "hdf5/h5/h5.h"

typedef struct vz_h5_context {
    bool open;
    void *of_library; /* HDF5 2.x */
} vz_h5_context;

/* A context of its own for the calls up to vz_h5_context_close. Where the library has no way to make one, those that
 * are there already serve. */
vz_h5_context vz_h5_context_open(void);
void vz_h5_context_close(const vz_h5_context *context);

/* The value of a call within a context of its own. */
#define VZ_H5_IN_CONTEXT(call)                                                                                         \
    __extension__({                                                                                                    \
        const vz_h5_context context_ = vz_h5_context_open();                                                           \
        __auto_type in_context_ = (call);                                                                              \
        vz_h5_context_close(&context_);                                                                                \
        in_context_;                                                                                                   \
    })

#endif
