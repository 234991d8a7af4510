/* workload.c - a process that has HDF5 and the connector loaded, and runs a script of HDF5 calls in a child for each
 * line of standard input, with one of the connector's calls failing. Prints one line of JSON for each.
 *
 *   SCRIPT SESSION MODE MEMORY AT ERROR PATH      MODE: count, once, on; MEMORY: 0 system calls, 1 allocations; ERROR:
 * an errno
 *
 * The connector and its options come from HDF5_VOL_CONNECTOR. */
#include "script.h"
#include "../hook/hook.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_SECONDS     60 /* one run takes milliseconds, but the machine may be busy */
#define CPU_LIMIT_SECONDS 5
#define MODULES           "libH5VLzarr"
#define FILES_MAX         256
#define SAID_SIZE         6000

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* ---- what HDF5 says ---- */

struct said {
    char text[SAID_SIZE];
    size_t length;
};

static herr_t add_message(unsigned n, const H5E_error2_t *error, void *context)
{
    struct said *said = context;
    (void)n;
    if (error->desc && said->length + strlen(error->desc) + 2 < sizeof said->text)
        said->length += (size_t)sprintf(said->text + said->length, "%s\n", error->desc);
    return 0;
}

/* HDF5 calls this when one of its functions fails: later calls clear the stack, the first failure of a step is kept. */
static herr_t keep_words(hid_t stack, void *context)
{
    struct said *said = context;
    if (!said->length)
        H5Ewalk2(stack, H5E_WALK_UPWARD, add_message, said);
    return 0;
}

static void print_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", *text);
        else
            fputc(*text, out);
    fputc('"', out);
}

/* ---- the child ---- */

/* Which descriptors are open, by number. */
static void look_at_files(bool open[FILES_MAX])
{
    for (int file = 0; file < FILES_MAX; file++)
        open[file] = fcntl(file, F_GETFD) >= 0;
}

static void print_new_files(FILE *out, const bool before[FILES_MAX])
{
    bool now[FILES_MAX];
    const char *separator = "";
    look_at_files(now);
    fputs(", \"files\": [", out);
    for (int file = 0; file < FILES_MAX; file++) {
        char link[32], path[PATH_MAX] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        if (!now[file] || before[file] || readlink(link, path, sizeof path - 1) < 0)
            continue;
        fputs(separator, out);
        print_json_text(out, path);
        separator = ", ";
    }
    fputc(']', out);
}

static void print_calls(FILE *out, long calls)
{
    const unsigned char *kinds = hook_kinds();
    fputs(", \"kinds\": [", out);
    for (long i = 0; kinds && i < calls; i++)
        fprintf(out, "%s%d", i ? "," : "", kinds[i]);
    const unsigned long *sites = hook_sites();
    fputs("], \"sites\": [", out);
    for (long i = 0; sites && i < HOOK_SITES * calls; i++)
        fprintf(out, "%s%lu", i ? "," : "", sites[i]);
    fputc(']', out);
}

static void print_way(FILE *out)
{
    const unsigned long *places;
    const int length = hook_way(&places);
    fputs(", \"way\": [", out);
    for (int i = 0; i < length; i++)
        fprintf(out, "%s%lu", i ? "," : "", places[i]);
    fputc(']', out);
}

/* Runs the steps; after a failed one the rest goes on, as programs do. A script ends with closing, tried twice. */
static void run_script(FILE *out, const struct script *script, const char *path, const struct hook_plan *plan)
{
    bool files[FILES_MAX];
    look_at_files(files);
    struct state state = {.path = path, .file = H5I_INVALID_HID};
    struct said said;
    H5Eset_auto2(H5E_DEFAULT, keep_words, &said);
    fprintf(out, "{\"steps\": [");
    hook_start(plan);
    for (const struct step *step = script->steps; step->name; step++) {
        said = (struct said){.length = 0};
        state.wrong[0] = '\0';
        const bool ok = step->run(&state);
        fprintf(out, "%s[\"%s\", %s, ", step == script->steps ? "" : ", ", step->name, ok ? "true" : "false");
        print_json_text(out, ok ? "" : said.text);
        fputs(", ", out);
        print_json_text(out, state.wrong);
        fputc(']', out);
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5close();
    const long calls = hook_stop();
    fprintf(out, "], \"calls\": %ld, \"hit\": %s", calls, hook_was_hit() ? "true" : "false");
    print_way(out);
    print_new_files(out, files);
    if (plan->mode == HOOK_COUNT)
        print_calls(out, calls);
    if (__lsan_do_recoverable_leak_check)
        fprintf(out, ", \"leaks\": %d", __lsan_do_recoverable_leak_check());
    fputs("}", out);
    fflush(out);
}

/* ---- the parent ---- */

/* Waits for the child; a child that takes too long is killed. SIGCHLD is blocked in the parent. */
static int wait_for(pid_t child)
{
    sigset_t ends;
    int status = 0;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    for (const time_t begun = time(NULL); waitpid(child, &status, WNOHANG) != child;) {
        if (time(NULL) > begun + LIMIT_SECONDS) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        sigtimedwait(&ends, NULL, &(struct timespec){.tv_sec = 1});
    }
    return status;
}

/* Before a child and in it: whether the end of a child is a signal that waits. */
static void block_ends(int how)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(how, &ends, NULL);
}

/* A file in memory: one on a disk would cost more than the run. memfd_create is refused to a portable build. */
static FILE *make_answer(void)
{
    char name[] = "/dev/shm/faults-XXXXXX";
    const int file = mkstemp(name);
    if (file < 0)
        return NULL;
    unlink(name);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return fdopen(file, "w+");
}

static void run_in_child(const struct script *script, const char *path, const struct hook_plan *plan)
{
    FILE *answer = make_answer();
    const pid_t child = answer ? fork() : -1;
    if (child == 0) {
        block_ends(SIG_UNBLOCK);
        setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_LIMIT_SECONDS, CPU_LIMIT_SECONDS});
        run_script(answer, script, path, plan);
        _exit(0);
    }
    const int status = child > 0 ? wait_for(child) : 0;
    if (child < 0)
        printf("{\"failed\": \"%s\"}\n", strerror(errno));
    else if (status == -1)
        printf("{\"hang\": true}\n");
    else if (WIFSIGNALED(status))
        printf("{\"signal\": %d}\n", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        printf("{\"status\": %d}\n", WEXITSTATUS(status));
    else {
        char part[4096];
        size_t size;
        rewind(answer);
        while ((size = fread(part, 1, sizeof part, answer)))
            fwrite(part, 1, size, stdout);
        putchar('\n');
    }
    fflush(stdout);
    if (answer)
        fclose(answer);
}

static int mode_of(const char *word)
{
    return strcmp(word, "once") == 0 ? HOOK_FAIL : strcmp(word, "on") == 0 ? HOOK_FAIL_ON : HOOK_COUNT;
}

/* The kinds of calls and the errors of each: the driver chooses from them. */
static void print_table(void)
{
    printf("{");
    for (int kind = 0; kind < HOOK_KINDS; kind++) {
        printf("%s\"%d\": [\"%s\"", kind ? ", " : "", kind, hook_kind_name(kind));
        for (const int *error = hook_kind_errors(kind); *error; error++)
            printf(", %d", *error);
        printf("]");
    }
    printf("}\n");
    fflush(stdout);
}

int main(void)
{
    char line[8192], name[32], mode[16], path[4096];
    struct hook_plan plan = {0};
    if (H5open() < 0)
        return 2;
    if (hook_install(MODULES) <= 0) {
        fprintf(stderr,
                hook_unknown() ? "the connector calls %s, which test/machines/hook/hook_calls.c does not know\n"
                               : "the connector is not loaded%s\n",
                hook_unknown() ? hook_unknown() : "");
        return 2;
    }
    block_ends(SIG_BLOCK);
    print_table();
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%31s %d %15s %d %ld %d %4095s", name, &plan.session, mode, &plan.memory, &plan.at,
                   &plan.error, path) != 7) {
            fprintf(stderr, "not understood: %s", line);
            return 2;
        }
        plan.mode = mode_of(mode);
        const struct script *script = script_find(name);
        if (!script) {
            fprintf(stderr, "no script %s\n", name);
            return 2;
        }
        run_in_child(script, path, &plan);
    }
    return 0;
}
