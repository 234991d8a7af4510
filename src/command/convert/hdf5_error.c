/* hdf5_error.c - what HDF5 says of its last failure. */
#include "command/convert/convert_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static herr_t take_innermost(unsigned count, const H5E_error2_t *record, void *context)
{
    char *text = context;
    (void)count;
    if (!*text && record->desc)
        snprintf(text, sizeof((vz_error *)0)->text, "%s", record->desc);
    return *text ? 1 : 0;
}

bool vz_convert_h5_fail(vz_error *err, const char *format, ...)
{
    char what[sizeof err->text], why[sizeof err->text] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, why);
    H5Eclear2(H5E_DEFAULT);
    const size_t room = sizeof err->text - 8 - strlen(what) % sizeof err->text;
    return vz_fail(err, strstr(why, "upported") ? VZ_UNSUPPORTED : VZ_IO, "%s%s%.*s", what, *why ? ": " : "", (int)room,
                   why);
}
