/* test_bucket_requests.c - requests, one by one and in batches, over a bucket, as it is and as it is used. */
#include "remote_support.h"

#define main main_of_other_stores
int main_of_other_stores(void);
#include "store/store/test_store_requests.c"
#undef main

static int open_s3_for_use(void **state)
{
    directory_path[0] = '\0';
    if (open_s3(state) != 0)
        return -1;
    *state = vz_layer_for_use(*state, true, NULL);
    return *state ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {OVER(open_s3), OVER(open_s3_for_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
