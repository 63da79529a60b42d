// Locks of files, and who asks about them.
#include "app/base/child.h"
#include "app/study/cohort_folder.h"
#include "app/study/cohort_plan.h"
#include "app/study/file_lock.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/stat.h>
#include <thread>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::TemporaryFolder;

TEST(FileLocks, AreHeldByOneAtATime) {
    const TemporaryFolder folder;
    auto first = std::make_unique<FileLock>(folder / "lock");
    EXPECT_TRUE(FileLock::isHeld(folder / "lock"));
    EXPECT_FALSE(FileLock::tryLock(folder / "lock").held());
    first.reset();
    EXPECT_FALSE(FileLock::isHeld(folder / "lock"));
    EXPECT_TRUE(FileLock::tryLock(folder / "lock").held());
}

TEST(FileLocks, AreHeldByAProgramThatWasStartedMeanwhile) {
    const TemporaryFolder folder;
    auto lock = std::make_unique<FileLock>(folder / "lock");
    std::optional<Child> program(
        std::in_place, ChildCommand{{"sleep", "600"}, folder.path().string(), folder / "log", {}});
    lock.reset();
    EXPECT_TRUE(FileLock::isHeld(folder / "lock"));
    program.reset();
    EXPECT_FALSE(FileLock::isHeld(folder / "lock"));
}

TEST(FileLocks, AskingCreatesNothingAndWaitsForNothing) {
    const TemporaryFolder folder;
    EXPECT_FALSE(FileLock::isHeld(folder / "lock"));
    EXPECT_TRUE(fs::is_empty(folder.path()));
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_FALSE(FileLock::isHeld(folder / "pipe"));
}

TEST(FileLocks, ARunBeginsWhoeverAsksWhetherOneIsAtWork) {
    const TemporaryFolder folder;
    fs::create_directory(folder.path() / workFolder);
    const std::jthread asking([&](const std::stop_token& end) {
        while (!end.stop_requested())
            runIsAtWork(folder.path().string());
    });
    for (int i = 0; i < 5000; ++i)
        ASSERT_NO_THROW(CohortLock(folder.path().string())) << i;
}

} // namespace
} // namespace systole
