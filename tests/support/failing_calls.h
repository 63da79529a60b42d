// Runs the program while calls of the system fail (failing_calls.cpp).
#pragma once

#include "tests/support/program.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace systole::testing {

/// "class=write;at=7;error=28": see failing_calls.cpp. The number of calls of that class goes to
/// `calls`, if it isn't null.
inline Outcome runWithFault(const std::string& words, const std::vector<std::string>& arguments,
                            std::int64_t* calls = nullptr) {
    constexpr const char* classNames[] = {"alloc", "open", "system", "write",   "read",
                                          "close", "sync", "rename", "mkdir",   "thread",
                                          "mmap",  "stat", "remove", "readdir", "fork"};
    const TemporaryFolder folder;
    const std::string report = folder / "report";
    writeText(report, std::string(4096, '\0'));
    const std::pair<const char*, std::string> variables[] = {{"LD_PRELOAD", SYSTOLE_FAILING_CALLS},
                                                             {"SYSTOLE_TEST_FAULT", words},
                                                             {"SYSTOLE_TEST_FAULT_REPORT", report}};
    for (const auto& [name, value] : variables)
        ::setenv(name, value.c_str(), 1);
    const Outcome outcome = run(arguments);
    for (const auto& [name, value] : variables)
        ::unsetenv(name);
    if (calls) {
        const std::string of = words.substr(6, words.find(';') - 6); // text after "class="
        const auto at = std::ranges::find(classNames, of) - std::begin(classNames);
        const std::string counted = readText(report);
        std::memcpy(calls, counted.data() + 8 * at, sizeof *calls);
    }
    return outcome;
}

} // namespace systole::testing
