/* The routes that compute: requests become tasks, at once or as jobs.
 * Must not know: libmicrohttpd. */
#include "config.h"
#include "serve/service.h"

#include <stdlib.h>
#include <string.h>
#include "serve/metrics.h"

/* Larger bodies are read by a computing thread, so that they delay no other request; of a .npy only the head is read. */
enum { READ_JSON_AT_ONCE = 4 << 10, READ_NPY_AT_ONCE = 128 << 10 };

static void ended(serve_task *t, serve_reply reply, void *user)
{
    int batch = t->batch;
    serve_task_unref(serve_the.queue, t);
    serve_http_answer(user, reply, batch);
}

/* A task of the request; takes its body and query. NULL on error; *wrong is then the answer. */
static serve_task *task(serve_request *r, serve_kind kind, const char *model, serve_reply *wrong)
{
    static char empty[1];
    serve_task *t = calloc(1, sizeof *t);
    if (!t) {
        *wrong = serve_problem(503, "ORR_ENOMEM", "there is no memory");
        return NULL;
    }
    t->work = (serve_work){ .kind = kind,
                            .most = &serve_the.most,
                            .store = serve_the.store,
                            .client = r->client,
                            .longest = serve_the.o.timeout,
                            .small = serve_the.o.batch > 1 ? serve_the.o.batch_bytes : 0,
                            .npy = r->npy_out,
                            .body = r->body ? r->body : empty,
                            .bytes = r->bytes,
                            .body_npy = r->npy_in };
    if (r->body && !(t->work.held = serve_body_new(r->body, r->room, r->client))) {
        *wrong = serve_problem(503, "ORR_ENOMEM", "there is no memory");
        free(t);
        return NULL;
    }
    r->body = NULL;
    r->room = 0;
    if (kind == SERVE_PREDICT && !(t->work.model = serve_models_find(serve_the.models, model)))
        *wrong = serve_problem(404, "model", "there is no such model; /v1/models lists those that are there");
    else if (!r->npy_in && json_object_size(r->query) > 0)
        *wrong =
            serve_problem(400, "parameter", "beside a JSON body there is no query: its parameters are in the object");
    if (wrong->status) {
        serve_work_clear(&t->work);
        free(t);
        return NULL;
    }
    t->work.query = r->query;
    r->query = NULL;
    return t;
}

/* Queues the task. The answer is sent when the task has ended. */
static serve_reply put(serve_request *r, serve_task *t)
{
    t->ended = ended;
    t->user = serve_http_wait(r);
    t->left = serve_http_left;
    t->seconds = serve_work_seconds(&t->work);
    serve_reply why;
    if (!serve_queue_put(serve_the.queue, t, &why)) {
        void *waiting = t->user;
        serve_work_clear(&t->work);
        free(t);
        serve_http_answer(waiting, why, 0);
    }
    return (serve_reply){ 0 };
}

/* Reads the body, if it is small. On false, the task is freed, and *wrong is the answer. */
static bool read_small(serve_task *t, serve_reply *wrong)
{
    if (t->work.bytes > (t->work.body_npy ? READ_NPY_AT_ONCE : READ_JSON_AT_ONCE) || serve_work_understand(&t->work))
        return true;
    *wrong = t->work.reply;
    serve_work_clear(&t->work);
    free(t);
    return false;
}

/* A task whose body is read at once or later. result: the name under which the result is kept, or NULL. */
static serve_reply compute_as(serve_request *r, serve_kind kind, const char *result)
{
    serve_reply wrong = { 0 };
    serve_task *t = task(r, kind, r->argument, &wrong);
    if (!t)
        return wrong;
    if (result)
        (void)snprintf(t->work.result, sizeof t->work.result, "%s", result);
    return read_small(t, &wrong) ? put(r, t) : wrong;
}

static serve_reply compute(serve_request *r, serve_kind kind)
{
    return compute_as(r, kind, NULL);
}

serve_reply serve_post_gemm(serve_request *r)
{
    return compute(r, SERVE_GEMM);
}

serve_reply serve_post_elementwise(serve_request *r)
{
    return compute(r, SERVE_ELEMENTWISE);
}

serve_reply serve_post_reduce(serve_request *r)
{
    return compute(r, SERVE_REDUCE);
}

serve_reply serve_post_predict(serve_request *r)
{
    return compute(r, SERVE_PREDICT);
}

serve_reply serve_post_field(serve_request *r)
{
    return compute(r, SERVE_FIELD);
}

serve_reply serve_post_msm(serve_request *r)
{
    return compute(r, SERVE_MSM);
}

/* -- kept arrays ------------------------------------------------------------------------------------------- */

serve_reply serve_put_array(serve_request *r)
{
    if (serve_store_is_name(r->argument))
        return compute_as(r, SERVE_KEEP, r->argument);
    return serve_problem(400, "name", "a name is 1 to %d letters, digits, \"_\", \"-\" and \".\", the first no \".\"",
                         (int)SERVE_ARRAY_NAME);
}

serve_reply serve_get_arrays(serve_request *r)
{
    return serve_store_list(serve_the.store, r->client);
}

/* A computing thread sends the array, since its elements may be on a device and its text long. */
serve_reply serve_get_array(serve_request *r)
{
    serve_reply wrong = { 0 };
    serve_value *v = serve_store_get(serve_the.store, r->client, r->argument);
    if (!v)
        return serve_store_none("the path");
    (void)json_object_clear(r->query);
    serve_task *t = task(r, SERVE_SHOW, NULL, &wrong);
    if (!t) {
        serve_value_unref(v);
        return wrong;
    }
    t->work.body = NULL;
    t->work.kept[0] = v;
    t->work.x[0] = v->t;
    t->work.n = 1;
    return put(r, t);
}

serve_reply serve_delete_array(serve_request *r)
{
    return serve_store_delete(serve_the.store, r->client, r->argument);
}

/* -- jobs -------------------------------------------------------------------------------------------------- */

/* "gemm", "models/NAME/predict" */
static bool named(const char *run, serve_kind *kind, char *model, size_t size)
{
    static const char head[] = "models/", tail[] = "/predict";
    size_t n = strlen(run), h = sizeof head - 1, t = sizeof tail - 1;
    for (*kind = SERVE_GEMM; *kind < SERVE_PREDICT; (*kind)++)
        if (strcmp(run, serve_kind_name(*kind)) == 0)
            return true;
    if (n <= h + t || n - h - t >= size || strncmp(run, head, h) != 0 || strcmp(run + n - t, tail) != 0)
        return false;
    memcpy(model, run + h, n - h - t);
    model[n - h - t] = '\0';
    return true;
}

/* The body is read when the job runs: an operand may be the result of a job before it. */
serve_reply serve_post_job(serve_request *r)
{
    char model[64];
    serve_kind kind;
    serve_reply wrong = { 0 };
    const char *run = json_string_value(json_object_get(r->query, "run"));
    if (!run || !named(run, &kind, model, sizeof model))
        return serve_problem(400, "parameter",
                             "\"run\" in the query is gemm, elementwise, reduce, field, msm or models/NAME/predict");
    (void)json_object_del(r->query, "run");
    serve_task *t = task(r, kind, model, &wrong);
    if (!t)
        return wrong;
    t->work.longest = serve_the.o.job_timeout;
    t->seconds = serve_work_seconds(&t->work);
    return serve_jobs_put(serve_the.jobs, t, r->client);
}

serve_reply serve_get_jobs(serve_request *r)
{
    return serve_jobs_list(serve_the.jobs, r->client);
}

serve_reply serve_get_job(serve_request *r)
{
    return serve_jobs_status(serve_the.jobs, r->argument, r->client);
}

serve_reply serve_get_result(serve_request *r)
{
    return serve_jobs_result(serve_the.jobs, r->argument, r->client);
}

serve_reply serve_delete_job(serve_request *r)
{
    return serve_jobs_cancel(serve_the.jobs, r->argument, r->client);
}
