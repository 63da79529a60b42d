// What the machine code of a kernel is held against: tools/sass_counts.py compares its instructions
// with the cost that the kernel declares.
#pragma once

#include "compute/core/kernel_cost.h"

#include <string>
#include <utility>
#include <vector>

namespace systole {

struct CompiledCost {
    std::string kernel; ///< for the report: "jacobi/direct energy"
    std::string symbol; ///< regular expression that the mangled name of one function alone matches
    std::string region; ///< where to count: "loop", "innermost", "body" or "all"
    std::string unit;   ///< class of instruction that tells how often a loop is unrolled
    KernelCost cost;    ///< declared for one pass
    std::vector<std::string> without = {}; ///< classes of which the region holds more than runs
};

} // namespace systole
