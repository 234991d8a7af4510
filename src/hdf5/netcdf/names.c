/* names.c - the names of an array's dimensions: format 3's, xarray's in format 2, NCZarr's. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/dialects/dialects.h"
#include <string.h>

#define SCALAR "_scalar_" /* NCZarr's only dimension of a scalar, which has one element */

bool vz_netcdf_is_name(const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && vz_utf8_valid(name, length) && !strchr(name, '/') && strcmp(name, ".") != 0;
}

static bool is_valid(const vz_json *item)
{
    size_t length = 0;
    const char *name = vz_json_get_string(item, &length);
    return name && strlen(name) == length && vz_netcdf_is_name(name);
}

static bool are_valid(const vz_json *names, unsigned rank)
{
    if (vz_json_kind_of(names) != VZ_JSON_ARRAY || vz_json_length(names) != rank)
        return false;
    for (unsigned axis = 0; axis < rank; axis++)
        if (!is_valid(vz_json_at(names, axis)))
            return false;
    return true;
}

/* ---- NCZarr ---- */

/* The paths of dimensions, in either of the forms that NCZarr has had. */
static const vz_json *references_of(const vz_node *array)
{
    const vz_json *now = vz_json_get(vz_node_attribute(array, "_nczarr_array"), "dimension_references");
    const vz_json *before = vz_json_get(vz_node_attribute(array, "_NCZARR_ARRAY"), "dimrefs");
    if (now || before)
        return now ? now : before;
    return vz_json_get(vz_json_get(array->document, "_NCZARR_ARRAY"), "dimrefs");
}

/* The last parts of paths. */
static vz_json *names_of_references(const vz_json *references, unsigned rank, vz_error *err)
{
    vz_json *names = vz_json_array(err);
    bool ok = names != NULL;
    for (unsigned axis = 0; ok && axis < rank; axis++) {
        const char *path = vz_json_get_string(vz_json_at(references, axis), NULL);
        const char *slash = path ? strrchr(path, '/') : NULL;
        ok = vz_json_append(names, vz_json_text(slash ? slash + 1 : path ? path : "", err), err);
    }
    if (ok)
        return names;
    vz_json_free(names);
    return NULL;
}

static bool is_nczarr_scalar(const vz_node *array)
{
    const vz_json *scalar = vz_json_get(vz_node_attribute(array, "_nczarr_array"), "scalar");
    const vz_json *names = vz_node_attribute(array, VZ_ARRAY_DIMENSIONS);
    int64_t is = 0;
    const bool says_so = (vz_json_get_int64(scalar, &is) && is == 1) ||
                         (vz_json_length(names) == 1 && vz_json_is(vz_json_at(names, 0), SCALAR));
    return says_so && array->meta && array->meta->rank == 1 && array->meta->shape[0] == 1;
}

/* ---- all ---- */

/* The list in a document; NULL: none. */
static const vz_json *list_of(const vz_node *array)
{
    const char *member = array->zarr_format->dimension_names;
    return member ? vz_json_get(array->document, member) : vz_node_attribute(array, VZ_ARRAY_DIMENSIONS);
}

bool vz_netcdf_says_names(const vz_node *array)
{
    return vz_json_kind_of(list_of(array)) == VZ_JSON_ARRAY || references_of(array);
}

vz_json *vz_netcdf_names(const vz_node *array, bool *is_scalar, vz_error *err)
{
    const unsigned rank = array->meta->rank;
    const vz_json *references = references_of(array), *list = list_of(array);
    *is_scalar = is_nczarr_scalar(array);
    if (*is_scalar || rank == 0)
        return vz_json_array(err);
    if (vz_json_kind_of(references) != VZ_JSON_ARRAY || vz_json_length(references) != rank)
        return are_valid(list, rank) ? vz_json_copy(list, err) : NULL;
    vz_json *names = names_of_references(references, rank, err);
    if (!names || are_valid(names, rank))
        return names;
    vz_json_free(names);
    return NULL;
}

const char *vz_netcdf_stored_name(const char *name)
{
    const size_t length = sizeof VZ_NETCDF_NON_COORD - 1;
    return strncmp(name, VZ_NETCDF_NON_COORD, length) == 0 && name[length] ? name + length : name;
}
