/* orrery-report: the page has the program's lines, and a browser shows it without an error, where there is one.
 * Must not know: how the page is made. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"

static char output[1 << 20];

/* The exit status of a command in the build folder; its output is in `output`. */
static int run(const char *command)
{
    char line[9000];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(line, sizeof line, "cd '%.3000s' && { %.5000s; } 2>&1", build ? build : ".", command);
    FILE *f = popen(line, "r");
    size_t n = f ? fread(output, 1, sizeof output - 1, f) : 0;
    output[n] = '\0';
    int status = f ? pclose(f) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *page(void)
{
    return orr_test_tmp("report.html");
}

static void the_page_has_the_lines_of_the_program(void)
{
    char command[4000], svg[1000];
    size_t size = 0;
    (void)snprintf(svg, sizeof svg, "%s", orr_test_tmp("roof.svg"));
    (void)snprintf(command, sizeof command, "tools/orrery-report -o %s --roofline %s examples/ten_lines", page(), svg);
    ORR_CHECK_MSG(run(command) == 0 && strstr(output, "(4, 10)"), "%s", output);
    char *text = (char *)orr_test_slurp(page(), &size);
    ORR_CHECK(text && strstr(text, "ten_lines.c") && strstr(text, "\"spans\":[[") && !strstr(text, "@DATA@"));
    ORR_CHECK(text && !strstr(text, "https://") && !strstr(text, "src="));
    free(text);
    text = (char *)orr_test_slurp(svg, &size);
    ORR_CHECK(text && !strncmp(text, "<svg ", 5) && strstr(text, "</svg>") && strstr(text, "ten_lines.c:"));
    free(text);
    ORR_CHECK(run("tools/orrery-report") == 2 && strstr(output, "SYNOPSIS"));
    ORR_CHECK(run("tools/orrery-report --help") == 0 && strstr(output, "--roofline"));
    ORR_CHECK(run("tools/orrery-report /nowhere/program") == 1 && strstr(output, "cannot run"));
    ORR_CHECK(run("tools/orrery-report true") == 1 && strstr(output, "has not started Orrery"));
}

/* Uses both themes, the search, zoom and keys, and reports by the title. */
static const char steps[] =
    "<script>{ let errors = 0; onerror = () => { errors++; };\n"
    "document.getElementById('theme').click(); const first = document.documentElement.dataset.theme;\n"
    "document.getElementById('theme').click(); const second = document.documentElement.dataset.theme;\n"
    "document.getElementById('in').click(); document.getElementById('out').click();\n"
    "for (const key of ['+', '-', 'ArrowLeft', 'ArrowRight', 'Home'])\n"
    "  document.getElementById('lanes').dispatchEvent(new KeyboardEvent('keydown', { key }));\n"
    "const search = document.getElementById('search'); search.value = 'no such note';\n"
    "search.dispatchEvent(new Event('input'));\n"
    "const rows = [...document.querySelectorAll('#notetable tbody tr')];\n"
    "const hidden = rows.length > 0 && rows.every(r => r.hidden);\n"
    "const drawn = document.querySelectorAll('#roof circle').length > 0 && document.querySelectorAll('#mem "
    "polyline').length > 0;\n"
    "document.title = errors === 0 && first !== second && hidden && drawn ? 'all is well' : "
    "[errors, first, second, hidden, drawn].join(' '); }</script>\n";

static void a_browser_shows_it_without_an_error(void)
{
    char command[4000];
    size_t size = 0;
    if (run("command -v chromium || command -v chromium-browser || command -v google-chrome") != 0)
        ORR_SKIP("no Chromium is installed");
    char browser[200];
    (void)snprintf(browser, sizeof browser, "%.*s", (int)strcspn(output, "\n"), output);
    (void)snprintf(command, sizeof command, "tools/orrery-report -o %s examples/ten_lines", page());
    ORR_REQUIRE(run(command) == 0);
    char *text = (char *)orr_test_slurp(page(), &size), *end = text ? strstr(text, "</body>") : NULL;
    FILE *f = fopen(page(), "w");
    ORR_REQUIRE(end && f);
    (void)fwrite(text, 1, (size_t)(end - text), f);
    (void)fputs(steps, f);
    (void)fputs(end, f);
    (void)fclose(f);
    free(text);
    (void)snprintf(command, sizeof command,
                   "timeout 100 %s --headless --no-sandbox --disable-gpu --user-data-dir=%s --enable-logging=stderr "
                   "--dump-dom file://%s",
                   browser, orr_test_tmp("profile"), page());
    int rc = run(command);
    if (rc != 0 && !strstr(output, "<title>"))
        ORR_SKIP("%s does not start here", browser);
    ORR_CHECK_MSG(strstr(output, "<title>all is well</title>") && !strstr(output, "Uncaught"), "%d\n%.3000s", rc,
                  strstr(output, "<title>") ? strstr(output, "<title>") : output);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(the_page_has_the_lines_of_the_program),
        ORR_TEST(a_browser_shows_it_without_an_error),
        { 0 },
    };
    return orr_test_main(argc, argv, "report", tests);
}
