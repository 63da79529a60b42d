// Variants of a kernel as a list of kernel names ("tps/shared"), in the order of their enum: what
// logs, laboratory and tests call them.
#pragma once

#include "compute/core/error.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace systole {

/// "shared" of "tps/shared".
constexpr std::string_view variantOf(std::string_view kernel) {
    return kernel.substr(kernel.find('/') + 1);
}

/// The enum's value for "shared". Throws ComputeError naming those that there are.
template <typename Variant, std::size_t Count>
Variant variantNamed(std::string_view name, const char* const (&kernels)[Count]) {
    std::string all;
    for (std::size_t i = 0; i < Count; ++i) {
        if (variantOf(kernels[i]) == name)
            return static_cast<Variant>(i);
        all += (i > 0 ? ", " : "") + std::string(kernels[i]);
    }
    throw ComputeError("there is no kernel variant '" + std::string(name) + "' among " + all);
}

} // namespace systole
