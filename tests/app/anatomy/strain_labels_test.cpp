// The label map of a heart from a file: one frame, or it isn't said which is meant.
#include "app/anatomy/strain_labels.h"
#include "io/base/error.h"
#include "io/formats/writer.h"
#include "io/phantom/phantom.h"
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

/// The phantom's labels 1 and 2 as those of the MM-WHS challenge, as ACDC's, and turned around.
TEST(StrainLabelsOfAFile, MakeTheSameTissueWhateverTheirNumbersAndOrder) {
    const testing::TemporaryFolder folder;
    ExecResources resources{2};
    const ExecContext ctx = resources.context();
    PhantomOptions options;
    options.size = {32, 32, 32};
    const Phantom phantom(options);
    const Geometry& grid = phantom.geometry();
    const std::vector<std::uint8_t> labels = phantom.labels(0, ctx);
    writeLabels(folder / "plain.nii.gz", grid, labels);
    const StrainLabels plain = readStrainLabels(folder / "plain.nii.gz", grid, {}, ctx);
    EXPECT_TRUE(plain.notes.empty());

    std::vector<float> wide(labels.begin(), labels.end()), nearly = wide;
    for (float& label : wide)
        label = label == 1 ? 205.0f : label == 2 ? 500.0f : label == 3 ? 600.0f : label;
    for (float& label : nearly)
        label += 0.001f;
    writeVolume(folder / "wide.nii.gz", grid, {wide.data(), grid.size()});
    writeVolume(folder / "nearly.nii.gz", grid, {nearly.data(), grid.size()});
    const StrainLabels renamed = readStrainLabels(folder / "wide.nii.gz", grid, {}, ctx);
    EXPECT_EQ(renamed.roles.cavity, 500);
    EXPECT_EQ(renamed.roles.wall, 205);
    EXPECT_EQ(renamed.tissue->at, plain.tissue->at);
    EXPECT_THAT(renamed.notes, ::testing::ElementsAre(HasSubstr("500 is taken as the cavity")));
    EXPECT_EQ(readStrainLabels(folder / "nearly.nii.gz", grid, {}, ctx).tissue->at,
              plain.tissue->at);

    // Backwards along x, with the header that says so.
    const Size3 size = grid.size();
    std::vector<std::uint8_t> flipped(labels.size());
    const VolumeView<const std::uint8_t> in(labels.data(), size);
    const VolumeView<std::uint8_t> out(flipped.data(), size);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                out(size.x - 1 - x, y, z) = in(x, y, z);
    Matrix3 direction = grid.direction();
    for (auto& row : direction)
        row[0] = -row[0];
    const Geometry turned(size, grid.spacing(), grid.indexToPhysical({size.x - 1.0, 0, 0}),
                          direction);
    writeLabels(folder / "flipped.nii.gz", turned, flipped);
    const StrainLabels back = readStrainLabels(folder / "flipped.nii.gz", grid, {}, ctx);
    EXPECT_EQ(back.tissue->at, plain.tissue->at);
    EXPECT_EQ(back.notes.size(), 1u);
}

} // namespace
} // namespace systole
