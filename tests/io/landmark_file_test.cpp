// Files of points: every format as other programs write it, round trips, and what is refused.
#include "tests/io/landmark_support.h"

#include <cmath>
#include <filesystem>
#include <utility>

namespace systole {
namespace {

using ::testing::HasSubstr;

TEST_F(LandmarkFiles, PointsWithTheirNamesComeBackToTheBit) {
    for (const char* name : {"a.csv", "a.mrk.json", "a.fcsv", "a.txt"}) {
        const LandmarkSet set = awkwardPoints();
        writeLandmarks(folder / name, set);
        const StoredLandmarks back = readLandmarks(folder / name);
        ASSERT_EQ(back.set.points.size(), set.points.size()) << name;
        const bool named = back.format != LandmarkFormat::Elastix;
        for (std::size_t i = 0; i < set.points.size(); ++i) {
            expectAt(back.set.points[i].position, set.points[i].position);
            EXPECT_EQ(back.set.points[i].name, named ? set.points[i].name : "") << name;
        }
        EXPECT_FALSE(back.grid) << name;
        EXPECT_TRUE(back.notes.empty()) << name << ": " << back.notes.front();
    }
    EXPECT_EQ(readLandmarks(folder / "a.csv").set.frame, 3);
    EXPECT_EQ(readLandmarks(folder / "a.mrk.json").set.frame, 3);
}

TEST_F(LandmarkFiles, VoxelIndicesAreCountedFromOneAndRoundedOnTheirGrid) {
    const std::string path = file("mine.txt", "1\t1\t1\r\n40\t50\t30\r\n2 3 4\n");
    const StoredLandmarks stored = readLandmarks(path, {grid});
    EXPECT_EQ(stored.format, LandmarkFormat::DirLab);
    ASSERT_TRUE(stored.grid);
    expectAt(stored.set.points[0].position, grid.origin());
    expectAt(stored.set.points[1].position, {-12 + 39 * 0.9, 7 + 49 * 1.1, 300 - 29 * 2.5}, 1e-12);
    LandmarkSet moved = stored.set;
    moved.points[0].position = moved.points[0].position + Vec3{0.4, -0.5, 1.2};
    writeLandmarks(folder / "b.txt", moved, {LandmarkFormat::DirLab, grid});
    const StoredLandmarks back = readLandmarks(folder / "b.txt", {grid});
    for (std::size_t i = 0; i < 3; ++i)
        expectAt(back.set.points[i].position, stored.set.points[i].position, 1e-9);
    moved.points[1].position.x += 100;
    EXPECT_THROW(writeLandmarks(folder / "c.txt", moved, {LandmarkFormat::DirLab, grid}),
                 FileError);
    EXPECT_FALSE(std::filesystem::exists(folder / "c.txt"));
}

TEST_F(LandmarkFiles, TheNameOfADirLabFileSaysItsGrid) {
    const StoredLandmarks a = readLandmarks(file("Case7_dirLab300_T50_xyz.txt", "3 5 136\n"));
    ASSERT_TRUE(a.grid);
    EXPECT_EQ(a.grid->size(), (Size3{512, 512, 136}));
    EXPECT_EQ(a.set.frame, 5);
    expectAt(a.set.points[0].position, {2 * 0.97, 4 * 0.97, -135 * 2.5}, 1e-9);
    const StoredLandmarks b = readLandmarks(file("copd4_300_eBH_xyz_r1.txt", "1 1 126\n"));
    EXPECT_EQ(b.grid->size(), (Size3{512, 512, 126}));
    EXPECT_DOUBLE_EQ(b.grid->spacing().x, 0.59);
    EXPECT_THAT(refusal("case7_300_T00_xyz.txt", "3 5 136\n3 5 137\n"),
                HasSubstr("line 2: the voxel (3, 5, 137)"));
    EXPECT_THAT(refusal("case1_300_T00_xyz.txt", "0 5 13\n"), HasSubstr("counted from 1"));
    EXPECT_THAT(refusal("points.txt", "3 5 13\n"), HasSubstr("name the image"));
    EXPECT_THAT(refusal("case11_300_T00_xyz.txt", "3 5 13\n"), HasSubstr("case1 to case10"));
}

TEST_F(LandmarkFiles, SlicersFilesSayTheirFrame) {
    const std::string ras = R"({"@schema": "x", "markups": [{"type": "Fiducial",
        "coordinateSystem": "RAS", "coordinateUnits": "mm", "locked": false,
        "controlPoints": [
          {"id": "1", "label": "F-1", "position": [10, 20, 30.5], "orientation": [-1, 0, 0, 0, -1,
           0, 0, 0, 1], "selected": true, "positionStatus": "defined"},
          {"id": "2", "label": "F-2", "position": null, "positionStatus": "undefined"}],
        "display": {"visibility": true, "color": [0.4, 1, 0]}}]})";
    const StoredLandmarks stored = readLandmarks(file("slicer.mrk.json", ras));
    EXPECT_EQ(stored.format, LandmarkFormat::Markups);
    ASSERT_EQ(stored.set.points.size(), 1u);
    EXPECT_EQ(stored.set.points[0].name, "F-1");
    expectAt(stored.set.points[0].position, {-10, -20, 30.5});
    EXPECT_THAT(stored.notes.at(0), HasSubstr("1 of its points have no position"));

    const std::string rows = "vtkMRMLMarkupsFiducialNode_0,10,20,30.5,0,0,0,1,1,1,0,F-1,,\n";
    const std::string head = "# Markups fiducial file version = 4.10\n# CoordinateSystem = ";
    const std::string columns =
        "\n# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n";
    for (const auto& [system, sign] : {std::pair("0", -1), {"RAS", -1}, {"LPS", 1}, {"1", 1}}) {
        const StoredLandmarks old = readLandmarks(file("a.fcsv", head + system + columns + rows));
        expectAt(old.set.points.at(0).position, {sign * 10.0, sign * 20.0, 30.5});
        EXPECT_EQ(old.set.points[0].name, "F-1");
    }
    EXPECT_THAT(refusal("a.fcsv", head + "IJK" + columns + rows), HasSubstr("LPS or RAS"));
    // Version 3 had the label first.
    const StoredLandmarks older = readLandmarks(
        file("b.fcsv", "# Fiducial List file x\n# columns = label,x,y,z,sel,vis\nA,1,2,3,1,1\n"));
    EXPECT_EQ(older.set.points.at(0).name, "A");
    expectAt(older.set.points[0].position, {-1, -2, 3});
    EXPECT_THAT(older.notes.at(0), HasSubstr("RAS is assumed"));
}

TEST_F(LandmarkFiles, RowsOfSlicersFiducialsHaveTheColumnsOfTheirHeader) {
    const std::string head =
        "# Markups fiducial file version = 4.11\n# CoordinateSystem = LPS\n"
        "# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n";
    // Slicer 5 writes two numbers more.
    const std::string sound = "1,10,20,30.5,0,0,0,1,1,1,0,F-1,,";
    for (const char* more : {"", ",2,0"}) {
        const StoredLandmarks stored = readLandmarks(file("a.fcsv", head + sound + more + "\n"));
        expectAt(stored.set.points.at(0).position, {10, 20, 30.5});
        EXPECT_EQ(stored.set.points[0].name, "F-1");
    }
    for (const char* more : {",", ",2", ",2,", ",2,0,0", ",2,x", ",2.5,0"})
        EXPECT_THAT(refusal("a.fcsv", head + sound + more + "\n"),
                    HasSubstr("14 are expected (are there commas as decimal points?)"));
    // 30,5 and 10,25 and more: with commas the rows have columns of other meaning.
    for (const char* row :
         {"1,10,20,30,5,0,0,0,1,1,1,0,F-1,,", "1,10,25,20,30,5,0,0,0,1,1,1,0,F-1,,",
          "1,10,20,30.5,0,0,0,1,1,2,0,F-1,,"})
        EXPECT_NE(refusal("a.fcsv", head + row + "\n"), "") << row;
    // Scripts leave out the empty ones at the end.
    EXPECT_EQ(readLandmarks(file("a.fcsv", head + "1,10,20,30.5,0,0,0,1,1,1,0,F-1\n"))
                  .set.points.at(0)
                  .name,
              "F-1");
    EXPECT_THAT(refusal("a.fcsv", head + "1,10,20,30.5,0,0,0,1,1,2,0,F-1,,\n"),
                HasSubstr("line 4: sel is '2'; 0 or 1 is expected"));
}

TEST_F(LandmarkFiles, ElastixPointsAreMillimetersAndItsIndicesCountFromZero) {
    const StoredLandmarks points = readLandmarks(file("p.txt", "point\n2\n1 2 3\n-4.5 5e1 6\n"));
    EXPECT_EQ(points.format, LandmarkFormat::Elastix);
    expectAt(points.set.points[1].position, {-4.5, 50, 6});
    const StoredLandmarks indices = readLandmarks(file("i.txt", "index\n1\n0 0 1\n"), {grid});
    expectAt(indices.set.points[0].position, {-12, 7, 297.5}, 1e-12);
    // Older files have the count alone, and indices.
    expectAt(readLandmarks(file("o.txt", "1\n0 0 1\n"), {grid}).set.points[0].position,
             {-12, 7, 297.5}, 1e-12);
    EXPECT_THAT(refusal("i.txt", "index\n1\n0 0 1\n"), HasSubstr("name the image"));
    EXPECT_THAT(refusal("p.txt", "point\n3\n1 2 3\n4 5 6\n"),
                HasSubstr("line 2: announces 3 points, but 2 lines follow"));
    EXPECT_THAT(refusal("p.txt", "point\n1\n1 2 3\n4 5 6\n"), HasSubstr("but 2 lines follow"));
    EXPECT_THAT(refusal("p.txt", "point\n99999999999999\n1 2 3\n"), HasSubstr("1 lines follow"));
    EXPECT_THAT(refusal("p.txt", "point\nmany\n1 2 3\n"), HasSubstr("number of points is 'many'"));
    EXPECT_THAT(refusal("p.txt", "point\n"), HasSubstr("the number of points is expected"));
    EXPECT_THAT(refusal("p.txt", "point\n1\n1 2\n"), HasSubstr("line 3: has 2 columns"));
}

TEST_F(LandmarkFiles, CommaSeparatedValuesWithAndWithoutHeader) {
    const auto first = [&](const std::string& content) {
        return readLandmarks(file("a.csv", content)).set.points.at(0);
    };
    expectAt(first("1,2,3\n").position, {1, 2, 3});
    expectAt(first("1;2;3\n").position, {1, 2, 3});
    EXPECT_EQ(first("1,2,3,tip\n").name, "tip");
    EXPECT_EQ(first("tip, 1, 2, 3\n").name, "tip");
    expectAt(first("z,name,y [mm],x\n3,tip,2,1\n").position, {1, 2, 3});
    EXPECT_EQ(first("\"x_mm\",\"y_mm\",\"z_mm\",\"label\"\r\n1,2,3,\"a \"\"b\"\"\"\r\n").name,
              "a \"b\"");
    expectAt(first("r,a,s\n1,2,3\n").position, {-1, -2, 3});
    expectAt(first("# coordinateSystem: RAS\nx,y,z\n1,2,3\n").position, {-1, -2, 3});
    expectAt(first("\xEF\xBB\xBFx\ty\tz\n1\t2\t3\n").position, {1, 2, 3});
    EXPECT_THAT(readLandmarks(file("a.csv", "1,2,3\n")).notes.at(0),
                HasSubstr("LPS mm is assumed"));
    EXPECT_TRUE(readLandmarks(file("a.csv", "l,p,s\n1,2,3\n")).notes.empty());
}

TEST_F(LandmarkFiles, NumbersThatNothingExplainsAreWhatTheUserSays) {
    using enum LandmarkCoordinates;
    const auto first = [&](const std::string& name, const std::string& content,
                           LandmarkCoordinates coordinates) {
        return readLandmarks(file(name, content), {grid, coordinates}).set.points.at(0).position;
    };
    expectAt(first("a.txt", "1 2 3\n", Millimeters), {1, 2, 3});
    expectAt(first("a.txt", "1.5 2 3\n", Millimeters), {1.5, 2, 3});
    expectAt(first("a.txt", "1.5 2 3\n", IndexFromOne), grid.indexToPhysical({0.5, 1, 2}), 1e-12);
    expectAt(first("a.txt", "1 2 3\n", IndexFromZero), grid.indexToPhysical({1, 2, 3}), 1e-12);
    expectAt(first("a.csv", "1,2,3.5\n", IndexFromZero), grid.indexToPhysical({1, 2, 3.5}), 1e-12);
    expectAt(first("a.csv", "1,2,3\n", IndexFromOne), grid.indexToPhysical({0, 1, 2}), 1e-12);
    expectAt(first("a.csv", "i,j,k\n1,2,3\n", Auto), grid.indexToPhysical({1, 2, 3}), 1e-12);
    EXPECT_THAT(refusal("a.txt", "1 2 3\n1.5 2 3\n", {grid}),
                HasSubstr("line 2: three columns without a header"));
    EXPECT_THAT(refusal("a.csv", "i,j,k\n1,2,3\n"), HasSubstr("holds voxel indices"));
    EXPECT_THAT(refusal("a.csv", "i,j,k\n1,2,3\n1,2,30\n", {grid}),
                HasSubstr("line 3: the voxel (1, 2, 30), counted from 0"));
    // Points between voxels, in a file that is named as a case.
    EXPECT_EQ(readLandmarks(file("case1_300_T00_xyz.txt", "1.5 2 3\n")).set.points.size(), 1u);
}

TEST_F(LandmarkFiles, OtherUnitsAndDecimalCommasAreRefused) {
    EXPECT_THAT(refusal("a.csv", "x_cm,y_cm,z_cm\n1,2,3\n"),
                HasSubstr("in 'cm'; millimeters are expected"));
    EXPECT_THAT(refusal("a.csv", "# units: m\nx,y,z\n1,2,3\n"), HasSubstr("in 'm'"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n1,2,1e7\n"), HasSubstr("line 2: a coordinate is 1e+07"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n1,5 2,5 3,5\n"),
                HasSubstr("line 2: the numbers have commas as decimal points"));
    EXPECT_THAT(refusal("a.txt", "1,5 2,5 3,5\n"), HasSubstr("line 1: the numbers have commas"));
    EXPECT_THAT(refusal("case1_300_T00_xyz.txt", "1 2 3\n1,5\t2,5\t3\n"),
                HasSubstr("line 2: the numbers have commas"));
    EXPECT_THAT(refusal("a.csv", "1,5,2,5,3,5\n"), HasSubstr("commas as decimal points?"));
    const std::string units = R"({"markups": [{"coordinateSystem": "LPS", "coordinateUnits": "in",
        "controlPoints": [{"position": [1, 2, 3]}]}]})";
    EXPECT_THAT(refusal("a.mrk.json", units), HasSubstr("in 'in'"));
}

TEST_F(LandmarkFiles, DamagedFilesAreRefusedInOneSentence) {
    EXPECT_THAT(refusal("a.csv", ""), HasSubstr("empty"));
    EXPECT_THAT(refusal("a.csv", " \n\r\n"), HasSubstr("empty"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n"), HasSubstr("holds no points"));
    EXPECT_THAT(refusal("a.csv", std::string("1,2\0,3\n", 7)), HasSubstr("not a text file"));
    EXPECT_THAT(refusal("a.txt", "\x7f\x45LF\x02\x01\x01 rubbish"), HasSubstr("not a text file"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n1,2,nan\n"), HasSubstr("line 2: a coordinate is nan"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n1,2,-inf\n"), HasSubstr("finite"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n1,2,1e999\n"), HasSubstr("line 2: '1e999' is no number"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n1,2,-1000001\n"), HasSubstr("from -1e+06 to 1e+06"));
    EXPECT_THAT(
        refusal("a.mrk.json", R"({"markups": [{"controlPoints": [{"position": [1, 2, 1e7]}]}]})"),
        HasSubstr("control point 1 ('') is 1e+07"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n1,2,\n"), HasSubstr("line 2: '' is no number"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n1,2,3\n1,2\n"),
                HasSubstr("line 3: has 2 columns where 3 are expected"));
    EXPECT_THAT(refusal("a.csv", "x,y,z,name\n1,2,3,a\n4,5,6,b\n7,8,9,a\n"),
                HasSubstr("points 1 and 3 have the same name 'a'"));
    EXPECT_THAT(refusal("a.csv", "1,2,3,\"a\n"), HasSubstr("no closing quote"));
    EXPECT_THAT(refusal("a.csv", "1,2,3,4\n"), HasSubstr("no header says which"));
    EXPECT_THAT(refusal("a.mrk.json", "{\"markups\":\n [\n {oops"),
                HasSubstr("line 3: the JSON is damaged"));
    EXPECT_THAT(refusal("a.mrk.json", "{\"a\": 1}"), HasSubstr("without a list of \"markups\""));
    EXPECT_THAT(refusal("a.mrk.json", "{\"markups\": [7]}"), HasSubstr("no object"));
    EXPECT_THAT(
        refusal("a.mrk.json", R"({"markups": [{"controlPoints": [{"position": [1, 2]}]}]})"),
        HasSubstr("control point 1"));
    EXPECT_THAT(refusal("a.csv", "x,y,z\n1,2,3\n" + std::string(70'000, ',') + "\n"),
                HasSubstr("line 3: is longer than 65536 characters"));
    std::string values = "{\"markups\": [1";
    for (int i = 0; i < 20'000; ++i)
        values += ",1";
    EXPECT_THAT(refusal("a.mrk.json", values + "]}"), HasSubstr("too many values"));
    EXPECT_THAT(refusal("a.mrk.json", "{\"markups\": " + std::string(100000, '[')),
                HasSubstr("too deeply"));
    EXPECT_THAT(refusal("a.fcsv", "# CoordinateSystem = LPS\n1,2\n"), HasSubstr("line 2"));
    EXPECT_THROW(readLandmarks(folder / "missing.csv"), FileError);
    EXPECT_THROW(readLandmarks(folder.path().string()), FileError);
    EXPECT_THROW(writeLandmarks(folder / "a.xyz", awkwardPoints()), FileError);
}

TEST_F(LandmarkFiles, NeitherHugeNorMutatedFilesDoHarm) {
    writeBytes(folder / "huge.csv", "1,2,3\n");
    std::filesystem::resize_file(folder / "huge.csv", 300ull << 20); // sparse
    EXPECT_THROW(readLandmarks(folder / "huge.csv"), FileError);
    std::string many;
    for (int i = 0; i < 1'001'001; ++i)
        many += "1 1 1\n";
    for (const char* name : {"case1_300_T00_xyz.txt", "a.csv", "a.fcsv"})
        EXPECT_THAT(refusal(name, many), HasSubstr("more lines than 1000000 points take"));
    std::vector<std::string> originals;
    for (const char* name : {"a.csv", "a.mrk.json", "a.fcsv", "a.txt"}) {
        writeLandmarks(folder / name, awkwardPoints());
        originals.push_back(name);
    }
    std::uint32_t random = 12345;
    const auto next = [&] { return random = random * 1664525u + 1013904223u, random >> 8; };
    for (const std::string& name : originals) {
        const test::Bytes original = test::readBytes(folder / name);
        for (int round = 0; round < 200; ++round) {
            test::Bytes bytes = original;
            for (int change = 0; change < 3; ++change) {
                constexpr std::string_view likely = "0123456789,;.\"{}[]:#-e \n\t";
                bytes[next() % bytes.size()] =
                    static_cast<std::byte>(likely[next() % likely.size()]);
            }
            if (round % 4 == 0)
                bytes.resize(next() % bytes.size());
            const std::string path = folder / ("mutated" + name.substr(1));
            writeBytes(path, bytes);
            try {
                const StoredLandmarks stored = readLandmarks(path, {grid});
                for (const Landmark& p : stored.set.points)
                    EXPECT_LT(length(p.position), 2e6);
            } catch (const FileError& error) {
                EXPECT_THAT(error.what(), HasSubstr("mutated"));
            }
            try {
                readTracks(path);
            } catch (const FileError&) {
            }
        }
    }
    EXPECT_THAT(
        refusal("a.mrk.json", R"({"markups": [{"controlPoints": [{"position": [1, 2, 1e999]}]}]})"),
        HasSubstr("too large"));
}

TEST_F(LandmarkFiles, ANameThatPromisesAnotherFormatIsRefused) {
    using enum LandmarkFormat;
    const auto refused = [&](const std::string& name, LandmarkFormat format) -> std::string {
        try {
            writeLandmarks(folder / name, awkwardPoints(), {.format = format});
        } catch (const FileError& error) {
            EXPECT_FALSE(std::filesystem::exists(folder / name));
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refused("a.fcsv", Csv), folder / "a.fcsv" +
                                          ": is the name of a file of Slicer fiducials, not of "
                                          "CSV; choose one that ends with .csv");
    EXPECT_THAT(refused("a.FCSV", Elastix), HasSubstr("ends with .txt"));
    EXPECT_THAT(refused("a.mrk.json", Fcsv), HasSubstr("ends with .fcsv"));
    EXPECT_THAT(refused("a.csv", DirLab), HasSubstr("ends with .txt"));
    EXPECT_EQ(refused("points", Csv), "") << "no extension, no promise";
    EXPECT_EQ(readLandmarks(folder / "points").format, Csv);
}

TEST_F(LandmarkFiles, PointsThatOccurTwiceAreNoted) {
    const StoredLandmarks stored = readLandmarks(file("a.csv", "l,p,s\n1,2,3\n4,5,6\n1,2,3\n"));
    EXPECT_EQ(stored.set.points.size(), 3u);
    EXPECT_THAT(stored.notes.at(0), HasSubstr("such as 1 and 3"));
}

} // namespace
} // namespace systole
