// systole register --transform with fields of other programs: what their headers say decides which
// displacement is written, and a field that can't be a motion isn't applied.
#include "io/formats/nifti_write.h"
#include "tests/app/features/registration/register_support.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace systole {
namespace {

namespace fs = std::filesystem;
using namespace systole::testing;

constexpr Vec3 moved{-2, 1, 0.5};

class RegisterMeaning : public ::testing::Test {
protected:
    void SetUp() override { writeOrgan(path("image.nii.gz"), grid()); }
    std::string path(const std::string& name) const { return folder_ / name; }
    static Geometry grid() { return {{24, 20, 12}, {1.5, 1.25, 2}, {-17, -12, -11}, identity3}; }

    MillimeterField constantField(Vec3 displacement) {
        MillimeterField field{grid(), pool_.acquire<float>(3 * grid().voxels(), "field")};
        for (std::size_t i = 0; i < 3 * grid().voxels(); ++i)
            field.vectors.data()[i] = static_cast<float>(displacement[static_cast<int>(i % 3)]);
        return field;
    }
    /// Slicer's way, with the header's key.
    void writeNrrd(const std::string& name, Vec3 displacement, const std::string& key) {
        std::ofstream file(path(name), std::ios::binary);
        file << "NRRD0005\ntype: float\ndimension: 4\nspace: left-posterior-superior\n"
                "sizes: 3 24 20 12\nspace directions: none (1.5,0,0) (0,1.25,0) (0,0,2)\n"
                "kinds: vector domain domain domain\nendian: little\nencoding: raw\n"
                "space origin: (-17,-12,-11)\n"
             << key << "\n\n";
        const MillimeterField field = constantField(displacement);
        file.write(reinterpret_cast<const char*>(field.vectors.data()),
                   static_cast<std::streamsize>(3 * grid().voxels() * sizeof(float)));
    }
    Outcome apply(const std::string& transform) const {
        fs::remove_all(path("out"));
        return run({"register", path("image.nii.gz"), path("image.nii.gz"), "--transform",
                    path(transform), "-o", path("out")});
    }
    void expectApplied(const std::string& transform, Vec3 expected) {
        const Outcome outcome = apply(transform);
        ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
        const MillimeterField field = readField(path("out/displacement.mha"), pool_);
        for (std::size_t i = 0; i < 3 * grid().voxels(); ++i)
            ASSERT_NEAR(field.vectors.data()[i], expected[static_cast<int>(i % 3)], 2e-3)
                << transform << " " << i;
    }
    void expectNotApplied(const std::string& transform, const std::string& mentioned) {
        expectRefused(apply(transform), mentioned, 1);
        EXPECT_FALSE(fs::exists(path("out")));
    }

    TemporaryFolder folder_;
    BufferPool pool_;
};

TEST_F(RegisterMeaning, AFieldThatDoesntSayHowItsAxesLieIsNotedOrRefused) {
    const Geometry axes = grid();
    std::ofstream vtk(path("field.vtk"));
    vtk << "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET STRUCTURED_POINTS\n"
           "DIMENSIONS 24 20 12\nSPACING 1.5 1.25 2\nORIGIN -17 -12 -11\nPOINT_DATA 5760\n"
           "VECTORS field float\n";
    for (std::size_t voxel = 0; voxel < axes.voxels(); ++voxel)
        vtk << "-2 1 0.5\n";
    vtk.close();
    expectApplied("field.vtk", moved);
    EXPECT_THAT(apply("field.vtk").output,
                ::testing::HasSubstr("field.vtk: VTK states no direction of the axes"));
    const double c = std::cos(0.2), s = std::sin(0.2);
    writeOrgan(path("image.nii.gz"), Geometry(axes.size(), axes.spacing(), axes.origin(),
                                              {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}));
    expectNotApplied("field.vtk", "doesn't say how its axes lie");
}

TEST_F(RegisterMeaning, SpmsMappingIsAppliedAsPositions) {
    writeNiftiVectors(path("y.nii.gz"), constantField(moved), {"Mapping", 0, true, true});
    expectApplied("y.nii.gz", moved);
}

TEST_F(RegisterMeaning, PositionsThatSayTheyAreDisplacementsAreNotApplied) {
    writeNiftiVectors(path("ras.nii.gz"), constantField(moved), {"", 0, true, true});
    expectNotApplied("ras.nii.gz", "folds space in 100 %");
    writeNiftiVectors(path("name.nii.gz"), constantField(moved), {"Somebody's", 0, true, true});
    expectNotApplied("name.nii.gz", "intent_name");
}

TEST_F(RegisterMeaning, AFieldThatLeadsBeyondTheImageIsNotApplied) {
    writeField(path("far.mha"), constantField({500, 0, 0}), FieldFormat::MetaImage);
    expectNotApplied("far.mha", "not one voxel of FIXED");
}

TEST_F(RegisterMeaning, SlicersModelingFieldIsInverted) {
    writeNrrd("modeling.nrrd", -1 * moved, "displacement field type:=modeling");
    expectApplied("modeling.nrrd", moved);
    writeNrrd("resampling.nrrd", moved, "displacement field type:=resampling");
    expectApplied("resampling.nrrd", moved);
    writeNrrd("none.nrrd", moved, "# no key");
    expectApplied("none.nrrd", moved);
    writeNrrd("other.nrrd", moved, "displacement field type:=sideways");
    expectNotApplied("other.nrrd", "'sideways'");
}

} // namespace
} // namespace systole
