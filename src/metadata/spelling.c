/* spelling.c - which spelling a document has. */
#include "metadata/meta.h"

vz_array_meta *vz_meta_parse(int format, const vz_json *document, vz_error *err)
{
    return format == 3 ? vz_meta_parse_v3(document, err) : vz_meta_parse_v2(document, err);
}

bool vz_meta_print(const vz_array_meta *meta, vz_json *document, vz_error *err)
{
    return meta->format == 3 ? vz_meta_print_v3(meta, document, err) : vz_meta_print_v2(meta, document, err);
}
