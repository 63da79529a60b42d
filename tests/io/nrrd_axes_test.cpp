// Properties of each axis in a NRRD header: mins, maxs, centers, units, the order of space.
#include "tests/io/text_header_support.h"

namespace systole::test {
namespace {

using ::testing::HasSubstr;

class NrrdAxes : public TextHeaderTest {
protected:
    void expectAsItk(const std::string& path) const {
        expectSamePlaces(openSequence({path}).geometry, *readWithItk<itk::Image<float, 3>>(path),
                         1e-9);
    }
};

TEST_F(NrrdAxes, MinsAndMaxsPlaceTheVoxels) {
    for (const char* centers : {"centers", "centerings"}) {
        const std::string node = std::string(centers) + ": node node node\n",
                          cell = std::string(centers) + ": cell cell cell\n";
        expectPlace(volume("spacings: 1.5 1.25 2\naxis mins: -10 20 5\n" + node), {-10, 20, 5},
                    {1.5, 1.25, 2});
        expectPlace(volume("axis mins: -10 20 5\naxis maxs: -5.5 22.5 7\n" + node), {-10, 20, 5},
                    {1.5, 1.25, 2});
        expectPlace(volume("axismins: -10 20 5\naxismaxs: -4 23.75 9\n" + cell), {-9.25, 20.625, 6},
                    {1.5, 1.25, 2});
        expectPlace(volume("spacings: 1.5 1.25 2\naxis maxs: -4 23.75 9\n" + cell),
                    {-9.25, 20.625, 6}, {1.5, 1.25, 2});
    }
    // The spacing tells which center is meant.
    expectPlace(volume("spacings: 1.5 1.25 2\naxis mins: -10 20 5\naxis maxs: -5.5 22.5 7\n"),
                {-10, 20, 5}, {1.5, 1.25, 2});
    expectPlace(volume("spacings: 1.5 1.25 2\naxis mins: -10 20 5\naxis maxs: -4 23.75 9\n"),
                {-9.25, 20.625, 6}, {1.5, 1.25, 2});
    // Axes may differ.
    expectPlace(volume("spacings: 1.5 nan 2\naxis mins: -10 20 nan\naxis maxs: nan 22.5 7\n"
                       "centers: cell node node\n"),
                {-9.25, 20, 5}, {1.5, 1.25, 2});
}

TEST_F(NrrdAxes, AnAxisMayRunBackwards) {
    expectPlace(volume("spacings: -1.5 1.25 2\naxis mins: -10 20 5\ncenters: node node node\n"),
                {-10, 20, 5}, {1.5, 1.25, 2}, {-1, 1, 1});
    expectPlace(volume("axis mins: 6 20 5\naxis maxs: 0 22.5 7\ncenters: cell node node\n"),
                {5.25, 20, 5}, {1.5, 1.25, 2}, {-1, 1, 1});
}

TEST_F(NrrdAxes, ItkAgreesWhereItReadsThem) {
    // Not of left-anterior-superior, where ITK 5.2 mirrors x in place of y.
    for (const char* lines :
         {"spacings: 1.5 1.25 2\naxis mins: -10 20 5\ncenters: node node node\n",
          "spacings: 1.5 1.25 2\naxis mins: -10 20 5\ncenters: cell cell cell\n",
          "spacings: 1.5 1.25 2\naxis mins: -10 20 5\n",
          "spacings: -1.5 1.25 2\naxis mins: -10 20 5\ncenters: node node node\n",
          "space: RAS\nspace directions: (1,0.5,0) (-0.5,1,0) (0,0,3)\nspace origin: (1,2,3)\n",
          "space dimension: 3\nspace directions: (1,0,0) (0,2,0) (0,0,3)\nspace origin: (1,2,3)\n"})
        expectAsItk(volume(lines));
}

TEST_F(NrrdAxes, WhatContradictsOrIsMissingIsRefusedOrSaid) {
    EXPECT_THAT(refusal(volume("spacings: 1 1.25 2\naxis mins: -10 20 5\naxis maxs: 50 21 6\n")),
                HasSubstr("contradicts itself"));
    EXPECT_THAT(refusal(volume("spacings: nan 1.25 2\n")), HasSubstr("not that of axis 1"));
    EXPECT_THAT(refusal(volume("space: LPS\nspacings: 1 1 3\n"
                               "space directions: (1,0,0) (0,1,0) (0,0,2)\n")),
                HasSubstr("contradicts itself"));
    EXPECT_THAT(refusal(volume("axis mins: 1 2\n")), HasSubstr("2 axis mins for 3 dimensions"));
    EXPECT_THAT(refusal(volume("axis mins: 1 2 x\n")), HasSubstr("'x'"));
    EXPECT_THAT(refusal(volume("spacings: 1 1 1\ncenters: cell corner cell\n")),
                HasSubstr("'corner'"));
    const std::string unsaid = volume("spacings: 1.5 1.25 2\naxis mins: -10 20 5\n");
    EXPECT_TRUE(anyNoteHas(openSequence({unsaid}), "cell or node"));
    EXPECT_TRUE(anyNoteHas(openSequence({volume("spacings: nan nan nan\n")}), "1 mm is assumed"));
}

TEST_F(NrrdAxes, UnitsOfEachAxisCount) {
    expectPlace(volume("spacings: 0.15 1.25 2000\nunits: \"cm\" \"mm\" \"um\"\n"
                       "axis mins: -1 20 5000\ncenters: node node node\n"),
                {-10, 20, 5}, {1.5, 1.25, 2});
    expectPlace(volume("space: LPS\nspace directions: (0.15,0,0) (0,1.25,0) (0,0,0.002)\n"
                       "space origin: (-1,20,0.005)\nspace units: \"cm\" \"mm\" \"m\"\n"),
                {-10, 20, 5}, {1.5, 1.25, 2});
    EXPECT_THAT(refusal(volume("spacings: 1 1 1\nunits: \"s\" \"mm\" \"mm\"\n")), HasSubstr("'s'"));
    EXPECT_THAT(refusal(volume("space: LPS\nspace directions: (1,0,0) (0,1,0) (0,0,1)\n"
                               "space units: \"furlong\" \"mm\" \"mm\"\n")),
                HasSubstr("'furlong'"));
}

TEST_F(NrrdAxes, SpaceMayNameItsAxesInAnyOrder) {
    const std::string lines =
        "space directions: (1.5,0,0) (0,1.25,0) (0,0,2)\nspace origin: (1,2,3)\n";
    expectPlace(volume("space: RAS\n" + lines), {-1, -2, 3}, {1.5, 1.25, 2}, {-1, -1, 1});
    expectPlace(volume("space: Right-Anterior-Superior\n" + lines), {-1, -2, 3}, {1.5, 1.25, 2},
                {-1, -1, 1});
    expectPlace(volume("space: LPI\n" + lines), {1, 2, -3}, {1.5, 1.25, 2}, {1, 1, -1});
    expectPlace(volume("space: right-posterior-inferior\n" + lines), {-1, 2, -3}, {1.5, 1.25, 2},
                {-1, 1, -1});
    const Geometry turned = openSequence({volume("space: SAR\n" + lines)}).geometry;
    EXPECT_EQ(turned.origin().x, -3);
    EXPECT_EQ(turned.origin().y, -2);
    EXPECT_EQ(turned.origin().z, 1);
    EXPECT_EQ(turned.direction()[2][0], 1); // the first axis runs to superior
    for (const char* unnamed : {"scanner-xyz", "3D-right-handed", "LLS", "left-up-superior"})
        EXPECT_TRUE(anyNoteHas(
            openSequence({volume("space: " + std::string(unnamed) + "\n" + lines)}), unnamed));
}

TEST_F(NrrdAxes, TheStepOfTimeFollowsFromMinsAndMaxs) {
    const std::string lines = "spacings: 1 1 1 nan\nkinds: space space space time\n"
                              "axis mins: nan nan nan 0\naxis maxs: nan nan nan 120\n"
                              "units: \"mm\" \"mm\" \"mm\" \"ms\"\n";
    const Sequence nodes = openSequence({frames(4, lines + "centers: cell cell cell node\n")});
    EXPECT_NEAR(nodes.timesSeconds.at(3), 0.12, 1e-9);
    const Sequence cells = openSequence({frames(4, lines + "centers: cell cell cell cell\n")});
    EXPECT_NEAR(cells.timesSeconds.at(3), 0.09, 1e-9);
}

TEST_F(NrrdAxes, NanDirectionsAreThoseOfNoAxisOfSpace) {
    const Sequence sequence = openSequence(
        {frames(2, "space: LPS\nspace directions: (1,0,0) (0,1,0) (0,0,1) (nan,nan,nan)\n"
                   "space origin: (0,0,0)\nkinds: space space space list\n")});
    EXPECT_EQ(sequence.frames, 2);
    EXPECT_EQ(readFrame(sequence, 1), counting<float>(24, 24));
}

} // namespace
} // namespace systole::test
