/* format.c - the table of Zarr formats, and the names of all documents. */
#include "metadata/metadata/format.h"
#include "metadata/metadata/format_internal.h"
#include <string.h>

const vz_spelling *const vz_spellings[VZ_SPELLINGS] = {&vz_spelling_v3, &vz_spelling_v2};

const vz_spelling *vz_spelling_of(int format)
{
    for (size_t i = 0; i < VZ_SPELLINGS; i++)
        if (vz_spellings[i]->format == format)
            return vz_spellings[i];
    return NULL;
}

/* The index-th of all names; NULL: the format has no such document, or the one before has the same
 * name. */
static const char *name_at(size_t index)
{
    const vz_spelling *spelling = vz_spellings[index % VZ_SPELLINGS];
    switch (index / VZ_SPELLINGS) {
    case 0:
        return spelling->array;
    case 1:
        return strcmp(spelling->group, spelling->array) != 0 ? spelling->group : NULL;
    case 2:
        return spelling->attributes;
    default:
        return spelling->consolidated;
    }
}
#define KINDS 4

const char *vz_document_name(size_t index)
{
    for (size_t i = 0; i < KINDS * VZ_SPELLINGS; i++) {
        const char *name = name_at(i);
        if (name && index-- == 0)
            return name;
    }
    return NULL;
}

bool vz_is_document(const char *name)
{
    for (size_t i = 0; i < KINDS * VZ_SPELLINGS; i++)
        if (name_at(i) && strcmp(name_at(i), name) == 0)
            return true;
    return false;
}

bool vz_is_node_document(const char *name)
{
    for (size_t i = 0; i < VZ_SPELLINGS; i++)
        if (strcmp(vz_spellings[i]->array, name) == 0 || strcmp(vz_spellings[i]->group, name) == 0)
            return true;
    return false;
}

bool vz_is_group_document(const char *name)
{
    for (size_t i = 0; i < VZ_SPELLINGS; i++)
        if (strcmp(vz_spellings[i]->group, name) == 0)
            return true;
    return false;
}

bool vz_is_attributes_document(const char *name)
{
    for (size_t i = 0; i < VZ_SPELLINGS; i++)
        if (vz_spellings[i]->attributes && strcmp(vz_spellings[i]->attributes, name) == 0)
            return true;
    return false;
}

bool vz_document_has_copy(const char *name)
{
    for (size_t i = 0; i < VZ_SPELLINGS; i++)
        if (!vz_spellings[i]->consolidated && strcmp(vz_spellings[i]->group, name) == 0)
            return true;
    return false;
}
