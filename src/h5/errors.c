/* errors.c - carrying HDF5's error records over calls that would erase them. */
#include "h5/errors.h"

hid_t vz_h5_errors_keep(const vz_error *err)
{
    return err && err->class == VZ_HDF5 ? H5Eget_current_stack() : H5I_INVALID_HID;
}

void vz_h5_errors_restore(hid_t kept)
{
    if (kept >= 0)
        H5Eset_current_stack(kept); /* closes it */
}

void vz_h5_close_quietly(hid_t id)
{
    const hid_t records = H5Eget_current_stack();
    H5Idec_ref(id);
    vz_h5_errors_restore(records);
}
