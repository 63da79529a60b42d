// The three points of a ventricle, as a text or in a file.
#include "app/base/error.h"
#include "app/base/seed_points.h"
#include "io/base/error.h"
#include "tests/support/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SeedPoints : public ::testing::Test {
protected:
    std::string file(const std::string& name, const std::string& text) {
        std::ofstream(folder / name) << text;
        return folder / name;
    }
    testing::TemporaryFolder folder;
};

TEST_F(SeedPoints, OfAFileAreThoseOfTheText) {
    const std::array<Vec3, 3> expected{Vec3{1.5, -2, 3}, Vec3{4, 5, 6}, Vec3{7, 8, -9}};
    const std::string text = "1.5,-2,3;4,5,6;7,8,-9";
    EXPECT_EQ(ventriclePoints(text, "--points"), expected);
    for (const std::string& path : {
             file("p.txt", text + "\n"),
             file("labels.json", R"({"image": "a", "points_mm": {"apex": [1.5, -2, 3],
                 "mitral": [4, 5, 6], "right_ventricle": [7, 8, -9]}})"),
             file("p.mrk.json", R"({"markups": [{"coordinateSystem": "RAS", "controlPoints": [
                 {"label": "rv", "position": [-7, -8, -9]},
                 {"label": "Apex", "position": [-1.5, 2, 3]},
                 {"label": "mitral", "position": [-4, -5, 6]}]}]})"),
             file("p.csv", "x,y,z\n1.5,-2,3\n4,5,6\n7,8,-9\n"),
         })
        EXPECT_EQ(ventriclePoints(path, "--points"), expected) << path;
}

TEST_F(SeedPoints, OfAFileWithoutThemAreRefused) {
    EXPECT_THAT(
        [&] { ventriclePoints(file("l.json", R"({"points_mm": {"seed": [1, 2, 3]}})"), "-p"); },
        ThrowsMessage<FileError>(HasSubstr("have no apex")));
    EXPECT_THAT(
        [&] {
            ventriclePoints(file("l.json", R"({"points_mm": {"apex": [1, 2, "3"],
                    "mitral": [4, 5, 6], "right_ventricle": [7, 8, 9]}})"),
                            "-p");
        },
        ThrowsMessage<FileError>(HasSubstr("no three numbers")));
    // Another frame or unit than that of the program's own records.
    const std::string points = R"("points_mm": {"apex": [1, 2, 3], "mitral": [4, 5, 6],
                                  "right_ventricle": [7, 8, 9]})";
    EXPECT_EQ(ventriclePoints(
                  file("l.json", R"({"frame_of_reference": "LPS", "units": "mm", )" + points + "}"),
                  "-p")[1],
              (Vec3{4, 5, 6}));
    EXPECT_THAT(
        [&] {
            ventriclePoints(file("l.json", R"({"frame_of_reference": "RAS", )" + points + "}"),
                            "-p");
        },
        ThrowsMessage<FileError>(HasSubstr("'RAS' as the frame_of_reference of its points")));
    EXPECT_THAT(
        [&] { ventriclePoints(file("l.json", R"({"units": "cm", )" + points + "}"), "-p"); },
        ThrowsMessage<FileError>(HasSubstr("'cm' as the units of its points")));
    EXPECT_THAT(
        [&] {
            ventriclePoints(file("p.csv", "name,x,y,z\napex,1,2,3\nmitral,4,5,6\nrv,7,8,9\n"
                                          "insertion,7,8,10\n"),
                            "-p");
        },
        ThrowsMessage<FileError>(HasSubstr("twice, the second time as 'insertion'")));
    EXPECT_THAT([&] { ventriclePoints(file("p.csv", "x,y,z\n1,2,3\n4,5,6\n"), "-p"); },
                ThrowsMessage<FileError>(HasSubstr("holds 2 points")));
    EXPECT_THAT([&] { ventriclePoints(folder / "none.txt", "--points"); },
                ThrowsMessage<UsageError>(HasSubstr("expected APEX;MITRAL;RV")));
}

} // namespace
} // namespace systole
