/* element_boxes.h - the boxes (slab_walk.h) in which the elements of two like datasets are gone through. */
#ifndef VZ_CONVERT_ELEMENT_BOXES_H
#define VZ_CONVERT_ELEMENT_BOXES_H

#include "command/convert/element_type.h"
#include "command/convert/slab_walk.h"

/* Boxes that take `memory` bytes, with what text and sequences are known to take, and cover whole chunks of `to`, of
 * `from` too where its chunks are larger. False: the extent cannot be had. */
bool vz_boxes_begin(vz_slabs *slabs, hid_t from, hid_t to, const vz_element *element, uint64_t memory, vz_error *err);
/* After a box of `count` elements was read: the next ones take as much as these did. */
void vz_boxes_adapt(vz_slabs *slabs, const vz_element *element, const void *elements, uint64_t count, uint64_t memory);
/* Selects the box in the dataset's space, which a scalar does not need, and makes the space of the elements in memory;
 * the caller closes it. */
hid_t vz_box_select(unsigned rank, const uint64_t *start, const uint64_t *extent, hid_t space, vz_error *err);
/* Room for so many elements, all zeros if it is new, in what was there before if that is enough. */
bool vz_box_reserve(void **buffer, uint64_t *room, uint64_t count, size_t element_size, vz_error *err);

#endif
