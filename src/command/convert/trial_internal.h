/* trial_internal.h - a sample that is tried; for the files of trials. */
#ifndef VZ_CONVERT_TRIAL_INTERNAL_H
#define VZ_CONVERT_TRIAL_INTERNAL_H

#include "command/convert/convert_internal.h"
#include "command/convert/trial.h"

struct vz_convert_trials {
    hid_t file, type; /* of the source */
    vz_convert_trial_source source;
    void *sample, *again; /* its elements, and what is read back */
    uint64_t size;        /* bytes of each */
};

#endif
