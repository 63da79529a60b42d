// Properties of the processor that the tests run on.
#pragma once

namespace systole::test {

/// Whether the processor has fused multiply-adds: SIMD without them rounds otherwise than the
/// formulas (compute/ops/fused_math.h).
inline bool processorFuses() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

} // namespace systole::test
