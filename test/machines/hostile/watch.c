/* watch.c - looks at a child a few times in a second. Waiting is counted by looks that met all its threads asleep, not
 * by the clock: on a machine with other work a child that does much may have to wait long for a processor. */
#include "watch.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 50 };

static long resident_kilobytes(pid_t pid)
{
    char path[64];
    long total = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Of a thread: "number (name) S ...", where the name may hold anything. */
static bool thread_sleeps(const char *tasks, const char *number)
{
    char path[512], text[256];
    snprintf(path, sizeof path, "%s/%s/stat", tasks, number);
    FILE *file = fopen(path, "r");
    if (!file)
        return true; /* it has ended */
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && strncmp(name_end, ") S", 3) == 0;
}

static bool sleeps(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *tasks = opendir(path);
    bool all = tasks != NULL;
    for (struct dirent *entry; all && (entry = readdir(tasks));)
        all = entry->d_name[0] == '.' || thread_sleeps(path, entry->d_name);
    if (tasks)
        closedir(tasks);
    return all;
}

const char *watch(pid_t pid, const struct limits *limits, int *status, struct rusage *usage)
{
    const char *word = NULL;
    sigset_t chld;
    const struct timespec tick = {0, TICK_MS * 1000000L};
    long waited_ms = 0;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    while (!word && wait4(pid, status, WNOHANG, usage) == 0) {
        sigtimedwait(&chld, NULL, &tick);
        waited_ms += sleeps(pid) ? TICK_MS : 0;
        if (waited_ms > limits->seconds * WATCH_WAIT_FACTOR * 1000)
            word = "waits";
        else if (resident_kilobytes(pid) - limits->idle_kilobytes > limits->megabytes * 1024)
            word = "memory";
    }
    if (word) {
        kill(pid, SIGKILL);
        wait4(pid, status, 0, usage);
    }
    return word;
}
