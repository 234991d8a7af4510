/* view_filters.c - filters of HDF5 whose chunks a view refers to, and their codecs. */
#include "command/convert/convert_internal.h"
#include <stdio.h>
#include <string.h>

#define FILTER_BZIP2      307
#define FILTER_BLOSC      32001
#define FILTER_LZ4        32004
#define FILTER_BITSHUFFLE 32008
#define FILTER_ZSTD       32015

/* ---- may a view refer to the chunks? ---- */

/* Those whose chunks a codec of Zarr decodes as they are; the others are framed in another way, or
 * nothing of Zarr has their name. */
static bool is_named(H5Z_filter_t id)
{
    return id == H5Z_FILTER_DEFLATE || id == H5Z_FILTER_SHUFFLE || id == H5Z_FILTER_FLETCHER32 || id == FILTER_BZIP2 ||
           id == FILTER_BLOSC || id == FILTER_ZSTD;
}

/* The connector has a codec of its own for it. */
static bool is_own(H5Z_filter_t id)
{
    return id == FILTER_LZ4 || id == FILTER_BITSHUFFLE;
}

/* Behind other filters there may be no whole elements to shuffle. */
bool vz_convert_view_filters(const vz_convert_job *c, hid_t dcpl, char why[VZ_VIEW_REASON])
{
    const int count = H5Pget_nfilters(dcpl);
    for (int i = 0; i < count; i++) {
        const vz_convert_filter filter = vz_convert_filter_at(dcpl, i);
        const H5Z_filter_t id = filter.id;
        const bool is_known = id >= 0 && (is_named(id) || (c->request->own_codecs && is_own(id)));
        if (is_known && ((id != H5Z_FILTER_SHUFFLE && id != FILTER_BITSHUFFLE) || i == 0))
            continue;
        snprintf(why, VZ_VIEW_REASON, "Zarr has no name for the chunks of filter %d%s%s%s%s", (int)id,
                 *filter.name ? " (" : "", filter.name, *filter.name ? ")" : "",
                 is_own(id) ? ", which a store or --own-codecs has" : "");
        return false;
    }
    return count >= 0;
}

/* ---- codecs of the connector's own ---- */

/* One filter beside such a one; 0: it has no such form. */
static int print_codec(char *text, size_t size, const vz_convert_filter *filter)
{
    static const char *const compressors[] = {"none", NULL, "lz4", "zstd"};
    const unsigned *values = filter->values;
    const size_t count = filter->count;
    const unsigned form = count > 4 ? values[4] : 0;
    switch (filter->id) {
    case H5Z_FILTER_SHUFFLE:
        return snprintf(text, size, "{\"id\": \"shuffle\", \"elementsize\": %u}", count > 0 ? values[0] : 1);
    case H5Z_FILTER_DEFLATE:
        return snprintf(text, size, "{\"id\": \"zlib\", \"level\": %u}", count > 0 ? values[0] : 6);
    case H5Z_FILTER_FLETCHER32:
        return snprintf(text, size, "{\"id\": \"fletcher32\"}");
    case FILTER_LZ4:
        return snprintf(text, size, "{\"id\": \"hdf5_lz4\"}");
    case FILTER_BITSHUFFLE:
        if (count < 3 || form >= sizeof compressors / sizeof *compressors || !compressors[form])
            return 0;
        return snprintf(text, size,
                        "{\"id\": \"hdf5_bitshuffle\", \"elementsize\": %u, \"blocksize\": %u, \"compressor\": \"%s\"}",
                        values[2], count > 3 ? values[3] : 0, compressors[form]);
    default:
        return 0;
    }
}

void vz_convert_view_codecs(hid_t dcpl, char text[VZ_VIEW_CODECS])
{
    const int count = H5Pget_nfilters(dcpl);
    size_t at = 1;
    bool any = false;
    strcpy(text, "[");
    for (int i = 0; i < count; i++) {
        const vz_convert_filter filter = vz_convert_filter_at(dcpl, i);
        const size_t comma = i > 0 ? 2 : 0, room = at + comma < VZ_VIEW_CODECS ? VZ_VIEW_CODECS - at - comma : 0;
        if (comma && room)
            strcpy(text + at, ", ");
        const int length = room ? print_codec(text + at + comma, room, &filter) : 0;
        any = any || is_own(filter.id);
        if (length <= 0 || (size_t)length + 1 >= room) {
            *text = '\0'; /* the array's own codecs, which the witness then shows to be others */
            return;
        }
        at += comma + (size_t)length;
    }
    strcpy(any ? text + at : text, any ? "]" : "");
}
