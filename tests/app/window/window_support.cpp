#include "tests/app/window/window_support.h"

#include "tests/support/virtual_display.h"

#include <gtest/gtest.h>

#include <memory>

namespace systole::testing {
namespace {

std::unique_ptr<VirtualDisplay> display; // from main() until the last test is over

} // namespace

const std::string& displayProblem() { return display->problem(); }

} // namespace systole::testing

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    if (!::testing::GTEST_FLAG(list_tests))
        systole::testing::display = std::make_unique<systole::testing::VirtualDisplay>();
    return RUN_ALL_TESTS();
}
