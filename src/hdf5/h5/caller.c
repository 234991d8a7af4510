/* caller.c - detects whether H5Dclose called us. */
#include "hdf5/h5/h5.h"
#include "base/os/library.h"
#include <stdint.h>

bool vz_h5_dclose_calls(void)
{
    return vz_os_is_called_by((void *)(uintptr_t)H5Dclose);
}
