/* image.h - the modules that are loaded into this process, as the loader has them. */
#ifndef VZ_PLUGIN_IMAGE_H
#define VZ_PLUGIN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vz_image {
    const void *base; /* where it is loaded, which no other is */
    const char *file; /* "": the program */
} vz_image;

/* The module that an address lies in. */
bool vz_image_of(const void *address, vz_image *image);
/* Calls `visit` with the name of each module ("": the program) until it answers true, and says
 * whether it did. */
bool vz_image_each(bool (*visit)(const char *file, void *context), void *context);
/* Are the modules that are loaded at these two places one build? */
bool vz_image_is_same_build(const void *mine, const void *theirs);
/* The module that the address lies in is not unloaded before the process ends: its threads may run,
 * and forks may call it. */
void vz_image_stay(const void *address);
const char *vz_image_program(void); /* the name of the program, for messages */

#endif
