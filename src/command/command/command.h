/* command.h - what the command prints for people: errors, names that a store may have made
 * up, sizes, colours. */
#ifndef VZ_COMMAND_COMMAND_H
#define VZ_COMMAND_COMMAND_H

#include "base/util/error.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/node.h"
#include "hierarchy/resolve/path.h"
#include <stdint.h>
#include <stdio.h>

/* -- Command --
 * the command h5zarr: a subcommand is one file and one row of the table in subcommand_table.c. Its
 * name, usage and options stand in a vz_command, from which the command line is parsed, `--help` is
 * printed and the man page is made. */
/* The result of a subcommand, which is the exit status of the process. */
typedef enum vz_exit {
    VZ_EXIT_FINE = 0,
    VZ_EXIT_FAILED = 1, /* it failed, or found something that is wrong */
    VZ_EXIT_USAGE = 2,  /* the command line is wrong: nothing was done */
} vz_exit;

typedef struct vz_command_option {
    char letter;       /* of the short form; 0: there is none */
    const char *name;  /* of the long form, without "--"; NULL ends a list */
    const char *value; /* what its value is called in the help; NULL: it takes none */
    const char *help;  /* what it does: one sentence without a full stop */
} vz_command_option;

#define VZ_COMMAND_OPTIONS_MAX 32 /* of one subcommand, the common ones included */

typedef struct vz_command_call vz_command_call;

typedef struct vz_command {
    const char *name;
    const char *summary;              /* what it does: one line without a full stop */
    const char *usage;                /* its operands, as in "STORE[/PATH]" */
    const char *description;          /* paragraphs, separated by empty lines; for --help and the
                                       * man page */
    const vz_command_option *options; /* ends with a row without a name; NULL: none */
    int least, most;                  /* operands */
    vz_exit (*run)(const vz_command_call *call);
} vz_command;

/* A command line that was understood. Everything is borrowed from it. */
struct vz_command_call {
    const vz_command *command;
    char *const *operands;
    int count;
    const char *values[VZ_COMMAND_OPTIONS_MAX]; /* by row of command->options; NULL: the option was
                                                 * not given */
};

/* Was the option given? `name`: the long form. */
bool vz_command_has(const vz_command_call *call, const char *name);
/* Its value, or "" where it takes none; NULL: it was not given. Given twice, the later one
 * counts. */
const char *vz_command_value(const vz_command_call *call, const char *name);

/* parse_arguments.c: arguments[0] is the subcommand's name. False: the call is done with (help was
 * printed, or what is wrong reported), and *status is what the process returns. */
bool vz_command_parse(const vz_command *command, int count, char **arguments, vz_command_call *call, vz_exit *status);

/* help.c: all three print on standard output; the table is vz_commands, or another one that ends
 * with NULL. */
void vz_help_print(const vz_command *const *commands);
void vz_help_print_command(const vz_command *command);
void vz_help_print_man(const vz_command *const *commands); /* the man page, in troff's man macros */
/* completion.c: the script for "bash", "zsh" or "fish"; false: it is another shell. */
bool vz_help_print_completion(const char *shell, const vz_command *const *commands);

/* subcommand_table.c: ends with NULL. */
extern const vz_command *const vz_commands[];
const vz_command *vz_command_find(const char *name); /* NULL: there is none */

/* -- Describe --
 * a node in words: what its documents say, and how large it is in the store. */
/* Stored chunks of an array, without documents. */
typedef struct vz_command_stored_size {
    bool is_known;   /* false: the store lists nothing, as a web server */
    uint64_t values; /* chunks, or shards */
    uint64_t bytes;
} vz_command_stored_size;
bool vz_describe_stored(vz_node *array, vz_command_stored_size *stored, vz_error *err);
/* Chunks, or shards, that the array has room for; UINT64_MAX: more. */
uint64_t vz_describe_possible(const vz_node *array);
/* Bytes of all its elements; false: they have no fixed size (objects), or it is more than 64 bits
 * hold. */
bool vz_describe_decoded(const vz_node *array, uint64_t *bytes);

/* "array  (2, 3)  <i4" appended to `out`, with "group" for a group. NUL-terminated, not counted in
 * size. */
bool vz_describe_short(const vz_node *node, vz_buffer *out, vz_error *err);
/* "vlen-utf8 blosc(lz4, 5)", appended likewise. */
bool vz_describe_codecs(const vz_node *array, vz_buffer *out, vz_error *err);
/* "chunks (10, 7)  blosc(lz4, 5)", appended likewise. */
bool vz_describe_storage(const vz_node *array, vz_buffer *out, vz_error *err);
/* Adds the description as members of a JSON object: kind, shape, chunks, shards, dtype,
 * zarr_format, and for an array that cannot be understood "error". */
bool vz_describe_json(const vz_node *node, vz_json *object, vz_error *err);
/* Text as a JSON string, whatever bytes it has (hierarchy/nodes/node.h, vz_text_json_of_path). */
bool vz_describe_set_text(vz_json *object, const char *key, const char *text, vz_error *err);

/* "soft", "hard", "external", "user-defined": a link that is not the first name of a node. */
const char *vz_describe_link_word(const vz_link *link);
/* The file and the path of an external link, borrowed. False: its value is no external link. */
bool vz_describe_external(const vz_link *link, const char **file, const char **path);
/* Where it leads, as it says: heap. NULL: nothing tells, or with err set. */
char *vz_describe_link_target(const vz_link *link, vz_error *err);

/* -- Progress --
 * a bar on standard error that tells how far a command is: bytes, rate, time left. Only on a
 * terminal; elsewhere vz_progress_begin answers NULL, which all other functions take. */
typedef struct vz_progress vz_progress;

/* Would a bar be shown? */
bool vz_progress_wanted(void);
/* `what`: a word for what is under way ("checking"), borrowed. total: bytes of all the work; 0: not
 * known. One at a time. NULL also for want of memory. */
vz_progress *vz_progress_begin(const char *what, uint64_t total);
/* So many bytes more are done. Any thread; it draws a few times a second at most. */
void vz_progress_add(vz_progress *progress, uint64_t bytes);
/* Takes the bar off the screen for a moment, before something else is printed; it is drawn again by
 * the next add. */
void vz_progress_hide(vz_progress *progress);
/* Takes it off the screen and frees it. */
void vz_progress_end(vz_progress *progress);

/* -- Subcommand table --
 * the rows that the table in subcommand_table.c is made of, each in the file of its subcommand. */
extern const vz_command vz_command_ls;
extern const vz_command vz_command_tree;
extern const vz_command vz_command_info;
extern const vz_command vz_command_show;
extern const vz_command vz_command_check;
extern const vz_command vz_command_repair;
extern const vz_command vz_command_consolidate;
extern const vz_command vz_command_compact;
extern const vz_command vz_command_door;
extern const vz_command vz_command_cp;
extern const vz_command vz_command_sync;
extern const vz_command vz_command_convert;
extern const vz_command vz_command_diff;
extern const vz_command vz_command_virtual;
extern const vz_command vz_command_serve;
extern const vz_command vz_command_advise;
extern const vz_command vz_command_report;
extern const vz_command vz_command_doctor;

/* -- Target node --
 * The store and the node in it that a path on the command line names. */
typedef struct vz_subject {
    vz_options options;
    vz_hierarchy *hierarchy;
    vz_node *node; /* that the path leads to; a store that is one array: the array */
} vz_subject;

/* "STORE" or "STORE/PATH", where PATH goes by the names of links, soft ones and further hard links
 * of nodes too. Opened for reading. Failures tell what is there if it is no store. */
bool vz_subject_open(const char *path, vz_subject *subject, vz_error *err);
void vz_subject_close(vz_subject *subject);
/* Opens an array of a directory as a node of the store that has it, and not as a store that is one
 * array. Otherwise as vz_subject_open. */
bool vz_subject_open_in_store(const char *path, vz_subject *subject, vz_error *err);
/* Opens a subject for writing, and closes it: changes are in the store when closing returns true.
 * Closed in any case. */
bool vz_subject_open_to_write(const char *path, vz_subject *subject, vz_error *err);
bool vz_subject_finish(vz_subject *subject, vz_error *err);

/* The node at a path of link names from a group on; borrowed. A path that begins with a slash
 * begins at that group, too. NULL + VZ_NOT_FOUND. */
vz_node *vz_subject_follow(vz_node *group, const char *names, vz_error *err);
/* Symbolic links that are entered in one run: they may multiply what is below without end. */
#define VZ_LINKS_ENTERED_MAX 1000
/* Is what is at the key to be gone into? False: it is a symbolic link, and *links, which grows with
 * each, says enough. */
bool vz_subject_enters(vz_store *store, const char *key, uint64_t *links);
/* Opens a group that way; the first one that is none is reported on stderr. */
bool vz_subject_enters_group(const vz_node *group, const char *name, uint64_t *links);
/* Is it something that may be a store? False with err set: it is an HDF5 file, or empty. */
bool vz_subject_refuse(const vz_path_result *found, vz_error *err);
/* Is it a file on a server that is no store, or a damaged one? Nothing lies below it. */
bool vz_subject_is_other_file(const vz_path_result *found);
/* Of what is no store: why, as opening it says. Always false, with err set. */
bool vz_subject_fail_why(vz_path_result *found, const vz_options *options, vz_error *err);

/* The options of the plugin: defaults, then the environment. Workers are made as many as they
 * say. */
bool vz_command_options(vz_options *options, vz_error *err);

/* -- Line --
 * a line of standard output that is cut where the terminal ends; elsewhere it is whole.
 * Zero-initialised = none is under way. */
typedef struct vz_line {
    FILE *stream;
    char *text;
    size_t size;
} vz_line;
/* To which the line is written, without its end. For want of memory standard output itself. */
FILE *vz_line_stream(vz_line *line);
/* Prints it, with its end, if one is under way. */
void vz_line_end(vz_line *line);
/* Bytes of a text that fit into so many columns of a terminal; *columns: those that these take. A
 * wide character takes two, a combining one or a colour none. */
size_t vz_line_fits(const char *text, size_t size, size_t width, size_t *columns);

/* -- Nearest --
 * the word of ours that somebody may have meant. */
typedef struct vz_nearest {
    const char *word;  /* as it was typed */
    const char *found; /* NULL: none is near */
    unsigned distance; /* letters that are different */
} vz_nearest;
void vz_nearest_begin(vz_nearest *nearest, const char *word);
/* Takes the candidate, which is borrowed, if it is nearer than those before. */
void vz_nearest_try(vz_nearest *nearest, const char *candidate);

/* One line on standard error, "h5zarr: " before it. Control characters in it are shown, not
 * obeyed. */
void vz_say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a failure as "h5zarr: STORE: OBJECT: cause". `store` is used if the error names none; may
 * be NULL. Returns VZ_EXIT_FAILED. */
vz_exit vz_say_failure(const vz_error *err, const char *store);

/* Prints a JSON value on a line of its own if it is complete, and frees it. False with err set:
 * also if making it failed. */
bool vz_say_json(vz_json *take, bool is_complete, vz_error *err);

/* Text from a store, which writes to no terminal what it likes. Control characters and bytes that
 * are not UTF-8 are printed as \xNN, other characters that are not seen as \uNNNN. */
void vz_say_text(FILE *out, const char *text);
/* Does the character show nothing by itself, but change what others look like? Marks of direction,
 * separators, fillers, tags, controls; codes that are no characters, too. */
bool vz_say_is_unseen(uint32_t code);

/* Prints a count on standard output, as in ", 2 groups". */
void vz_say_count(const char *before, uint64_t count, const char *what);

/* "1.5 MiB", "312 B": at most 15 bytes with the end. Returns `text`. */
#define VZ_SAY_SIZE 16
const char *vz_say_size(uint64_t bytes, char text[VZ_SAY_SIZE]);

/* Colours of standard output: empty texts where that is no terminal, or NO_COLOR is set and not
 * empty. */
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
