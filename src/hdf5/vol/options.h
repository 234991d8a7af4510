/* options.h - the connector's info object and the options in it. */
#ifndef VZ_VOL_OPTIONS_H
#define VZ_VOL_OPTIONS_H

#include "hdf5/h5/h5.h"
#include "base/util/options.h"

/* Defaults, the environment, then the string in the access list's connector info, if any. False + VZ_INVALID, with a
 * text that lists the known options, for a wrong one from either source. */
bool vz_vol_options(hid_t fapl, vz_options *options, vz_error *err);

#endif
