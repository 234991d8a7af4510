/* survey.c - what is in a file, counted without reading any element. */
#include "command/convert/convert_internal.h"

static bool count_dataset(hid_t file, const char *name, vz_convert_counts *counts, vz_error *err)
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = dataset < 0 ? dataset : H5Dget_space(dataset),
                type = dataset < 0 ? dataset : H5Dget_type(dataset);
    const hssize_t elements = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    const bool ok = elements >= 0 && type >= 0;
    uint64_t size = 0;
    if (ok && vz_mul((uint64_t)elements, H5Tget_size(type), &size) && vz_add(counts->bytes, size, &size))
        counts->bytes = size;
    vz_convert_id_close(type);
    vz_convert_id_close(space);
    vz_convert_id_close(dataset);
    counts->datasets++;
    if (ok)
        return true;
    vz_convert_h5_fail(err, "the dataset cannot be opened");
    vz_error_where(err, NULL, name);
    return false;
}

typedef struct tally {
    vz_convert_counts *counts;
    vz_error *err;
} tally;

static herr_t count_object(hid_t file, const char *name, const H5O_info2_t *info, void *context)
{
    const tally *t = context;
    t->counts->attributes += info->num_attrs;
    if (info->type == H5O_TYPE_GROUP)
        t->counts->groups++;
    else if (info->type == H5O_TYPE_NAMED_DATATYPE)
        t->counts->types++;
    else if (info->type == H5O_TYPE_DATASET && !count_dataset(file, name, t->counts, t->err))
        return -1;
    return 0;
}

bool vz_convert_survey_file(hid_t file, vz_convert_counts *counts, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const tally t = {counts, &failed};
    *counts = (vz_convert_counts){0};
    if (H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, count_object, (void *)&t, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS) >= 0)
        return true;
    if (failed.class == VZ_OK)
        return vz_convert_h5_fail(err, "its objects cannot be visited");
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}
