/* The lines of a corpus: a region is printed and made again, and computes the same bits compiled and interpreted.
 * Must not know: the emitter. */
#include "config.h"

#include "codelets/nest/cloop.h"
#include "tests/harness/jit_help.h"
#include "tests/harness/region_corpus.h"

static rb made, read_back;

/* (x > 0.5 ? x·y : exp(x)) + 0.75 over the middle of rows, with y by index. */
static void mixed(void)
{
    const int64_t dim[2] = { 6, 75 };
    rb_begin(&made, RB_MAP, 2, dim);
    int x = rb_load(&made, rb_box(&made, rb_linear(&made, rb_input(&made, ORR_F32, 450)), 1, 3, 70));
    int at = rb_load(&made, rb_linear(&made, rb_input(&made, ORR_I64, 450)));
    int place = rb_push(&made, ORR__RI_PLACE, ORR_I64, 0, at, -1, -1, rb_placed(&made, -1, 1, 9), -1);
    int y = rb_push(&made, ORR__RI_GATHER, ORR_F32, 0, place, -1, -1,
                    rb_placed(&made, rb_input(&made, ORR_F32, 9), 0, 1), -1);
    int s = rb_scalar(&made, ORR_F32, (orr__scalar){ .f = 0.75 });
    int large = rb_ew(&made, "greater", x, s, -1);
    int r = rb_ew(&made, "where", large, rb_ew(&made, "mul", x, y, -1), rb_ew(&made, "exp", x, -1, -1));
    rb_out(&made, ORR_F32, rb_ew(&made, "add", r, s, -1));
}

static void drawn_fold(void)
{
    const int64_t dim[2] = { 5, 130 };
    rb_begin(&made, RB_REDUCE, 2, dim);
    made.r.rmask = 2;
    made.r.rop[0] = ORR__RMAX;
    int x = rb_random(&made, ORR__DUNIFORM, ORR_F32, rb_linear(&made, -1), 5, 0, 0);
    rb_out(&made, ORR_F32, x);
}

static bool reads_its_line(void)
{
    char line[8192] = "";
    size_t sizes[2] = { 0, 0 };
    FILE *f = tmpfile();
    if (!f)
        return false;
    orr__emit_c_print(f, &made.r);
    rewind(f);
    bool ok = fgets(line, sizeof line, f) && rco_read(line, &read_back);
    (void)fclose(f);
    void *one = orr__emit_c_content(&made.r, &sizes[0]),
         *two = ok ? orr__emit_c_content(&read_back.r, &sizes[1]) : NULL;
    ok = one && two && sizes[0] == sizes[1] && memcmp(one, two, sizes[0]) == 0;
    free(one);
    free(two);
    ORR_CHECK_MSG(!ok || !rco_read("kernel x : 0 0 0", &read_back), "a short line is not a region");
    return ok;
}

static void regions_are_made_again_from_their_lines(void)
{
    mixed();
    ORR_CHECK(reads_its_line());
    drawn_fold();
    ORR_CHECK(reads_its_line());
}

static uint64_t bits(const rb *b, int jit)
{
    rco_data d;
    orr__kernel *k = NULL;
    orr__env.jit = jit;
    ORR_CHECK(rco_draw(b, RCO_ANY, &d));
    orr__launch l = { .region = &b->r, .hi = b->r.dim[0], .in = d.in, .out = d.out, .scalar = b->scalar };
    ORR_CHECK(orr__cpu.prepare(&b->r, &k) == ORR_OK && orr__cpu.launch(k, &l) == ORR_OK);
    ORR_CHECK_MSG(jit == ORR__JIT_OFF || !strncmp(orr__cpu_tier(k), "tier 1", 6), "%s", orr__cpu_tier(k));
    orr__cpu.release(k);
    uint64_t hash = rco_bits(b, &d);
    rco_free(&d);
    return hash;
}

static void both_tiers_give_the_same_bits(void)
{
    ORR_NEED_COMPILER();
    jh_settings(orr_test_kernels());
    orr__env.machine = ORR__MACHINE_FIXED;
    orr__cpu_start();
    mixed();
    uint64_t compiled = bits(&made, ORR__JIT_WAIT);
    ORR_CHECK(compiled != 0 && compiled == bits(&made, ORR__JIT_OFF));
    orr__cpu_stop();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(regions_are_made_again_from_their_lines),
                                      ORR_TEST(both_tiers_give_the_same_bits),
                                      { NULL, NULL } };
    return orr_test_main(argc, argv, "corpus", tests);
}
