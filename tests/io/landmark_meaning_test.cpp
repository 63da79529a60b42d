// Information next to the numbers in files of points: units, systems, states, separators, and
// repeated statements.
#include "io/base/text.h"
#include "tests/io/landmark_support.h"

#include <fmt/format.h>

namespace systole {
namespace {

using ::testing::HasSubstr;

/// Slicer's markups with what stands before their points, and the points.
std::string markups(const std::string& keys, const std::string& points) {
    return "{\"@schema\": \"markups-schema-v1.0.3.json#\", \"markups\": [{\"type\": "
           "\"Fiducial\", " +
           keys + "\"controlPoints\": [" + points + "]}]}";
}
std::string markups(const std::string& keys) {
    return markups(keys, R"({"label": "A", "position": [1.5, 2, 3]})");
}

class LandmarkMeaning : public LandmarkFiles {
protected:
    std::vector<Landmark> points(const std::string& name, const std::string& content) {
        return readLandmarks(file(name, content)).set.points;
    }
};

TEST_F(LandmarkMeaning, UnitsOfMarkupsMayBeACode) {
    const std::string lps = "\"coordinateSystem\": \"LPS\", ";
    for (const char* units : {R"("mm")", R"(["mm", "UCUM", "millimeter"])", R"(["mm"])"})
        expectAt(points("a.mrk.json", markups(lps + "\"coordinateUnits\": " + units + ", "))
                     .at(0)
                     .position,
                 {1.5, 2, 3});
    EXPECT_THAT(refusal("a.mrk.json",
                        markups(lps + R"("coordinateUnits": ["um", "UCUM", "micrometer"], )")),
                HasSubstr("in 'um' ('micrometer')"));
    for (const char* units : {R"(["cm", "UCUM", "centimeter"])", R"(["m", "UCUM", "meter"])",
                              R"("cm")", R"(["mm", "DCM", "x"])", "1", "null", "[]", "{}",
                              R"([1, 2])", R"(["mm", "UCUM", "millimeter", "x"])"})
        EXPECT_NE(refusal("a.mrk.json",
                          markups(lps + "\"coordinateUnits\": " + std::string(units) + ", ")),
                  "")
            << units;
}

TEST_F(LandmarkMeaning, KeysOfAnotherTypeAreRefused) {
    for (const char* system : {"0", "1", "null", "[\"LPS\"]", "true"})
        EXPECT_THAT(
            refusal("a.mrk.json", markups("\"coordinateSystem\": " + std::string(system) + ", ")),
            HasSubstr("'coordinateSystem'"))
            << system;
    expectAt(points("a.mrk.json", markups("\"coordinateSystem\": \"0\", ")).at(0).position,
             {-1.5, -2, 3});
    EXPECT_THAT(refusal("a.mrk.json", markups("\"coordinateSystem\": \"\", ")), HasSubstr("''"));
    EXPECT_THAT(refusal("a.mrk.json", markups("\"coordinateSystem\": \"IJK\", ")),
                HasSubstr("LPS or RAS"));
    EXPECT_THAT(refusal("a.mrk.json", markups("", R"({"label": 7, "position": [1, 2, 3]})")),
                HasSubstr("'label' of control point 1"));
    EXPECT_THAT(
        refusal("a.mrk.json", markups("", R"({"positionStatus": 1, "position": [1, 2, 3]})")),
        HasSubstr("'positionStatus' of control point 1"));
}

TEST_F(LandmarkMeaning, OnlyDefinedPointsArePlaced) {
    const std::vector<Landmark> placed =
        points("a.mrk.json", markups("\"coordinateSystem\": \"LPS\", ", R"(
            {"label": "A", "position": [1, 2, 3], "positionStatus": "defined"},
            {"label": "B", "position": [0, 0, 0], "positionStatus": "undefined"},
            {"label": "C", "position": [4, 5, 6], "positionStatus": "preview"},
            {"label": "D", "position": [4, 5, 6], "positionStatus": "missing"},
            {"label": "E", "position": [7, 8, 9]})"));
    ASSERT_EQ(placed.size(), 2u);
    EXPECT_EQ(placed[0].name, "A");
    EXPECT_EQ(placed[1].name, "E");
    expectAt(placed[1].position, {7, 8, 9});
    EXPECT_THAT(refusal("a.mrk.json",
                        markups("", R"({"positionStatus": "placed", "position": [1, 2, 3]})")),
                HasSubstr("defined, undefined, preview or missing"));
}

TEST_F(LandmarkMeaning, WhatIsStatedTwiceIsRefused) {
    EXPECT_THAT(refusal("a.mrk.json",
                        markups("\"coordinateSystem\": \"LPS\", \"coordinateSystem\": \"RAS\", ")),
                HasSubstr("the key 'coordinateSystem' twice"));
    EXPECT_THAT(
        refusal("a.mrk.json", markups("", R"({"position": [1, 2, 3], "position": [4, 5, 6]})")),
        HasSubstr("the key 'position' twice"));
    EXPECT_THAT(refusal("a.csv", "x,y,z,x\n1,2,3,4\n"), HasSubstr("column 'x' more than once"));
    EXPECT_THAT(refusal("a.csv", "name,x,y,z,name\na,1,2,3,b\n"), HasSubstr("'name'"));
    const std::string both = "# coordinateSystem: LPS\n# coordinateSystem: RAS\n";
    EXPECT_THAT(refusal("a.csv", both + "x,y,z\n1,2,3\n"), HasSubstr("after 'LPS' before"));
    EXPECT_THAT(refusal("a.fcsv", both + "# columns = id,x,y,z\n1,1,2,3\n"),
                HasSubstr("after 'LPS' before"));
    EXPECT_THAT(refusal("a.fcsv", "# CoordinateSystem = LPS\n# columns = id,x,y,z,x\n1,1,2,3,4\n"),
                HasSubstr("x more than once"));
    // A repeated equal statement is no contradiction.
    EXPECT_EQ(points("a.csv", "# units: mm\n# units: mm\nx,y,z\n1,2,3\n").size(), 1u);
}

TEST_F(LandmarkMeaning, TablesOfOtherCountriesAndOldMacsAreRead) {
    for (const char* text :
         {"x;y;z;name\n1,5;-2,25;3;tip\n", "sep=;\nname;x;y;z\ntip;1,5;-2,25;3\n",
          "x\ty\tz\tname\n1,5\t-2,25\t3\ttip\n", "x;y;z;name\r1,5;-2,25;3;tip\r",
          "x,y,z,name\r1.5,-2.25,3,tip\r", "x,y,z,name\r\n1.5,-2.25,3,tip\r\n",
          "sep=,\nx,y,z,name\n1.5,-2.25,3,tip\n", "tip;1,5;-2,25;3\n"}) {
        const std::vector<Landmark> found = points("a.csv", text);
        ASSERT_EQ(found.size(), 1u) << text;
        expectAt(found[0].position, {1.5, -2.25, 3});
        EXPECT_EQ(found[0].name, "tip") << text;
    }
    EXPECT_THAT(readLandmarks(file("a.csv", "x;y;z\n1,5;2;3\n")).notes,
                ::testing::Contains(HasSubstr("commas as decimal points")));
    EXPECT_EQ(points("a.csv", "x;y;z;name\n1;2;3;1,5\n")[0].name, "1,5");
    EXPECT_THAT(refusal("a.csv", "x;y;z\n1,5;2.5;3\n"), HasSubstr("commas and points"));
    EXPECT_THAT(refusal("a.csv", "x;y;z\n1,234.5;2;3\n"), HasSubstr("no number"));
    const std::string rows = "track;frame;x;y;z;certainty\nA;0;1,5;2;3;0,5\nA;1;2,5;2;3;1\n";
    const LandmarkTracks tracks = readTracks(file("t.csv", rows));
    ASSERT_EQ(tracks.tracks.size(), 1u);
    EXPECT_EQ(tracks.tracks[0].frames[1]->position.x, 2.5);
    EXPECT_EQ(tracks.tracks[0].frames[0]->certainty, 0.5);
    EXPECT_TRUE(isTracksFile(folder / "t.csv"));
}

TEST_F(LandmarkMeaning, PointsOfSlicersTableAreThoseThatAreDefined) {
    const std::string header = "label,r,a,s,defined,selected,visible,locked,description\n";
    const StoredLandmarks table = readLandmarks(
        file("a.csv",
             header + "A,1,2,3,1,1,1,0,\nB,0,0,0,0,1,1,0,\nC,,,,0,1,1,0,\nD,4,5,6,1,0,0,0,x\n"));
    ASSERT_EQ(table.set.points.size(), 2u);
    EXPECT_EQ(table.set.points[0].name, "A");
    expectAt(table.set.points[0].position, {-1, -2, 3});
    EXPECT_EQ(table.set.points[1].name, "D");
    expectAt(table.set.points[1].position, {-4, -5, 6});
    EXPECT_THAT(table.notes, ::testing::Contains(
                                 HasSubstr("2 of its points have no position and are left out")));
    EXPECT_THAT(refusal("a.csv", header + "A,1,2,3,yes,1,1,0,\n"), HasSubstr("'defined' is 'yes'"));
}

TEST_F(LandmarkMeaning, CellsAtTheEndsOfATableOfTabsMayBeEmpty) {
    const std::vector<Landmark> last =
        points("a.tsv", "label\tl\tp\ts\tdefined\tdescription\nA\t1\t2\t3\t1\t\r\n"
                        "B\t4\t5\t6\t1\tx\n\t\t\t\t\t\n");
    ASSERT_EQ(last.size(), 2u);
    EXPECT_EQ(last[0].name, "A");
    expectAt(last[0].position, {1, 2, 3});
    const std::vector<Landmark> first =
        points("b.tsv", "\t# units: mm\nname\tx\ty\tz\n\t1\t2\t3\nB\t4\t5\t6\n");
    ASSERT_EQ(first.size(), 2u);
    EXPECT_EQ(first[0].name, "");
    expectAt(first[0].position, {1, 2, 3});
    // A tab behind a line of other fields separates nothing.
    expectAt(points("c.csv", "x,y,z\t\n1,2,3\t\n")[0].position, {1, 2, 3});
}

TEST_F(LandmarkMeaning, FiducialsOfSlicer3NameTheirColumnsInAComment) {
    const std::vector<Landmark> old = points(
        "a.fcsv", "# Fiducial List file /tmp/L.fcsv\n# version = 2\n# name = L\n# numPoints = 1\n"
                  "# visibility = 1\n# color = 0.4,1,1\n# label,x,y,z,sel,vis\nA,1,2,3,1,1\n");
    ASSERT_EQ(old.size(), 1u);
    EXPECT_EQ(old[0].name, "A");
    expectAt(old[0].position, {-1, -2, 3});
}

TEST_F(LandmarkMeaning, PointsThatTransformixMovedAreRead) {
    const auto line = [](int number, const char* in, const char* out) {
        return fmt::format("Point\t{}\t; InputIndex = [ 4 7 9 ]\t; InputPoint = [ {} ]\t; "
                           "OutputIndexFixed = [ 5 7 9 ]\t; OutputPoint = [ {} ]\t; Deformation = "
                           "[ 1 2 3 ]\t; OutputIndexMoving = [ 5 7 9 ]\n",
                           number, in, out);
    };
    const std::string both =
        line(0, "-9.5 8 30.5", "-8.9 7.25 30.4") + line(1, "1 2 3", "4 5e-1 -6");
    const StoredLandmarks stored = readLandmarks(file("outputpoints.txt", both));
    ASSERT_EQ(stored.set.points.size(), 2u);
    expectAt(stored.set.points[0].position, {-8.9, 7.25, 30.4});
    expectAt(stored.set.points[1].position, {4, 0.5, -6});
    EXPECT_THAT(stored.notes, ::testing::Contains(HasSubstr("OutputPoint")));
    EXPECT_THAT(refusal("p.txt", both + line(2, "1 2 3", "4 5")), HasSubstr("line 3: OutputPoint"));
    EXPECT_THAT(refusal("p.txt", both + "Point 3 ; InputPoint = [ 1 2 3 ]\n"),
                HasSubstr("line 3: has no OutputPoint"));
}

TEST_F(LandmarkMeaning, NamesThatASpreadsheetWouldRunComeBackAsTheyWere) {
    LandmarkSet set;
    for (const char* name :
         {"=cmd|' /C calc'!A0", "+1+1", "-5", "@SUM(1)", "'=x", "''+y", "'quoted", "plain", "a=b"})
        set.points.push_back({name, {static_cast<double>(set.points.size()), -1, 2}});
    writeLandmarks(folder / "p.csv", set);
    LandmarkTracks tracks;
    for (const Landmark& point : set.points)
        tracks.tracks.push_back({point.name, {TrackedPosition{point.position}}});
    writeTracks(folder / "t.csv", tracks);
    const std::vector<Landmark> back = readLandmarks(folder / "p.csv").set.points;
    const LandmarkTracks tracksBack = readTracks(folder / "t.csv");
    ASSERT_EQ(back.size(), set.points.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
        EXPECT_EQ(back[i].name, set.points[i].name);
        EXPECT_EQ(tracksBack.tracks[i].name, set.points[i].name);
    }
    for (const char* name : {"p.csv", "t.csv"}) {
        const test::Bytes bytes = test::readBytes(folder / name);
        std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        while (!text.empty()) {
            std::string_view row = nextLine(text);
            if (row.starts_with('"'))
                row.remove_prefix(1);
            EXPECT_EQ(std::string_view("=+-@").find(row.front()), std::string_view::npos) << row;
        }
    }
}

} // namespace
} // namespace systole
