// Files that aren't finished: whose they are, and who removes them.
#include "io/base/output_file.h"
#include "io/base/partial_file.h"
#include "tests/io/io_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace systole::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Ends a process in the middle of writing a.txt. Returns its status.
template <typename End>
int endedInTheMiddle(const TemporaryFolder& folder, const End& end) {
    const pid_t child = ::fork();
    if (child == 0) {
        writeAtomically(folder / "a.txt", [&](const std::string& temporary) {
            writeBytes(temporary, "half");
            end();
        });
        ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

TEST(PartialFiles, OfAKilledProcessAreRemovedByTheNext) {
    const TemporaryFolder folder;
    ASSERT_TRUE(WIFSIGNALED(endedInTheMiddle(folder, [] { ::raise(SIGKILL); })));
    ASSERT_EQ(filesIn(folder.path()).size(), 1U);
    removeDeadPartialFiles(folder.path());
    EXPECT_THAT(filesIn(folder.path()), IsEmpty());
}

TEST(PartialFiles, OfOthersAreLeftAlone) {
    const TemporaryFolder folder;
    endedInTheMiddle(folder, [] { ::raise(SIGKILL); });
    const std::string dead = filesIn(folder.path()).front();
    const std::size_t host = std::string(".partial-").size();
    std::string elsewhere = dead; // a process of another host, which may be running
    elsewhere[host] = elsewhere[host] == '0' ? '1' : '0';
    const PartialFile living(folder.path() / "b.txt");
    writeBytes(living.path(), "half");
    std::vector<std::string> others{elsewhere, living.path().substr(living.path().rfind('/') + 1)};
    for (const char* name : {".partial-999999999-a.txt", ".partial-999999999-letter.txt",
                             ".partial-", ".partial-x", ".partial-00000000-999999999-1-a.txt"})
        others.emplace_back(name);
    for (const std::string& name : others)
        writeBytes(folder / name, "not ours");
    fs::remove(folder / dead);
    fs::create_symlink(folder / elsewhere, folder / dead); // no file of ours
    others.push_back(dead);
    removeDeadPartialFiles(folder.path());
    EXPECT_THAT(filesIn(folder.path()), ::testing::UnorderedElementsAreArray(others));
}

TEST(PartialFiles, ANumberThatAnotherProcessHasNowIsNotItsOwners) {
    const TemporaryFolder folder;
    const std::string name =
        fs::path(PartialFile(folder.path() / "a.txt").path()).filename().string();
    const std::size_t process = std::string(".partial-00000000-").size(),
                      start = name.find('-', process) + 1;
    writeBytes(folder / (name.substr(0, start) + "1-a.txt"), "of an earlier process");
    writeBytes(folder / name, "of this one");
    removeDeadPartialFiles(folder.path());
    EXPECT_THAT(filesIn(folder.path()), ElementsAre(name));
}

TEST(PartialFiles, AreGoneAtAnEndWithoutDestructors) {
    const TemporaryFolder folder;
    const int status = endedInTheMiddle(folder, [] { endProcess(130); });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130);
    EXPECT_THAT(filesIn(folder.path()), IsEmpty());
}

TEST(PartialFiles, AWriterWithinAWriterUsesTheSameFile) {
    const TemporaryFolder folder;
    writeAtomically(folder / "a.txt", [&](const std::string& temporary) {
        writeTextAtomically(temporary, "text");
        EXPECT_EQ(filesIn(folder.path()).size(), 1U);
        EXPECT_TRUE(fs::exists(temporary));
    });
    EXPECT_THAT(filesIn(folder.path()), ElementsAre("a.txt"));
}

} // namespace
} // namespace systole::test
