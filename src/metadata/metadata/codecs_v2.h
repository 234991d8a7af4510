/* codecs_v2.h - "filters" and "compressor" of ".zarray" (used by meta_v2.c only). */
#ifndef VZ_METADATA_CODECS_V2_H
#define VZ_METADATA_CODECS_V2_H

#include "codec/chain/codec_list.h"

/* Append the codecs that the document names. */
bool vz_filters_parse_v2(vz_codecs *codecs, const vz_json *document, vz_error *err);
bool vz_compressor_parse_v2(vz_codecs *codecs, const vz_json *document, vz_error *err);
/* How many of the codecs are filters; at most one is left, the compressor. `old`: those that the document named until
 * now, whose number of filters stays; NULL or another count: the last codec is the compressor if it is one. */
size_t vz_filter_count_v2(const vz_codecs *codecs, const vz_codecs *old, const vz_json *document);
/* The first `filters` codecs, and what comes behind them (null: nothing), for these members of the document. The order
 * in which it has the members of a codec stays. */
vz_json *vz_filters_print_v2(const vz_codecs *codecs, size_t filters, const vz_json *document, vz_error *err);
vz_json *vz_compressor_print_v2(const vz_codecs *codecs, size_t filters, const vz_json *document, vz_error *err);

#endif
