#include "compute/cuda/kernel_family.h"

#include "compute/core/error.h"

namespace systole {

std::vector<int> BlockRange::all() const {
    std::vector<int> sizes;
    for (int threads = first; threads <= last; threads += step)
        sizes.push_back(threads);
    return sizes;
}

std::vector<std::string> KernelFamily::names() const {
    std::vector<std::string> names;
    for (const KernelVariant& variant : variants)
        names.emplace_back(variant.name);
    return names;
}

int KernelFamily::refuse(std::string_view name) const {
    std::string all;
    for (const KernelVariant& variant : variants)
        all += (all.empty() ? "" : ", ") + std::string(variant.name);
    throw ComputeError("there is no variant '" + std::string(name) + "' of " + task +
                       "; there are " + all);
}

} // namespace systole
