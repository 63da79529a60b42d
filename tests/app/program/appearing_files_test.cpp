// A file that appears while a command works is kept: no command has a way of its own to write.
#include "tests/support/appearing_file.h"
#include "tests/support/small_phantom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

using systole::testing::expectRefused;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::runWhile;
using systole::testing::writeText;

/// A command line that writes the files `outputs`. In it SEQUENCE, LABELS, POINTS, TRACKS, MATRIX
/// stand for inputs, and what begins with / for a file in the test's folder.
struct Writing {
    std::vector<std::string> command;
    std::vector<std::string> outputs;
    bool needsViewer = false;
};
void PrintTo(const Writing& writing, std::ostream* out) { *out << writing.outputs.front(); }

const Writing writings[] = {
    {{"segment", "SEQUENCE", "--seed", "0,0,0", "-o", "/l.nii.gz"}, {"/l.nii.gz", "/l.json"}},
    {{"bias", "SEQUENCE", "--repetitions", "2", "--json", "/bias.json"}, {"/bias.json"}},
    {{"denoise", "LABELS", "--label", "1", "-o", "/s.stl", "--distance", "/d.mha", "--json",
      "/s.json"},
     {"/s.stl", "/d.mha", "/s.json"}},
    {{"spgemm", "MATRIX", "-o", "/c.mtx", "--json", "/c.json"}, {"/c.mtx", "/c.json"}},
    {{"landmarks", "detect", "SEQUENCE", "-o", "/p.csv", "--json", "/p.json"},
     {"/p.csv", "/p.json"}},
    {{"landmarks", "track", "SEQUENCE", "--points", "POINTS", "-o", "/t.csv", "--json", "/t.json"},
     {"/t.csv", "/t.json"}},
    {{"landmarks", "convert", "POINTS", "-o", "/q.mrk.json"}, {"/q.mrk.json"}},
    {{"landmarks", "convert", "TRACKS", "-o", "/tracks.mrk.json"}, {"/tracks.mrk.json"}},
    {{"landmarks", "tre", "--fixed", "POINTS", "--moving", "POINTS", "-o", "/tre.csv"},
     {"/tre.csv"}},
    {{"motion", "SEQUENCE", "-o", "/run", "--levels", "1", "--warps", "1", "--frames", "0:1",
      "--trace", "/trace.json"},
     {"/trace.json", "/run/run.json"}},
    {{"bench", "memory", "--repeat", "1", "--json", "/bench.json"}, {"/bench.json"}},
    {{"bench", "accuracy", "--size", "32", "--seeds", "1", "--method", "demons", "--cases", "small",
      "--page", "/page.html"},
     {"/page.html"},
     true},
    {{"lab", "--gpu", "H200", "--kernel", "jacobi/direct", "--json", "/lab.json", "--csv",
      "/lab.csv"},
     {"/lab.json", "/lab.csv"}},
    {{"lab", "--gpu", "H200", "--kernel", "jacobi/direct", "--png", "/lab.png"},
     {"/lab.png"},
     true},
    {{"snapshot", "SEQUENCE", "--size", "80x60", "-o", "/s.png"}, {"/s.png"}, true},
};

class AppearingFiles : public testing::SmallPhantom, public ::testing::WithParamInterface<Writing> {
protected:
    std::vector<std::string> command() const {
        std::vector<std::string> arguments = GetParam().command;
        for (std::string& argument : arguments) {
            for (const auto& [name, file] :
                 {std::pair("SEQUENCE", sequence()), std::pair("LABELS", labels()),
                  std::pair("POINTS", in("points.csv")), std::pair("TRACKS", in("tracks.csv")),
                  std::pair("MATRIX", in("m.mtx"))})
                if (argument == name)
                    argument = file;
            if (argument.starts_with('/') && argument.rfind('/') == 0)
                argument = in(argument.substr(1));
        }
        return arguments;
    }
};

TEST_P(AppearingFiles, AreReplacedOnRequestAlone) {
    if (GetParam().needsViewer && run({"snapshot", "--help"}).exitCode != 0)
        GTEST_SKIP() << "built without the viewer";
    writeText(in("points.csv"), "x,y,z\n0,0,0\n");
    writeText(in("tracks.csv"), "track,frame,x,y,z,certainty\n1,0,0,0,0,1\n");
    writeText(in("m.mtx"), "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
    std::vector<std::string> arguments = command();
    const std::vector<std::string> inputs = names();
    const auto removeOutputs = [&] {
        for (const std::string& name : names())
            if (!std::ranges::binary_search(inputs, name))
                std::filesystem::remove_all(in(name));
    };
    for (const std::string& name : GetParam().outputs) {
        const std::string file = in(name.substr(1));
        expectRefused(runWhile(file, arguments),
                      file + ": has appeared in the meantime and is left alone");
        EXPECT_EQ(readText(file), "mine");
        removeOutputs();
    }
    arguments.emplace_back("--overwrite");
    const std::string first = in(GetParam().outputs.front().substr(1));
    const Outcome replaced = runWhile(first, arguments);
    EXPECT_EQ(replaced.exitCode, 0) << replaced.errors;
    EXPECT_NE(readText(first), "mine");
}

INSTANTIATE_TEST_SUITE_P(Commands, AppearingFiles, ::testing::ValuesIn(writings),
                         [](const ::testing::TestParamInfo<Writing>& info) {
                             std::string name = info.param.command.front() + "_";
                             for (const char c : info.param.outputs.front())
                                 name += std::isalnum(c) ? std::string(1, c) : "";
                             return name;
                         });

} // namespace
} // namespace systole
