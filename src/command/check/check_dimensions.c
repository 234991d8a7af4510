/* check_dimensions.c - names of dimensions in a group that contradict each other, so that programs
 * of netCDF and xarray do not open it, or see something else than what an annotation says. */
#include "command/check/check_internal.h"
#include <inttypes.h>
#include <stdlib.h>

/* A name, as the first array had it that was met. */
struct dimension {
    uint64_t length;
    char *array;
};

struct vz_check_dimensions {
    vz_strmap *names; /* struct dimension */
    vz_json *note;    /* the group's annotation; NULL: none */
    bool is_others;   /* names mean something else: the group, or one above, is no netCDF */
    vz_check_dimensions *above;
};

static void free_dimension(void *value)
{
    struct dimension *dimension = value;
    free(dimension->array);
    free(dimension);
}

static vz_json *note_of(const vz_json *attributes)
{
    size_t length = 0;
    const vz_json *value = vz_json_get(attributes, VZ_ANNOTATION_NETCDF);
    const char *text = vz_json_get_string(value ? value : vz_json_get(attributes, VZ_ANNOTATION), &length);
    return text ? vz_json_parse(text, length, NULL) : NULL;
}

/* Attributes of AnnData, OME-Zarr and NWB, whose names of dimensions need not agree. */
static bool is_others(const vz_json *attributes)
{
    static const char *const others[] = {"encoding-type", "multiscales", "ome",
                                         "nwb_version",   ".specloc",    "neurodata_type"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (vz_json_get(attributes, others[i]))
            return true;
    return false;
}

bool vz_check_dimensions_begin(vz_check *check, const vz_json *attributes, vz_error *err)
{
    vz_check_dimensions *group = calloc(1, sizeof *group);
    vz_strmap *names = group ? vz_strmap_new() : NULL;
    if (!names) {
        free(group);
        return vz_fail_memory(err);
    }
    *group = (vz_check_dimensions){.names = names, .note = note_of(attributes), .above = check->dimensions};
    group->is_others = is_others(attributes) || (group->above && group->above->is_others);
    check->dimensions = group;
    return true;
}

void vz_check_dimensions_end(vz_check *check)
{
    vz_check_dimensions *group = check->dimensions;
    check->dimensions = group->above;
    vz_strmap_free(group->names, free_dimension);
    vz_json_free(group->note);
    free(group);
}

static bool add(vz_check_dimensions *group, const char *name, uint64_t length, const char *array, vz_error *err)
{
    struct dimension *dimension = malloc(sizeof *dimension);
    char *copy = dimension ? strdup(array) : NULL;
    if (!copy) {
        free(dimension);
        return vz_fail_memory(err);
    }
    *dimension = (struct dimension){length, copy};
    if (vz_strmap_put(group->names, name, dimension, err))
        return true;
    free_dimension(dimension);
    return false;
}

static bool meet(vz_check *check, const char *prefix, const char *name, uint64_t length, vz_error *err)
{
    const struct dimension *known = vz_strmap_get(check->dimensions->names, name);
    if (!known)
        return add(check->dimensions, name, length, prefix, err);
    if (known->length != length)
        vz_report_find(&check->report, VZ_FINDING_DIMENSION, prefix,
                       "dimension \"%.200s\" has length %" PRIu64 " here, and %" PRIu64 " in \"%.200s\"", name, length,
                       known->length, known->array);
    return true;
}

static const char *last_part(const char *prefix)
{
    const char *slash = strrchr(prefix, '/');
    return slash ? slash + 1 : prefix;
}

/* The names for which the annotation of the array was written, in its group's or its own; NULL: it
 * does not tell. */
static const vz_json *noted_names(const vz_check_dimensions *group, const char *prefix, const vz_json *own)
{
    const vz_json *entry = vz_json_get(vz_json_get(group->note, VZ_ANNOTATION_ARRAYS), last_part(prefix));
    const vz_json *names = vz_json_get(own, VZ_NOTE_DIMENSIONS);
    if (entry)
        return vz_json_get(entry, "d");
    return vz_json_kind_of(names) == VZ_JSON_ARRAY ? names : NULL;
}

bool vz_check_dimensions_of(vz_check *check, const char *prefix, const vz_meta *meta, const vz_json *names,
                            const vz_json *attributes, vz_error *err)
{
    if (!check->dimensions || check->dimensions->is_others || vz_json_kind_of(names) != VZ_JSON_ARRAY)
        return true;
    vz_json *own = note_of(attributes);
    const vz_json *noted = noted_names(check->dimensions, prefix, own);
    if (noted && !vz_json_equal(noted, names))
        vz_report_find(&check->report, VZ_FINDING_DIMENSION, prefix,
                       "its annotation was written for other names of dimensions: the names count");
    vz_json_free(own);
    if (vz_json_length(names) != meta->rank) {
        vz_report_find(&check->report, VZ_FINDING_DIMENSION, prefix, "%zu names for %u dimensions",
                       vz_json_length(names), meta->rank);
        return true;
    }
    bool ok = true;
    for (unsigned axis = 0; ok && axis < meta->rank; axis++) {
        const char *name = vz_json_get_string(vz_json_at(names, axis), NULL);
        ok = !name || meet(check, prefix, name, meta->shape[axis], err);
    }
    return ok;
}
