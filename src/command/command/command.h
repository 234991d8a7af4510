/* command_internal.h - what the command prints for people: errors, names that a store may have made up, sizes, colours. */
#ifndef VZ_COMMAND_COMMAND_H
#define VZ_COMMAND_COMMAND_H

#include "command/command/command_internal.h"
#include <stdint.h>
#include <stdio.h>

/* One line on standard error, "h5zarr: " before it. Control characters in it are shown, not obeyed. */
void vz_say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of a failure, as "h5zarr: STORE: OBJECT: cause". `store` fills in where nobody below knew it; may be NULL.
 * Returns VZ_EXIT_FAILED. */
vz_exit vz_say_failure(const vz_error *err, const char *store);

/* Text from a store: control characters and bytes that are not UTF-8 are printed as \xNN, so that no name writes to the
 * terminal what it likes. */
void vz_say_text(FILE *out, const char *text);

/* "1.5 MiB", "312 B": at most 15 bytes with the end. Returns `text`. */
#define VZ_SAY_SIZE 16
const char *vz_say_size(uint64_t bytes, char text[VZ_SAY_SIZE]);

/* Colours of standard output: empty texts where that is no terminal, or NO_COLOR is set and not empty. */
typedef enum vz_colour {
    VZ_COLOUR_PLAIN, /* ends a colour */
    VZ_COLOUR_GROUP,
    VZ_COLOUR_ARRAY,
    VZ_COLOUR_LINK,
    VZ_COLOUR_FAINT,
    VZ_COLOUR_BAD,
    VZ_COLOUR_GOOD,
} vz_colour;
const char *vz_say_colour(vz_colour colour);

#endif
