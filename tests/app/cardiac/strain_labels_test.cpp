// The label map of a heart from a file: one frame, or it isn't said which is meant.
#include "app/cardiac/strain_labels.h"
#include "io/error.h"
#include "io/phantom/phantom.h"
#include "io/writer.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(StrainLabelsOfAFile, AreThoseOfItsOnlyFrame) {
    const testing::TemporaryFolder folder;
    ExecResources resources{2};
    const ExecContext ctx = resources.context();
    PhantomOptions options;
    options.size = {32, 32, 32};
    const Phantom phantom(options);
    const std::vector<std::uint8_t> labels = phantom.labels(0, ctx);
    writeLabels(folder / "one.nii.gz", phantom.geometry(), labels);
    writeLabelSequence(folder / "two.nii.gz", phantom.geometry(), 0.04, {labels, labels});
    const Geometry& grid = phantom.geometry();
    const StrainLabels read = readStrainLabels(folder / "one.nii.gz", grid, {}, ctx);
    EXPECT_EQ(read.roles.wall, static_cast<int>(PhantomTissue::Wall));
    EXPECT_EQ(read.roles.cavity, static_cast<int>(PhantomTissue::Blood));
    EXPECT_THAT([&] { readStrainLabels(folder / "two.nii.gz", grid, {}, ctx); },
                ThrowsMessage<FileError>(AllOf(HasSubstr("two.nii.gz"), HasSubstr("one frame"))));
}

} // namespace
} // namespace systole
