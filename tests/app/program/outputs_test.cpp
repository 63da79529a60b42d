// Messages of a command about the files that it is to write, and refusals to write them.
#include "tests/support/appearing_file.h"
#include "tests/support/small_phantom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::namesIn;
using systole::testing::Outcome;
using systole::testing::Program;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::writeText;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Outputs : public testing::SmallPhantom {
protected:
    /// `frames` blocks of voxels with the label 1, the last one empty if `lastEmpty`.
    std::string labelSequence(int frames, bool lastEmpty) const {
        const std::string path = in("labels.nrrd");
        constexpr int side = 8;
        std::string data;
        for (int frame = 0; frame < frames; ++frame)
            for (int z = 0; z < side; ++z)
                for (int y = 0; y < side; ++y)
                    for (int x = 0; x < side; ++x) {
                        const auto inside = [](int i) { return i >= 2 && i < 6; };
                        const bool empty = lastEmpty && frame == frames - 1;
                        data += inside(x) && inside(y) && inside(z) && !empty ? '\1' : '\0';
                    }
        writeText(path, "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 8 8 8 " +
                            std::to_string(frames) +
                            "\nencoding: raw\nspace: left-posterior-superior\nspace directions: "
                            "(1,0,0) (0,1,0) (0,0,1) none\nkinds: domain domain domain list\n\n" +
                            data);
        return path;
    }
};
TEST_F(Outputs, TwoOfTheSameFileAreRefusedHoweverTheyAreSpelled) {
    fs::create_directory(in("sub"));
    fs::create_directory_symlink(in("sub"), in("link"));
    fs::create_symlink(in("sub/x.csv"), in("y.csv"));
    const auto refused = [&](std::vector<std::string> arguments) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments[0] << arguments[1] << outcome.output;
        EXPECT_THAT(outcome.errors,
                    ::testing::AnyOf(HasSubstr("same file"), HasSubstr("two outp")));
    };
    const std::string x = in("sub/x.csv");
    for (const std::string& other :
         {x, in("sub/./x.csv"), in("sub/../sub/x.csv"), in("link/x.csv"), in("y.csv")})
        refused({"landmarks", "detect", sequence(), "-o", x, "--json", other});
    refused({"denoise", labels(), "--label", "1", "-o", in("a.vtp"), "--json", in("./a.vtp")});
    writeText(in("m.mtx"), "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
    refused({"spgemm", in("m.mtx"), "-o", in("c.mtx"), "--json", in("./c.mtx")});
    EXPECT_THAT(namesIn(in("sub")), IsEmpty());
    const Outcome trace = run({"motion", sequence(), "-o", fs::relative(in("run")).string(),
                               "--trace", in("run/./run.json")});
    EXPECT_EQ(trace.exitCode, 2) << trace.errors;
    EXPECT_FALSE(fs::exists(in("run")));
}

TEST_F(Outputs, AFolderThatCannotTakeThemIsSaidBeforeTheWork) {
    const auto refused = [&](std::vector<std::string> arguments) {
        for (const std::string& folder : {in("missing"), std::string("/proc/self")}) {
            std::vector<std::string> all = arguments;
            all.back() = folder + "/" + all.back();
            const Outcome outcome = run(all);
            EXPECT_EQ(outcome.exitCode, 1) << all[0];
            EXPECT_THAT(outcome.errors, AllOf(HasSubstr(all.back()), HasSubstr("folder")));
            EXPECT_THAT(outcome.output, IsEmpty()) << "before the work";
        }
    };
    refused({"segment", sequence(), "--seed", "0,0,0", "-o", "l.nii.gz"});
    refused({"denoise", labels(), "--label", "1", "-o", "a.vtp"});
    refused({"denoise", labels(), "--label", "1", "-o", in("a.vtp"), "--distance", "d.mha"});
    writeText(in("p.csv"), "x,y,z\n0,0,0\n");
    refused({"landmarks", "track", sequence(), "--points", in("p.csv"), "-o", "t.csv"});
    EXPECT_THAT(names(), ::testing::ElementsAre("p.csv"));
}

TEST_F(Outputs, WhatAKilledOrEndedRunLeavesIsOnlyItsOwn) {
    const std::string map = labelSequence(400, false);
    const std::vector<std::string> others{".partial-00000000-999999999-1-s.stl", // another host's
                                          ".partial-999999999-s_0000.stl", ".partial-notes"};
    for (const std::string& name : others)
        writeText(in(name), "of other origin");
    const auto hidden = [&] {
        std::vector<std::string> found = names();
        std::erase_if(found, [](const std::string& name) { return !name.starts_with('.'); });
        return found;
    };
    int stopped = 0;
    for (const int number : {SIGTERM, SIGINT, SIGKILL}) {
        Program denoise({"denoise", map, "-o", in("s.stl"), "--overwrite"});
        while (!fs::exists(in("volumes.unfinished.csv")) && denoise.running())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        denoise.signal(number);
        if (denoise.wait().exitCode == 0)
            continue; // it ended before
        ++stopped;
        if (number != SIGKILL) {
            EXPECT_EQ(hidden(), others);
        }
        EXPECT_TRUE(fs::exists(in("volumes.unfinished.csv"))) << "the mark of what is there";
        fs::remove(in("volumes.unfinished.csv"));
    }
    EXPECT_GT(stopped, 0);
    const Outcome next =
        run({"denoise", labels(), "--label", "1", "-o", in("t.stl"), "--overwrite"});
    EXPECT_EQ(next.exitCode, 0) << next.errors;
    EXPECT_EQ(hidden(), others);
}

TEST_F(Outputs, WhatCannotBePrintedIsAnError) {
    writeText(in("p.csv"), "x,y,z\n0,0,0\n");
    const std::string points = in("p.csv");
    const std::vector<std::vector<std::string>> commands{
        {"--help"},
        {"--version"},
        {"doctor"},
        {"motion", "--help"},
        {"info", sequence(), "--json"},
        {"info", sequence()},
        {"landmarks", "convert", points, "-o", in("q.fcsv"), "--overwrite"},
        {"landmarks", "tre", "--fixed", points, "--moving", points}};
    for (const std::vector<std::string>& arguments : commands) {
        const Outcome outcome = run(arguments, "/dev/full");
        EXPECT_EQ(outcome.exitCode, 1) << arguments.front();
        EXPECT_THAT(outcome.errors, HasSubstr("standard output can't be written"))
            << arguments.front();
        EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
    }
}

TEST_F(Outputs, WhatGoesWrongHasItsCodeWhereItCannotBeSaid) {
    const std::string command = "'" + systole::testing::executable() + "' info '" +
                                in("missing.nii.gz") + "' >/dev/full 2>&1";
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1) << "a shell says 134 of a program that was aborted";
}

TEST_F(Outputs, NumbersOfOptionsAreFinite) {
    const auto refused = [](const std::vector<std::string>& arguments) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << arguments.back();
        EXPECT_THAT(outcome.errors,
                    ::testing::AnyOf(HasSubstr("isn't a finite number"), HasSubstr("is outside"),
                                     HasSubstr("isn't a positive number"),
                                     HasSubstr("isn't a number from")));
    };
    const bool viewer = run({"snapshot", "--help"}).exitCode == 0;
    for (const char* number : {"nan", "-inf"}) {
        refused({"denoise", labels(), "-o", in("a.vtp"), "--threshold", number});
        refused({"motion", sequence(), "-o", in("m"), "--frame-time", number});
        refused({"motion", sequence(), "-o", in("m"), "--alpha", number});
        refused({"phantom", "-o", in("m"), "--noise", number});
        if (viewer) {
            refused({"snapshot", sequence(), "-o", in("a.png"), "--rotate",
                     "0," + std::string(number)});
            refused({"snapshot", sequence(), "-o", in("a.png"), "--pixel-ratio", number});
        }
    }
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Outputs, AFailingFrameIsNamedAndTheEarlierOnesAreMarked) {
    const std::string map = labelSequence(3, true);
    const Outcome failed = run({"denoise", map, "-o", in("s.stl")});
    EXPECT_EQ(failed.exitCode, 1);
    EXPECT_THAT(failed.errors,
                AllOf(HasSubstr(map + ": frame 2: no voxel"), HasSubstr("volumes.unfinished.csv")));
    EXPECT_THAT(names(), ::testing::ElementsAre("labels.nrrd", "s_0000.stl", "s_0001.stl",
                                                "volumes.unfinished.csv"));
    const std::string table = readText(in("volumes.unfinished.csv"));
    EXPECT_EQ(std::ranges::count(table, '\n'), 3) << table;

    const std::string whole = labelSequence(3, false);
    EXPECT_THAT(run({"denoise", whole, "-o", in("s.stl")}).errors, HasSubstr("--overwrite"));
    const Outcome again = run({"denoise", whole, "-o", in("s.stl"), "--overwrite"});
    EXPECT_EQ(again.exitCode, 0) << again.errors;
    EXPECT_THAT(names(), ::testing::ElementsAre("labels.nrrd", "s_0000.stl", "s_0001.stl",
                                                "s_0002.stl", "volumes.csv"));
}

TEST_F(Outputs, AFileThatAppearsDuringTheWorkIsKept) {
    constexpr int frames = 3;
    const std::string map = labelSequence(frames, false);
    const Outcome outcome =
        systole::testing::runWhile(in("s_0002.stl"), {"denoise", map, "-o", in("s.stl")});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors,
                AllOf(HasSubstr("frame 2"), HasSubstr("s_0002.stl"), HasSubstr("left alone")));
    EXPECT_EQ(readText(in("s_0002.stl")), "mine");
    const std::string table = readText(in("volumes.unfinished.csv"));
    EXPECT_EQ(std::ranges::count(table, '\n'), 1 + frames - 1) << "the finished ones\n" << table;
}

TEST_F(Outputs, ANameThatIsNotUtf8IsSaidBeforeTheWork) {
    const std::string latin = in("A\xe9.nii.gz");
    fs::copy_file(labels(), latin);
    const Outcome outcome = run({"register", labels(), labels(), "-o", in("r"), "--warp", latin});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("UTF-8"));
    EXPECT_FALSE(fs::exists(in("r")));
}

TEST_F(Outputs, ConvertWritesNothingThatItCannotRead) {
    writeText(in("n.mrk.json"),
              R"({"markups": [{"type": "Fiducial", "coordinateSystem": "LPS", "controlPoints": [
                 {"id": "1", "label": "a\nb", "position": [1, 2, 3]},
                 {"id": "2", "label": "a b", "position": [1, 2, 4]}]}]})");
    writeText(in("l.csv"), "name,x,y,z\nA\xe9,1,2,3\nA\xe8,1,2,4\n");
    for (const auto& [from, to] :
         {std::pair("n.mrk.json", "x.csv"), std::pair("n.mrk.json", "x.fcsv"),
          std::pair("l.csv", "x.mrk.json")}) {
        const Outcome outcome = run({"landmarks", "convert", in(from), "-o", in(to)});
        EXPECT_EQ(outcome.exitCode, 1) << to;
        EXPECT_THAT(outcome.errors, AllOf(HasSubstr(to), HasSubstr("same name")));
        EXPECT_FALSE(fs::exists(in(to)));
    }
    const Outcome fine = run({"landmarks", "convert", in("n.mrk.json"), "-o", in("x.mrk.json")});
    EXPECT_EQ(fine.exitCode, 0) << fine.errors;
}

TEST_F(Outputs, ConvertTakesTheGridOfTheCaseThatTheNameSays) {
    const std::string voxels = "20\t30\t40\n21\t31\t41\n";
    writeText(in("case1_300_T00_xyz.txt"), voxels);
    const Outcome outcome = run({"landmarks", "convert", in("case1_300_T00_xyz.txt"), "-o",
                                 in("out.txt"), "--format", "dirlab"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_EQ(readText(in("out.txt")), voxels);
}

} // namespace
} // namespace systole
