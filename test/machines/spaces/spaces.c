/* spaces.c - random dataspaces on a Zarr store and on a native file (test/machines/README.md).
 *
 *   spaces [--seed N] [--cases N] [--seconds N] [--first N] [--only N]
 *
 * Cases run in a child, which may crash: then the next one goes on behind it. What fails is made smaller and printed.
 */
#include "spaces.h"

#include <ftw.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CASE_SECONDS = 60, FAILURES_MAX = 20, SMALLER_MAX = 200 };

typedef struct options {
    uint64_t seed, first, cases;
    double seconds;
} options;

/* What a child tells. */
typedef struct report {
    uint64_t number; /* the case under way */
    int from;        /* the next simpler case */
    bool failed;
    char message[1000];
} report;

static report *told;
static char directory[128];

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
    (void)stat, (void)kind, (void)where;
    return remove(path);
}

static void clear_place(void)
{
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool run_one(const trial *t)
{
    clear_place();
    if (mkdir(directory, 0700) != 0)
        return false;
    alarm(CASE_SECONDS);
    told->failed = !trial_run(t, directory, told->message, sizeof told->message);
    alarm(0);
    return !told->failed;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Cases until one fails, or the end. */
static int run_many(const options *o, double until)
{
    static trial t;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (; told->number < o->first + o->cases && now() < until; told->number++) {
        trial_draw(&t, o->seed, told->number);
        if (!run_one(&t))
            return 1;
    }
    return H5close() < 0;
}

/* How a child ended; true: well. */
static bool wait_for(pid_t child, report *r)
{
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || r->failed))
        return WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status))
        snprintf(r->message, sizeof r->message, "%s",
                 WTERMSIG(status) == SIGALRM ? "it hangs" : strsignal(WTERMSIG(status)));
    else
        snprintf(r->message, sizeof r->message, "exit status %d", WEXITSTATUS(status));
    r->failed = true;
    return false;
}

/* Finds the first case that is simpler than this one and fails, in a child; or whether this one fails alone. */
static bool finds_simpler(const trial *t, bool itself, trial *out)
{
    static trial smaller;
    told->failed = false;
    told->from = 0;
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        if (itself)
            _exit(!run_one(t));
        while (trial_simpler(t, &told->from, &smaller))
            if (!run_one(&smaller))
                _exit(1);
        _exit(0);
    }
    if (wait_for(child, told))
        return false;
    *out = *t;
    if (itself)
        return true;
    told->from--;
    return trial_simpler(t, &told->from, out);
}

static void tell_failure(const options *o)
{
    static trial t, smaller;
    char message[sizeof told->message];
    snprintf(message, sizeof message, "%s", told->message);
    trial_draw(&t, o->seed, told->number);
    printf("spaces: --seed %llu --only %llu: %s\n", (unsigned long long)o->seed, (unsigned long long)told->number,
           message);
    fflush(stdout);
    if (!finds_simpler(&t, true, &smaller)) {
        printf("alone it does not fail:\n");
    } else {
        for (int i = 0; i < SMALLER_MAX && finds_simpler(&t, false, &smaller); i++) {
            t = smaller;
            snprintf(message, sizeof message, "%s", told->message);
        }
        printf("made smaller: %s\n", message);
    }
    trial_print(stdout, &t);
    fflush(stdout);
}

static bool read_options(int count, char **words, options *o)
{
    *o = (options){.seed = 1, .cases = 1, .seconds = 1e9};
    bool only = false, bounded = false;
    for (int i = 1; i < count; i += 2) {
        const char *word = i + 1 < count ? words[i + 1] : NULL;
        if (!word)
            return false;
        const unsigned long long number = strtoull(word, NULL, 10);
        if (strcmp(words[i], "--seed") == 0)
            o->seed = number;
        else if (strcmp(words[i], "--cases") == 0)
            o->cases = number, bounded = true;
        else if (strcmp(words[i], "--first") == 0)
            o->first = number;
        else if (strcmp(words[i], "--seconds") == 0)
            o->seconds = (double)number, o->cases = bounded ? o->cases : UINT64_MAX / 2;
        else if (strcmp(words[i], "--only") == 0)
            o->first = number, only = true;
        else
            return false;
    }
    if (only)
        o->cases = 1;
    return true;
}

static void make_place(void)
{
    const char *base = getenv("VZ_MACHINES_TMP");
    if (!base)
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(directory, sizeof directory, "%s/vol-zarr-spaces-%d", base, (int)getpid());
}

int main(int count, char **words)
{
    options o;
    if (!read_options(count, words, &o)) {
        fprintf(stderr, "spaces [--seed N] [--cases N] [--seconds N] [--first N] [--only N]\n");
        return 2;
    }
    make_place();
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        return 2;
    const double began = now(), until = began + o.seconds;
    int failures = 0;
    for (told->number = o.first; told->number < o.first + o.cases && now() < until && failures < FAILURES_MAX;) {
        fflush(stdout);
        told->failed = false;
        const pid_t child = fork();
        if (child == 0)
            exit(run_many(&o, until));
        if (wait_for(child, told))
            continue;
        failures++;
        tell_failure(&o);
        told->number++;
    }
    clear_place();
    printf("spaces: seed %llu, %llu cases in %.0f s, %d failed\n", (unsigned long long)o.seed,
           (unsigned long long)(told->number - o.first), now() - began, failures);
    return failures > 0;
}
