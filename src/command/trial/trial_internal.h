/* trial_internal.h - a sample that is tried; for the files of trials. */
#ifndef VZ_TRIAL_TRIAL_INTERNAL_H
#define VZ_TRIAL_TRIAL_INTERNAL_H

#include "command/convert/access.h"
#include "command/trial/trial.h"

struct vz_trial_set {
    hid_t file, type; /* of the source */
    hid_t filters;    /* a creation list with its filters */
    vz_trial_source source;
    void *sample, *again; /* its elements, and what is read back */
    uint64_t size;        /* bytes of each */
};

#endif
