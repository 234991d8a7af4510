/* subcommand_table.c - the table of subcommands, and nothing else. */
#include "command/command/command.h"
#include <string.h>

/* A row a line. */
/* clang-format off */
const vz_command *const vz_commands[] = {
    &vz_command_ls,
    &vz_command_tree,
    &vz_command_info,
    &vz_command_show,
    &vz_command_check,
    &vz_command_repair,
    &vz_command_consolidate,
    &vz_command_compact,
    &vz_command_door,
    &vz_command_cp,
    &vz_command_sync,
    &vz_command_convert,
    &vz_command_diff,
    &vz_command_virtual,
    &vz_command_serve,
    &vz_command_advise,
    &vz_command_report,
    &vz_command_doctor,
    NULL,
};
/* clang-format on */

const vz_command *vz_command_find(const char *name)
{
    for (size_t i = 0; vz_commands[i]; i++)
        if (strcmp(vz_commands[i]->name, name) == 0)
            return vz_commands[i];
    return NULL;
}
