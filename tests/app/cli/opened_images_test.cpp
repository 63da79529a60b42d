// Images that stay open between commands, and when they don't.
#include "app/cli/opened_images.h"
#include "tests/support/ball_sequence.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace systole {
namespace {

TEST(OpenedImages, AnImageStaysOpenUntilItsFileIsAnother) {
    const testing::TemporaryFolder folder;
    const std::string path = testing::writeBall(folder, "ball.nii.gz", 12, 2);
    OpenedImages images;
    const auto first = images.open({path}, 0);
    EXPECT_EQ(images.open({path}, 0), first);
    EXPECT_NE(images.open({path}, 40), first) << "its times are others";
    std::filesystem::remove(path);
    testing::writeBall(folder, "ball.nii.gz", 12, 3);
    const auto second = images.open({path}, 0);
    EXPECT_EQ(second->sequence.frames, 3);
    EXPECT_EQ(first->sequence.frames, 2);
}

} // namespace
} // namespace systole
