/* Makes answers.
 * Must not know: connections. */
#include "config.h"
#include "serve/reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "serve/ledger.h"

void serve_value_unref(serve_value *v)
{
    if (!v || atomic_fetch_sub(&v->refs, 1) != 1)
        return;
    (void)orr_free(v->t);
    serve_ledger_give(v->client, SERVE_MEMORY, (int64_t)v->room);
    free(v);
}

static serve_reply no_memory(void)
{
    static const char text[] = "{\"title\": \"Service Unavailable\", \"status\": 503, \"code\": \"ORR_ENOMEM\", "
                               "\"detail\": \"There is no memory for the answer.\"}\n";
    return (serve_reply){ .status = 503, .type = SERVE_PROBLEM, .tail = text, .n_tail = sizeof text - 1 };
}

serve_reply serve_reply_text(int status, const char *type, char *text, size_t n)
{
    if (!text)
        return no_memory();
    return (serve_reply){ .status = status, .type = type, .text = text, .n_text = n };
}

serve_reply serve_reply_json(int status, json_t *object)
{
    char *text = object ? json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
    size_t n = text ? strlen(text) : 0;
    json_decref(object);
    if (text)
        text[n] = '\n'; /* replaces the final 0: the length marks the end */
    return serve_reply_text(status, SERVE_JSON, text, n + 1);
}

serve_reply serve_reply_literal(const char *type, const char *text)
{
    return (serve_reply){ .status = 200, .type = type, .tail = text, .n_tail = strlen(text) };
}

static const char *title(int status)
{
    switch (status) {
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 507: return "Insufficient Storage";
    default: return "Internal Server Error";
    }
}

serve_reply serve_problem(int status, const char *code, const char *fmt, ...)
{
    char detail[1200];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(detail, sizeof detail, fmt, ap);
    va_end(ap);
    json_t *text = json_string(detail);
    for (size_t n = strlen(detail); !text && n > 0;) /* a cut character, or a name that is not UTF-8 */
        detail[--n] = '\0', text = json_string(detail);
    json_t *o = json_pack("{s:s, s:i, s:s, s:o}", "title", title(status), "status", status, "code", code, "detail",
                          text ? text : json_null());
    serve_reply r = serve_reply_json(status, o);
    r.type = SERVE_PROBLEM;
    return r;
}

static int status_of(orr_status s)
{
    switch (s) {
    case ORR_EFORMAT: return 400; /* a .npy that is none */
    case ORR_ENOMEM:
    case ORR_ECANCELLED: return 503;
    case ORR_ESTATE:
    case ORR_EHANDLE:
    case ORR_EIO:
    case ORR_EDEVICE:
    case ORR_EENV:
    case ORR_EINTERNAL: return 500;
    default: return 422; /* values that do not fit together, or have no result */
    }
}

serve_reply serve_problem_last(void)
{
    orr_status s = orr_error_status();
    const char *text = orr_error_message(), *at = strstr(text, ".c:");
    size_t digits = at ? strspn(at + 3, "0123456789") : 0;
    if (digits && strncmp(at + 3 + digits, ": ", 2) == 0)
        text = at + 3 + digits + 2;
    const char *advice = strstr(text, "write orr_"); /* advice for a C program */
    size_t n = advice ? (size_t)(advice - text) : strlen(text);
    while (advice && n > 0 && strchr(" ;:,", text[n - 1]))
        n--;
    return serve_problem(status_of(s), orr_status_name(s), "%.*s", (int)n, text);
}

void serve_reply_free(serve_reply *r)
{
    free(r->text);
    serve_value_unref(r->value);
    serve_ledger_give(r->client, SERVE_MEMORY, r->room);
    *r = (serve_reply){ 0 };
}
