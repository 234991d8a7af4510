/* api_context.c - an API context of its own. HDF5 1.14 and 2.x have different calls for it. */
#include "hdf5/h5/h5.h"

vz_h5_context vz_h5_context_open(void)
{
    vz_h5_context context = {0};
    if (H5VLopen_lib_context && H5VLclose_lib_context)
        context.open = H5VLopen_lib_context(&context.of_library) >= 0;
    else if (H5VLstart_lib_state && H5VLfinish_lib_state)
        context.open = H5VLstart_lib_state() >= 0;
    return context;
}

void vz_h5_context_close(const vz_h5_context *context)
{
    if (!context->open)
        return;
    if (H5VLclose_lib_context)
        H5VLclose_lib_context(context->of_library);
    else
        H5VLfinish_lib_state();
}
