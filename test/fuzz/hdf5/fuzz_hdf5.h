/* fuzz_hdf5.h - what the targets share that call HDF5: it is bound once, prints nothing, and forgets its errors. */
#ifndef VZ_FUZZ_HDF5_H
#define VZ_FUZZ_HDF5_H

#include "../../c/bind_here.h"
#include "../fuzz.h"

/* At the begin of each input. */
static inline void fuzz_bind(void)
{
    static bool bound;
    if (!bound)
        bind_here();
    bound = true;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* A failure has a class and a text. VZ_INVALID passes: HDF5 may have refused something in its own way. */
static inline void fuzz_check_hdf5(bool ok, vz_error *err)
{
    FUZZ_REQUIRE(ok == (err->class == VZ_OK));
    FUZZ_REQUIRE(ok || err->text[0]);
    *err = VZ_ERROR_NONE;
    H5Eclear2(H5E_DEFAULT);
}

#endif
