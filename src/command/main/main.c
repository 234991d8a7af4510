/* main.c - h5zarr SUBCOMMAND ...: finds the subcommand and runs it. */
#include "command/command/command.h"
#include "remote/bucket/bucket.h"
#include <locale.h>
#include <stdio.h>
#include <string.h>

/* All output must have arrived: a full disk behind standard output is a failure of the command. */
static vz_exit finish(vz_exit status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    vz_say_error("standard output: it cannot be written");
    return status == VZ_EXIT_FINE ? VZ_EXIT_FAILED : status;
}

static bool is_option(const char *argument, const char *letter, const char *name)
{
    return strcmp(argument, letter) == 0 || strcmp(argument, name) == 0;
}

static vz_exit tell_unknown(const char *name)
{
    vz_nearest nearest;
    vz_nearest_begin(&nearest, name);
    for (size_t i = 0; vz_commands[i]; i++)
        vz_nearest_try(&nearest, vz_commands[i]->name);
    if (nearest.found)
        vz_say_error("there is no subcommand \"%.100s\": did you mean %s?", name, nearest.found);
    else
        vz_say_error("there is no subcommand \"%.100s\": h5zarr --help lists them", name);
    return VZ_EXIT_USAGE;
}

static vz_exit run_help(const char *of)
{
    const vz_command *command = of ? vz_command_find(of) : NULL;
    if (of && !command)
        return tell_unknown(of);
    if (command)
        vz_help_print_command(command);
    else
        vz_help_print(vz_commands);
    return VZ_EXIT_FINE;
}

static vz_exit run_completion(const char *shell)
{
    if (shell && vz_help_print_completion(shell, vz_commands))
        return VZ_EXIT_FINE;
    vz_say_error("--completion is followed by bash, zsh or fish");
    return VZ_EXIT_USAGE;
}

static vz_exit run(int count, char **arguments)
{
    if (count < 2) {
        vz_say_error("no subcommand: h5zarr --help lists them");
        return VZ_EXIT_USAGE;
    }
    const char *first = arguments[1];
    if (is_option(first, "-h", "--help") || strcmp(first, "help") == 0)
        return run_help(arguments[2]);
    if (is_option(first, "-V", "--version")) {
        printf("h5zarr (vol-zarr) %s\n", VZ_VERSION);
        return VZ_EXIT_FINE;
    }
    if (strcmp(first, "--man") == 0) {
        vz_help_print_man(vz_commands);
        return VZ_EXIT_FINE;
    }
    if (strcmp(first, "--completion") == 0)
        return run_completion(arguments[2]);
    const vz_command *command = vz_command_find(first);
    if (!command)
        return tell_unknown(first);
    vz_command_call call;
    vz_exit status;
    return vz_command_parse(command, count - 1, arguments + 1, &call, &status) ? command->run(&call) : status;
}

int main(int count, char **arguments)
{
    setlocale(LC_CTYPE, ""); /* which characters a terminal shows; numbers stay as C prints them */
    vz_store_set_kinds(vz_bucket_all_kinds);
    return finish(run(count, arguments));
}
