/* caller.h - which function of HDF5 called us, for the one case where the answer must depend on it. */
#ifndef VZ_H5_CALLER_H
#define VZ_H5_CALLER_H

#include <stdbool.h>

/* Is H5Dclose on the stack? False where that cannot be told. Slow: for failures only. */
bool vz_h5_dclose_calls(void);

#endif
