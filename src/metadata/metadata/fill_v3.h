/* fill_v3.h - the v3 spelling of fill values (used by meta_v3.c only). */
#ifndef VZ_METADATA_FILL_V3_H
#define VZ_METADATA_FILL_V3_H

#include "metadata/metadata/meta.h"

/* Sets meta's fill from the JSON value; meta->dtype is known. null, which v3 does not have, means the type's zero. */
bool vz_fill_parse_v3(vz_array_meta *meta, const vz_json *value, vz_error *err);
/* An undefined fill value, which v3 does not have either, is written as the type's zero. */
vz_json *vz_fill_print_v3(const vz_array_meta *meta, vz_error *err);

#endif
