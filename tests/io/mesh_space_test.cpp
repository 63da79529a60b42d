// The space of the coordinates that files of surfaces state, and VTK's legacy files written by
// hand.
#include "io/meshes/mesh_file.h"
#include "tests/io/io_support.h"
#include "tests/io/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole::test {
namespace {

using ::testing::HasSubstr;

/// The lowest and highest corner.
std::array<std::array<float, 3>, 2> boundsOf(const TriangleMesh& mesh) {
    std::array<std::array<float, 3>, 2> bounds{mesh.points[0], mesh.points[0]};
    for (const auto& p : mesh.points)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            bounds[0][axis] = std::min(bounds[0][axis], p[axis]);
            bounds[1][axis] = std::max(bounds[1][axis], p[axis]);
        }
    return bounds;
}
using Bounds = std::array<std::array<float, 3>, 2>;
const Bounds stored{{{5, 6, 7}, {15, 26, 37}}}, turned{{{-15, -26, 7}, {-5, -6, 37}}};

class MeshSpace : public ::testing::Test {
protected:
    Bounds bounds(const std::string& name, const std::string& text) {
        writeBytes(folder / name, text);
        return boundsOf(readMesh(folder / name));
    }
    std::string refusal(const std::string& name, const std::string& text) {
        writeBytes(folder / name, text);
        return refusalSentence(folder / name, [](const std::string& path) { readMesh(path); });
    }
    TemporaryFolder folder;
};

/// A tetrahedron that fills the bounds.
std::string obj(const std::string& comment) {
    return comment + "v 5 6 7\nv 15 6 7\nv 5 26 7\nv 5 6 37\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
}
std::string ply(const std::string& comment) {
    return "ply\nformat ascii 1.0\n" + comment +
           "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
           "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
           "5 6 7\n15 6 7\n5 26 7\n5 6 37\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
}
std::string stl(const std::string& name) {
    std::string text = "solid " + name + "\n";
    const char* const corners[] = {"5 6 7", "15 6 7", "5 26 7", "5 6 37"};
    for (const auto& t : {std::array{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}) {
        text += "facet normal 0 0 1\nouter loop\n";
        for (const int corner : t)
            text += std::string("vertex ") + corners[corner] + "\n";
        text += "endloop\nendfacet\n";
    }
    return text + "endsolid\n";
}
/// A VTP file with field data, and comments before the root.
std::string vtp(const std::string& field, const std::string& comment = "") {
    return "<?xml version=\"1.0\"?>\n" + comment +
           "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\"><PolyData><FieldData>" + field +
           "</FieldData><Piece NumberOfPoints=\"4\" NumberOfPolys=\"4\"><Points><DataArray "
           "type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">5 6 7 15 6 7 5 26 7 5 6 37"
           "<InformationKey name=\"L2\" location=\"x\"><Value>1</Value></InformationKey>"
           "</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\" "
           "format=\"ascii\">0 2 1 0 1 3 1 2 3 2 0 3<InformationKey name=\"L2\"/></DataArray>"
           "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3 6 9 12</DataArray>"
           "</Polys></Piece></PolyData></VTKFile>";
}
std::string array(const std::string& codes, const std::string& name = "SPACE",
                  const std::string& type = "String") {
    return "<Array type=\"" + type + "\" Name=\"" + name +
           "\" NumberOfTuples=\"1\" format=\"ascii\"> " + codes + " </Array>";
}

TEST_F(MeshSpace, IsReadInAllItsSpellings) {
    for (const char* said : {"", "# written by a program\n", "# SPACE=LPS\n", "# space = lps; mm\n",
                             "# SPACE=left-posterior-superior\n", "# Space: LPS+\n"})
        EXPECT_EQ(bounds("a.obj", obj(said)), stored) << said;
    for (const char* said :
         {"# 3D Slicer output. SPACE=RAS\n", "# Space: ras\n", "# SPACE = \"RAS\"\n",
          "# space=Right-Anterior-Superior\n", "# SPACE=RAS; millimeters\r\n"})
        EXPECT_EQ(bounds("a.obj", obj(said)), turned) << said;
    EXPECT_EQ(bounds("a.ply", ply("comment 3D Slicer output. SPACE=RAS\n")), turned);
    EXPECT_EQ(bounds("a.ply", ply("obj_info SPACE=RAS\n")), turned);
    EXPECT_EQ(bounds("a.ply", ply("comment SPACE=LPS\n")), stored);
    EXPECT_EQ(bounds("a.stl", stl("3D Slicer output. SPACE=RAS")), turned);
    EXPECT_EQ(bounds("a.stl", stl("3D Slicer output. SPACE=LPS")), stored);
    EXPECT_EQ(
        bounds("a.obj", "# SPACE=RAS\rv 5 6 7\rv 15 6 7\rv 5 26 7\rv 5 6 37\rf 1 3 2\rf 1 2 4\r"),
        turned); // the line ends of old Macs
    // Far behind what a beginning of the file would hold.
    EXPECT_EQ(bounds("a.obj", obj("# " + std::string(9000, 'x') + "\n# SPACE=RAS\n")), turned);
    // A name that only resembles one says nothing.
    EXPECT_EQ(bounds("a.obj", obj("# workspace: RAS\n# color space: sRGB\n# space bar\n")), stored);
}

TEST_F(MeshSpace, OfVtpStandsInItsFieldData) {
    EXPECT_EQ(bounds("a.vtp", vtp(array("82 65 83 0"))), turned);
    EXPECT_EQ(bounds("a.vtp", vtp(array("82 65 83"))), turned);
    EXPECT_EQ(bounds("a.vtp", vtp(array("114 97 115 0", "Space"))), turned);
    EXPECT_EQ(bounds("a.vtp", vtp(array("82 65 83", "SPACE", "UInt8"))), turned);
    EXPECT_EQ(bounds("a.vtp", vtp(array("76 80 83 0"))), stored);
    EXPECT_EQ(bounds("a.vtp", vtp(array("82 65 83 0", "NAME"))), stored);
    EXPECT_EQ(bounds("a.vtp", vtp("", "<!-- SPACE=RAS -->\n")), turned);
}

TEST_F(MeshSpace, ThatIsUnknownOrStatedTwiceIsRefused) {
    EXPECT_THAT(refusal("a.obj", obj("# SPACE=LAI\n")), HasSubstr("'LAI'; LPS or RAS is expected"));
    EXPECT_THAT(refusal("a.ply", ply("comment SPACE=\n")), HasSubstr("LPS or RAS is expected"));
    EXPECT_THAT(refusal("a.vtp", vtp(array("88 89 90 0"))), HasSubstr("'XYZ'"));
    EXPECT_THAT(refusal("a.vtp", vtp(array("0"))), HasSubstr("is empty"));
    EXPECT_THAT(refusal("a.vtp", vtp(array("1 2", "SPACE", "Float32"))), HasSubstr("no text"));
    EXPECT_THAT(refusal("a.obj", obj("# SPACE=RAS\n# SPACE=LPS\n")), HasSubstr("both LPS and RAS"));
    EXPECT_THAT(refusal("a.vtp", vtp(array("82 65 83 0"), "<!-- SPACE=LPS -->\n")),
                HasSubstr("both LPS and RAS"));
}

TEST_F(MeshSpace, WhatAHeaderGivesTwiceIsRefused) {
    EXPECT_THAT(refusal("a.ply", ply("format binary_big_endian 1.0\n")),
                HasSubstr("gives its format twice"));
    std::string text = ply("");
    text.replace(text.find("property float z"), 16, "property float z\nproperty float x");
    EXPECT_THAT(refusal("a.ply", text), HasSubstr("the property 'x' twice"));
    text = ply("");
    text.insert(text.find("element face"), "element vertex 9\nproperty float x\n");
    EXPECT_THAT(refusal("a.ply", text), HasSubstr("the element 'vertex' twice"));
    text = vtp("");
    text.replace(text.find("NumberOfPoints"), 0, "NumberOfPoints=\"5\" ");
    EXPECT_THAT(refusal("a.vtp", text), HasSubstr("gives 'NumberOfPoints' twice"));
    text = vtp("");
    text.insert(text.find("</Polys>"), "<DataArray type=\"Int32\" Name=\"offsets\" "
                                       "format=\"ascii\">3 6 9 9</DataArray>");
    EXPECT_THAT(refusal("a.vtp", text), HasSubstr("the array 'offsets' twice"));
}

const std::string vtkPoints = "POINTS 4 float\n5 6 7 15 6 7\n5 26 7 5 6 37\n";
const std::string vtkFaces = "POLYGONS 4 16\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
std::string vtk(const std::string& body, const std::string& title = "by hand") {
    return "# vtk DataFile Version 4.2\n" + title + "\nASCII\nDATASET POLYDATA\n" + body;
}

TEST_F(MeshSpace, OfVtkStandsInItsTitleOrItsFieldData) {
    EXPECT_EQ(bounds("a.vtk", vtk(vtkPoints + vtkFaces)), stored);
    EXPECT_EQ(bounds("a.vtk", vtk(vtkPoints + vtkFaces, "3D Slicer output. SPACE=RAS")), turned);
    EXPECT_EQ(bounds("a.vtk", vtk("FIELD FieldData 2\nt 1 1 double\n0.5\nSPACE 1 1 string\nRAS\n" +
                                  vtkPoints + "\nMETADATA\nINFORMATION 0\n\n" + vtkFaces)),
              turned);
    // Lines, single points and data of points don't matter.
    EXPECT_EQ(
        bounds("a.vtk", vtk(vtkPoints + "VERTICES 1 2\n1 0\nLINES 1 3\n2 0 1\n" + vtkFaces +
                            "POINT_DATA 4\nSCALARS s float\nLOOKUP_TABLE default\n1 2 3 4\n")),
        stored);
    EXPECT_EQ(
        bounds("a.vtk", vtk(vtkPoints + "POLYGONS 5 12\nOFFSETS vtktypeint64\n0 3 6 9 12\n"
                                        "CONNECTIVITY vtktypeint64\n0 2 1 0 1 3 1 2 3 2 0 3\n")),
        stored);
}

TEST_F(MeshSpace, FieldDataOfVtkMustFitTheFile) {
    const auto field = [](const std::string& array) {
        return vtk(vtkPoints + vtkFaces + "FIELD FieldData 1\n" + array);
    };
    EXPECT_EQ(bounds("a.vtk", field("SPACE 1 1 string\nRAS\n")), turned);
    EXPECT_EQ(bounds("a.vtk", field("NOTE 2 2 string\na\n\nb\nc\n")), stored);
    const std::string filled(1000, '\n');
    EXPECT_THAT(refusal("a.vtk", field("NOTE 900 900 string\n" + filled)),
                HasSubstr("'note' of its field data holds 900 × 900 values"));
    EXPECT_THAT(refusal("a.vtk", field("n 900 900 int\n" + filled)), HasSubstr("900 × 900"));
    EXPECT_THAT(refusal("a.vtk", field("SPACE 2 1 string\nRAS\nRAS\n")),
                HasSubstr("SPACE in its field data has 2 values; one"));
    EXPECT_THAT(refusal("a.vtk", field("NOTE 3 1 string\nabc\nd\n")), HasSubstr("ends within"));
}

TEST_F(MeshSpace, StripsOfVtkAreTurnedIntoTriangles) {
    writeBytes(folder / "a.vtk", vtk("POINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\n"
                                     "TRIANGLE_STRIPS 1 5\n4 0 1 2 3\n"));
    const TriangleMesh mesh = readMesh(folder / "a.vtk");
    ASSERT_EQ(mesh.triangles.size(), 2u);
    for (const auto& t : mesh.triangles) { // counterclockwise from above
        const auto &a = mesh.points[t[0]], &b = mesh.points[t[1]], &c = mesh.points[t[2]];
        EXPECT_GT((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), 0);
    }
}

TEST_F(MeshSpace, OtherFilesInVtksFormatAreSentToTheirReaders) {
    EXPECT_THAT(
        refusal("a.vtk", "# vtk DataFile Version 4.2\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"),
        HasSubstr("a surface is POLYDATA"));
    EXPECT_TRUE(isMeshFile(folder / "a.vtk"));
    writeBytes(
        folder / "image.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 1 1 1\n");
    EXPECT_FALSE(isMeshFile(folder / "image.vtk"));
    EXPECT_FALSE(isMeshFile(folder / "none.vtk"));
    EXPECT_FALSE(isMeshName("a.vtk"));
    EXPECT_TRUE(isMeshName("A.VTP"));
    EXPECT_THAT(refusal("a.vtk", vtk(vtkPoints + "POLYGONS 2 5\n3 0 1 2\n3 0\n")),
                HasSubstr("2 cells don't fit"));
    EXPECT_THAT(refusal("a.vtk", vtk(vtkPoints + "POLYGONS 1 4\n3 0 1 9\n")),
                HasSubstr("names point 9 of 4"));
    EXPECT_THAT(refusal("a.vtk", vtk("POINTS 4000000000 float\n1\n")), HasSubstr("no count"));
    writeBytes(folder / "b.vtk", vtk(vtkPoints + vtkFaces));
    EXPECT_THAT(
        refusalSentence(folder / "b.vtk", [](const std::string& path) { openSequence({path}); }),
        HasSubstr("a surface is read by 'systole denoise'"));
    for (const auto& [name, reader] : {std::pair("a.ply", "'systole denoise' reads it"),
                                       {"a.gii", "write it as .vtp"},
                                       {"a.mrk.json", "'systole landmarks'"},
                                       {"a.h5", "'systole register'"}}) {
        writeBytes(folder / name, "not an image");
        EXPECT_THAT(
            refusalSentence(folder / name, [](const std::string& path) { openSequence({path}); }),
            HasSubstr(reader));
    }
}

} // namespace
} // namespace systole::test
