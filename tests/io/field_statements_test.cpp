// Statements in files of three numbers per voxel: intents and names of NIfTI, kinds, frames and
// keys of NRRD. The same displacement in every voxel, as each program writes it.
#include "io/field_reader.h"
#include "io/formats/writer.h"
#include "io/transforms/transform_file.h"
#include "tests/io/text_header_support.h"

#include <cmath>
#include <functional>
#include <tuple>

namespace systole::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Vec3 moved{-2, 1, 0.5}; // LPS mm
const Geometry grid({4, 3, 2}, {1.5, 1.25, 2}, {-10, 20, 5});

/// The numbers of each voxel, planes of one component behind the other.
std::vector<float> planes(const std::function<Vec3(Vec3 place)>& numbers) {
    std::vector<float> all(72);
    for (std::size_t voxel = 0; voxel < 24; ++voxel) {
        const Vec3 at = numbers(
            grid.indexToPhysical({double(voxel % 4), double(voxel / 4 % 3), double(voxel / 12)}));
        for (std::size_t axis = 0; axis < 3; ++axis)
            all[24 * axis + voxel] = static_cast<float>(at[static_cast<int>(axis)]);
    }
    return all;
}
std::vector<float> interleaved(Vec3 numbers) {
    std::vector<float> all;
    for (int voxel = 0; voxel < 24; ++voxel)
        for (int axis = 0; axis < 3; ++axis)
            all.push_back(static_cast<float>(numbers[axis]));
    return all;
}
Vec3 ras(Vec3 v) { return {-v.x, -v.y, v.z}; }

class FieldStatements : public TextHeaderTest {
protected:
    std::string nifti(int intent, const std::string& name, const std::string& description,
                      const std::vector<float>& numbers, int version = 1) const {
        NiftiBytes header(version);
        header.dim({5, 4, 3, 2, 1, 3, 1, 1})
            .type(16, 32)
            .pixdim({1, 1.5, 1.25, 2, 1, 1, 1, 1})
            .sform({{{-1.5, 0, 0, 10}, {0, -1.25, 0, -20}, {0, 0, 2, 5}}})
            .intent(intent)
            .description(description);
        for (std::size_t i = 0; i < name.size(); ++i)
            header.put((version == 1 ? 328UL : 508UL) + i, name[i]);
        writeBytes(file("f.nii"), header.with(numbers));
        return file("f.nii");
    }
    std::string nrrdField(const std::string& lines, Vec3 numbers) const {
        Bytes bytes;
        append(bytes, "NRRD0005\nendian: little\nencoding: raw\ntype: float\ndimension: 4\n"
                      "sizes: 3 4 3 2\n" +
                          lines + "\n");
        append(bytes, interleaved(numbers));
        writeBytes(file("f.nrrd"), bytes);
        return file("f.nrrd");
    }
    static std::string lpsField(const std::string& more = "", const std::string& kind = "vector",
                                const std::string& space = "LPS") {
        return "space: " + space +
               "\nspace directions: none (1.5,0,0) (0,1.25,0) (0,0,2)\n"
               "space origin: (-10,20,5)\nkinds: " +
               kind + " domain domain domain\n" + more;
    }
    void expectDisplacement(const std::string& path, Vec3 expected) {
        const MillimeterField field = readField(path, pool_);
        for (std::size_t i = 0; i < 72; ++i)
            ASSERT_NEAR(field.vectors.data()[i], expected[static_cast<int>(i % 3)], 1e-5)
                << path << " " << i;
    }
    std::string refusedAsField(const std::string& path) {
        return refusalSentence(path, [&](const auto& file) { readField(file, pool_); });
    }
    void expectUnsaid(const std::string& path) {
        EXPECT_THROW(readField(path, pool_), UnknownConvention) << path;
    }

    BufferPool pool_;
};

TEST_F(FieldStatements, SpmsMappingsArePositionsInRas) {
    const std::vector<float> positions = planes([](Vec3 place) { return ras(place + moved); });
    for (const int version : {1, 2})
        for (const char* name : {"Mapping", "mapping", "MAPPING"})
            for (const char* description : {"Deformation", "Deformation field", ""})
                expectDisplacement(nifti(1007, name, description, positions, version), moved);
    // SPM12 and CAT12 name it in the description alone.
    expectDisplacement(nifti(0, "", "Deformation", positions), moved);
    expectDisplacement(nifti(1007, "", "Deformation", positions), moved);
}

TEST_F(FieldStatements, IntentsOfDisplacementsKeepTheirMeaning) {
    const std::vector<float> lps = planes([](Vec3) { return moved; }),
                             inRas = planes([](Vec3) { return ras(moved); });
    expectDisplacement(nifti(1007, "", "", lps), moved);
    expectDisplacement(nifti(1006, "", "", inRas), moved);
}

TEST_F(FieldStatements, WhatNiftiDoesNotSayIsAskedFor) {
    const std::vector<float> numbers = planes([](Vec3) { return moved; });
    expectUnsaid(nifti(0, "", "", numbers));
    expectUnsaid(nifti(1008, "", "", numbers)); // points
    for (const int intent : {1006, 1007})
        for (const char* name : {"Warp", "displacement", "xyz"})
            expectUnsaid(nifti(intent, name, "", numbers));
    for (const char* name : {"Velocity", "velocity"})
        EXPECT_THAT(refusedAsField(nifti(1007, name, "", numbers)), HasSubstr("velocities"));
    EXPECT_THAT(refusedAsField(nifti(1007, "", "Flow field", numbers)), HasSubstr("velocities"));
    EXPECT_THAT(refusedAsField(nifti(2003, "", "", numbers)), HasSubstr("colors"));
}

TEST_F(FieldStatements, SlicersKeySaysWhichWayAFieldLeads) {
    for (const char* key :
         {"displacement field type:=resampling\n", "Displacement_Field_Type:= Resampling\n", ""})
        expectDisplacement(nrrdField(lpsField(key), moved), moved);
    for (const char* key :
         {"displacement field type:=modeling\n", "displacementFieldType:=MODELING\n"}) {
        const std::string path = nrrdField(lpsField(key), moved);
        const StoredVectors stored = readVectors(path, pool_);
        EXPECT_TRUE(stored.backward);
        EXPECT_TRUE(readTransform(path, MatrixFormat::Lps, {}, pool_).backward);
        EXPECT_THAT(refusedAsField(path), HasSubstr("from the moving to the fixed image"));
    }
    EXPECT_THAT(refusedAsField(nrrdField(lpsField("displacement field type:=inverse\n"), moved)),
                HasSubstr("'inverse'"));
}

TEST_F(FieldStatements, TheFrameOfNrrdVectorsIsThatOfTheirMeasurement) {
    const std::string identity = "measurement frame: (1,0,0) (0,1,0) (0,0,1)\n",
                      mirrored = "measurement frame: (-1,0,0) (0,-1,0) (0,0,1)\n",
                      turned = "measurement frame: (0,1,0) (1,0,0) (0,0,1)\n";
    expectDisplacement(nrrdField(lpsField(identity), moved), moved);
    expectDisplacement(nrrdField(lpsField(mirrored), ras(moved)), moved);
    expectDisplacement(nrrdField(lpsField(identity, "vector", "RAS"), ras(moved)), moved);
    expectDisplacement(nrrdField(lpsField(mirrored, "vector", "RAS"), moved), moved);
    expectUnsaid(nrrdField(lpsField("", "vector", "RAS"), moved));
    EXPECT_THAT(refusedAsField(nrrdField(lpsField(turned), moved)), HasSubstr("measurement frame"));
}

TEST_F(FieldStatements, TheKindOfNrrdNumbersCounts) {
    expectDisplacement(nrrdField(lpsField("", "3-vector"), moved), moved);
    for (const char* kind : {"RGB-color", "3-color", "HSV-color", "3-gradient", "3-normal"})
        EXPECT_THAT(refusedAsField(nrrdField(lpsField("", kind), moved)),
                    HasSubstr("not displacements"));
    for (const char* kind : {"covariant-vector", "list", "time"})
        expectUnsaid(nrrdField(lpsField("", kind), moved));
    // A point is where its voxel goes: all voxels go to one place.
    const Vec3 place{-9, 21, 6};
    const MillimeterField field = readField(nrrdField(lpsField("", "point"), place), pool_);
    EXPECT_NEAR(field.vectors.data()[0], 1, 1e-6);
    EXPECT_NEAR(field.vectors.data()[3], 1 - 1.5, 1e-6);
}

TEST_F(FieldStatements, UnitsOfNrrdNumbersCount) {
    expectDisplacement(nrrdField(lpsField("sample units: \"mm\"\n"), moved), moved);
    expectDisplacement(nrrdField(lpsField("sample units: cm\n"), 0.1 * moved), moved);
    expectDisplacement(nrrdField(lpsField("sampleunits: \"voxels\"\n"), {1, 2, 3}), {1.5, 2.5, 6});
    expectUnsaid(nrrdField(lpsField("space units: \"cm\" \"cm\" \"cm\"\n"), moved));
    EXPECT_THAT(refusedAsField(nrrdField(lpsField("sample units: HU\n"), moved)),
                HasSubstr("'hu'"));
}

TEST_F(FieldStatements, NumbersWithoutASignAreNoDisplacements) {
    EXPECT_THAT(refusedAsField(nrrd<std::uint8_t>(
                    "type: uchar\ndimension: 4\nsizes: 3 4 3 2\n" + lpsField(), 72)),
                HasSubstr("without a sign"));
    writeBytes(file("c.mha"),
               "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementNumberOfChannels = 3\n"
               "ElementSpacing = 1 1 1\nElementType = MET_UCHAR_ARRAY\nElementDataFile = LOCAL\n" +
                   std::string(72, 'x'));
    EXPECT_THAT(refusedAsField(file("c.mha")), HasSubstr("colors"));
}

TEST_F(FieldStatements, MetaImageVectorsAreItksAndOldNamesOfTypesAreRead) {
    const auto write = [&](const std::string& lines) {
        Bytes bytes;
        append(bytes, "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\n"
                      "ElementNumberOfChannels = 3\nElementSpacing = 1.5 1.25 2\n" +
                          lines + "ElementDataFile = LOCAL\n");
        append(bytes, interleaved(moved));
        writeBytes(file("f.mha"), bytes);
        return file("f.mha");
    };
    expectDisplacement(write("ElementType = MET_FLOAT\n"), moved);
    expectDisplacement(write("ElementType = MET_FLOAT_ARRAY\n"), moved);
    expectDisplacement(write("DistanceUnits = mm\nElementType = MET_FLOAT\n"), moved);
    expectUnsaid(write("DistanceUnits = cm\nElementType = MET_FLOAT\n"));
    EXPECT_TRUE(
        readVectors(write("displacement field type = modeling\nElementType = MET_FLOAT\n"), pool_)
            .backward);
}

TEST_F(FieldStatements, WithoutDirectionsTheyAreNotedAndFitNoObliqueImage) {
    std::string vtk = "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET STRUCTURED_POINTS\n"
                      "DIMENSIONS 4 3 2\nSPACING 1.5 1.25 2\nORIGIN -10 20 5\nPOINT_DATA 24\n"
                      "VECTORS field float\n";
    for (int voxel = 0; voxel < 24; ++voxel)
        vtk += "-2 1 0.5\n";
    writeBytes(file("f.vtk"), vtk);
    NiftiBytes bare;
    bare.dim({5, 4, 3, 2, 1, 3, 1, 1}).type(16, 32).pixdim({1, 1.5, 1.25, 2, 1, 1, 1, 1});
    bare.intent(1007).sform({}, 0);
    writeBytes(file("bare.nii"), bare.with(planes([](Vec3) { return moved; })));
    const std::string withoutSpace =
        nrrdField("spacings: nan 1.5 1.25 2\nkinds: vector domain domain domain\n", moved);
    const auto turned = [](double angle, double sign) {
        const double c = sign * std::cos(angle), s = sign * std::sin(angle);
        const Geometry axes({4, 3, 2}, grid.spacing(), grid.origin(),
                            {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}});
        return FrameGrids{axes, axes};
    };
    for (const auto& [path, note, sign] :
         {std::tuple(file("f.vtk"), "VTK states no direction", 1.0),
          {withoutSpace, "orientation is not stated", 1.0},
          {file("bare.nii"), "orientation are not stated", -1.0}}) { // right, anterior, superior
        const StoredTransform stored =
            readTransform(path, MatrixFormat::Lps, turned(0, sign), pool_);
        EXPECT_THAT(stored.notes, ::testing::Contains(HasSubstr(note))) << path;
        for (std::size_t i = 0; i < 72; ++i)
            ASSERT_NEAR(stored.vectors->vectors.data()[i], moved[static_cast<int>(i % 3)], 1e-6);
        EXPECT_THAT(refusalSentence(path,
                                    [&](const auto& named) {
                                        readTransform(named, MatrixFormat::Lps, turned(0.1, sign),
                                                      pool_);
                                    }),
                    AllOf(HasSubstr("doesn't say how its axes lie"), HasSubstr(note)));
    }
    // A header that states the convention leaves nothing to note.
    const std::string said = nrrdField(lpsField(), moved);
    EXPECT_THAT(readTransform(said, MatrixFormat::Lps, turned(0.1, 1), pool_).notes,
                ::testing::IsEmpty());
}

TEST_F(FieldStatements, ThreeFramesAreNoField) {
    writeBytes(file("s.mha"),
               "ObjectType = Image\nNDims = 4\nDimSize = 4 3 2 3\nElementSpacing = 1 1 1 1\n"
               "ElementType = MET_CHAR\nElementDataFile = LOCAL\n" +
                   std::string(72, 'x'));
    expectUnsaid(file("s.mha"));
}

} // namespace
} // namespace systole::test
