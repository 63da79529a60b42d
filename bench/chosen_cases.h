// The cases of a benchmark that --cases chooses.
#pragma once

#include "app/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace systole {

/// The cases named in `wanted`, in the list's order; all if it is empty. Each case has a `name`.
/// Throws UsageError for a name that no case has.
template <typename Case>
std::vector<Case> chosenCases(const std::vector<Case>& all,
                              const std::vector<std::string>& wanted) {
    std::string names;
    for (const Case& each : all)
        names += (names.empty() ? "" : ", ") + std::string(each.name);
    for (const std::string& name : wanted)
        if (std::none_of(all.begin(), all.end(),
                         [&](const Case& each) { return each.name == name; }))
            throw UsageError(fmt::format("--cases: no case '{}'; there are {}", name, names));
    std::vector<Case> chosen;
    for (const Case& each : all)
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), each.name) != wanted.end())
            chosen.push_back(each);
    return chosen;
}

} // namespace systole
