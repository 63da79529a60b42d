// The variants of a kernel as a table: kernels that compute the same and differ in how. Launchers,
// command line, parameters, laboratory, autotuner, tests and benchmarks go through these tables; a
// variant is named by its index. Works in every build.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// Numbers of threads per block: first, first + step, … last.
struct BlockRange {
    int first = 32, last = 1024, step = 32;

    constexpr bool holds(int threads) const {
        return threads >= first && threads <= last && (threads - first) % step == 0;
    }
    std::vector<int> all() const;
};

struct KernelVariant {
    const char* name;          ///< "shared"
    const char* summary;       ///< one line for people
    int standardThreads = 256; ///< per block, unless something else is set
    BlockRange blocks = {};    ///< that it can be launched with
    double tolerance = 1e-4;   ///< largest difference from the first variant and from the CPU
                               ///< implementation, relative to the largest value
};

struct KernelFamily {
    const char* task;                        ///< "jacobi": what is computed
    std::span<const KernelVariant> variants; ///< the simplest, for reading, first
    // Where a user may choose the variant:
    const char* stage = nullptr;    ///< as in --variant STAGE=NAME; null: no choice
    const char* standard = nullptr; ///< the default's name
    const char* help = nullptr;     ///< one sentence

    /// The variant's index. Throws ComputeError listing those that there are.
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
    /// The default variant's index: the first one's where there is no choice.
    constexpr int standardVariant() const { return standard ? named(standard) : 0; }
    /// "jacobi/direct", as profiles and records name it.
    std::string kernel(int variant) const { return std::string(task) + "/" + at(variant).name; }
    /// The names of all variants.
    std::vector<std::string> names() const;

private:
    [[noreturn]] int refuse(std::string_view name) const;
};

/// "shared" of "tps/shared".
constexpr std::string_view variantOf(std::string_view kernel) {
    return kernel.substr(kernel.find('/') + 1);
}

} // namespace systole
