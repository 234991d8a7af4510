/* zfp_internal.h - libzfp, which is loaded when a chunk first needs it. */
#ifndef VZ_CODEC_ZFP_INTERNAL_H
#define VZ_CODEC_ZFP_INTERNAL_H

#include "base/util/error.h"
#include <stddef.h>

/* Streams, fields and bit streams of the library are pointers here. */
typedef struct vz_zfp {
#define VZ_ZFP_FUNCTION(result, name, arguments) result(*name) arguments;
#include "codec/codec/zfp_functions.h"
#undef VZ_ZFP_FUNCTION
} vz_zfp;

/* NULL with err set: VZ_UNSUPPORTED, and it names the library. */
const vz_zfp *vz_zfp_library(vz_error *err);

#endif
