/* access.h - reading through the HDF5 library that was loaded, for other modules: opening,
 * failures, boxes of elements, types and values in words. */
#ifndef VZ_CONVERT_ACCESS_H
#define VZ_CONVERT_ACCESS_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include "command/convert/convert.h"
#include "hdf5/h5/h5.h"
#include "H5VLzarr.h"
#include <stdint.h>

/* -- Hdf5 error --
 * failures of HDF5 as ours, and ids given back. */
/* A failure of the last HDF5 call: the text, and what its innermost record says. False. */
bool vz_convert_h5_fail(vz_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Gives back any id that is one: what H5Dclose, H5Sclose ... do. An id whose close must not fail is
 * closed by its own function. */
static inline void vz_convert_id_close(hid_t id)
{
    if (id > 0)
        H5Idec_ref(id);
}

/* -- Side -- */
/* endpoint.c: opened for reading. */
hid_t vz_side_open(const vz_convert_side *side, vz_error *err);
/* Creates a target like the source: what a creation list tells of a file, and of its root group. */
hid_t vz_side_create(const vz_convert_side *side, hid_t source, vz_error *err);
/* Closing is when the last bytes are written. The id is given back in any case. */
bool vz_side_close(hid_t file, vz_error *err);
/* not_understood.c: are the elements of this object, if it is a dataset, understood? If not, `why`
 * receives the reason. */
bool vz_convert_is_understood(hid_t object, char why[H5VL_ZARR_TEXT_SIZE]);
/* missing_filters.c: can the chunks of a dataset with that creation list be read? VZ_UNSUPPORTED
 * names the filter that is not there. */
bool vz_convert_filters_check_readable(hid_t dcpl, vz_error *err);
/* dataset_creation.c: a new creation list with those of its filters that this HDF5 can write. */
hid_t vz_convert_filters_of(hid_t dcpl, vz_error *err);

/* -- Boxes -- */
/* Elements of a box; UINT64_MAX: more than 64 bits hold. */
uint64_t vz_slabs_count(unsigned rank, const uint64_t *extent);
/* Selects the box in the dataset's space, which a scalar does not need. Makes the space of the
 * elements in memory, which the caller closes. */
hid_t vz_convert_box_select(unsigned rank, const uint64_t *start, const uint64_t *extent, hid_t space, vz_error *err);
/* element_type.c: have elements of the type a fixed size, and lead nowhere? */
bool vz_convert_is_flat(hid_t type);

/* -- Words --
 * types, extents and values in words, on one line, appended to `out`, which ends with a NUL that
 * its size does not count. */
/* printf, appended. */
bool vz_words_printf(vz_buffer *out, vz_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "int32", "text (UTF-8)", "{a: float64, b: int8}" */
bool vz_words_type(hid_t type, vz_buffer *out, vz_error *err);
/* A number in the fewest digits that read as the same one; is_single: as a float of 32 bits. */
#define VZ_WORDS_REAL 40
void vz_words_real(double number, bool is_single, char text[VZ_WORDS_REAL]);
/* An element as it lies in memory: "-1", "\"Ann\"", "{a: 1, b: [2, 3]}". A longer text than
 * VZ_WORDS_MAX ends with "...". `file`: in which references lead somewhere. */
#define VZ_WORDS_MAX 160
bool vz_words_value(hid_t file, hid_t type, const void *element, vz_buffer *out, vz_error *err);

#endif
