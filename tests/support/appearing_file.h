// Runs the program while a file appears at the worst moment (appearing_file.cpp).
#pragma once

#include "tests/support/program.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace systole::testing {

/// Runs it so that the file is there just before the program gives its own that name.
inline Outcome runWhile(const std::string& appears, const std::vector<std::string>& arguments) {
    const std::pair<const char*, std::string> variables[] = {
        {"LD_PRELOAD", SYSTOLE_APPEARING_FILE},
        {"SYSTOLE_TEST_APPEARS", appears},
        {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
    for (const auto& [name, value] : variables)
        ::setenv(name, value.c_str(), 1);
    const Outcome outcome = run(arguments);
    for (const auto& [name, value] : variables)
        ::unsetenv(name);
    return outcome;
}

} // namespace systole::testing
