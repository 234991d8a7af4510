/* unfinished_name.h - what names tell: leftovers of other processes, stages, parts of the keys of chunks; for the store kinds.
 */
#ifndef VZ_STORE_UNFINISHED_NAME_H
#define VZ_STORE_UNFINISHED_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Something in a directory under a partial name that no lease noted: nobody has touched it for a week, and where its
 * name tells a process, that does not run here. */
bool vz_is_dead_partial(int directory, const char *name);

/* Is it what a stage in the store's root is called? */
bool vz_is_stage_name(const char *name);
/* Digits and dots, in format 3 with a "c" in front: what a part of a chunk's key is called. */
bool vz_is_chunk_part(const char *name, size_t length);

#endif
