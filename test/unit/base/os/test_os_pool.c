/* The pool under load, its errors, fork, and what cpu_count.c reads from control groups. */
#include "base/util/bytes.h"
#include "base/os/thread_internal.h"
#include "base/os/thread.h"
#include "own_directory.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TASKS        1000u

struct record {
    atomic_uint runs[TASKS];
    atomic_bool in_use[256]; /* by worker: nobody else has the same number */
    unsigned width;
    atomic_bool wrong;
};

static bool record_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    (void)err;
    struct record *record = context;
    if (worker >= record->width || atomic_exchange(&record->in_use[worker], true))
        record->wrong = true;
    vz_buffer *scratch = vz_pool_scratch(worker, index % VZ_POOL_SCRATCH_SLOTS);
    scratch->size = 0;
    if (!vz_buffer_append(scratch, &index, sizeof index, err))
        return false;
    record->runs[index]++;
    record->in_use[worker] = false;
    return true;
}

static void run_and_check(unsigned threads, size_t count)
{
    struct record *record = calloc(1, sizeof *record);
    vz_pool_set_threads(threads);
    record->width = vz_pool_width();
    if (threads)
        assert_int_equal(record->width, threads);
    vz_error err = VZ_ERROR_NONE;
    assert_true(vz_pool_run(record_task, record, count, &err));
    assert_false(record->wrong);
    for (size_t i = 0; i < TASKS; i++)
        assert_int_equal(record->runs[i], i < count);
    free(record);
}

static void test_every_index_once(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 3, 8, 0};
    static const size_t counts[] = {0, 1, 2, 3, 17, TASKS};
    for (size_t i = 0; i < COUNT(threads); i++)
        for (size_t j = 0; j < COUNT(counts); j++)
            run_and_check(threads[i], counts[j]);
    vz_pool_set_threads(100000);
    assert_int_equal(vz_pool_width(), 256);
}

static bool sum_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    (void)worker, (void)err;
    atomic_fetch_add((atomic_size_t *)context, index);
    return true;
}

typedef struct helped {
    atomic_uint tasks, by_others;
} helped;

static bool helped_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    helped *h = context;
    (void)index, (void)err;
    h->tasks++;
    h->by_others += worker > 0 || vz_pool_works_together();
    return true;
}

/* Waking another thread takes longer than so little work. */
static void test_little_work_is_the_callers(void **state)
{
    (void)state;
    vz_pool_set_threads(4);
    helped little = {0}, enough = {0};
    assert_true(vz_pool_run_bytes(helped_task, &little, TASKS, VZ_POOL_BYTES_MIN - 1, NULL));
    assert_int_equal(little.tasks, TASKS);
    assert_int_equal(little.by_others, 0);
    assert_true(vz_pool_run_bytes(helped_task, &enough, TASKS, VZ_POOL_BYTES_MIN, NULL));
    assert_int_equal(enough.tasks, TASKS);
    assert_int_equal(enough.by_others, TASKS);
}

static void test_many_short_runs(void **state)
{
    (void)state;
    vz_pool_set_threads(4);
    for (int i = 0; i < 3000; i++) {
        atomic_size_t sum = 0;
        assert_true(vz_pool_run(sum_task, &sum, 5, NULL));
        assert_int_equal(sum, 10);
    }
}

static void *run_from_a_thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < 300; i++) {
        atomic_size_t sum = 0;
        if (!vz_pool_run(sum_task, &sum, 7, NULL) || sum != 21)
            return "wrong";
    }
    return NULL;
}

static void test_callers_take_turns(void **state)
{
    (void)state;
    vz_pool_set_threads(3);
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_create(&threads[i], NULL, run_from_a_thread, NULL);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_null(result);
    }
}

static bool failing_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    (void)worker;
    atomic_fetch_add((atomic_uint *)context, 1);
    if (index >= 10)
        return vz_fail(err, VZ_CORRUPT, "task %zu", index);
    return true;
}

static void test_first_error_wins(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        vz_pool_set_threads(threads);
        for (int round = 0; round < 50; round++) {
            atomic_uint ran = 0;
            vz_error err = VZ_ERROR_NONE;
            assert_false(vz_pool_run(failing_task, &ran, 100000, &err));
            assert_int_equal(err.class, VZ_CORRUPT);
            assert_memory_equal(err.text, "task 1", 6);
            assert_in_range(ran, 11, 10 + 2 * threads); /* no further index is begun */
        }
    }
    atomic_uint ran = 0;
    assert_false(vz_pool_run(failing_task, &ran, 100, NULL));
    vz_error earlier = VZ_ERROR_NONE;
    vz_fail(&earlier, VZ_LIMIT, "earlier");
    assert_false(vz_pool_run(failing_task, &ran, 100, &earlier));
    assert_int_equal(earlier.class, VZ_LIMIT);
}

static bool entering_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    (void)index, (void)worker;
    return vz_pool_run(sum_task, context, 3, err);
}

static void test_not_reentrant(void **state)
{
    (void)state;
    vz_pool_set_threads(2);
    atomic_size_t sum = 0;
    vz_error err = VZ_ERROR_NONE;
    assert_false(vz_pool_run(entering_task, &sum, 4, &err));
    assert_int_equal(err.class, VZ_INVALID);
    assert_true(vz_pool_run(sum_task, &sum, 4, NULL));
}

typedef struct errands {
    pthread_t caller;
    size_t sum; /* no atomic: only the caller's thread adds */
    atomic_bool wrong;
} errands;

typedef struct errand {
    errands *of;
    size_t number;
    bool done;
} errand;

static void run_errand(void *argument)
{
    errand *e = argument;
    if (!pthread_equal(pthread_self(), e->of->caller))
        e->of->wrong = true;
    e->of->sum += e->number;
    e->done = true;
}

static bool errand_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    (void)worker, (void)err;
    errand e = {.of = context, .number = index};
    vz_pool_on_caller(run_errand, &e);
    if (!e.done)
        e.of->wrong = true;
    return true;
}

/* The caller's thread alone makes these calls, whoever wants them; also when all tasks are the workers'. */
static void test_calls_of_the_caller(void **state)
{
    (void)state;
    errands all = {.caller = pthread_self()};
    for (unsigned threads = 1; threads <= 4; threads++) {
        vz_pool_set_threads(threads);
        for (size_t count = 1; count < 200; count += threads) {
            all.sum = 0;
            assert_true(vz_pool_run(errand_task, &all, count, NULL));
            assert_int_equal(all.sum, count * (count - 1) / 2);
        }
    }
    errand outside = {.of = &all, .number = 5};
    all.sum = 0;
    vz_pool_on_caller(run_errand, &outside);
    assert_int_equal(all.sum, 5);
    assert_false(all.wrong);
}

static bool signals_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    (void)err, (void)index;
    usleep(1000);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (worker > 0 &&
        (!sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGALRM) || sigismember(&blocked, SIGSEGV)))
        atomic_store((atomic_bool *)context, true);
    if (worker == 0 && sigismember(&blocked, SIGINT))
        atomic_store((atomic_bool *)context, true);
    return true;
}

static void test_signals(void **state)
{
    (void)state;
    vz_pool_set_threads(3);
    atomic_bool wrong = false;
    assert_true(vz_pool_run(signals_task, &wrong, 50, NULL));
    assert_false(wrong);
}

static void test_stop_and_start(void **state)
{
    (void)state;
    vz_pool_set_threads(3);
    for (int i = 0; i < 20; i++) {
        atomic_size_t sum = 0;
        assert_true(vz_pool_run(sum_task, &sum, 100, NULL));
        assert_int_equal(sum, 4950);
        assert_true(vz_buffer_append(vz_pool_scratch(2, 1), "x", 1, NULL));
        vz_pool_stop();
        assert_null(vz_pool_scratch(2, 1)->data);
    }
}

/* A child has no threads but its own, and the pool works in it; also when other threads were running the pool. */
static int child_works(void)
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        atomic_size_t sum = 0;
        const bool ok = vz_pool_width() == 3 && vz_pool_run(sum_task, &sum, 100, NULL) && sum == 4950;
        vz_pool_stop();
        _exit(ok ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

static void test_fork(void **state)
{
    (void)state;
    vz_pool_set_threads(3);
    assert_int_equal(child_works(), 0);
    atomic_size_t sum = 0;
    assert_true(vz_pool_run(sum_task, &sum, 100, NULL));
    vz_pool_stop();
}

/* The sanitizers of this compiler cannot start threads in the child of a process whose other threads come and go. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define FORK_ROUNDS 0
#else
#define FORK_ROUNDS 100
#endif

/* In qemu-user a child may wait for a lock of qemu's own, which another thread had at the fork. As little as a kernel
 * without filters does it answer here. */
static bool forks_amid_threads(void)
{
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 || errno != EINVAL;
}

static void test_fork_amid_runs(void **state)
{
    (void)state;
    if (!forks_amid_threads())
        skip();
    vz_pool_set_threads(3);
    for (int round = 0; round < FORK_ROUNDS / 20; round++) {
        pthread_t threads[2];
        for (size_t i = 0; i < COUNT(threads); i++)
            pthread_create(&threads[i], NULL, run_from_a_thread, NULL);
        for (int i = 0; i < 20; i++)
            assert_int_equal(child_works(), 0);
        for (size_t i = 0; i < COUNT(threads); i++)
            pthread_join(threads[i], NULL);
    }
    vz_pool_stop();
}

/* Tasks that wait for somebody else. */
static bool waiting_task(void *context, size_t index, unsigned worker, vz_error *err)
{
    (void)index, (void)worker, (void)err;
    atomic_uint *state = context; /* 0; 1: a task waits; 2: it may go on */
    atomic_compare_exchange_strong(state, &(unsigned){0}, 1);
    while (*state != 2)
        usleep(1000);
    return true;
}

static void *run_waiting_tasks(void *argument)
{
    vz_pool_run(waiting_task, argument, 6, NULL);
    return NULL;
}

/* A fork does not wait for the end of a run, which may be remote. */
static void test_fork_amid_tasks(void **state)
{
    (void)state;
    if (!forks_amid_threads())
        skip();
    vz_pool_set_threads(3);
    atomic_uint waiting = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, run_waiting_tasks, &waiting);
    while (waiting != 1)
        usleep(1000);
    alarm(60);
    for (int i = 0; i < FORK_ROUNDS / 20; i++)
        assert_int_equal(child_works(), 0);
    alarm(0);
    waiting = 2;
    pthread_join(thread, NULL);
    vz_pool_stop();
}

/* ---- quotas ---- */

static void write_file(const char *root, const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *p = full + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(full, 0777);
        *p = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define V2 "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"

static void test_quota(void **state)
{
    (void)state;
    static const struct {
        const char *cgroup, *mounts, *file[4], *text[4];
        unsigned quota;
    } cases[] = {
        {"0::/\n", V2, {NULL}, {NULL}, 0},
        {"0::/\n", V2, {"/sys/fs/cgroup/cpu.max"}, {"max 100000\n"}, 0},
        {"0::/\n", V2, {"/sys/fs/cgroup/cpu.max"}, {"200000 100000\n"}, 2},
        {"0::/\n", V2, {"/sys/fs/cgroup/cpu.max"}, {"150000 100000\n"}, 2},
        {"0::/\n", V2, {"/sys/fs/cgroup/cpu.max"}, {"1000 100000\n"}, 1},
        {"0::/\n", V2, {"/sys/fs/cgroup/cpu.max"}, {"nonsense\n"}, 0},
        {"0::/\n", V2, {"/sys/fs/cgroup/cpu.max"}, {"100000 0\n"}, 0},
        {"0::/\n", V2, {"/sys/fs/cgroup/cpu.max"}, {"9000000000000000000 1\n"}, 65536},
        {"0::/a/b\n",
         V2,
         {"/sys/fs/cgroup/a/cpu.max", "/sys/fs/cgroup/a/b/cpu.max"},
         {"300000 100000\n", "max 100000\n"},
         3},
        {"0::/a/b\n",
         V2,
         {"/sys/fs/cgroup/a/cpu.max", "/sys/fs/cgroup/a/b/cpu.max"},
         {"900000 100000\n", "400000 100000\n"},
         4},
        {"0::/../../x\n", V2, {"/sys/fs/cgroup/cpu.max"}, {"500000 100000\n"}, 5},
        {"0::/a\n", "", {"/sys/fs/cgroup/a/cpu.max"}, {"500000 100000\n"}, 0},
        {"9:cpuacct:/q\n4:cpu,cpuacct:/docker/1\n",
         "32 31 0:29 /docker/1 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
         {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"},
         {"250000\n", "100000\n"},
         3},
        {"4:cpu:/\n",
         "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
         {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"},
         {"-1\n", "100000\n"},
         0},
        {"4:cpuset:/\n",
         "32 31 0:29 / /c rw - cgroup cgroup rw,cpuset\n",
         {"/c/cpu.cfs_quota_us", "/c/cpu.cfs_period_us"},
         {"1\n", "1\n"},
         0},
        {"not a line\n", "neither\n", {NULL}, {NULL}, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char root[] = P_tmpdir "/vz_quota_XXXXXX";
        assert_non_null(mkdtemp(root));
        assert_int_equal(vz_machine_quota(root), 0);
        write_file(root, "/proc/self/cgroup", cases[i].cgroup);
        write_file(root, "/proc/self/mountinfo", cases[i].mounts);
        for (size_t j = 0; j < 4 && cases[i].file[j]; j++)
            write_file(root, cases[i].file[j], cases[i].text[j]);
        if (vz_machine_quota(root) != cases[i].quota)
            fail_msg("case %zu: %u", i, vz_machine_quota(root));
        assert_int_equal(remove_tree(root), 0);
    }
    assert_in_range(vz_machine_threads(), 1, sysconf(_SC_NPROCESSORS_ONLN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index_once),
        cmocka_unit_test(test_calls_of_the_caller),
        cmocka_unit_test(test_little_work_is_the_callers),
        cmocka_unit_test(test_many_short_runs),
        cmocka_unit_test(test_callers_take_turns),
        cmocka_unit_test(test_first_error_wins),
        cmocka_unit_test(test_not_reentrant),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_stop_and_start),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_amid_runs),
        cmocka_unit_test(test_fork_amid_tasks),
        cmocka_unit_test(test_quota),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
