/* scatter.h - moves the elements of a box between a chunk and a buffer. */
#ifndef VZ_SELECTION_SCATTER_H
#define VZ_SELECTION_SCATTER_H

#include "array/selection/chunk_selection.h"
#include "array/selection/selection.h"

/* How elements are moved along a line. A source step of 0 repeats one element. */
typedef struct vz_mover vz_mover;
struct vz_mover {
    bool (*line)(const vz_mover *mover, uint8_t *dst, ptrdiff_t dst_step, const uint8_t *src, ptrdiff_t src_step,
                 size_t count, vz_error *err);
    size_t size;                     /* bytes of an element */
    const vz_number_conversion *conversion; /* or NULL */
    vz_arena *arena;                 /* items: receives their bytes; texts that are written: NULL, they stay */
    uint64_t *live;                  /* items: bytes of all items at the destination, kept up to date; or NULL */
};

vz_mover vz_mover_bytes(size_t size);
vz_mover vz_mover_convert(const vz_number_conversion *conversion);
/* Items with their bytes, which go to the arena. */
vz_mover vz_mover_items(vz_arena *arena, uint64_t *live);
/* Items <-> texts that end with a NUL, as vz_transfer.texts has them (copy_strings.c). Of a missing text (NULL) an empty item
 * is made; an item becomes a text of its own, allocated by malloc, and one with a NUL in it is VZ_UNSUPPORTED. */
vz_mover vz_mover_texts_in(vz_arena *arena, uint64_t *live);
vz_mover vz_mover_texts_out(void);

/* Moves a box. `chunk` holds the decoded chunk's bytes from `chunk_origin` on. */
bool vz_gather_box(const vz_mover *mover, uint8_t *chunk, const uint8_t *memory, const vz_box *box, vz_error *err);
bool vz_scatter_box(const vz_mover *mover, const uint8_t *chunk, uint64_t chunk_origin, uint8_t *memory,
                    const vz_box *box, vz_error *err);
/* The box's place in the buffer receives one element over and over. */
bool vz_fill_box(const vz_mover *mover, const uint8_t *element, uint8_t *memory, const vz_box *box, vz_error *err);

/* count copies of an element, next to each other. */
void vz_fill_elements(uint8_t *dst, const uint8_t *element, size_t size, uint64_t count);

#endif
