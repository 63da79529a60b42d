// Programs started by this one.
#include "app/base/child.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <csignal>

namespace systole {
namespace {

using systole::testing::TemporaryFolder;

TEST(Child, OneThatCannotBeWaitedForHasEndedWithoutSuccess) {
    const TemporaryFolder folder;
    const ChildCommand command{{"true"}, folder.path().string(), folder / "log", {}};
    EXPECT_TRUE(Child(command).wait().succeeded());
    const auto before = std::signal(SIGCHLD, SIG_IGN); // the kernel forgets children at once
    const ChildOutcome outcome = Child(command).wait();
    std::signal(SIGCHLD, before);
    EXPECT_FALSE(outcome.succeeded());
}

} // namespace
} // namespace systole
