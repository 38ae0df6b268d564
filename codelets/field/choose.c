/* Chooses the kernels that this processor runs fastest.
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
#endif

const orr__fieldkit *orr__fieldkit_named(const char *name)
{
#ifdef __x86_64__
    if (strcmp(name, "mulx") == 0)
        return has_mulx() ? &orr__field_kit_mulx : NULL;
#endif
    return strcmp(name, "portable") == 0 ? &orr__field_kit_portable : NULL;
}

const orr__fieldkit *orr__fieldkit_best(void)
{
    const orr__fieldkit *kit = orr__fieldkit_named("mulx");
    return kit ? kit : &orr__field_kit_portable;
}
