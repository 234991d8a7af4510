/* commands.h - the rows that the table in commands.c is made of, each in the file of its subcommand. */
#ifndef VZ_COMMAND_COMMANDS_H
#define VZ_COMMAND_COMMANDS_H

#include "command/command.h"

extern const vz_command vz_command_ls, vz_command_tree, vz_command_info, vz_command_check;
extern const vz_command vz_command_convert, vz_command_doctor;

#endif
