/* array_internal.h - an array that another program may have changed. */
#ifndef VZ_ARRAY_ARRAY_INTERNAL_H
#define VZ_ARRAY_ARRAY_INTERNAL_H

#include "array/array/array.h"

/* Before chunks are stored: vz_array_document_check of the document that was given to
 * vz_array_watch. VZ_INVALID: the array was made smaller. */
bool vz_array_may_change(vz_array *array, bool at_once, vz_error *err);

/* Before several arrays are written: asks a server for all the documents that vz_array_may_change
 * would ask for one by one. Of those that are not as they were it takes no note. */
void vz_arrays_look_together(const vz_array_transfer *list, size_t count);

/* As vz_fetch_run, for lists of which several may be of one array. Where one of these fails, all of
 * them say so. */
struct vz_fetch_list;
bool vz_array_fetch_jointly(struct vz_fetch_list *lists, size_t count, vz_error *err);

/* After chunks were read: those that cannot be decoded may be those of another array by now. Then
 * that is the error. Returns `ok`. */
bool vz_array_explain_failure(vz_array *array, bool ok, vz_error *err);

#endif
