/* error_stack.c - carrying HDF5's error records over calls that would erase them. */
#include "hdf5/h5/h5.h"

hid_t vz_h5_errors_keep(const vz_error *err)
{
    return err && err->class == VZ_HDF5 ? H5Eget_current_stack() : H5I_INVALID_HID;
}

void vz_h5_errors_restore(hid_t kept)
{
    if (kept >= 0)
        H5Eset_current_stack(kept); /* closes it */
}

void vz_h5_errors_drop(hid_t kept)
{
    if (kept >= 0)
        H5Eclose_stack(kept);
}

/* A program may have set its printer by either version of the call, and asking by the other
 * fails. */
vz_h5_printing vz_h5_printing_stop(void)
{
    vz_h5_printing printing = {0};
    if (H5Eauto_is_v2(H5E_DEFAULT, &printing.is_v2) < 0)
        return printing;
    if (printing.is_v2) {
        H5Eget_auto2(H5E_DEFAULT, &printing.print2, &printing.context);
        printing.stopped = printing.print2 && H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
    } else {
        H5Eget_auto1(&printing.print1, &printing.context);
        printing.stopped = printing.print1 && H5Eset_auto1(NULL, NULL) >= 0;
    }
    return printing;
}

void vz_h5_printing_restore(const vz_h5_printing *printing)
{
    if (!printing->stopped)
        return;
    if (printing->is_v2)
        H5Eset_auto2(H5E_DEFAULT, printing->print2, printing->context);
    else
        H5Eset_auto1(printing->print1, printing->context);
}

/* Nearly always there are no records, and none to copy. */
void vz_h5_close_quietly(hid_t id)
{
    const hid_t records = H5Eget_num(H5E_DEFAULT) > 0 ? H5Eget_current_stack() : H5I_INVALID_HID;
    const bool failed = H5Idec_ref(id) < 0;
    vz_h5_errors_restore(records);
    if (failed && records < 0)
        H5Eclear2(H5E_DEFAULT);
}
