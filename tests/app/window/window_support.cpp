#include "tests/app/window/window_support.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/virtual_display.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace systole::testing {
namespace {

std::unique_ptr<VirtualDisplay> display; // exists from main() until the last test is over

} // namespace

const std::string& displayProblem() { return display->problem(); }

} // namespace systole::testing

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    // No test reads or writes the settings of whoever runs it.
    const systole::testing::TemporaryFolder settings;
    setenv("XDG_CONFIG_HOME", settings.path().c_str(), 1);
    if (!::testing::GTEST_FLAG(list_tests))
        systole::testing::display = std::make_unique<systole::testing::VirtualDisplay>();
    return RUN_ALL_TESTS();
}
