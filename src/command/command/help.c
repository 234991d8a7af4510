/* help.c - what --help prints, and the man page: both of the one table of subcommands. */
#include "command/command/command.h"
#include <stdio.h>
#include <string.h>

#define HELP_WIDTH    80
#define HELP_INDENT   2
#define OPTION_INDENT 6

static const char about[] =
    "looks at Zarr stores, checks and repairs them, and converts between them and HDF5 files. A STORE is a directory, "
    "a zip file or a one-file store, in Zarr format 2 or 3; a PATH behind it names a group or an array in it.";

/* Options of all subcommands: rows of two columns. */
struct row {
    const char *term, *text;
};
static const struct row statuses[] = {
    {"0", "All is well."},
    {"1", "It failed, or something was found that is wrong."},
    {"2", "The command line is wrong; nothing was done."},
    {NULL, NULL},
};
static const struct row variables[] = {
    {"VOL_ZARR_<OPTION>",
     "The options of the plugin (docs/options.md), by their names in capitals: VOL_ZARR_THREADS=4."},
    {"NO_COLOR", "Set to anything, output has no colours. It has none either where it goes to no terminal."},
    {NULL, NULL},
};

/* ---- text ---- */

/* Words of a paragraph, as many in a line as fit; the first line goes on at `column`. */
static void fill(const char *text, unsigned indent, unsigned column)
{
    const char *end = strstr(text, "\n\n");
    const char *stop = end ? end : text + strlen(text);
    while (text < stop) {
        const size_t length = strcspn(text, " \n");
        if (column + 1 + length > HELP_WIDTH && column > indent) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += (unsigned)length;
        text += length + strspn(text + length, " \n");
    }
    putchar('\n');
}

static void fill_paragraphs(const char *text, unsigned indent)
{
    for (const char *at = text; at; at = strstr(at, "\n\n") ? strstr(at, "\n\n") + 2 : NULL) {
        printf("\n%*s", (int)indent, "");
        fill(at, indent, indent);
    }
}

static void print_option(const vz_command_option *option)
{
    printf("%*s", HELP_INDENT, "");
    if (option->letter)
        printf("-%c, ", option->letter);
    printf("--%s%s%s\n%*s", option->name, option->value ? "=" : "", option->value ? option->value : "", OPTION_INDENT,
           "");
    fill(option->help, OPTION_INDENT, OPTION_INDENT);
}

static const vz_command_option help_option = {'h', "help", NULL, "this text"};

void vz_help_print_command(const vz_command *command)
{
    printf("h5zarr %s [OPTION]... %s\n\n", command->name, command->usage);
    fill(command->summary, 0, 0);
    if (command->description)
        fill_paragraphs(command->description, 0);
    printf("\nOptions:\n");
    for (const vz_command_option *option = command->options; option && option->name; option++)
        print_option(option);
    print_option(&help_option);
}

static void print_rows(const char *title, const struct row *rows)
{
    printf("\n%s:\n", title);
    for (; rows->term; rows++) {
        printf("%*s%s\n%*s", HELP_INDENT, "", rows->term, OPTION_INDENT, "");
        fill(rows->text, OPTION_INDENT, OPTION_INDENT);
    }
}

void vz_help_print(const vz_command *const *commands)
{
    printf("h5zarr SUBCOMMAND [OPTION]... \n\nh5zarr");
    fill(about, 0, 6);
    printf("\nSubcommands (h5zarr SUBCOMMAND --help tells more):\n");
    for (size_t i = 0; commands[i]; i++) {
        printf("%*s%-*s", HELP_INDENT, "", 12, commands[i]->name);
        fill(commands[i]->summary, 14, 14);
    }
    print_rows("Exit status", statuses);
    print_rows("Environment", variables);
}

/* ---- the man page ---- */

/* A line of text in troff: nothing in it is an order, and hyphens are those that people type. */
static void print_troff(const char *text, size_t length)
{
    if (length && (*text == '.' || *text == '\''))
        fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '-' || text[i] == '\\')
            fputs(text[i] == '-' ? "\\-" : "\\e", stdout);
        else
            putchar(text[i]);
    }
}

static void print_troff_line(const char *text)
{
    print_troff(text, strlen(text));
    putchar('\n');
}

static void print_man_paragraphs(const char *text)
{
    for (const char *end; text; text = end ? end + 2 : NULL) {
        end = strstr(text, "\n\n");
        printf(".PP\n");
        print_troff(text, end ? (size_t)(end - text) : strlen(text));
        putchar('\n');
    }
}

static void print_man_option(const vz_command_option *option)
{
    printf(".TP\n\\fB");
    if (option->letter)
        printf("\\-%c\\fR, \\fB", option->letter);
    printf("\\-\\-");
    print_troff(option->name, strlen(option->name));
    printf("\\fR");
    if (option->value)
        printf("=\\fI%s\\fR", option->value);
    printf("\n");
    print_troff_line(option->help);
}

static void print_man_command(const vz_command *command)
{
    printf(".SS \"h5zarr %s\"\n.B h5zarr %s\n[\\fIOPTION\\fR]... ", command->name, command->name);
    print_troff_line(command->usage);
    printf(".PP\n");
    print_troff(command->summary, strlen(command->summary));
    printf(".\n");
    print_man_paragraphs(command->description);
    for (const vz_command_option *option = command->options; option && option->name; option++)
        print_man_option(option);
    print_man_option(&help_option);
}

static void print_man_rows(const char *title, const struct row *rows)
{
    printf(".SH %s\n", title);
    for (; rows->term; rows++) {
        printf(".TP\n.B ");
        print_troff_line(rows->term);
        print_troff_line(rows->text);
    }
}

void vz_help_print_man(const vz_command *const *commands)
{
    printf(".\\\" made by h5zarr --man\n.TH H5ZARR 1 \"\" \"vol\\-zarr %s\"\n", VZ_VERSION);
    printf(".SH NAME\nh5zarr \\- Zarr stores: looked at, checked, repaired, converted\n");
    printf(".SH SYNOPSIS\n.B h5zarr\n\\fISUBCOMMAND\\fR [\\fIOPTION\\fR]... \\fISTORE\\fR...\n");
    printf(".SH DESCRIPTION\n.B h5zarr\n");
    print_troff_line(about);
    printf(".SH SUBCOMMANDS\n");
    for (size_t i = 0; commands[i]; i++)
        print_man_command(commands[i]);
    print_man_rows("EXIT STATUS", statuses);
    print_man_rows("ENVIRONMENT", variables);
}
