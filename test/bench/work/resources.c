/* bench_resources FILE COMMAND... - runs a command and writes into FILE its seconds, its seconds of CPU and the most
 * KiB of memory that one of its processes had. A process that Python starts counts Python's own memory, too, so Python
 * starts this one. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct rusage used;
    int status;
    const double began = seconds();
    const pid_t child = argc > 2 ? fork() : -1;
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status))
        return 1;
    const double took = seconds() - began;
    FILE *out = fopen(argv[1], "w");
    if (!out)
        return 1;
    fprintf(out, "%f %f %ld\n", took,
            (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
            used.ru_maxrss);
    return fclose(out) != 0 ? 1 : WEXITSTATUS(status);
}
