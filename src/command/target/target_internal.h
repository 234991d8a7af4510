/* target_internal.h - places on servers, and the marks of what is being made. */
#ifndef VZ_TARGET_TARGET_INTERNAL_H
#define VZ_TARGET_TARGET_INTERNAL_H

#include "command/target/target.h"

/* Does one of the two names lead to a server? Then *place is begun, and it is no part of the other
 * one. */
bool vz_made_begin_far(vz_made *place, const char *source, const char *target, bool overwrite, vz_error *err);

/* Makes a mark, and the lock file that has it. */
bool vz_made_lock(vz_made *place, vz_error *err);
/* Removes everything in the directory whose name has the mark, of this user. */
void vz_made_remove_marked(const char *directory, const char *mark);

#endif
