// What tests ask about the processor that they run on.
#pragma once

namespace systole::test {

/// Without fused multiply-adds SIMD rounds otherwise than the formulas (compute/ops/fused_math.h).
inline bool processorFuses() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

} // namespace systole::test
