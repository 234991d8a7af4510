/* options_internal.h - what an option is, for the options*.c files of this module only. */
#ifndef VZ_UTIL_OPTIONS_INTERNAL_H
#define VZ_UTIL_OPTIONS_INTERNAL_H

#include "base/util/options.h"

/* The string that parses to these options (only what differs from the defaults); caller frees. */
char *vz_options_print(const vz_options *options, vz_error *err);

/* Table of options for the documentation and for error messages, Markdown. */
bool vz_options_describe(vz_buffer *out, vz_error *err);

/* -- Glob patterns --
 * the option `create`: which names become stores, and of which kind.
 *
 * A list of shell patterns (fnmatch), separated by commas that are not in brackets; blanks around
 * them do not count. A pattern may go on with a colon and a kind, one of the words of the option
 * `container`. Any other colon is part of the pattern. A kind alone stands for all names. */
/* No blank, '=' or ';' within a pattern: such a list is several options, or lacks a comma. `?`
 * stands for any of them. */
bool vz_patterns_valid(const char *patterns);

#define VZ_OPTIONS_ENVIRONMENT "VOL_ZARR_"

typedef enum vz_option_type {
    VZ_OPTION_NUMBER,   /* int64_t, min..max */
    VZ_OPTION_SIZE,     /* int64_t in bytes, min..max; K, M, G, T at its end multiply by 1024 ... */
    VZ_OPTION_SWITCH,   /* bool */
    VZ_OPTION_CHOICE,   /* an enum (int), the position in `words` */
    VZ_OPTION_WORD,     /* char[], one of `words` */
    VZ_OPTION_TEXT,     /* const char *, anything: kept until the process ends */
    VZ_OPTION_PATTERNS, /* the same, what vz_patterns_valid takes */
    VZ_OPTION_ENDPOINT, /* the same, empty or what vz_endpoint_valid takes; never repeated in a
                         * message */
    VZ_OPTION_REGION,   /* the same, empty or what vz_endpoint_region_valid takes */
} vz_option_type;

typedef struct vz_option_row {
    const char *name;
    vz_option_type type;
    size_t offset;
    size_t room; /* of a char[] */
    int64_t min, max;
    bool redirect; /* a redirect file may say it, too */
    const char *words[8];
    const char *standard; /* as it would be written */
    const char *sentence;
} vz_option_row;

extern const vz_option_row vz_option_rows[];
extern const size_t vz_option_count;

static inline void *vz_option_field(vz_options *options, const vz_option_row *row)
{
    return (char *)options + row->offset;
}

/* Is the field a text that is kept until the process ends? */
static inline bool vz_option_is_text(const vz_option_row *row)
{
    return row->type == VZ_OPTION_TEXT || row->type == VZ_OPTION_PATTERNS || row->type == VZ_OPTION_ENDPOINT ||
           row->type == VZ_OPTION_REGION;
}

/* Appends the values that an option takes, in words. */
bool vz_option_describe_values(const vz_option_row *row, vz_buffer *out, vz_error *err);
/* The row of that name; NULL: there is none. */
const vz_option_row *vz_option_find(const char *name, size_t length);
/* Does a value hold another option ("*.zarr format=3")? Then ';' is missing. */
bool vz_option_swallows(const char *value);
/* Prints the probable meaning of such a value: "create=*.zarr;format=3", or the variables of the
 * environment. */
bool vz_option_print_meant(const vz_option_row *row, const char *value, bool environment, vz_buffer *out,
                           vz_error *err);
void vz_options_set_standards(vz_options *options);

#endif
