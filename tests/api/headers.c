/* The version of the public headers: a program of other headers is refused, and no struct changes without a new version.
 * Must not know: what the structs mean. */
#include "config.h"

#include <orrery.h>
#include <string.h>
#include "tests/harness/harness.h"

/* Every public struct with a definition, and its bytes where pointers have eight. A changed size needs a new ORR_HEADERS (orrery/eval.h): then
 * change both here. */
enum { LISTED = 3 };
#define STRUCTS(X)                                                                                                     \
    X(orr_attention_options, 32)                                                                                       \
    X(orr_axes, 36)                                                                                                    \
    X(orr_batch_choice, 32)                                                                                            \
    X(orr_buffer, 16)                                                                                                  \
    X(orr_bytes, 16)                                                                                                   \
    X(orr_cache_entry, 488)                                                                                            \
    X(orr_cg_result, 24)                                                                                               \
    X(orr_class_options, 40)                                                                                           \
    X(orr_config, 64)                                                                                                  \
    X(orr_conv_options, 160)                                                                                           \
    X(orr_data_parallel_options, 16)                                                                                   \
    X(orr_device, 1104)                                                                                                \
    X(orr_dlpack_array, 48)                                                                                            \
    X(orr_dlpack_unversioned, 64)                                                                                      \
    X(orr_dlpack_versioned, 80)                                                                                        \
    X(orr_dp_mechanism, 24)                                                                                            \
    X(orr_dp_options, 96)                                                                                              \
    X(orr_early_stop, 40)                                                                                              \
    X(orr_eig_result, 16)                                                                                              \
    X(orr_eigh_result, 16)                                                                                             \
    X(orr_fact, 240)                                                                                                   \
    X(orr_field_division, 16)                                                                                          \
    X(orr_fixed, 16)                                                                                                   \
    X(orr_float_facts, 40)                                                                                             \
    X(orr_heads_options, 72)                                                                                           \
    X(orr_index, 72)                                                                                                   \
    X(orr_initialiser, 24)                                                                                             \
    X(orr_integer_facts, 24)                                                                                           \
    X(orr_iteration_options, 32)                                                                                       \
    X(orr_kernel_args, 152)                                                                                            \
    X(orr_kernel_array, 88)                                                                                            \
    X(orr_kernel_back, 48)                                                                                             \
    X(orr_kernel_def, 144)                                                                                             \
    X(orr_loader_options, 56)                                                                                          \
    X(orr_lobpcg_result, 32)                                                                                           \
    X(orr_loss_scale, 32)                                                                                              \
    X(orr_lstsq_result, 24)                                                                                            \
    X(orr_lu_result, 24)                                                                                               \
    X(orr_machine_number, 144)                                                                                         \
    X(orr_memory, 144)                                                                                                 \
    X(orr_memory_plan, 72)                                                                                             \
    X(orr_metric, 104)                                                                                                 \
    X(orr_norm_options, 24)                                                                                            \
    X(orr_number, 32)                                                                                                  \
    X(orr_optim_options, 96)                                                                                           \
    X(orr_packing, 32)                                                                                                 \
    X(orr_parameter, 72)                                                                                               \
    X(orr_perfmodel, 120)                                                                                              \
    X(orr_place_device, 40)                                                                                            \
    X(orr_placement, 32)                                                                                               \
    X(orr_plateau, 56)                                                                                                 \
    X(orr_pool_options, 128)                                                                                           \
    X(orr_qr_result, 16)                                                                                               \
    X(orr_reading, 112)                                                                                                \
    X(orr_recurrent_options, 16)                                                                                       \
    X(orr_scan_lists, 48)                                                                                              \
    X(orr_scan_options, 2)                                                                                             \
    X(orr_schedule, 80)                                                                                                \
    X(orr_secagg_config, 72)                                                                                           \
    X(orr_shape, 72)                                                                                                   \
    X(orr_shard, 32)                                                                                                   \
    X(orr_slogdet_result, 16)                                                                                          \
    X(orr_stat, 128)                                                                                                   \
    X(orr_svd_result, 24)

static void structs_have_the_sizes_of_their_version(void)
{
    if (sizeof(void *) != 8)
        ORR_SKIP("pointers have %zu bytes", sizeof(void *));
    ORR_CHECK_MSG(ORR_HEADERS == LISTED, "version %d", ORR_HEADERS);
#define X(type, size) ORR_CHECK_MSG(sizeof(type) == (size), "%s has %zu bytes", #type, sizeof(type));
    STRUCTS(X)
#undef X
}

static void programs_of_other_headers_are_refused(void)
{
    for (int other = ORR_HEADERS - 1; other <= ORR_HEADERS + 1; other += 2) {
        ORR_CHECK(orr_init_at(ORR_HERE, other, NULL) == ORR_EINVAL);
        ORR_CHECK_MSG(strstr(orr_error_message(), "compile it again"), "%s", orr_error_message());
    }
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(structs_have_the_sizes_of_their_version),
                                      ORR_TEST(programs_of_other_headers_are_refused),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.headers", tests);
}
