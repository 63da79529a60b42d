// Every implementation of a motion method that runs on the processor, for tests over all of them.
#pragma once

#include "compute/motion/methods.h"

#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

namespace systole::test {

struct Implementation {
    const MotionMethod* method;
    Backend backend;

    std::string label() const { ///< letters, digits and underscores: "clg_cpu_reference"
        std::string label = method->name + "_" + systole::name(backend);
        std::replace(label.begin(), label.end(), '-', '_');
        return label;
    }
    friend void PrintTo(const Implementation& shown, std::ostream* out) { *out << shown.label(); }
};

inline std::vector<Implementation> onTheProcessor(std::initializer_list<Backend> wanted = {
                                                      Backend::Cpu, Backend::CpuReference}) {
    std::vector<Implementation> all;
    for (const MotionMethod& method : motionMethods())
        for (const Backend backend : method.backends)
            if (std::find(wanted.begin(), wanted.end(), backend) != wanted.end())
                all.push_back({&method, backend});
    return all;
}

} // namespace systole::test
