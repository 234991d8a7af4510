/* blosc_functions.h - the functions of the Blosc library that are called: VZ_BLOSC_FUNCTION(name) of each. Included
 * several times. */
VZ_BLOSC_FUNCTION(cbuffer_complib)
VZ_BLOSC_FUNCTION(cbuffer_metainfo)
VZ_BLOSC_FUNCTION(cbuffer_sizes)
VZ_BLOSC_FUNCTION(cbuffer_validate)
VZ_BLOSC_FUNCTION(compcode_to_compname)
VZ_BLOSC_FUNCTION(compname_to_compcode)
VZ_BLOSC_FUNCTION(compress_ctx)
VZ_BLOSC_FUNCTION(decompress_ctx)
VZ_BLOSC_FUNCTION(getitem)
VZ_BLOSC_FUNCTION(list_compressors)
