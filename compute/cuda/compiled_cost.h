// The expected machine code of a kernel: tools/sass_counts.py compares its instructions with the
// cost that the kernel declares.
#pragma once

#include "compute/core/kernel_cost.h"

#include <string>
#include <utility>
#include <vector>

namespace systole {

struct CompiledCost {
    std::string kernel; ///< name in the report: "jacobi/direct energy"
    std::string symbol; ///< regular expression that matches only one function's mangled name
    std::string region; ///< code to count in: "loop", "innermost", "body" or "all"
    std::string unit;   ///< instruction class that shows how often a loop is unrolled
    KernelCost cost;    ///< declared cost of one pass
    std::vector<std::string> without = {}; ///< classes with instructions there that don't all run
};

} // namespace systole
