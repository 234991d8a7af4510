/* environment.h - variables of the environment. Texts stay the system's: a program that sets a
 * variable may free them. */
#ifndef VZ_OS_ENVIRONMENT_H
#define VZ_OS_ENVIRONMENT_H

const char *vz_os_environment(const char *name); /* NULL: it is not set */
/* As vz_os_environment, but NULL in a program with more rights than its user has. */
const char *vz_os_environment_trusted(const char *name);
/* All of it: "NAME=value" each, up to a NULL. */
char *const *vz_os_environment_all(void);
void vz_os_environment_unset(const char *name);

#endif
