/* completion.c - the scripts by which shells complete words of the command line, made of the table
 * of subcommands. */
#include "command/command/command.h"
#include <stdio.h>
#include <string.h>

/* ---- parts ---- */

static bool has_words(const vz_command_option *option)
{
    return option->value && strchr(option->value, '|');
}

/* "2|3" as "2 3" */
static void print_words(const char *value)
{
    for (; *value; value++)
        putchar(*value == '|' ? ' ' : *value);
}

/* Within single quotes, with a backslash before what the shell's own syntax of help has. */
static void print_quoted(const char *text, const char *special)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(special, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
}

/* ---- bash ---- */

static void print_bash_command(const vz_command *command)
{
    printf("    %s)\n        options='--help", command->name);
    for (const vz_command_option *option = command->options; option && option->name; option++)
        printf(" --%s", option->name);
    printf("'\n");
    for (const vz_command_option *option = command->options; option && option->name; option++) {
        if (!option->value)
            continue;
        printf("        [ \"$previous\" = --%s ] && is_value=1 words='", option->name);
        if (has_words(option))
            print_words(option->value);
        printf("'\n");
    }
    printf("        ;;\n");
}

static void print_bash(const vz_command *const *commands)
{
    printf("# Made by `h5zarr --completion bash`.\n"
           "_h5zarr() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} options='' words='' "
           "is_value=''\n"
           "    COMPREPLY=()\n"
           "    if [ \"$current\" = = ]; then\n"
           "        current=''\n"
           "    elif [ \"$previous\" = = ]; then\n"
           "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
           "        COMPREPLY=($(compgen -W '--help --version");
    for (size_t i = 0; commands[i]; i++)
        printf(" %s", commands[i]->name);
    printf("' -- \"$current\"))\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; commands[i]; i++)
        print_bash_command(commands[i]);
    printf("    esac\n"
           "    if [ -n \"$is_value\" ]; then\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "    elif [[ $current == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
           "    fi\n"
           "}\n"
           "complete -o bashdefault -o default -F _h5zarr h5zarr\n");
}

/* ---- zsh ---- */

static void print_zsh_option(const vz_command_option *option)
{
    printf(" \\\n            ");
    if (option->letter)
        printf("'(-%c --%s)'{-%c,--%s%s}'[", option->letter, option->name, option->letter, option->name,
               option->value ? "=" : "");
    else
        printf("'--%s%s[", option->name, option->value ? "=" : "");
    print_quoted(option->help, "[]:\\");
    putchar(']');
    if (option->value) {
        printf(":%s:", has_words(option) ? option->name : option->value);
        if (has_words(option)) {
            putchar('(');
            print_words(option->value);
            putchar(')');
        } else
            printf("_files");
    }
    putchar('\'');
}

static void print_zsh(const vz_command *const *commands)
{
    printf("#compdef h5zarr\n# Made by `h5zarr --completion zsh`.\n"
           "_h5zarr() {\n"
           "    local state line\n"
           "    local -a commands\n"
           "    commands=(\n");
    for (size_t i = 0; commands[i]; i++) {
        printf("        '%s:", commands[i]->name);
        print_quoted(commands[i]->summary, ":\\");
        printf("'\n");
    }
    printf("    )\n"
           "    _arguments -C '(- *)'{-h,--help}'[what there is]' '(- *)'{-V,--version}'[the version]' \\\n"
           "        '1:subcommand:->subcommand' '*::argument:->argument'\n"
           "    case $state in\n"
           "    subcommand) _describe subcommand commands ;;\n"
           "    argument)\n"
           "        case $line[1] in\n");
    for (size_t i = 0; commands[i]; i++) {
        printf("        %s)\n            _arguments '(- *)'{-h,--help}'[its options]'", commands[i]->name);
        for (const vz_command_option *option = commands[i]->options; option && option->name; option++)
            print_zsh_option(option);
        printf(" '*:file:_files'\n            ;;\n");
    }
    printf("        esac\n        ;;\n    esac\n}\n_h5zarr \"$@\"\n");
}

/* ---- fish ---- */

static void print_fish_option(const char *command, const vz_command_option *option)
{
    printf("complete -c h5zarr -n '__fish_seen_subcommand_from %s'", command);
    if (option->letter)
        printf(" -s %c", option->letter);
    printf(" -l %s", option->name);
    if (has_words(option)) {
        printf(" -x -a '");
        print_words(option->value);
        putchar('\'');
    } else if (option->value)
        printf(" -r");
    printf(" -d '");
    print_quoted(option->help, "\\");
    printf("'\n");
}

static void print_fish(const vz_command *const *commands)
{
    printf("# Made by `h5zarr --completion fish`.\n"
           "complete -c h5zarr -n __fish_use_subcommand -s h -l help -d 'what there is'\n"
           "complete -c h5zarr -n __fish_use_subcommand -s V -l version -d 'the version'\n");
    for (size_t i = 0; commands[i]; i++) {
        printf("complete -c h5zarr -n __fish_use_subcommand -f -a %s -d '", commands[i]->name);
        print_quoted(commands[i]->summary, "\\");
        printf("'\n");
    }
    for (size_t i = 0; commands[i]; i++)
        for (const vz_command_option *option = commands[i]->options; option && option->name; option++)
            print_fish_option(commands[i]->name, option);
}

/* ---- all shells ---- */

static const struct {
    const char *shell;
    void (*print)(const vz_command *const *commands);
} scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

bool vz_help_print_completion(const char *shell, const vz_command *const *commands)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(shell, scripts[i].shell) == 0) {
            scripts[i].print(commands);
            return true;
        }
    return false;
}
