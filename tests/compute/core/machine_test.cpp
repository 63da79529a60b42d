// Memory that limits of control groups leave, in made-up trees of their files.
#include "compute/core/machine.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

class GroupLimits : public ::testing::Test {
protected:
    void put(const std::string& file, const std::string& text) const {
        fs::create_directories((top_ / file).parent_path());
        std::ofstream(top_ / file, std::ios::binary) << text;
    }
    std::uint64_t left(const std::string& groups) const {
        put("groups", groups);
        return bytesLeftByGroups((top_ / "groups").string(), (top_ / "tree").string());
    }

    const testing::TemporaryFolder folder_;
    const fs::path& top_ = folder_.path();
};

TEST_F(GroupLimits, OfVersion2AreThoseOfTheGroupAndOfAllAboveIt) {
    put("tree/job/memory.max", "5000\n");
    put("tree/job/memory.current", "3000\n");
    put("tree/job/step/memory.max", "max\n");
    put("tree/job/step/memory.current", "1000\n");
    EXPECT_EQ(left("0::/job/step\n"), 2000U);
    put("tree/job/step/memory.max", "1500\n");
    EXPECT_EQ(left("0::/job/step\n"), 500U);
    put("tree/job/step/memory.high", "1200\n");
    EXPECT_EQ(left("0::/job/step\n"), 200U);
    EXPECT_EQ(left("0::/job\n"), 2000U);
    EXPECT_EQ(left("0::/other\n"), none);
    put("tree/job/memory.current", "6000\n"); // usage exceeds a limit that was lowered
    EXPECT_EQ(left("0::/job\n"), 0U);
}

TEST_F(GroupLimits, LeaveWhatIsKeptOfFiles) {
    put("tree/job/memory.max", "5000\n");
    put("tree/job/memory.current", "4000\n");
    put("tree/job/memory.stat", "anon 500\ninactive_file 2000\nactive_file 1000\nfile 3400\n");
    EXPECT_EQ(left("0::/job\n"), 4000U);
    put("tree/job/memory.stat", "inactive_file 9000\n"); // counted later than what is used
    EXPECT_EQ(left("0::/job\n"), 5000U);
}

TEST_F(GroupLimits, OfVersion1AreFoundByTheirController) {
    put("tree/memory/docker/1/memory.limit_in_bytes", "5000\n");
    put("tree/memory/docker/1/memory.usage_in_bytes", "3000\n");
    put("tree/memory/docker/1/memory.stat", "inactive_file 1\ntotal_inactive_file 400\n");
    const std::string groups = "5:cpu,cpuacct:/\n4:hugetlb,memory:/docker/1\n0::/\n";
    EXPECT_EQ(left(groups), 2400U);
    put("tree/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("tree/memory/memory.usage_in_bytes", "3000\n");
    EXPECT_EQ(left(groups), 2400U);
}

TEST_F(GroupLimits, OfAContainerThatSeesItsGroupAsTheTop) {
    put("tree/memory.max", "5000\n");
    put("tree/memory.current", "1000\n");
    EXPECT_EQ(left("0::/\n"), 4000U);
    EXPECT_EQ(left("0::/docker/1\n"), 4000U);
    EXPECT_EQ(left("0::/../../other\n"), 4000U);
}

TEST_F(GroupLimits, AreNoneWhereTheFilesHoldAnythingElse) {
    for (const char* groups : {"", "\n", "0", "0:", "::", ":::::", "0::", "no groups\n"}) {
        EXPECT_EQ(left(groups), none) << groups;
    }
    EXPECT_EQ(bytesLeftByGroups("/nowhere", "/nowhere"), none);
    for (const std::string text : {"", "\n", "-1", "much", "99999999999999999999999", "\xff\xfe"}) {
        put("tree/job/memory.max", text);
        put("tree/job/memory.current", "1000\n");
        EXPECT_EQ(left("0::/job\n"), none) << text;
    }
    put("tree/job/memory.max", "5000\n");
    put("tree/job/memory.current", "unknown\n");
    EXPECT_EQ(left("0::/job\n"), 5000U);
    put("tree/job/memory.current", "1000\n");
    put("tree/job/memory.stat", "inactive_file\ninactive_file \ninactive_file all\n\0");
    EXPECT_EQ(left("0::/job\n"), 4000U);
    fs::remove(top_ / "tree/job/memory.max");
    fs::create_directory(top_ / "tree/job/memory.max");
    EXPECT_EQ(left("0::/job\n"), none);
}

TEST(ThisMachine, HasMemoryAndGivesAPartOfIt) {
    const Machine machine = describeMachine();
    EXPECT_GT(machine.availableBytes, 0U);
    EXPECT_LT(machine.availableBytes, machine.memoryBytes);
}

} // namespace
} // namespace systole
