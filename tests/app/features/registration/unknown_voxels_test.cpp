// Files that hold NaN where nothing was recorded, as outside of a probe's sector.
#include "io/field_reader.h"
#include "tests/app/features/registration/register_support.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

namespace systole {
namespace {

using testing::gridAround;
using ::testing::HasSubstr;
using testing::organAt;
using testing::Outcome;
using testing::registration;
using testing::run;
using testing::sampled;
using testing::TemporaryFolder;

const Geometry grid = gridAround({}, {24, 22, 20}, {2, 2, 2});

bool inSector(Vec3 p) { return std::abs(p.x) < 20 + 0.4 * p.z; }

/// Two frames, the second shifted, each a file: as scanned, with its smallest number outside of the
/// sector, and with NaN there.
class UnknownVoxels : public ::testing::Test {
protected:
    UnknownVoxels() {
        const std::vector<float> sector = sampled(grid, inSector);
        write("sector", sector);
        for (const int frame : {0, 1}) {
            std::vector<float> voxels = sampled(grid, [&](Vec3 p) {
                return organAt(p - Vec3{1.5 * frame, -1.0 * frame, 0});
            });
            float smallest = std::numeric_limits<float>::infinity();
            for (std::size_t i = 0; i < voxels.size(); ++i)
                if (sector[i] == 1)
                    smallest = std::min(smallest, voxels[i]);
            unknown = 0;
            for (const bool filled : {true, false}) {
                for (std::size_t i = 0; i < voxels.size(); ++i)
                    if (sector[i] == 0) {
                        voxels[i] = filled ? smallest : std::numeric_limits<float>::quiet_NaN();
                        ++unknown;
                    }
                write((filled ? "filled" : "nan") + std::to_string(frame), voxels);
            }
            unknown /= 2;
        }
    }

    void write(const std::string& name, const std::vector<float>& voxels) {
        writeVolume(path(name), grid, {voxels.data(), grid.size()});
    }
    std::string path(const std::string& name) const { return folder / (name + ".nii.gz"); }

    MillimeterField field(const std::string& file) {
        return readVectors(folder / file, pool).field;
    }

    Outcome registered(const std::string& kind, const std::string& output,
                       std::vector<std::string> more) {
        std::vector<std::string> arguments{"register",       path(kind + "0"),
                                           path(kind + "1"), "-o",
                                           folder / output,  "--no-affine",
                                           "--method",       "clg",
                                           "--backend",      "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }

    TemporaryFolder folder;
    BufferPool pool;
    std::size_t unknown = 0;
};

void expectSame(const MillimeterField& a, const MillimeterField& b) {
    ASSERT_EQ(a.vectors.size(), b.vectors.size());
    std::size_t different = 0, infinite = 0;
    double largest = 0;
    for (std::size_t i = 0; i < a.vectors.size(); ++i) {
        const float value = a.vectors.data()[i];
        infinite += std::isfinite(value) ? 0 : 1;
        different += value == b.vectors.data()[i] ? 0 : 1;
        largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    EXPECT_EQ(infinite, 0u);
    EXPECT_EQ(different, 0u);
    EXPECT_GT(largest, 1);
}

TEST_F(UnknownVoxels, AreLeftOutAsAMaskLeavesThemOut) {
    const std::vector<std::string> masks{"--fixed-mask", path("sector"), "--moving-mask",
                                         path("sector")};
    const Outcome masked = registered("filled", "masked", masks);
    ASSERT_EQ(masked.exitCode, 0) << masked.errors;
    const Outcome plain = registered("nan", "plain", {});
    ASSERT_EQ(plain.exitCode, 0) << plain.errors;
    expectSame(field("plain/displacement.mha"), field("masked/displacement.mha"));
}

TEST_F(UnknownVoxels, DontHoldBackMotion) {
    const auto error = [&](const std::string& kind) {
        const Outcome moved = run({"motion", path(kind + "0"), path(kind + "1"), "-o",
                                   folder / kind, "--method", "clg", "--backend", "cpu"});
        EXPECT_EQ(moved.exitCode, 0) << moved.errors;
        const MillimeterField found = field(kind + "/displacement_0001.mha");
        const std::vector<float> sector = sampled(grid, inSector);
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < sector.size(); ++i)
            if (sector[i] == 1) {
                const float* const d = found.vectors.data() + 3 * i;
                sum += std::hypot(d[0] - 1.5f, d[1] + 1.0f, d[2]);
                ++count;
            }
        return sum / count;
    };
    EXPECT_LT(error("nan"), 0.9 * error("filled"));
}

TEST_F(UnknownVoxels, JoinAGivenMask) {
    std::vector<float> half = sampled(grid, [](Vec3 p) { return p.y < 8 ? 1 : 0; });
    write("half", half);
    const std::vector<float> sector = sampled(grid, inSector);
    for (std::size_t i = 0; i < half.size(); ++i)
        half[i] *= sector[i];
    write("both", half);
    ASSERT_EQ(registered("filled", "masked",
                         {"--fixed-mask", path("both"), "--moving-mask", path("sector")})
                  .exitCode,
              0);
    ASSERT_EQ(registered("nan", "plain", {"--fixed-mask", path("half")}).exitCode, 0);
    expectSame(field("plain/displacement.mha"), field("masked/displacement.mha"));
}

TEST_F(UnknownVoxels, AreNotCompared) {
    ASSERT_EQ(registered("nan", "plain", {}).exitCode, 0);
    const nlohmann::json before = registration(folder / "plain")["similarity"]["before"];
    EXPECT_EQ(before["voxels"], grid.voxels() - unknown);
}

TEST_F(UnknownVoxels, AreCountedByInfo) {
    const Outcome text = run({"info", path("nan0")});
    EXPECT_EQ(text.exitCode, 0) << text.errors;
    EXPECT_THAT(text.output, HasSubstr(std::to_string(unknown) + " of " +
                                       std::to_string(grid.voxels()) + " voxels of frame 0"));
    const Outcome json = run({"info", path("nan0"), path("nan1"), "--statistics", "--json"});
    const nlohmann::json values = nlohmann::json::parse(json.output)["values"];
    EXPECT_EQ(values["voxels_unknown"], 2 * unknown);
    const auto smallest = [&](const std::string& name) {
        const Outcome of = run({"info", path(name), "--statistics", "--json"});
        return nlohmann::json::parse(of.output)["values"]["minimum"].get<double>();
    };
    EXPECT_EQ(values["minimum"], std::min(smallest("filled0"), smallest("filled1")));
}

} // namespace
} // namespace systole
