/* parse_arguments.c - a subcommand's arguments, as its table of options says. */
#include "command/command/command.h"
#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* getopt's number of the option in that row: beyond all characters, so that no letter is taken for
 * one. */
#define ROW_BASE 256
#define ROW_HELP (ROW_BASE + VZ_COMMAND_OPTIONS_MAX)

struct forms {
    struct option longs[VZ_COMMAND_OPTIONS_MAX + 2];
    char letters[2 * VZ_COMMAND_OPTIONS_MAX + 4];
};

static void add_letter(struct forms *forms, char letter, bool has_value)
{
    const size_t used = strlen(forms->letters);
    forms->letters[used] = letter;
    forms->letters[used + 1] = has_value ? ':' : '\0';
}

static struct forms forms_of(const vz_command *command)
{
    struct forms forms = {.letters = ":h"}; /* ':': a missing value differs from an unknown
                                             * option */
    size_t count = 0;
    const vz_command_option *options = command->options;
    for (; options && options[count].name; count++) {
        const bool has_value = options[count].value != NULL;
        forms.longs[count] = (struct option){.name = options[count].name,
                                             .has_arg = has_value ? required_argument : no_argument,
                                             .val = ROW_BASE + (int)count};
        if (options[count].letter)
            add_letter(&forms, options[count].letter, has_value);
    }
    forms.longs[count] = (struct option){.name = "help", .val = ROW_HELP};
    return forms;
}

/* The row of what getopt met; -1: none. */
static int row_of(const vz_command *command, int met)
{
    if (met >= ROW_BASE)
        return met - ROW_BASE;
    for (int i = 0; command->options && command->options[i].name; i++)
        if (command->options[i].letter && command->options[i].letter == met)
            return i;
    return -1;
}

/* "--jso" has the nearest option "json". */
static const char *nearest_option(const vz_command *command, const char *argument)
{
    vz_nearest nearest;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
    vz_nearest_begin(&nearest, name);
    for (size_t i = 0; command->options && command->options[i].name; i++)
        vz_nearest_try(&nearest, command->options[i].name);
    return nearest.found;
}

static vz_exit tell_wrong(const vz_command *command, int met, const char *argument)
{
    const char *what = met == ':' ? "needs a value" : "is no option of it, or not clear, or takes no value";
    const bool is_long = strncmp(argument, "--", 2) == 0;
    const char *meant = is_long && met == '?' ? nearest_option(command, argument + 2) : NULL;
    if (meant && strcmp(meant, argument + 2) != 0 && !strchr(argument, '='))
        vz_say_error("%s: %.100s %s: did you mean --%s?", command->name, argument, what, meant);
    else if (argument[0] == '-' && !is_long && optopt)
        vz_say_error("%s: -%c %s: h5zarr %s --help lists them", command->name, optopt, what, command->name);
    else
        vz_say_error("%s: %.100s %s: h5zarr %s --help lists them", command->name, argument, what, command->name);
    return VZ_EXIT_USAGE;
}

static bool count_is_right(const vz_command_call *call, vz_exit *status)
{
    const vz_command *command = call->command;
    if (call->count >= command->least && call->count <= command->most)
        return true;
    vz_say_error("%s: %s: usage: h5zarr %s %s", command->name,
                 call->count < command->least ? "something is missing" : "there is too much", command->name,
                 command->usage);
    *status = VZ_EXIT_USAGE;
    return false;
}

bool vz_command_parse(const vz_command *command, int count, char **arguments, vz_command_call *call, vz_exit *status)
{
    const struct forms forms = forms_of(command);
    *call = (vz_command_call){.command = command};
    opterr = 0;
    optind = 0; /* glibc: begin anew */
    int met;
    while ((met = getopt_long(count, arguments, forms.letters, forms.longs, NULL)) != -1) {
        if (met == 'h' || met == ROW_HELP) {
            vz_help_print_command(command);
            *status = VZ_EXIT_FINE;
            return false;
        }
        const int row = met == '?' || met == ':' ? -1 : row_of(command, met);
        if (row < 0) {
            *status = tell_wrong(command, met, arguments[optind > 1 ? optind - 1 : 1]);
            return false;
        }
        call->values[row] = optarg ? optarg : "";
    }
    call->operands = arguments + optind;
    call->count = count - optind;
    return count_is_right(call, status);
}

const char *vz_command_value(const vz_command_call *call, const char *name)
{
    const vz_command_option *options = call->command->options;
    for (size_t i = 0; options && options[i].name; i++)
        if (strcmp(options[i].name, name) == 0)
            return call->values[i];
    return NULL;
}

bool vz_command_has(const vz_command_call *call, const char *name)
{
    return vz_command_value(call, name) != NULL;
}
