/* orrery-tune on programs with known best settings.
 * Must not know: how the race is run. */
#include "config.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>
#include "tests/harness/harness.h"

static char folder[] = "/tmp/orr-tune-XXXXXX", output[1u << 16];

/* Runs orrery-tune in the folder; returns the exit status. */
static int tune(const char *arguments)
{
    char line[4096];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(line, sizeof line,
                   "build=$(cd '%s' && pwd); cd '%s' || exit 99; \"$build\"/tools/orrery-tune %s 2>&1",
                   build ? build : ".", folder, arguments);
    FILE *f = popen(line, "r");
    if (!f)
        return -1;
    size_t n = fread(output, 1, sizeof output - 1, f);
    output[n] = '\0';
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool script(const char *name, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    bool ok = f && fprintf(f, "#!/bin/sh\n%s\n", text) > 0;
    return f && fclose(f) == 0 && ok && chmod(path, 0700) == 0;
}

static const char *content(const char *name)
{
    static char text[1u << 16];
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f)
        (void)fclose(f);
    return text;
}

#define GRID "--policies lws,eager,dmda --workers 1,2 --tiles 100,500 "

static void race_by_metric_writes_best(void)
{
    ORR_CHECK(script("prog",
                     "t=50\n[ \"$STARPU_SCHED\" = eager ] && t=$((t-20))\n[ \"$STARPU_NCPU\" = 2 ] && t=$((t-10))\n"
                     "[ \"$ORRERY_TILE_US\" = 500 ] && t=$((t-5))\necho \"loss 3\"; echo \"took: $t.5 ms\""));
    int rc = tune("--runs 3 --metric took " GRID "-- ./prog");
    ORR_CHECK_MSG(rc == 0, "exit status %d:\n%s", rc, output);
    ORR_CHECK_MSG(strstr(output, "fastest: eager, workers 2, tiles 500 us, 3.26 times"), "%s", output);
    const char *env = content("orrery-tune.env");
    ORR_CHECK_MSG(strstr(env, "export STARPU_SCHED=eager\nexport STARPU_NCPU=2\nexport ORRERY_TILE_US=500\n"), "%s",
                  env);
    const char *svg = content("orrery-tune.svg");
    ORR_CHECK(!strncmp(svg, "<svg ", 5) && strstr(svg, "</svg>") && strstr(svg, "eager, workers 2, tiles 500 us"));
}

static void race_varies_any_variable(void)
{
    ORR_CHECK(script("vary",
                     "t=50\n[ \"$ORRERY_FUSE\" = off ] && t=$((t-20))\n[ \"$WORDS\" = \"it's one\" ] && t=$((t-5))\n"
                     "[ -n \"$STARPU_SCHED$STARPU_NCPU$ORRERY_TILE_US\" ] && t=1\necho \"t $t\""));
    int rc = tune("--runs 2 --metric t --vary ORRERY_FUSE=on,off --vary \"WORDS=two,it's one\" -- "
                  "env -u STARPU_SCHED -u STARPU_NCPU -u ORRERY_TILE_US ./vary");
    ORR_CHECK_MSG(rc == 0 && strstr(output, "fastest: ORRERY_FUSE off, WORDS it's one, 2.00 times"),
                  "exit status %d:\n%s", rc, output);
    const char *env = content("orrery-tune.env");
    ORR_CHECK_MSG(strstr(env, "export ORRERY_FUSE=off\nexport WORDS='it'\\''s one'\n"), "%s", env);
    rc = tune("--runs 2 --metric t --workers 1,2 --vary STARPU_SCHED=ws,lws -- ./vary");
    ORR_CHECK_MSG(rc == 0 && strstr(output, "lws, workers 2") && !strstr(output, "tiles"), "exit status %d:\n%s", rc,
                  output);
}

static void wall_clock_time_decides_without_a_metric(void)
{
    ORR_CHECK(script("slow", "if [ \"$STARPU_SCHED\" = ws ]; then sleep 0.01; else sleep 0.5; fi"));
    int rc = 0;
    bool found = false;
    for (int i = 0; i < 5 && !found && rc == 0; i++) { /* a delayed run is scatter, which no difference exceeds */
        rc = tune("--runs 2 --output w --policies ws,lws --workers 1 --tiles 100 ./slow");
        found = strstr(output, "fastest: ws, workers 1");
    }
    ORR_CHECK_MSG(rc == 0 && found, "exit status %d:\n%s", rc, output);
}

static void failing_setting_loses_with_reason(void)
{
    ORR_CHECK(script("some", "[ \"$STARPU_SCHED\" = dmda ] && exit 7\n[ \"$STARPU_SCHED\" = eager ] && kill -9 $$\n"
                             "[ \"$STARPU_SCHED\" = lws ] && sleep 300\necho \"t 1\""));
    int rc = tune("--runs 2 --limit 4 --metric t --policies lws,eager,dmda --workers 1 --tiles 100 ./some");
    ORR_CHECK_MSG(rc == 0, "exit status %d:\n%s", rc, output);
    ORR_CHECK_MSG(strstr(output, "exit status 7") && strstr(output, "signal 9") && strstr(output, "took more than 4 s"),
                  "%s", output);
    ORR_CHECK_MSG(strstr(output, "Nothing is faster") && strstr(output, ": . ./orrery-tune.env\n"), "%s", output);
    ORR_CHECK_MSG(!strstr(content("orrery-tune.env"), "export"), "%s", content("orrery-tune.env"));
}

static void program_that_never_works_is_error(void)
{
    int rc = tune("--policies lws --workers 1 --tiles 100 -- ./no-such-program");
    ORR_CHECK_MSG(rc == 1 && strstr(output, "cannot be run"), "exit status %d:\n%s", rc, output);
    rc = tune("--policies lws --workers 1 --tiles 100 --metric seconds -- echo nothing");
    ORR_CHECK_MSG(rc == 1 && strstr(output, "no number after \"seconds\""), "exit status %d:\n%s", rc, output);
    ORR_CHECK(script("counts", "echo run >> runs; exit 3"));
    rc = tune("--policies lws,eager,ws --workers 1,2 --tiles 100 ./counts");
    ORR_CHECK_MSG(rc == 1 && strstr(output, "./counts: exit status 3"), "exit status %d:\n%s", rc, output);
    ORR_CHECK_MSG(strcmp(content("runs"), "run\n") == 0, "it ran again and again:\n%s", content("runs"));
}

static void wrong_usage_is_reported(void)
{
    static const char *const wrong[] = {
        "",
        "--runs 0 true",
        "--runs x true",
        "--limit -1 true",
        "--policies , true",
        "--nonsense true",
        "--vary A true",
        "--vary =a true",
        "--vary A= true",
        "--vary 1=a true",
        "--vary A=1 --vary B=1 --vary C=1 --vary D=1 --vary E=1 --vary F=1 true",
        ("--vary A=1,2,3,4,5,6,7,8,9,10,11,12 --vary B=1,2,3,4,5,6,7,8,9,10,11,12 "
         "--vary C=1,2,3,4,5,6,7,8,9,10,11,12 --vary D=1,2,3,4,5,6,7,8,9,10,11,12 true")
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ORR_CHECK_MSG(tune(wrong[i]) == 2 && strstr(output, "usage:"), "%s:\n%s", wrong[i], output);
    ORR_CHECK(tune("--help") == 0 && strstr(output, "usage:"));
    ORR_CHECK(script("never", "echo run >> never_ran"));
    ORR_CHECK_MSG(tune("--output /nowhere/at/all --policies lws --workers 1 --tiles 1 --runs 1 ./never") == 1 &&
                      strstr(output, "cannot be written"),
                  "%s", output);
    ORR_CHECK_MSG(!content("never_ran")[0], "the race was run for nothing:\n%s", content("never_ran"));
}

/* Runs orrery-tune with these arguments, and stops it when the file has so many lines. */
static int tune_until(const char *arguments, const char *file, int lines)
{
    char all[2048];
    (void)snprintf(
        all, sizeof all,
        "%s & p=$!; until [ \"$(cat %s 2>/dev/null | wc -l)\" -ge %d ]; do kill -0 $p || break; sleep 0.1; done; "
        "kill -INT $p; wait $p",
        arguments, file, lines);
    return tune(all);
}

static void stopped_race_reports_results_so_far(void)
{
    ORR_CHECK(script("nap", "echo nap >> naps; sleep 0.2; echo 't 1'"));
    int rc = tune_until("--metric t " GRID "./nap", "naps", 3);
    ORR_CHECK_MSG(strstr(output, "as it is"), "exit status %d:\n%s", rc, output);
}

/* Settings that never ran are no winners; the winner so far is reported. */
static void race_stopped_in_first_round_reports_best(void)
{
    ORR_CHECK(script("lap", "echo lap >> laps; sleep 0.15; case \"$A\" in '') echo 't 9';; *) echo 't 1';; esac"));
    int rc = tune_until("--metric t --vary A=1,2,3,4,5,6,7,8,9 --vary B=1,2,3,4,5,6,7,8,9 ./lap", "laps", 6);
    ORR_CHECK_MSG(rc == 130 && strstr(output, "fastest: A ") && strstr(output, "9.00 times"), "exit status %d:\n%s", rc,
                  output);
    const char *never = strstr(output, "its turn did not come"), *is = strstr(output, "as it is  ");
    ORR_CHECK_MSG(is && never && is < never, "%s", output);
    ORR_CHECK_MSG(strstr(content("orrery-tune.env"), "export A="), "%s", content("orrery-tune.env"));
}

/* The chart is XML for any arguments of the program: bytes that are not UTF-8, and characters cut in two. */
static void chart_is_well_formed_for_odd_arguments(void)
{
    char line[1200] = "--runs 1 --policies lws --workers 1 --tiles 1 true \"$(printf 'a\\377b\\303')\" '<&>' x";
    for (int i = 0; i < 300; i++)
        (void)strcat(line, "\xc3\xa4");
    int rc = tune(line);
    ORR_CHECK_MSG(rc == 0, "exit status %d:\n%s", rc, output);
    const char *svg = content("orrery-tune.svg");
    ORR_CHECK_MSG(strstr(svg, "true a?b? &lt;&amp;&gt; x\xc3\xa4\xc3\xa4"), "%s", svg);
    mbstate_t state = { 0 };
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = utf8 ? uselocale(utf8) : (locale_t)0;
    for (size_t n; utf8 && *svg; svg += n)
        if ((n = mbrlen(svg, strlen(svg), &state)) > 4) {
            ORR_CHECK_MSG(false, "no UTF-8 in the chart: %.20s", svg);
            break;
        }
    if (utf8) {
        (void)uselocale(before);
        freelocale(utf8);
    }
}

static void clean_up(void)
{
    char line[128];
    (void)snprintf(line, sizeof line, "rm -r '%s'", folder);
    ORR_CHECK(system(line) == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(race_by_metric_writes_best),
                                      ORR_TEST(race_varies_any_variable),
                                      ORR_TEST(wall_clock_time_decides_without_a_metric),
                                      ORR_TEST(failing_setting_loses_with_reason),
                                      ORR_TEST(program_that_never_works_is_error),
                                      ORR_TEST(wrong_usage_is_reported),
                                      ORR_TEST(stopped_race_reports_results_so_far),
                                      ORR_TEST(race_stopped_in_first_round_reports_best),
                                      ORR_TEST(chart_is_well_formed_for_odd_arguments),
                                      ORR_TEST(clean_up),
                                      { 0 } };
    if (!mkdtemp(folder))
        return 1;
    return orr_test_main(argc, argv, "tools.tune", tests);
}
