/* doctor_internal.h - what the files of `doctor` share. */
#ifndef VZ_COMMAND_DOCTOR_INTERNAL_H
#define VZ_COMMAND_DOCTOR_INTERNAL_H

#include "base/util/bytes.h"
#include "command/convert/convert.h"

/* Something about this machine's settings. */
typedef struct vz_doctor_advice {
    bool is_wrong;  /* else only good to know */
    char about[64]; /* a variable */
    char text[640]; /* one sentence without a full stop */
    char type[512]; /* a line to type; empty: there is none */
} vz_doctor_advice;

typedef struct vz_doctor_advices {
    vz_doctor_advice items[64];
    size_t count;
} vz_doctor_advices;
void vz_doctor_advise(vz_doctor_advices *advices, bool is_wrong, const char *about, const char *type,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* doctor_probe.c: in a process of its own, with a time limit, in a directory of its own. */
void vz_doctor_probe(const char *library, const char *plugin, vz_probe_result *probe);

/* doctor_variables.c: what the environment says. `is_needed`: HDF5_PLUGIN_PATH is, as a library
 * does not look into the plugin's directory by itself. */
void vz_doctor_variables(const char *plugin, bool is_needed, vz_doctor_advices *advices);
/* doctor_filters.c: which directories with filters HDF5_PLUGIN_PATH hides. */
void vz_doctor_filters(const char *plugin, bool is_needed, const vz_libraries *libraries, vz_doctor_advices *advices);

#endif
