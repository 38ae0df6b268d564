/* The devices of the ranks of a machine: all counts of devices and of ranks, by share and by number.
 * Must not know: how ranks learn of each other, what a device is. */
#include "config.h"

#include "runtime/ranks/ranks.h"
#include "tests/harness/harness.h"

enum { DEVICES = 8, RANKS = 8 };

/* Shares have no gap and no overlap, and differ by at most one; with more ranks than devices, neighbours share one. */
static void devices_are_divided(void)
{
    for (int devices = 1; devices <= DEVICES; devices++)
        for (int ranks = 1; ranks <= RANKS; ranks++) {
            int taken[DEVICES] = { 0 }, least = DEVICES, most = 0, before = -1;
            for (int local = 0; local < ranks; local++) {
                int first = -1, count = -1;
                orr__rank_devices(devices, ranks, local, -1, &first, &count);
                ORR_CHECK(first >= 0 && count >= 1 && first + count <= devices && first >= before);
                before = first;
                for (int i = 0; i < count; i++)
                    taken[first + i]++;
                least = count < least ? count : least;
                most = count > most ? count : most;
            }
            ORR_CHECK_MSG(most - least <= 1, "%d devices, %d ranks: %d to %d", devices, ranks, least, most);
            for (int d = 0; d < devices; d++)
                ORR_CHECK_MSG(ranks <= devices ? taken[d] == 1
                                               : taken[d] == ranks / devices || taken[d] == ranks / devices + 1,
                              "%d devices, %d ranks: %d have number %d", devices, ranks, taken[d], d);
        }
}

static void usual_nodes_are_divided_as_one_expects(void)
{
    static const struct {
        int devices, ranks, local, first, count;
    } node[] = { { 4, 1, 0, 0, 4 }, { 4, 4, 2, 2, 1 }, { 8, 2, 1, 4, 4 }, { 8, 3, 1, 2, 3 },
                 { 1, 4, 3, 0, 1 }, { 2, 4, 1, 0, 1 }, { 2, 4, 2, 1, 1 }, { 0, 4, 1, 0, 0 } };
    for (size_t i = 0; i < sizeof node / sizeof *node; i++) {
        int first = -1, count = -1;
        orr__rank_devices(node[i].devices, node[i].ranks, node[i].local, -1, &first, &count);
        ORR_CHECK_MSG(first == node[i].first && count == node[i].count, "%d devices, rank %d of %d: %d from %d",
                      node[i].devices, node[i].local, node[i].ranks, count, first);
    }
}

static void a_number_is_obeyed(void)
{
    for (int devices = 0; devices <= DEVICES; devices++)
        for (int ranks = 1; ranks <= RANKS; ranks++)
            for (int asked = 0; asked <= DEVICES + 1; asked++)
                for (int local = 0; local < ranks; local++) {
                    int first = -1, count = -1, want = asked < devices ? asked : devices;
                    orr__rank_devices(devices, ranks, local, asked, &first, &count);
                    ORR_CHECK(count == want && first == (want ? local * want % devices : 0));
                }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(devices_are_divided),
                                      ORR_TEST(usual_nodes_are_divided_as_one_expects),
                                      ORR_TEST(a_number_is_obeyed),
                                      { 0 } };
    return orr_test_main(argc, argv, "distribute.binding", tests);
}
