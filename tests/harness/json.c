/* A reader that accepts JSON (RFC 8259) and nothing else.
 * Must not know: the writer of the text. */
#include "config.h"

#include "tests/harness/json.h"

static const char *json_value(const char *s);

static const char *json_blank(const char *s)
{
    return s ? s + strspn(s, " \t\r\n") : NULL;
}

static const char *json_string(const char *s)
{
    if (*s++ != '"')
        return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20)
            return NULL;
        if (*s == '\\' && !strchr("\"\\/bfnrtu", *++s))
            return NULL;
    }
    return s + 1;
}

static const char *json_list(const char *s, char end, bool named)
{
    s = json_blank(s + 1);
    if (*s == end)
        return s + 1;
    for (;;) {
        if (named && ((s = json_string(json_blank(s))) == NULL || *(s = json_blank(s)) != ':'))
            return NULL;
        if (!(s = json_blank(json_value(json_blank(named ? s + 1 : s)))))
            return NULL;
        if (*s == end)
            return s + 1;
        if (*s++ != ',')
            return NULL;
    }
}

static const char *json_value(const char *s)
{
    char *end;
    if (*s == '{')
        return json_list(s, '}', true);
    if (*s == '[')
        return json_list(s, ']', false);
    if (*s == '"')
        return json_string(s);
    for (size_t i = 0; i < 3; i++) {
        static const char *const words[] = { "true", "false", "null" };
        if (strncmp(s, words[i], strlen(words[i])) == 0)
            return s + strlen(words[i]);
    }
    if (!strchr("-0123456789", *s))
        return NULL;
    (void)strtod(s, &end);
    return end > s ? end : NULL;
}

bool is_json(const char *text)
{
    const char *end = json_blank(json_value(json_blank(text)));
    return end && !*end;
}
