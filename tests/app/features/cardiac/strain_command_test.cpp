// systole strain from outside: its files, their columns, and what it refuses.
#include "io/base/sha256.h"
#include "io/formats/writer.h"
#include "io/phantom/phantom.h"
#include "tests/support/small_phantom.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <sstream>

namespace systole {
namespace {

using systole::testing::expectRefused;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::writeText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

/// The cells of a table after its comment, by column.
std::map<std::string, std::vector<std::string>> columnsOf(const std::string& csv) {
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "# Research and teaching, not for diagnosis.");
    const auto cellsOf = [](const std::string& text) {
        std::vector<std::string> cells;
        std::istringstream all(text + ",");
        for (std::string cell; std::getline(all, cell, ',');)
            cells.push_back(cell);
        return cells;
    };
    std::getline(lines, line);
    const std::vector<std::string> names = cellsOf(line);
    std::map<std::string, std::vector<std::string>> columns;
    while (std::getline(lines, line)) {
        const std::vector<std::string> cells = cellsOf(line);
        EXPECT_EQ(cells.size(), names.size());
        for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i)
            columns[names[i]].push_back(cells[i]);
    }
    return columns;
}

class Strain : public testing::SmallPhantom {
protected:
    static void SetUpTestSuite() { makePhantom({"--size", "40", "--frames", "4"}); }

    static std::string field(int frame) {
        return phantom("truth_000" + std::to_string(frame) + ".mha");
    }
    Outcome strain(std::vector<std::string> more) const {
        std::vector<std::string> arguments{"strain", field(1),   field(2),
                                           field(3), "--labels", labels()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    Json summary(const std::string& folder = "s") const {
        return Json::parse(readText(in(folder + "/summary.json")));
    }
};

TEST_F(Strain, WritesTidyTablesAndASummary) {
    const Outcome done = strain({"-o", in("s"), "--frame-time", "200"});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_THAT(done.output, HasSubstr("not for diagnosis"));
    EXPECT_THAT(done.output, HasSubstr("segments may be turned"));
    const auto segments = columnsOf(readText(in("s/segments.csv")));
    EXPECT_EQ(segments.at("frame").size(), 4u * 17);
    EXPECT_EQ(segments.at("name").at(17 + 1), "basal anteroseptal");
    EXPECT_EQ(segments.at("time_ms").at(2 * 17), "400");
    EXPECT_NEAR(std::stod(segments.at("longitudinal_percent").at(2 * 17)), -12, 2);
    const auto curves = columnsOf(readText(in("s/curves.csv")));
    EXPECT_THAT(curves.at("frame"), ElementsAre("0", "1", "2", "3"));
    EXPECT_NEAR(std::stod(curves.at("gls_percent").at(2)), -11.4, 0.5);
    EXPECT_NEAR(std::stod(curves.at("twist_deg").at(2)), -5.8, 0.5);
    const Json record = summary();
    EXPECT_EQ(record["notice"], "Research and teaching, not for diagnosis.");
    EXPECT_EQ(record["end_systole_frame"], 2);
    EXPECT_EQ(record["end_systole_by"], "smallest volume");
    // 1 − (1 − 0.13) (1 − 0.20)² of the phantom.
    EXPECT_NEAR(record["ejection_fraction_percent"]["voxels"].get<double>(), 44.32, 0.1);
    EXPECT_NEAR(record["ejection_fraction_percent"]["midwall"].get<double>(), 44.32, 1);
    EXPECT_EQ(record["labels"]["wall"], 1);
    EXPECT_EQ(record["labels"]["cavity"], 2);
    EXPECT_EQ(record["segments"].size(), 17u);
    EXPECT_EQ(record["global"]["longitudinal"]["time_to_peak_ms"], 400);
    expectRefused(strain({"-o", in("s")}), "--overwrite");
}

TEST_F(Strain, WritesAPageThatNamesItsInputs) {
    ASSERT_EQ(strain({"-o", in("s")}).exitCode, 0);
    const std::string page = readText(in("s/report.html"));
    const Json record = summary();
    ASSERT_EQ(record["inputs"].size(), 4u); // labels and three fields
    const auto hashOf = [](const std::string& file) {
        const std::string bytes = readText(file);
        Sha256 hash;
        hash.add(std::as_bytes(std::span(bytes)));
        return hash.hex();
    };
    EXPECT_EQ(record["inputs"][0]["sha256"], hashOf(labels()));
    EXPECT_EQ(record["inputs"][3]["sha256"], hashOf(field(3)));
    for (const Json& input : record["inputs"])
        EXPECT_THAT(page, HasSubstr(input["sha256"].get<std::string>()));
    const double gls = record["global"]["longitudinal"]["end_systolic_percent"];
    EXPECT_THAT(page, HasSubstr(fmt::format("{:.1f}", gls)));
}

TEST_F(Strain, WritesAPdfOfSeveralPagesAlwaysTheSame) {
    const auto pdf = [&](const char* folder) {
        EXPECT_EQ(strain({"-o", in(folder)}).exitCode, 0);
        return readText(in(std::string(folder) + "/report.pdf"));
    };
    const std::string first = pdf("s");
    EXPECT_THAT(first, StartsWith("%PDF-"));
    const std::string count = "/Count ";
    ASSERT_THAT(first, HasSubstr(count));
    EXPECT_GT(std::stoi(first.substr(first.find(count) + count.size(), 4)), 2);
    EXPECT_GT(first.size(), 10000u);
    std::filesystem::rename(in("s"), in("t"));
    EXPECT_TRUE(first == pdf("s"));
    EXPECT_THAT(summary()["files"].dump(), HasSubstr("report.pdf"));
}

/// The phantom contracts until frame 2; from there it only grows.
TEST_F(Strain, CountsFromTheEndDiastoleThatIsNamed) {
    ASSERT_EQ(strain({"-o", in("s"), "--frame-time", "200"}).exitCode, 0);
    const auto whole = columnsOf(readText(in("s/curves.csv")));
    ASSERT_EQ(strain({"-o", in("d"), "--frame-time", "200", "--end-diastole", "3"}).exitCode, 0);
    const auto late = columnsOf(readText(in("d/curves.csv")));
    EXPECT_THAT(late.at("frame"), ElementsAre("3", "0", "1", "2"));
    EXPECT_THAT(late.at("time_ms"), ElementsAre("0", "200", "400", "600"));
    const auto stretch = [](const auto& columns, std::size_t row) {
        return 1 + std::stod(columns.at("gls_percent").at(row)) / 100;
    };
    EXPECT_NEAR(stretch(late, 3), stretch(whole, 2) / stretch(whole, 3), 1e-5);
    EXPECT_EQ(late.at("cavity_voxels_ml").at(3), whole.at("cavity_voxels_ml").at(2));
    const Json record = summary("d");
    EXPECT_EQ(record["end_diastole_frame"], 3);
    EXPECT_EQ(record["end_diastole_by"], "user");
    EXPECT_EQ(record["labels"]["frame"], 0);
    EXPECT_EQ(record["end_systole_frame"], 2);
    expectRefused(strain({"-o", in("e"), "--end-diastole", "4"}), "no frame 4, only frames 0 to 3");
}

TEST_F(Strain, FieldsMayBeginInAnotherFrame) {
    ASSERT_EQ(strain({"-o", in("s"), "--reference", "7"}).exitCode, 0);
    EXPECT_THAT(summary()["frames"], ElementsAre(7, 8, 9, 10));
    EXPECT_EQ(summary()["end_diastole_frame"], 7);
}

/// The phantom's wall is 10 mm thick, that of the shape what is usual for such a cavity.
TEST_F(Strain, ThreePointsMakeAShapeWithoutLabels) {
    const HeartShape heart;
    const HeartPose pose(heart);
    const auto text = [&](Vec3 own) {
        const Vec3 p = pose.fromOwn(own);
        return fmt::format("{},{},{}", p.x, p.y, p.z);
    };
    const std::string points = text({0, 0, -heart.endocardialHalfLength}) + ";" +
                               text({0, 0, heart.baseHeight}) + ";" +
                               text({heart.epicardialRadius(), 0, 0});
    const auto without = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"strain", field(1), field(2), field(3), "-o", in("s")});
        return run(more);
    };
    const Outcome done = without({"--points", points});
    ASSERT_EQ(done.exitCode, 0) << done.errors;
    EXPECT_THAT(done.output, HasSubstr("half an ellipsoid through the three points"));
    const Json record = summary();
    EXPECT_TRUE(record["labels"]["file"].is_null());
    EXPECT_TRUE(record["labels"]["wall"].is_null());
    EXPECT_NEAR(record["global"]["longitudinal"]["end_systolic_percent"].get<double>(), -11.4, 1.5);
    EXPECT_NEAR(record["global"]["circumferential"]["end_systolic_percent"].get<double>(), -7.8,
                1.5);
    EXPECT_EQ(record["end_systole_frame"], 2);
    expectRefused(without({"--apex", "0,0,0", "--overwrite"}), "all three --points", 2);
}

/// The parts of what 'systole segment --points' writes that name the labels and the points.
std::string recordOf(const std::string& labels, const HeartShape& heart, int frame) {
    const HeartPose pose(heart);
    const auto placed = [&](Vec3 own) {
        const Vec3 p = pose.fromOwn(own);
        return Json{p.x, p.y, p.z};
    };
    return Json{{"points_mm",
                 {{"apex", placed({0, 0, -heart.endocardialHalfLength})},
                  {"mitral", placed({0, 0, heart.baseHeight})},
                  {"right_ventricle", placed({heart.epicardialRadius(), 0, 0})}}},
                {"points_frame", frame},
                {"labels", {{"file", labels}, {"values", {{"chamber", 2}, {"wall", 1}}}}}}
        .dump();
}

TEST_F(Strain, PointsInTheRecordBesideTheLabelsAreTaken) {
    std::filesystem::copy_file(labels(), in("labels.nii.gz"));
    const auto with = [&](const char* folder, std::vector<std::string> more) {
        more.insert(more.begin(), {"strain", field(1), field(2), field(3), "--labels",
                                   in("labels.nii.gz"), "-o", in(folder)});
        const Outcome done = run(more);
        EXPECT_EQ(done.exitCode, 0) << done.errors;
        return done.output;
    };
    const auto segments = [&](const char* folder) {
        return readText(in(std::string(folder) + "/segments.csv"));
    };
    EXPECT_THAT(with("none", {}), HasSubstr("segments may be turned"));

    writeText(in("labels.json"), recordOf("labels.nii.gz", HeartShape(), 0));
    const std::string found = with("found", {});
    EXPECT_THAT(found, Not(HasSubstr("segments may be turned")));
    EXPECT_THAT(found, HasSubstr("those in labels.json beside the labels"));
    EXPECT_EQ(summary("found")["long_axis"]["insertion_known"], true);
    EXPECT_THAT(summary("found")["notes"].dump(), HasSubstr("labels.json"));
    EXPECT_EQ(summary("found")["inputs"][1]["file"], in("labels.json"));
    EXPECT_NE(segments("found"), segments("none"));
    with("named", {"--points", in("labels.json")});
    EXPECT_EQ(segments("found"), segments("named"));

    // The user's own come first.
    EXPECT_THAT(with("own", {"--insertion", "0,29,29"}), Not(HasSubstr("labels.json")));
    EXPECT_NE(segments("own"), segments("found"));

    writeText(in("labels.json"), recordOf("labels.nii.gz", HeartShape(), 2));
    const std::string other = with("other", {});
    EXPECT_THAT(other, HasSubstr("labels.json beside the labels are of frame 2, not of frame 0"));
    EXPECT_EQ(segments("other"), segments("none"));
    writeText(in("labels.json"), recordOf("others.nii.gz", HeartShape(), 0));
    EXPECT_THAT(with("foreign", {}), HasSubstr("segments may be turned"));
}

TEST_F(Strain, WithoutTimesTheyAndRatesAreEmpty) {
    ASSERT_EQ(strain({"-o", in("s"), "--segments", "16", "--definition", "deepstrain"}).exitCode,
              0);
    const auto segments = columnsOf(readText(in("s/segments.csv")));
    EXPECT_EQ(segments.at("frame").size(), 4u * 16);
    EXPECT_EQ(segments.at("time_ms").back(), "");
    EXPECT_EQ(segments.at("radial_rate_per_s").back(), "");
    EXPECT_TRUE(summary()["time_to_peak_sd_ms"]["radial"].is_null());
    EXPECT_THAT(summary()["definition"]["paper"], HasSubstr("Morales"));
}

TEST_F(Strain, TakesTheFolderOfAMotionWithItsTimes) {
    const std::string fields = in("m");
    const auto motion = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"motion", sequence(), "-o", fields, "--backend", "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments).exitCode;
    };
    ASSERT_EQ(motion({}), 0);
    const std::vector<std::string> command{"strain", fields, "--labels", labels(), "-o", in("s")};
    expectRefused(run(command), "--lagrangian");
    ASSERT_EQ(motion({"--lagrangian", "--overwrite"}), 0);
    ASSERT_EQ(run(command).exitCode, 0);
    EXPECT_EQ(summary()["cycle_residual_mm"]["before"], nullptr);
    expectRefused(run({"strain", fields, "--labels", labels(), "-o", in("c"), "--close-cycle"}),
                  "systole motion --lagrangian --close-cycle", 2);
    EXPECT_THAT(readText(in("s/report.html")), HasSubstr("<h1>sequence.nii.gz: left ventricle"));
    EXPECT_THAT(readText(in("s/report.html")), HasSubstr("systole strain --images"));
    EXPECT_THAT(summary()["frames"], ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(summary()["times_known"], true);
    EXPECT_NEAR(summary()["global"]["longitudinal"]["peak_percent"].get<double>(), -11.4, 2);
    const std::string step = fields + "/displacement_000";
    const std::string whole = fields + "/lagrangian_000";
    const auto ofFiles = [&](const std::string& stem) {
        return run({"strain", stem + "1.mha", stem + "2.mha", stem + "3.mha", "--labels", labels(),
                    "-o", in("u")});
    };
    expectRefused(ofFiles(step), "lagrangian_*"); // steps, by the record beside them
    EXPECT_EQ(ofFiles(whole).exitCode, 0);
    writeText(fields + "/run.json", "{\"fields\": 3}");
    expectRefused(run({"strain", fields, "--labels", labels(), "-o", in("t")}), "run.json");
}

/// Writes a field as three volumes, as FSL and others do.
std::string asThreeVolumes(const std::string& field, const std::string& path, bool inVoxels) {
    BufferPool pool;
    const MillimeterField read = readField(field, pool);
    const VectorField voxels = toVoxels(read, pool);
    const std::size_t count = read.geometry.voxels();
    writeSequence(path, read.geometry, 3, 0, [&](int axis, VolumeView<float> out) {
        for (std::size_t i = 0; i < count; ++i)
            out.data[i] = inVoxels ? voxels.view().component(axis)[i]
                                   : read.vectors.data()[3 * i + static_cast<std::size_t>(axis)];
    });
    return path;
}

TEST_F(Strain, FieldsThatSayNothingAreAskedForOrFoundByTheSequence) {
    std::vector<std::string> command{"strain"};
    for (int frame = 1; frame <= 3; ++frame)
        command.push_back(
            asThreeVolumes(field(frame), in(std::to_string(frame) + ".nii.gz"), true));
    command.insert(command.end(), {"--labels", labels(), "-o", in("s"), "--overwrite"});
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), command.begin(), command.end());
        return run(more);
    };
    expectRefused(with({}), "--field-convention");
    const Outcome found = with({"--images", sequence()});
    ASSERT_EQ(found.exitCode, 0) << found.errors;
    EXPECT_THAT(found.output, HasSubstr("fields: voxels (found by the images"));
    EXPECT_THAT(readText(in("s/report.html")), HasSubstr("<h1>sequence.nii.gz: left ventricle"));
    EXPECT_THAT(readText(in("s/report.html")), Not(HasSubstr("Plain gray")));
    EXPECT_EQ(summary()["field_convention"]["name"], "voxels");
    EXPECT_EQ(summary()["times_known"], true); // the sequence has times
    EXPECT_GT(summary()["field_convention"]["proof"]["voxels"],
              summary()["field_convention"]["proof"]["no motion"]);
    const double ejected = summary()["ejection_fraction_percent"]["voxels"];
    EXPECT_NEAR(ejected, 44.32, 0.1);
    ASSERT_EQ(with({"--field-convention", "voxels"}).exitCode, 0);
    EXPECT_EQ(summary()["ejection_fraction_percent"]["voxels"], ejected);
    ASSERT_EQ(with({"--fixed", sequence() + "@0", "--moving", sequence() + "@1", "--moving",
                    sequence() + "@2", "--moving", sequence() + "@3"})
                  .exitCode,
              0);
    EXPECT_EQ(summary()["ejection_fraction_percent"]["voxels"], ejected);
    expectRefused(with({"--images", sequence(), "--field-convention", "ras"}), "voxels 0.");
    expectRefused(with({"--fixed", sequence() + "@0", "--moving", sequence() + "@1"}), "--moving",
                  2);
    // Read the wrong way, the cavity only grows: said, in the record, too.
    const Outcome wrong = with({"--field-convention", "voxels-backward"});
    EXPECT_THAT(wrong.output, HasSubstr("note: the cavity is nowhere smaller than in frame 0"));
    EXPECT_THAT(summary()["doubts"].dump(), HasSubstr("leads the other way"));
    expectRefused(with({"--field-convention", "best"}), "--field-convention", 2);
}

/// A wrong number of fields is blamed on the number, not on what stands in the first.
TEST_F(Strain, AWrongNumberOfFieldsForTheImagesIsSaid) {
    std::vector<std::string> command{"strain", "--labels", labels(),  "-o",
                                     in("s"),  "--images", sequence()};
    const auto with = [&](const std::vector<int>& frames) {
        std::vector<std::string> arguments = command;
        for (std::size_t i = 0; i < frames.size(); ++i)
            arguments.insert(arguments.begin() + 1 + static_cast<int>(i), field(frames[i]));
        return run(arguments);
    };
    expectRefused(with({1, 2, 3, 3}), "4 fields for sequence.nii.gz, which has 3 frames after", 2);
    command.insert(command.end(), {"--field-convention", "ras"});
    expectRefused(with({1}), "--images has 3 after frame 0, so name a field for each");
    EXPECT_THAT(with({1, 2, 3}).errors, Not(HasSubstr("name a field for each")));
}

/// A record may name any frame; --images has those that it has.
TEST_F(Strain, FramesThatTheImagesDontHaveAreRefused) {
    std::filesystem::create_directory(in("m"));
    std::filesystem::copy_file(field(1), in("m/f.mha"));
    const auto from = [&](int reference, int moving) {
        const Json record{{"reference", "first"},
                          {"frames", {reference, moving}},
                          {"fields",
                           {{{"kind", "displacement"},
                             {"fixed", reference},
                             {"moving", moving},
                             {"file", "f.mha"}}}}};
        writeText(in("m/run.json"), record.dump());
        return run({"strain", in("m"), "--labels", labels(), "-o", in("s"), "--overwrite",
                    "--frame-time", "40", "--images", sequence()});
    };
    const Outcome there = from(0, 1);
    EXPECT_EQ(there.exitCode, 0) << there.errors;
    expectRefused(from(0, 4), "has no frame 4; its frames are 0 to 3", 2);
    expectRefused(from(0, -1), "run.json: expected the list of fields");
    expectRefused(from(4, 1), "has no frame 4; its frames are 0 to 3", 2);
    expectRefused(from(-2, 1), "run.json: expected the list of fields");
}

TEST_F(Strain, HelpHasAnExample) {
    EXPECT_THAT(run({"strain", "--help"}).output,
                HasSubstr("systole strain motion --labels labels.nii.gz -o strain"));
}

TEST_F(Strain, RefusesInOneSentence) {
    const std::vector<std::string> to{"-o", in("s")};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), to.begin(), to.end());
        return strain(more);
    };
    expectRefused(with({"--cavity-label", "7"}), "label 7");
    expectRefused(with({"--cavity-label", "1", "--wall-label", "1"}), "both are 1");
    expectRefused(with({"--apex", "1,2"}), "--apex", 2);
    expectRefused(with({"--apex", "1,2,3", "--points", "1,2,3;4,5,6;7,8,9"}), "--points", 2);
    expectRefused(with({"--definition", "best"}), "--definition", 2);
    expectRefused(with({"--end-systole", "9"}), "no frame 9, only frames 0 to 3");
    expectRefused(with({"--insertion", "500,0,0", "--apex", "0,0,500", "--mitral", "0,0,500"}),
                  "same point");
    expectRefused(run({"strain", labels(), "--labels", labels(), "-o", in("s")}), "labels.nii.gz");
    expectRefused(run({"strain", field(1), "--labels", sequence() + "@0", "-o", in("s")}), "label");
    expectRefused(run({"strain", field(1), "--labels", in("none.nii.gz"), "-o", in("s")}),
                  "none.nii.gz");
    const auto ofNothing = [&](const Geometry& grid) {
        writeLabels(in("empty.nii.gz"), grid, std::vector<std::uint8_t>(grid.voxels(), 0));
        return run({"strain", field(1), "--labels", in("empty.nii.gz"), "-o", in("s")});
    };
    BufferPool pool;
    expectRefused(ofNothing(readField(field(1), pool).geometry), "no label at all");
    expectRefused(ofNothing(Geometry({40, 40, 40}, {2, 2, 2})),
                  "found 40×40×40 voxels of 2×2×2 mm");
    EXPECT_THAT(names(), ElementsAre("empty.nii.gz")); // no folder is left behind
}

} // namespace
} // namespace systole
