/* cases.h - test cases that need a process and a directory of their own: what is tested here begins when HDF5 is loaded
 * and ends when the process does. The parent never calls HDF5. */
#ifndef VZ_TEST_CASES_H
#define VZ_TEST_CASES_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

typedef struct test_case {
    const char *name;
    void (*run)(void); /* returns, then the process exits as any program does */
} test_case;

static inline int cases_remove(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

static inline int cases_status(const test_case *test)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        test->run();
        exit(0);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return status;
}

static inline int cases_run_one(const test_case *test)
{
    char directory[] = "/tmp/vz-case-XXXXXX";
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return 1;
    const int status = cases_status(test);
    if (chdir("/") == 0)
        nftw(directory, cases_remove, 8, FTW_DEPTH | FTW_PHYS);
    const int failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    printf("%s %s%s\n", failed ? "not ok" : "ok", test->name, status >= 0 && WIFSIGNALED(status) ? " (killed)" : "");
    return failed;
}

/* The program's exit status. An argument names the only case to run. */
static inline int cases_run(const test_case *tests, size_t count, int argc, char **argv)
{
    int failures = 0;
    for (size_t i = 0; i < count; i++)
        if (argc < 2 || strcmp(argv[1], tests[i].name) == 0)
            failures += cases_run_one(&tests[i]);
    return failures != 0;
}

#define CASES_MAIN(tests)                                                                                              \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return cases_run(tests, sizeof tests / sizeof *tests, argc, argv);                                             \
    }

#endif
