/* subcommand_table.h - the rows that the table in subcommand_table.c is made of, each in the file of its subcommand. */
#ifndef VZ_COMMAND_SUBCOMMAND_TABLE_H
#define VZ_COMMAND_SUBCOMMAND_TABLE_H

#include "command/command/command.h"

extern const vz_command vz_command_ls;
extern const vz_command vz_command_tree;
extern const vz_command vz_command_info;
extern const vz_command vz_command_check;
extern const vz_command vz_command_repair;
extern const vz_command vz_command_consolidate;
extern const vz_command vz_command_compact;
extern const vz_command vz_command_door;
extern const vz_command vz_command_convert;
extern const vz_command vz_command_doctor;

#endif
