/* command.h - the command h5zarr: a subcommand is one file and one row of the table in subcommand_table.c. Its name, usage and
 * options stand in a vz_command, from which the command line is parsed, `--help` is printed and the man page is made.
 */
#ifndef VZ_COMMAND_COMMAND_H
#define VZ_COMMAND_COMMAND_H

#include "base/util/error.h"

/* What a subcommand's run returns, and the process with it. */
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

typedef struct vz_call vz_call;

typedef struct vz_command {
    const char *name;
    const char *summary;              /* what it does: one line without a full stop */
    const char *usage;                /* its operands, as in "STORE[/PATH]" */
    const char *description;          /* paragraphs, separated by empty lines; for --help and the man page */
    const vz_command_option *options; /* ends with a row without a name; NULL: none */
    int least, most;                  /* operands */
    vz_exit (*run)(const vz_call *call);
} vz_command;

/* A command line that was understood. Everything is borrowed from it. */
struct vz_call {
    const vz_command *command;
    char *const *operands;
    int count;
    const char *values[VZ_COMMAND_OPTIONS_MAX]; /* by row of command->options; NULL: the option was not given */
};

/* Was the option given? `name`: the long form. */
bool vz_call_has(const vz_call *call, const char *name);
/* Its value, or "" where it takes none; NULL: it was not given. Given twice, the later one counts. */
const char *vz_call_value(const vz_call *call, const char *name);

/* parse_arguments.c: arguments[0] is the subcommand's name. False: the call is done with (help was printed, or what is wrong
 * told), and *status is what the process returns. */
bool vz_call_parse(const vz_command *command, int count, char **arguments, vz_call *call, vz_exit *status);

/* help.c: all three print on standard output; the table is vz_commands, or another one that ends with NULL. */
void vz_help_print(const vz_command *const *commands);
void vz_help_print_command(const vz_command *command);
void vz_help_print_man(const vz_command *const *commands); /* the man page, in troff's man macros */

/* subcommand_table.c: ends with NULL. */
extern const vz_command *const vz_commands[];
const vz_command *vz_command_find(const char *name); /* NULL: there is none */

#endif
