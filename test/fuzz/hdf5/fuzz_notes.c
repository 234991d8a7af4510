/* fuzz_notes.c - what annotations say in HDF5's words. The input is a JSON object: "t" a type in short form, "r" a
 * selection, "v" the value of an attribute with "e", its entry. What is understood is printed, and means the same. */
#include "fuzz_hdf5.h"
#include "hdf5/attributes/attributes_internal.h"
#include "hdf5/types/types.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/references/references.h"

static void try_type(const vz_json *note)
{
    vz_error err = VZ_ERROR_NONE;
    const hid_t type = vz_short_form_parse(note, &err);
    fuzz_check_hdf5(type >= 0, &err);
    if (type < 0)
        return;
    vz_json *printed = vz_short_form_print(type, &err);
    fuzz_check_hdf5(printed != NULL, &err);
    const hid_t again = printed ? vz_short_form_parse(printed, &err) : H5I_INVALID_HID;
    FUZZ_REQUIRE(!printed || (again >= 0 && H5Tequal(type, again) > 0));
    H5Tclose(again);
    H5Tclose(type);
    vz_json_free(printed);
}

static void try_region(const vz_json *region)
{
    static const hsize_t dims[] = {4, 5, 6};
    vz_error err = VZ_ERROR_NONE;
    for (int rank = 0; rank <= 3; rank++) {
        const hid_t space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
        const bool ok = vz_reference_region_select(space, region, &err); /* may lie outside: datasets shrink */
        fuzz_check_hdf5(ok, &err);
        vz_json *printed = ok ? vz_reference_region_print(space, &err) : NULL;
        err = VZ_ERROR_NONE;
        vz_json_free(printed);
        H5Sclose(space);
    }
}

static void try_value(const vz_json *json, const vz_json *entry)
{
    vz_error err = VZ_ERROR_NONE;
    vz_attribute_value value = {0}, again = {0};
    vz_json *printed = NULL, *printed_entry = NULL;
    bool ok = vz_attribute_value_read(&value, json, entry, &err);
    fuzz_check_hdf5(ok, &err);
    if (ok && !value.null && vz_attribute_value_write(&value, value.bytes, &printed, &printed_entry, &err)) {
        ok = vz_attribute_value_read(&again, printed, printed_entry, &err);
        FUZZ_REQUIRE(ok && again.count == value.count && H5Tequal(again.type, value.type) > 0);
        vz_attribute_value_clear(&again);
    }
    vz_json_free(printed);
    vz_json_free(printed_entry);
    vz_attribute_value_clear(&value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bind();
    vz_error err = VZ_ERROR_NONE;
    vz_json *document = vz_json_parse((const char *)data, size, &err);
    if (!document || vz_json_kind_of(document) != VZ_JSON_OBJECT) {
        vz_json_free(document);
        return 0;
    }
    const vz_json *const type = vz_json_get(document, "t"), *const region = vz_json_get(document, "r"),
                         *const value = vz_json_get(document, "v");
    if (type)
        try_type(type);
    if (region)
        try_region(region);
    if (value)
        try_value(value, vz_json_get(document, "e"));
    vz_json_free(document);
    return 0;
}
