/* External texts, as JSON and as lines for readers.
 * Must not know: what they name. */
#include "config.h"

#include <limits.h>

#include <stdlib.h>
#include <string.h>
#include "runtime/base/text.h"
#include "tests/harness/harness.h"

static void json(const char *s, const char *want)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    ORR_REQUIRE(to != NULL);
    orr__text_json(to, s);
    (void)fclose(to);
    ORR_CHECK_MSG(!strcmp(text, want), "%s, not %s", text, want);
    free(text);
}

/* The results of Python's json.dumps(bytes.decode("utf-8", "replace"), ensure_ascii=False), with one U+FFFD a byte. */
static void json_text_is_valid_for_any_input(void)
{
    json("a/b.c", "a/b.c");
    json("say \"x\"\\", "say \\\"x\\\"\\\\");
    json("a\nb\tc\x01", "a\\u000ab\\u0009c\\u0001");
    json("µ 漢 😀", "µ 漢 😀");
    json("\xff.c", "\xef\xbf\xbd.c");
    json("\xc3", "\xef\xbf\xbd");                                                 /* cut */
    json("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");                                 /* an overlong form */
    json("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");                 /* a surrogate */
    json("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* beyond U+10FFFF */
    json("", "");
}

static void lines_keep_whole_characters(void)
{
    char to[8];
    ORR_CHECK(!strcmp(orr__text_line(to, sizeof to, "a\n\xff\x7f"), "a???"));
    ORR_CHECK(!strcmp(orr__text_line(to, sizeof to, "123456µ"), "123456"));
    ORR_CHECK(!strcmp(orr__text_line(to, sizeof to, "12345µ"), "12345µ"));
    ORR_CHECK(!strcmp(orr__text_line(to, sizeof to, "123456789"), "1234567"));
}

static void numbered(const char *before, int i, const char *after)
{
    char to[16], printed[16];
    for (size_t size = 1; size <= sizeof to; size++) {
        memset(to, 'z', sizeof to);
        orr__text_numbered(to, size, before, i, after);
        (void)snprintf(printed, size, "%s%d%s", before, i, after);
        ORR_CHECK_MSG(!strcmp(to, printed), "\"%s\", not \"%s\"", to, printed);
    }
}

static void numbered_names_are_those_of_printf(void)
{
    static const int number[] = { 0, 7, 10, 99, -1, 123456, INT_MAX, INT_MIN };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        numbered("x[", number[i], "]");
        numbered("", number[i], "");
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(json_text_is_valid_for_any_input),
                                      ORR_TEST(lines_keep_whole_characters),
                                      ORR_TEST(numbered_names_are_those_of_printf),
                                      { 0 } };
    return orr_test_main(argc, argv, "base.text", tests);
}
