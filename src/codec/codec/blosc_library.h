/* blosc_library.h - the Blosc library. A shared one brings four others with it, C++'s among them, which take longer to
 * load than all else that a program does that opens a store and looks into it: so it is loaded when it is first used,
 * and its functions are called through a table. A static one is linked. */
#ifndef VZ_CODEC_BLOSC_LIBRARY_H
#define VZ_CODEC_BLOSC_LIBRARY_H

#include "base/util/error.h"

#include <blosc.h>

/* Before a buffer is made or read. False: the library cannot be loaded. */
bool vz_blosc_is_there(vz_error *err);

#ifdef VZ_BLOSC_SONAME

typedef struct vz_blosc {
#define VZ_BLOSC_FUNCTION(name) __typeof__(&blosc_##name) name;
#include "codec/codec/blosc_functions.h"
#undef VZ_BLOSC_FUNCTION
} vz_blosc;

/* May run in several threads. Where the library cannot be loaded the table is empty: see above. */
const vz_blosc *vz_blosc_library(void);

#define blosc_cbuffer_complib      vz_blosc_library()->cbuffer_complib
#define blosc_cbuffer_metainfo     vz_blosc_library()->cbuffer_metainfo
#define blosc_cbuffer_sizes        vz_blosc_library()->cbuffer_sizes
#define blosc_cbuffer_validate     vz_blosc_library()->cbuffer_validate
#define blosc_compcode_to_compname vz_blosc_library()->compcode_to_compname
#define blosc_compname_to_compcode vz_blosc_library()->compname_to_compcode
#define blosc_compress_ctx         vz_blosc_library()->compress_ctx
#define blosc_decompress_ctx       vz_blosc_library()->decompress_ctx
#define blosc_getitem              vz_blosc_library()->getitem
#define blosc_list_compressors     vz_blosc_library()->list_compressors

#endif
#endif
