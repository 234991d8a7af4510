/* walker.c - walker SECONDS MEGABYTES LISTING_MEGABYTES: for each line of standard input, a path, a child looks at that
 * file and changes it. Its answer is one line of standard output: "ok", or what went wrong.
 *
 * HDF5 and the connector are loaded once, before the first fork; no file is ever opened in the parent. A child may take
 * SECONDS of processor time (and of the clock ten times as many: it may wait for nothing), and MEGABYTES of memory, or
 * for what only lists names and types LISTING_MEGABYTES. The words in `misbehaviour` are no paths: with them the
 * machine makes sure that it would see such a thing. */
#include "walk.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

enum { TICK_MS = 50, CLOCK_FACTOR = 10, LISTING_EXIT = 90, LEAK_EXIT = 91 };

struct limits {
    long seconds, megabytes, listing_megabytes;
    long idle_kilobytes; /* what a child takes that does nothing */
};

static long peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void check_leaks(void)
{
#if defined __SANITIZE_ADDRESS__
    if (getenv("VZ_HOSTILE_LEAKS") && __lsan_do_recoverable_leak_check())
        _exit(LEAK_EXIT);
#endif
}

static void overflow(void)
{
    volatile char *byte = malloc(1);
    volatile size_t behind = 1; /* the compiler must not see it */
    byte[behind] = 1;
}

static void take_memory(void)
{
    enum { PIECE = 16 << 20 };
    for (void *piece; (piece = malloc(PIECE));)
        memset(piece, 1, PIECE);
}

static const struct {
    const char *word;
    void (*call)(void);
} misbehaviour[] = {{"misbehave: overflow", overflow}, {"misbehave: memory", take_memory}};

static void misbehave(const char *word)
{
    for (size_t i = 0; i < sizeof misbehaviour / sizeof *misbehaviour; i++) {
        if (strcmp(word, misbehaviour[i].word) == 0)
            misbehaviour[i].call();
    }
}

static void child(const char *path, const struct limits *limits)
{
    const struct rlimit processor = {(rlim_t)limits->seconds, (rlim_t)limits->seconds + 1}, core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &processor);
    setrlimit(RLIMIT_CORE, &core);
    misbehave(path);
    walk_listing(path);
    if (peak_kilobytes() - limits->idle_kilobytes > limits->listing_megabytes * 1024)
        _exit(LISTING_EXIT);
    walk_reading(path);
    walk_changes(path);
    H5close();
    check_leaks();
    _exit(0);
}

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

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Waits for the child; the word for what became of it, or NULL when the status tells. */
static const char *watch(pid_t pid, const struct limits *limits, int *status, struct rusage *usage)
{
    const char *word = NULL;
    sigset_t chld;
    const struct timespec tick = {0, TICK_MS * 1000000L};
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    for (const double began = now(); wait4(pid, status, WNOHANG, usage) == 0;) {
        sigtimedwait(&chld, NULL, &tick);
        if (now() - began > (double)limits->seconds * CLOCK_FACTOR)
            word = "waits";
        else if (resident_kilobytes(pid) - limits->idle_kilobytes > limits->megabytes * 1024)
            word = "memory";
        if (word) {
            kill(pid, SIGKILL);
            wait4(pid, status, 0, usage);
            break;
        }
    }
    return word;
}

static void answer(const char *word, int status, const struct rusage *usage, const struct limits *limits)
{
    const long ms = (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
                    (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
    const long megabytes = (usage->ru_maxrss - limits->idle_kilobytes) / 1024;
    char text[32];
    if (!word && WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "signal-%d", WTERMSIG(status));
        word = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? "time" : text;
    } else if (!word && WEXITSTATUS(status) != 0) {
        snprintf(text, sizeof text, "exit-%d", WEXITSTATUS(status));
        word = WEXITSTATUS(status) == LISTING_EXIT ? "listing-memory"
               : WEXITSTATUS(status) == LEAK_EXIT  ? "leak"
                                                   : text;
    } else if (!word) {
        word = megabytes > limits->megabytes ? "memory" : "ok";
    }
    printf("%s %ld %ld\n", word, ms, megabytes);
    fflush(stdout);
}

static long idle(void)
{
    int status;
    struct rusage usage;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    wait4(pid, &status, 0, &usage);
    return usage.ru_maxrss;
}

int main(int count, char **arguments)
{
    static char line[4096];
    if (count != 4)
        return 2;
    struct limits limits = {atol(arguments[1]), atol(arguments[2]), atol(arguments[3]), 0};
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, NULL);
    H5open();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (H5VLis_connector_registered_by_name("zarr") <= 0)
        return 3;
    limits.idle_kilobytes = idle();
    while (fgets(line, sizeof line, stdin)) {
        int status = 0;
        struct rusage usage = {0};
        line[strcspn(line, "\n")] = '\0';
        const pid_t pid = fork();
        if (pid < 0)
            return 4;
        if (pid == 0)
            child(line, &limits);
        const char *word = watch(pid, &limits, &status, &usage);
        answer(word, status, &usage, &limits);
    }
    return 0;
}
