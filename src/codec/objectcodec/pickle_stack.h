/* pickle_stack.h - what the opcodes work with. */
#ifndef VZ_OBJECTCODEC_PICKLE_STACK_H
#define VZ_OBJECTCODEC_PICKLE_STACK_H

#include "codec/objectcodec/pickle_codec.h"

/* NULL: no opcode of data. */
typedef bool (*vz_pickle_operation)(vz_unpickler *u);
extern const vz_pickle_operation vz_pickle_operations[256];

/* ---- the program's bytes: all of them fail where the program ends ---- */

bool vz_unpickler_ends(vz_unpickler *u);
const uint8_t *vz_unpickler_read(vz_unpickler *u, uint64_t size);
/* A little-endian number of 1, 2, 4 or 8 bytes. */
bool vz_unpickler_number(vz_unpickler *u, unsigned size, uint64_t *number);
bool vz_unpickler_line(vz_unpickler *u, vz_bytes *line);

/* ---- the stack ---- */

bool vz_unpickler_push(vz_unpickler *u, vz_pickled *value); /* NULL: false */
vz_pickled *vz_unpickler_top(vz_unpickler *u);
vz_pickled *vz_unpickler_pop(vz_unpickler *u);
/* How many values lie above the last mark. */
size_t vz_unpickler_available(const vz_unpickler *u);
/* Takes the last mark away: *values are those above it, which stay valid until something is pushed. */
bool vz_unpickler_pop_mark(vz_unpickler *u, vz_pickled ***values, size_t *count);

/* Twice the room for an array of the arena, zeroed; what was there before is copied, and its place lost. */
void *vz_unpickler_grown(vz_unpickler *u, const void *array, size_t element, size_t *capacity);

#endif
