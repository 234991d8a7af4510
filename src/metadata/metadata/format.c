/* format.c - the table of Zarr formats, and the names of all documents. */
#include "metadata/metadata/format.h"
#include "metadata/metadata/format_internal.h"
#include <string.h>

const vz_zarr_format *const vz_zarr_formats[VZ_ZARR_FORMATS] = {&vz_zarr_format_v3, &vz_zarr_format_v2};

const vz_zarr_format *vz_zarr_format_of(int format)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        if (vz_zarr_formats[i]->format == format)
            return vz_zarr_formats[i];
    return NULL;
}

/* The index-th of all names; NULL: the format has no such document, or the one before has the same
 * name. */
static const char *name_at(size_t index)
{
    const vz_zarr_format *zarr_format = vz_zarr_formats[index % VZ_ZARR_FORMATS];
    switch (index / VZ_ZARR_FORMATS) {
    case 0:
        return zarr_format->array;
    case 1:
        return strcmp(zarr_format->group, zarr_format->array) != 0 ? zarr_format->group : NULL;
    case 2:
        return zarr_format->attributes;
    default:
        return zarr_format->consolidated;
    }
}
#define KINDS 4

const char *vz_zarr_document_name(size_t index)
{
    for (size_t i = 0; i < KINDS * VZ_ZARR_FORMATS; i++) {
        const char *name = name_at(i);
        if (name && index-- == 0)
            return name;
    }
    return NULL;
}

bool vz_zarr_is_document(const char *name)
{
    for (size_t i = 0; i < KINDS * VZ_ZARR_FORMATS; i++)
        if (name_at(i) && strcmp(name_at(i), name) == 0)
            return true;
    return false;
}

bool vz_zarr_is_node_document(const char *name)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        if (strcmp(vz_zarr_formats[i]->array, name) == 0 || strcmp(vz_zarr_formats[i]->group, name) == 0)
            return true;
    return false;
}

bool vz_zarr_is_group_document(const char *name)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        if (strcmp(vz_zarr_formats[i]->group, name) == 0)
            return true;
    return false;
}

bool vz_zarr_is_attributes_document(const char *name)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        if (vz_zarr_formats[i]->attributes && strcmp(vz_zarr_formats[i]->attributes, name) == 0)
            return true;
    return false;
}

bool vz_zarr_document_has_copy(const char *name)
{
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++)
        if (!vz_zarr_formats[i]->consolidated && strcmp(vz_zarr_formats[i]->group, name) == 0)
            return true;
    return false;
}
