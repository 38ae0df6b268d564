/* Selects the kernels that this processor runs fastest.
 * Must not know: arithmetic. */
#include "config.h"

#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include "codelets/field/field.h"

extern const orr__fieldkit orr__field_kit_portable;
#ifdef __x86_64__
extern const orr__fieldkit orr__field_kit_mulx;

/* mulx is in BMI2, adcx and adox are in ADX. */
static bool has_mulx(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 8) && (b & 1u << 19);
}

#ifdef HAVE_ISA_IFMA
extern const orr__fieldkit orr__field_kit_ifma;

static bool has_ifma(void)
{
    return has_mulx() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512ifma");
}
#endif
#endif

const orr__fieldkit *orr__fieldkit_named(const char *name)
{
#ifdef __x86_64__
    if (strcmp(name, "mulx") == 0)
        return has_mulx() ? &orr__field_kit_mulx : NULL;
#ifdef HAVE_ISA_IFMA
    if (strcmp(name, "ifma") == 0)
        return has_ifma() ? &orr__field_kit_ifma : NULL;
#endif
#endif
    return strcmp(name, "portable") == 0 ? &orr__field_kit_portable : NULL;
}

const orr__fieldkit *orr__fieldkit_best(void)
{
    static const char *const order[] = { "ifma", "mulx" };
    for (int i = 0; i < 2; i++) {
        const orr__fieldkit *kit = orr__fieldkit_named(order[i]);
        if (kit)
            return kit;
    }
    return &orr__field_kit_portable;
}
