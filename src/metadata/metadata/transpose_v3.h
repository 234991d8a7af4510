/* transpose_v3.h - v3's codec "transpose" (used by the files of v3 only). */
#ifndef VZ_METADATA_TRANSPOSE_V3_H
#define VZ_METADATA_TRANSPOSE_V3_H

#include "metadata/metadata/meta.h"

#define VZ_V3_TRANSPOSE "transpose"

/* axes[count] are the dimensions in the order before it, and afterwards in that behind it. The configuration says "C",
 * "F" or a permutation of places. */
bool vz_v3_transpose_parse(const vz_json *configuration, uint8_t *axes, unsigned count, vz_error *err);
/* Appends what leads from the order `above` to that of `axes`; nothing where they are the same. */
bool vz_v3_transpose_append(vz_json *list, const uint8_t *above, const uint8_t *axes, unsigned count, vz_error *err);

#endif
