// Labels of files, of this program and others, on the frames of a sequence; and compared with.
#include "app/anatomy/label_record.h"
#include "app/features/segmentation/label_comparison.h"
#include "app/features/segmentation/label_file.h"
#include "app/features/segmentation/opened_labels.h"
#include "compute/core/points.h"
#include "io/base/error.h"
#include "io/formats/writer.h"
#include "io/source.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

namespace systole {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Geometry grid({24, 22, 20}, {2, 2, 2}, {-30, 10, 5});
const Vec3 middle = grid.center();

/// Tissue of a place in the heart: a cavity of 10 mm radius, a wall to 15 mm, and next to it the
/// right ventricle.
enum class Part { None, Cavity, Wall, Right };
Part partAt(Vec3 p, double shift = 0) {
    const double radius = length(p - (middle + Vec3{shift, 0, 0}));
    return radius < 10                                    ? Part::Cavity
           : radius < 15                                  ? Part::Wall
           : length(p - (middle + Vec3{-16, 0, 0})) < 7.5 ? Part::Right
                                                          : Part::None;
}

template <typename Number>
std::vector<Number> mapOn(const Geometry& on, Number cavity, Number wall, Number right,
                          double shift = 0) {
    std::vector<Number> map;
    for (int z = 0; z < on.size().z; ++z)
        for (int y = 0; y < on.size().y; ++y)
            for (int x = 0; x < on.size().x; ++x) {
                const Part part = partAt(centerOfVoxel(on, x, y, z), shift);
                map.push_back(part == Part::Cavity  ? cavity
                              : part == Part::Wall  ? wall
                              : part == Part::Right ? right
                                                    : Number{0});
            }
    return map;
}

class OpenedLabelsTest : public ::testing::Test {
protected:
    OpenedLabels read(const std::string& name, int frames = 1, int frame = 0) {
        return readOpenedLabels(folder / name, {grid, frames, frame}, resources.context());
    }
    std::string refusal(const std::string& name, int frames = 1) {
        try {
            read(name, frames);
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    }
    testing::TemporaryFolder folder;
    ExecResources resources{1};
};

TEST_F(OpenedLabelsTest, NumbersOfAnotherProgramBecomeChamberAndWallAndComeBack) {
    const auto map = mapOn<std::uint8_t>(grid, 3, 2, 1); // as ACDC has them
    writeLabels(folder / "map.nii.gz", grid, map);
    const OpenedLabels opened = read("map.nii.gz");
    EXPECT_THAT(opened.numbers, ElementsAre(1, 2, 3));
    ASSERT_TRUE(opened.found);
    EXPECT_EQ(*opened.found, (ChamberNumbers{3, 2}));
    ASSERT_EQ(opened.frames.size(), 1u);
    const LabelMap labels = labelsOf(opened.frames[0], opened, *opened.found);
    EXPECT_EQ(labels, mapOn<std::uint8_t>(grid, 1, 2, 3));
    EXPECT_THAT(numbersOf(opened, *opened.found), ElementsAre(0, 3, 2, 1));

    LabelFile file{.grid = grid};
    file.frames = {std::make_shared<const LabelMap>(labels)};
    file.numbers = numbersOf(opened, *opened.found);
    writeLabelFile(folder / "again.nii.gz", file, {});
    EXPECT_EQ(testing::readText(folder / "again.nii.gz"), testing::readText(folder / "map.nii.gz"));
}

TEST_F(OpenedLabelsTest, NumbersBeyondAByteAreKeptInSixteenBits) {
    const auto map = mapOn<std::uint16_t>(grid, 500, 205, 600);
    for (const char* name : {"map.nii.gz", "map.mha", "map.nrrd"}) {
        writeLabels(folder / name, grid, map);
        const OpenedLabels opened = read(name);
        ASSERT_TRUE(opened.found) << name;
        EXPECT_EQ(*opened.found, (ChamberNumbers{500, 205}));
        LabelFile file{.grid = grid};
        file.frames = {
            std::make_shared<const LabelMap>(labelsOf(opened.frames[0], opened, *opened.found))};
        file.numbers = numbersOf(opened, *opened.found);
        writeLabelFile(folder / (std::string("again_") + name), file, {});
        EXPECT_EQ(testing::readText(folder / (std::string("again_") + name)),
                  testing::readText(folder / name));
    }
}

TEST_F(OpenedLabelsTest, FlippedAndCroppedGridsKeepTheirPlaceInSpace) {
    const auto expected = mapOn<std::uint8_t>(grid, 1, 2, 3);
    // Axes swapped and turned round; and only the box around the heart.
    Matrix3 turned{};
    turned[1][0] = -1;
    turned[0][1] = -1;
    turned[2][2] = 1;
    const Geometry flipped({22, 24, 20}, {2, 2, 2}, grid.indexToPhysical({23, 21, 0}), turned),
        cropped({21, 18, 17}, {2, 2, 2}, grid.indexToPhysical({0, 2, 2}));
    for (const auto& [name, other] :
         {std::pair{"flipped.nii.gz", flipped}, {"cropped.nii.gz", cropped}}) {
        writeLabels(folder / name, other, mapOn<std::uint8_t>(other, 1, 2, 3));
        const OpenedLabels opened = read(name);
        EXPECT_EQ(labelsOf(opened.frames[0], opened, *opened.found), expected) << name;
        EXPECT_THAT(opened.notes, ElementsAre(HasSubstr("nearest"))) << name;
    }
}

TEST_F(OpenedLabelsTest, AnotherSpacingTakesTheNearestVoxel) {
    const Geometry fine({60, 56, 52}, {0.8, 0.8, 0.8}, grid.origin());
    writeLabels(folder / "fine.nii.gz", fine, mapOn<std::uint8_t>(fine, 1, 2, 3));
    const OpenedLabels opened = read("fine.nii.gz");
    const LabelMap labels = labelsOf(opened.frames[0], opened, *opened.found),
                   exact = mapOn<std::uint8_t>(grid, 1, 2, 3);
    // Only voxels whose center is within half a fine voxel's diagonal of a border may differ.
    std::size_t i = 0;
    for (int z = 0; z < 20; ++z)
        for (int y = 0; y < 22; ++y)
            for (int x = 0; x < 24; ++x, ++i) {
                const Vec3 p = centerOfVoxel(grid, x, y, z);
                const double r = length(p - middle), right = length(p - (middle + Vec3{-16, 0, 0}));
                const bool near =
                    std::abs(r - 10) < 0.7 || std::abs(r - 15) < 0.7 || std::abs(right - 7.5) < 0.7;
                EXPECT_TRUE(near || labels[i] == exact[i]) << x << ' ' << y << ' ' << z;
            }
}

TEST_F(OpenedLabelsTest, FramesAreThoseOfTheFileItsNameOrTheOneShown) {
    const auto map = mapOn<std::uint8_t>(grid, 3, 2, 1);
    const std::vector<std::uint8_t> empty(map.size());
    writeLabelSequence(folder / "all.nii.gz", grid, 0.1, std::vector{map, empty, map});
    const OpenedLabels all = read("all.nii.gz", 3);
    ASSERT_EQ(all.frames.size(), 2u) << "a frame without labels has none to be corrected";
    EXPECT_EQ(all.frames[0].frame, 0);
    EXPECT_EQ(all.frames[1].frame, 2);

    writeLabels(folder / "patient001_frame12_gt.nii.gz", grid, map);
    const OpenedLabels named = read("patient001_frame12_gt.nii.gz", 30, 4);
    EXPECT_EQ(named.frames.front().frame, 11);
    EXPECT_THAT(named.notes, ElementsAre(HasSubstr("frame 11")));
    EXPECT_EQ(read("patient001_frame12_gt.nii.gz", 5, 4).frames.front().frame, 4)
        << "there is no twelfth frame";

    writeLabels(folder / "mine.nii.gz", grid, map);
    EXPECT_EQ(read("mine.nii.gz", 30, 7).frames.front().frame, 7);
    writeLabelRecord(folder / "mine.nii.gz", {.chamber = 3, .wall = 2}, {{9, 1, 1}}, "heart.nii");
    EXPECT_EQ(read("mine.nii.gz", 30, 7).frames.front().frame, 9) << "the record knows";
}

TEST_F(OpenedLabelsTest, WhatCannotBeLabelsOfTheImageIsRefusedInOneSentence) {
    const auto map = mapOn<std::uint8_t>(grid, 1, 2, 3);
    writeLabelSequence(folder / "two.nii.gz", grid, 0.1, std::vector{map, map});
    EXPECT_THAT(refusal("two.nii.gz", 3),
                HasSubstr("has 2 frames; a label map of this image has 1 or 3"));
    const Geometry elsewhere({24, 22, 20}, {2, 2, 2}, {1000, 0, 0});
    writeLabels(folder / "elsewhere.nii.gz", elsewhere, map);
    EXPECT_THAT(refusal("elsewhere.nii.gz"),
                AllOf(HasSubstr("none of its labels lies in the image: they are at x 1"),
                      HasSubstr(", the image at x "), HasSubstr("(LPS mm)")));
    writeLabels(folder / "empty.nii.gz", grid, std::vector<std::uint8_t>(grid.voxels()));
    EXPECT_THAT(refusal("empty.nii.gz"), HasSubstr("no label but 0"));
    std::vector<std::uint16_t> many(grid.voxels());
    for (std::size_t i = 0; i < many.size(); ++i)
        many[i] = static_cast<std::uint16_t>(i % 900);
    writeLabels(folder / "many.nii.gz", grid, many);
    EXPECT_THAT(refusal("many.nii.gz"), HasSubstr("899 different labels"));
    std::vector<float> gray(grid.voxels(), 0.25f);
    writeVolume(folder / "gray.nii.gz", grid, {gray.data(), grid.size()});
    EXPECT_THAT(refusal("gray.nii.gz"), HasSubstr("gray.nii.gz: labels are whole numbers"));
}

TEST_F(OpenedLabelsTest, OneLabelIsTheChamberAndUnclearOnesAreAskedFor) {
    writeLabels(folder / "one.nii.gz", grid, mapOn<std::uint8_t>(grid, 7, 0, 0));
    EXPECT_EQ(read("one.nii.gz").found, (ChamberNumbers{7, 0}));
    // The wall that the user adds gets a number that the file doesn't have.
    const OpenedLabels one = read("one.nii.gz");
    EXPECT_THAT(numbersOf(one, {7, 0}), ElementsAre(0, 7, 2));
    writeLabels(folder / "two.nii.gz", grid, mapOn<std::uint8_t>(grid, 2, 0, 5));
    EXPECT_FALSE(read("two.nii.gz").found) << "two balls apart: neither is in the other";
    EXPECT_THAT(numbersOf(read("two.nii.gz"), {2, 0}), ElementsAre(0, 2, 3, 5));
    EXPECT_THAT(numbersOf(read("two.nii.gz"), {0, 0}), ElementsAre(0, 1, 3, 2, 5));
}

TEST_F(OpenedLabelsTest, ARecordBesideTheMapSaysRolesAndPoints) {
    const std::string path = folder / "labels.nii.gz";
    writeLabels(path, grid, mapOn<std::uint8_t>(grid, 1, 2, 0));
    const VentriclePoints points{{1.5, 2, -3}, {4, 5, 6}, {7, 8, 9}};
    LabelRecord record{.chamber = 1, .wall = 2, .points = points, .pointsFrame = 3};
    ASSERT_TRUE(writeLabelRecord(path, record, {{0, 4, 9}, {3, 5, 9}}, "heart.nii.gz"));
    const OpenedLabels opened = read("labels.nii.gz", 6);
    ASSERT_TRUE(opened.points);
    EXPECT_EQ(opened.points->apex, points.apex);
    EXPECT_EQ(opened.points->mitral, points.mitral);
    EXPECT_EQ(opened.points->rightVentricle, points.rightVentricle);
    EXPECT_EQ(opened.pointsFrame, 3);
    // Its points are in LPS mm, or they aren't taken.
    std::string text = testing::readText(folder / "labels.json");
    text.replace(text.find("LPS"), 3, "RAS");
    std::ofstream(folder / "labels.json") << text;
    EXPECT_THAT([&] { readLabelRecord(path); },
                ::testing::ThrowsMessage<FileError>(
                    HasSubstr("'RAS' as the frame_of_reference of its points")));
    // A record of another map, or of another program, isn't read, and stays.
    EXPECT_FALSE(readLabelRecord(folder / "labels.mha"));
    std::ofstream(folder / "other.json") << "{\"labels\": 3}";
    EXPECT_FALSE(readLabelRecord(folder / "other.nii.gz"));
    EXPECT_FALSE(writeLabelRecord(folder / "other.nii.gz", record, {}, "heart.nii.gz"));
    EXPECT_EQ(testing::readText(folder / "other.json"), "{\"labels\": 3}");
}

TEST_F(OpenedLabelsTest, RecordsThatAnyoneMayHaveChangedAreHostile) {
    const std::string path = folder / "labels.nii.gz";
    writeLabels(path, grid, mapOn<std::uint8_t>(grid, 1, 2, 0));
    const auto written = [&](const std::string& rest) {
        std::ofstream(folder / "labels.json")
            << R"({"labels": {"file": "labels.nii.gz", "values": {"chamber": 1e9, "wall": "2"}}, )"
            << rest << "}";
        return readLabelRecord(path);
    };
    for (
        const char* rest :
        {R"("points_mm": {"apex": [1, 2], "mitral": [1, 2, 3], "right_ventricle": [1, 2, 3]})",
         R"("points_mm": {"apex": [1, 2, "x"], "mitral": 5, "right_ventricle": null})",
         R"("points_mm": [], "frames": {"frame": 1}, "points_frame": -4)",
         R"("points_mm": null, "frames": [1, {"frame": 1e30}, {"frame": -1}], "points_frame": 1e9)"}) {
        const auto record = written(rest);
        ASSERT_TRUE(record) << rest;
        EXPECT_FALSE(record->points) << rest;
        EXPECT_TRUE(record->frames.empty()) << rest;
        EXPECT_FALSE(record->pointsFrame) << rest;
        EXPECT_EQ(record->chamber, 0);
        EXPECT_EQ(record->wall, 0);
    }
}

TEST(LabelComparisonTest, OverlapAndVolumesAreThoseOfSetsOfVoxels) {
    // 8 and 6 voxels, 4 of them the same; and a label that only one map has.
    LabelMap a(100), b(100);
    std::fill_n(a.begin(), 8, std::uint8_t{1});
    std::fill_n(b.begin() + 4, 6, std::uint8_t{1});
    b[50] = 2;
    const LabelAgreement chamber = agreementOf(a, b, 1, 0.5), wall = agreementOf(a, b, 2, 0.5),
                         none = agreementOf(a, b, 3, 0.5);
    EXPECT_DOUBLE_EQ(chamber.dice, 2.0 * 4 / (8 + 6));
    EXPECT_DOUBLE_EQ(chamber.milliliters, 4);
    EXPECT_DOUBLE_EQ(chamber.inFile, 3);
    EXPECT_DOUBLE_EQ(chamber.difference(), 1);
    EXPECT_DOUBLE_EQ(wall.dice, 0);
    EXPECT_TRUE(std::isnan(none.dice));
    EXPECT_FALSE(none.occurs());
}

TEST(LabelComparisonTest, AWallThatOnlyOneHasIsNotCompared) {
    const Geometry cube({10, 10, 10}, {10, 10, 10});
    LabelMap chamber(1000), both(1000);
    std::fill_n(chamber.begin(), 100, std::uint8_t{1});
    both = chamber;
    std::fill_n(both.begin() + 100, 50, std::uint8_t{2});
    LabelHistory labels;
    labels.reset(cube, 2);
    LabelComparison comparison;
    for (const int frame : {0, 1}) {
        labels.replace(frame, chamber);
        comparison.setFile(frame, std::make_shared<const LabelMap>(both), "expert.nii.gz");
    }
    comparison.follow(labels);
    EXPECT_EQ(comparison.wall().frames, 0);
    EXPECT_EQ(comparison.chamber().frames, 2);
    EXPECT_THAT(comparisonText(comparison), ::testing::Not(HasSubstr("Wall")));
    labels.replace(1, both);
    comparison.follow(labels);
    EXPECT_EQ(comparison.wall().frames, 1);
    EXPECT_DOUBLE_EQ(comparison.wall().dice, 1);
}

TEST(LabelComparisonTest, FramesAreComparedAgainOnceTheirLabelsChange) {
    const Geometry cube({10, 10, 10}, {10, 10, 10}); // 1 ml a voxel
    LabelHistory labels;
    labels.reset(cube, 3);
    const auto with = [](int voxels) {
        LabelMap map(1000);
        std::fill_n(map.begin(), voxels, std::uint8_t{1});
        return map;
    };
    labels.replace(0, with(100));
    LabelComparison comparison;
    comparison.setFile(0, std::make_shared<const LabelMap>(with(80)), "expert.nii.gz");
    comparison.setFile(2, std::make_shared<const LabelMap>(with(40)), "expert.nii.gz");
    comparison.follow(labels);
    ASSERT_EQ(comparison.frames().size(), 1u) << "frame 2 has no labels";
    EXPECT_DOUBLE_EQ(comparison.frames()[0].chamber.dice, 160.0 / 180);
    EXPECT_DOUBLE_EQ(comparison.frames()[0].chamber.difference(), 20);
    EXPECT_TRUE(comparisonLines(comparison).empty());
    labels.replace(2, with(50));
    labels.replace(0, with(90));
    comparison.follow(labels);
    ASSERT_EQ(comparison.frames().size(), 2u);
    const AgreementOverFrames all = comparison.chamber();
    EXPECT_EQ(all.frames, 2);
    EXPECT_DOUBLE_EQ(all.dice, (160.0 / 170 + 80.0 / 90) / 2);
    EXPECT_DOUBLE_EQ(all.minDice, 80.0 / 90);
    EXPECT_EQ(all.worstFrame, 2);
    EXPECT_DOUBLE_EQ(all.difference, 10);
    EXPECT_DOUBLE_EQ(all.deviation, 0);
    EXPECT_EQ(comparison.wall().frames, 0);
    // EF: 90 → 50 ml now, 80 → 40 ml in the file.
    EXPECT_THAT(comparisonLines(comparison).back(), HasSubstr("44.4 %, in the file 50.0 %"));
    EXPECT_THAT(comparisonText(comparison), HasSubstr("\n2\t0.889\t50.0\t40.0\t+10.0\t"));
    labels.remove(2);
    comparison.follow(labels);
    EXPECT_EQ(comparison.frames().size(), 1u);
    comparison.clear();
    EXPECT_FALSE(comparison.hasFile());
}

} // namespace
} // namespace systole
