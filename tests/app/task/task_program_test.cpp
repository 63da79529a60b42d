// Files that the whole program writes have the same bits as the window's results for the same
// images, for every task of the list.
#include "compute/ops/two_grids.h"
#include "io/formats/writer.h"
#include "io/landmarks/landmark_file.h"
#include "io/meshes/mesh_file.h"
#include "io/source.h"
#include "tests/app/task/task_cases.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>

namespace systole {
namespace {

using Numbers = std::vector<double>;

/// The files that the program is given, and its results beside them.
class Files {
public:
    Files() {
        writeSequence(sequence(), geometry_, test::taskFrames, 0.04, [](int t, auto voxels) {
            std::ranges::copy(test::taskFrame(t)->view().span(), voxels.span().begin());
        });
        writeVolume(first(), geometry_, test::taskFrame(0)->view());
        writeLabels(wall(), geometry_, test::taskWall());
        LandmarkSet points;
        for (const Vec3 point : test::taskPoints())
            points.points.push_back(
                {.name = std::to_string(points.points.size()), .position = point});
        writeLandmarks(pointFile(), points);
    }
    std::string sequence() const { return folder_ / "sequence.nii"; }
    std::string first() const { return folder_ / "first.mha"; }
    std::string wall() const { return folder_ / "wall.nii.gz"; }
    std::string pointFile() const { return folder_ / "points.csv"; }
    std::string result(const std::string& name) const { return folder_ / ("result" + name); }
    const Geometry& geometry() const { return geometry_; }

    Numbers field(const std::string& file) const {
        BufferPool pool;
        const MillimeterField field = readField(file, pool);
        return {field.vectors.data(), field.vectors.data() + field.vectors.size()};
    }

private:
    Geometry geometry_ = test::taskFrame(0)->geometry;
    testing::TemporaryFolder folder_;
};

/// How the program does a task, and how its files compare with what the window found.
struct ProgramCase {
    std::string task;
    std::vector<std::string> (*arguments)(const Files&);
    Numbers (*written)(const Files&);
    /// The window's numbers as they stand in the program's files.
    Numbers (*expected)(const Numbers& window, const Files&);
};

/// Displacements in voxels, component after component, as the vectors of a field in mm.
Numbers millimeters(const Numbers& window, const Files& files) {
    BufferPool pool;
    VectorField field(files.geometry(), pool, "displacement");
    std::ranges::transform(window, field.view().u,
                           [](double value) { return static_cast<float>(value); });
    const MillimeterField made = toMillimeters(field, pool);
    return {made.vectors.data(), made.vectors.data() + made.vectors.size()};
}

/// Points of frames 1, 2 …, each x, y, z and, where the program writes it, a certainty.
Numbers tracks(const Files& files) {
    Numbers numbers;
    const LandmarkTracks read = readTracks(files.result(".csv"));
    for (int t = 1; t < test::taskFrames; ++t)
        for (const LandmarkTracks::Track& track : read.tracks)
            if (const auto& at = track.frames[static_cast<std::size_t>(t)]) {
                const Vec3 p = at->position;
                numbers.insert(numbers.end(), {p.x, p.y, p.z, at->certainty});
            }
    return numbers;
}

const ProgramCase programs[] = {
    {"motion",
     [](const Files& files) -> std::vector<std::string> {
         return {"motion", files.sequence(), "-o", files.result("s"), "--frames", "0:1"};
     },
     [](const Files& files) { return files.field(files.result("s") + "/displacement_0001.mha"); },
     millimeters},
    {"register",
     [](const Files& files) -> std::vector<std::string> {
         return {"register",
                 files.sequence() + "@0",
                 files.sequence() + "@1",
                 "-o",
                 files.result("s"),
                 "--method",
                 "clg",
                 "--affine"};
     },
     [](const Files& files) { return files.field(files.result("s") + "/displacement.mha"); },
     millimeters},
    {"bias",
     [](const Files& files) -> std::vector<std::string> {
         return {"bias", files.sequence(), "--repetitions", "2", "--json", files.result(".json")};
     },
     [](const Files& files) {
         Numbers numbers;
         const auto record = nlohmann::json::parse(testing::readText(files.result(".json")));
         for (const nlohmann::json& method : record["methods"])
             if (method["method"] != "ffd") // left out of the case, for it takes long
                 for (const char* name : {"mean_log", "deviation", "p"})
                     numbers.push_back(method[name].get<double>());
         return numbers;
     },
     [](const Numbers& window, const Files& files) {
         // The window's result has three figures of each method, followed by its two maps.
         const std::size_t next = 3 + 2 * files.geometry().voxels();
         Numbers numbers(window.begin(), window.begin() + 3);
         numbers.insert(numbers.end(), &window.at(next), &window.at(next + 3));
         return numbers;
     }},
    {"denoise",
     [](const Files& files) -> std::vector<std::string> {
         return {"denoise", files.first(),        "--threshold", "140",
                 "-o",      files.result(".vtp"), "--method",    "semi-local"};
     },
     [](const Files& files) {
         const TriangleMesh mesh = readMesh(files.result(".vtp"));
         Numbers numbers;
         for (const auto& point : mesh.points)
             numbers.insert(numbers.end(), point.begin(), point.end());
         for (const auto& triangle : mesh.triangles)
             numbers.insert(numbers.end(), triangle.begin(), triangle.end());
         return numbers;
     },
     [](const Numbers& window, const Files&) { return window; }},
    {"segment",
     [](const Files& files) -> std::vector<std::string> {
         const Vec3 seed = test::taskSeed();
         return {"segment",
                 files.sequence(),
                 "--all",
                 "--seed",
                 fmt::format("{},{},{}", seed.x, seed.y, seed.z),
                 "-o",
                 files.result(".nii.gz")};
     },
     [](const Files& files) {
         Numbers numbers;
         const Sequence labels = openSequence({files.result(".nii.gz")});
         BufferPool pool;
         Volume frame(labels.geometry, pool, "labels");
         for (int t = 0; t < labels.frames; ++t) {
             labels.source->read(t, frame.view());
             numbers.insert(numbers.end(), frame.view().span().begin(), frame.view().span().end());
         }
         return numbers;
     },
     [](const Numbers& window, const Files& files) {
         // The signed distance of each frame stands before its labels.
         Numbers numbers;
         const auto voxels = static_cast<std::ptrdiff_t>(files.geometry().voxels());
         for (auto at = window.begin(); at < window.end(); at += 2 * voxels)
             numbers.insert(numbers.end(), at + voxels, at + 2 * voxels);
         return numbers;
     }},
    {"landmarks detect",
     [](const Files& files) -> std::vector<std::string> {
         return {"landmarks", "detect", files.sequence(), "-o", files.result(".csv"),
                 "--number",  "40",     "--spacing",      "8"};
     },
     [](const Files& files) {
         Numbers numbers;
         for (const Landmark& point : readLandmarks(files.result(".csv")).set.points)
             numbers.insert(numbers.end(), {point.position.x, point.position.y, point.position.z});
         return numbers;
     },
     [](const Numbers& window, const Files& files) {
         Numbers numbers;
         for (std::size_t i = 0; i < window.size(); i += 4) { // the fourth is the response
             const Vec3 p =
                 files.geometry().indexToPhysical({window[i], window[i + 1], window[i + 2]});
             numbers.insert(numbers.end(), {p.x, p.y, p.z});
         }
         return numbers;
     }},
    {"landmarks track",
     [](const Files& files) -> std::vector<std::string> {
         return {"landmarks",          "track",           files.sequence(),
                 "--points",           files.pointFile(), "-o",
                 files.result(".csv"), "--reach",         "8"};
     },
     tracks,
     [](const Numbers& window, const Files& files) {
         Numbers numbers;
         for (std::size_t i = 0; i < window.size(); i += 4)
             if (window[i + 3] > 0) { // a certainty of 0: lost
                 const Vec3 p =
                     files.geometry().indexToPhysical({window[i], window[i + 1], window[i + 2]});
                 numbers.insert(numbers.end(), {p.x, p.y, p.z, window[i + 3]});
             }
         return numbers;
     }},
    {"strain",
     [](const Files& files) -> std::vector<std::string> {
         writeLabels(files.result("heart.nii.gz"), test::taskHeartGrid(), test::taskHeart());
         writeField(files.result("beat.mha"), test::taskBeat(), FieldFormat::MetaImage);
         return {"strain", files.result("beat.mha"), "--labels",     files.result("heart.nii.gz"),
                 "-o",     files.result("s"),        "--frame-time", "250"};
     },
     [](const Files& files) {
         Numbers numbers;
         std::istringstream lines(testing::readText(files.result("s") + "/segments.csv"));
         for (std::string line; std::getline(lines, line);) {
             std::istringstream cells(line);
             std::string cell;
             for (int column = 0; std::getline(cells, cell, ',') && column < 8; ++column)
                 if (column > 4 && std::isdigit(static_cast<unsigned char>(line.front())) != 0)
                     numbers.push_back(std::stod(cell));
         }
         return numbers;
     },
     [](const Numbers& window, const Files&) {
         Numbers numbers; // as many digits as the file has
         for (const double number : window)
             numbers.push_back(std::stod(fmt::format("{:.6g}", number)));
         return numbers;
     }},
    {"wall",
     [](const Files& files) -> std::vector<std::string> {
         return {"landmarks",          "track",           files.sequence(),
                 "--points",           files.pointFile(), "-o",
                 files.result(".csv"), "--reach",         "8",
                 "--elastic-wall",     files.wall()};
     },
     [](const Files& files) {
         Numbers numbers = tracks(files), positions;
         for (std::size_t i = 0; i < numbers.size(); i += 4)
             positions.insert(positions.end(), &numbers[i], &numbers[i] + 3);
         return positions;
     },
     [](const Numbers& window, const Files&) {
         Numbers numbers;
         for (std::size_t i = 0; i < window.size(); i += 3)
             if (window[i] != 0 || window[i + 1] != 0 || window[i + 2] != 0) // lost ones are 0
                 numbers.insert(numbers.end(), &window[i], &window[i] + 3);
         return numbers;
     }},
};

class TaskProgram : public ::testing::TestWithParam<test::TaskCase> {};

TEST_P(TaskProgram, WritesWhatTheWindowFinds) {
    const auto found = std::ranges::find(programs, GetParam().name, &ProgramCase::task);
    ASSERT_NE(found, std::end(programs)) << "the program's side of this task is missing here";
    const Files files;
    std::vector<std::string> arguments = found->arguments(files);
    arguments.insert(arguments.end(), {"--threads", "2"});
    if (GetParam().name != "segment" && GetParam().name != "strain") // the CPU's alone
        arguments.insert(arguments.end(), {"--backend", "cpu"});
    const testing::Outcome done = testing::run(arguments);
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    const test::TaskResult window = GetParam().window(Backend::Cpu, {});
    ASSERT_EQ(window.failure, "");
    const Numbers written = found->written(files),
                  expected = found->expected(window.numbers, files);
    ASSERT_FALSE(expected.empty());
    ASSERT_EQ(written.size(), expected.size());
    const auto [one, other] = std::ranges::mismatch(written, expected);
    if (one != written.end())
        FAIL() << "number " << one - written.begin() << " is " << *one << " in the file and "
               << *other << " in the window";
}

INSTANTIATE_TEST_SUITE_P(, TaskProgram, ::testing::ValuesIn(test::taskCases()),
                         [](const auto& info) { return test::testName(info.param); });

} // namespace
} // namespace systole
