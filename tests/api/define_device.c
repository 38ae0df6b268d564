/* User-defined kernels on devices: OpenCL C that runs, CUDA C that compiles and (ORRERY_BACKEND=cuda) runs, sources that do not compile.
 * Must not know: how they are launched. */
#include "config.h"

#ifdef HAVE_NVRTC
#include <nvrtc.h>
#endif
#include "codelets/user/user.h"
#include "tests/harness/define_affine.h"

static void a_device_runs_its_text(void)
{
    if (!DH_START_DEVICE())
        return;
    calls = 0;
    ORR_CHECK(affine_is_right(64, 100, 2) && calls == 0 && DH_DEVICE_WORKED());
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void device_only_kernel_runs_on_device(void)
{
    orr_kernel_def d = affine_def;
    float got[2] = { 0 };
    d.name = d.entry = "affine";
    d.name = "affine_on_device";
    d.cpu = NULL;
    if (!DH_START_DEVICE())
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *y =
        orr_apply_with(orr_define_kernel(&d), ORR_TENSORS(orr_ones(ORR_F32, ORR_SHAPE(2, 1))), ORR_PARAMS(2));
    ORR_CHECK_MSG(orr_read(y, got, sizeof got) == ORR_OK && got[1] == 3, "%s", orr_error_message());
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    if (!DH_START(DH_SERIAL))
        return;
    y = orr_apply_with(orr_define_kernel(&d), ORR_TENSORS(orr_ones(ORR_F32, ORR_SHAPE(2, 1))), ORR_PARAMS(2));
    ORR_CHECK(orr_eval(y) == ORR_EDEVICE && strstr(orr_error_message(), "has no C function"));
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void device_text_error_is_logged(void)
{
    orr_kernel_def d = affine_def;
    float got[4] = { 0 };
    d.name = "affine_misspelt";
    d.entry = "affine";
    d.opencl = "ORR_KERNEL affine(ORR_GLOBAL const ORR_IN0 *x, ORR_GLOBAL ORR_OUT *y, const orr_args a)\n"
               "{\n    y[ORR_ITEM] = undeclared_thing;\n}\n";
    if (!DH_START(DH_OPENCL, { "ORRERY_FALLBACK", "on" })) /* the C function is one */
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(4));
    calls = 0;
    ORR_CHECK(orr_read(orr_apply_with(orr_define_kernel(&d), ORR_TENSORS(x), ORR_PARAMS(2)), got, sizeof got) ==
              ORR_OK);
    ORR_CHECK(got[3] == 5 && calls == 1); /* the C function replaces it */
    d.name = "affine_misspelt_alone";
    d.cpu = NULL;
    for (int i = 0; i < 2; i++) /* twice, without a second compilation */
        ORR_CHECK_MSG(orr_eval(orr_apply_with(orr_define_kernel(&d), ORR_TENSORS(x), ORR_PARAMS(2))) == ORR_EDEVICE &&
                          strstr(orr_error_message(), "undeclared_thing"),
                      "%s", orr_error_message());
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

#ifdef HAVE_NVRTC
static void nvrtc_compiles_its_text(void)
{
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *y =
        orr_apply_with(orr_define_kernel(&affine_def), ORR_TENSORS(orr_ones(ORR_F32, ORR_SHAPE(4))), ORR_PARAMS(3));
    orr__node *n = orr__handle_node(y);
    orr__site at = ORR__SITE(NULL, 0, "test");
    nvrtcProgram p = NULL;
    orr__capture prog;
    orr__regions rs;
    ORR_REQUIRE(orr__capture_make(at, &n, 1, &prog) == ORR_OK && orr__fuse(at, &prog, ORR__FUSE_MAPS, &rs) == ORR_OK);
    const orr__region *r = &rs.region[rs.n - 1];
    ORR_REQUIRE(orr__region_is_users(r) && strcmp(r->label, "affine") == 0);
    char *text = orr__user_text(r, true, true), log[2000] = "";
    size_t size = 0;
    ORR_CHECK(text && nvrtcCreateProgram(&p, text, "affine.cu", 0, NULL, NULL) == NVRTC_SUCCESS);
    nvrtcResult code = nvrtcCompileProgram(p, 0, NULL);
    if (nvrtcGetProgramLogSize(p, &size) == NVRTC_SUCCESS && size < sizeof log)
        (void)nvrtcGetProgramLog(p, log);
    ORR_CHECK_MSG(code == NVRTC_SUCCESS, "%s", log);
    (void)nvrtcDestroyProgram(&p);
    free(text);
    orr__regions_free(&rs);
    orr__capture_free(&prog);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}
#else
static void nvrtc_compiles_its_text(void)
{
    ORR_SKIP("built without NVRTC");
}
#endif

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_device_runs_its_text),
                                      ORR_TEST(device_only_kernel_runs_on_device),
                                      ORR_TEST(device_text_error_is_logged),
                                      ORR_TEST(nvrtc_compiles_its_text),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.define_device", tests);
}
