// The variants of a kernel as a table: kernels that compute the same in different ways. Launchers,
// command line, parameters, laboratory, autotuner, tests and benchmarks use these tables; an index
// identifies a variant. Works in every build.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// Allowed threads per block: first, first + step, … last.
struct BlockRange {
    int first = 32, last = 1024, step = 32;

    constexpr bool holds(int threads) const {
        return threads >= first && threads <= last && (threads - first) % step == 0;
    }
    std::vector<int> all() const;
};

struct KernelVariant {
    const char* name;          ///< "shared"
    const char* summary;       ///< one line shown to users
    int standardThreads = 256; ///< default threads per block
    BlockRange blocks = {};    ///< allowed block sizes
    double tolerance = 1e-4;   ///< maximum difference from the first variant and from the CPU
                               ///< implementation, relative to the largest value
};

struct KernelFamily {
    const char* task;                        ///< the computation, such as "jacobi"
    std::span<const KernelVariant> variants; ///< the simplest and most readable first
    // Set if a user may choose the variant:
    const char* stage = nullptr;    ///< STAGE in --variant STAGE=NAME; null: no choice
    const char* standard = nullptr; ///< name of the default variant
    const char* help = nullptr;     ///< help text, one sentence

    /// The variant's index. Throws ComputeError listing the available ones.
    constexpr int named(std::string_view name) const {
        for (std::size_t i = 0; i < variants.size(); ++i)
            if (variants[i].name == name)
                return static_cast<int>(i);
        return refuse(name);
    }
    constexpr const KernelVariant& operator[](std::string_view name) const {
        return at(named(name));
    }
    constexpr const KernelVariant& at(int variant) const {
        return variants[static_cast<std::size_t>(variant)];
    }
    constexpr int count() const { return static_cast<int>(variants.size()); }
    /// Index of the default variant; 0 where there is no choice.
    constexpr int standardVariant() const { return standard ? named(standard) : 0; }
    /// Name in profiles and records, such as "jacobi/direct".
    std::string kernel(int variant) const { return std::string(task) + "/" + at(variant).name; }
    /// The names of all variants.
    std::vector<std::string> names() const;

private:
    [[noreturn]] int refuse(std::string_view name) const;
};

/// The variant in a kernel's name: "shared" for "tps/shared".
constexpr std::string_view variantOf(std::string_view kernel) {
    return kernel.substr(kernel.find('/') + 1);
}

} // namespace systole
