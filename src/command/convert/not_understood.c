/* not_understood.c - datasets of stores whose metadata is not understood: neither copied nor
 * compared, but counted. */
#include "command/convert/convert_internal.h"
#include "command/convert/compare_internal.h"
#include <stdlib.h>
#include <string.h>

bool vz_convert_is_understood(hid_t object, char why[H5VL_ZARR_TEXT_SIZE])
{
    const hid_t dcpl = H5Iget_type(object) == H5I_DATASET ? H5Dget_create_plist(object) : H5I_INVALID_HID;
    const bool is_marked =
        dcpl >= 0 && H5Pexist(dcpl, H5VL_ZARR_NOT_UNDERSTOOD) > 0 && H5Pget(dcpl, H5VL_ZARR_NOT_UNDERSTOOD, why) >= 0;
    vz_convert_id_close(dcpl);
    H5Eclear2(H5E_DEFAULT); /* a list that cannot be had is an error of the call that needs it */
    return !is_marked;
}

void vz_convert_note_skipped(const vz_convert_watch *watch, vz_convert_counts *counts, const char *path,
                             const char *why)
{
    char text[H5VL_ZARR_TEXT_SIZE + 64];
    counts->skipped++;
    snprintf(text, sizeof text, "skipped, since it is not understood: %s", why);
    if (watch->note)
        watch->note(watch->context, path, text);
}

void vz_convert_links_drop_skipped(vz_comparison *v, hid_t group, const char *path, vz_convert_link_records *links)
{
    char why[H5VL_ZARR_TEXT_SIZE];
    size_t kept = 0;
    for (size_t i = 0; i < links->count; i++) {
        const vz_convert_link_record link = links->items[i];
        const hid_t object = link.info.type == H5L_TYPE_HARD ? H5Oopen(group, link.name, H5P_DEFAULT) : H5I_INVALID_HID;
        if (object < 0 || vz_convert_is_understood(object, why)) {
            links->items[kept++] = link;
        } else {
            char *name = vz_convert_path_of(path, link.name, NULL);
            vz_convert_note_skipped(&v->request->watch, v->counts, name, why);
            free(name);
            free(link.name);
        }
        vz_convert_id_close(object);
    }
    links->count = kept;
}
