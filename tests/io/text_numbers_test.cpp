// Numbers in text: what is one, and that every text format keeps to it.
#include "io/base/text.h"
#include "io/landmarks/landmark_file.h"
#include "io/matrices/matrix_market.h"
#include "io/meshes/mesh_file.h"
#include "io/transforms/affine_file.h"
#include "tests/io/io_support.h"

#include <functional>

namespace systole::test {
namespace {

TEST(TextNumbers, HaveOneSignAndNothingElseAroundThem) {
    EXPECT_EQ(parseReal("-1.5"), -1.5);
    EXPECT_EQ(parseReal("+1.5e0"), 1.5);
    EXPECT_EQ(parseReal(" 1. \r"), 1.0);
    EXPECT_EQ(parseInteger("+12"), 12);
    EXPECT_EQ(parseInteger("-12"), -12);
    for (const char* text : {"", "+", "-", "+-1", "-+1", "++1", "--1", "+ 1", "1,5", "1 2", "0x10",
                             "1e", "1f", "1e999"}) {
        EXPECT_FALSE(parseReal(text)) << text;
        EXPECT_FALSE(parseInteger(text)) << text;
    }
}

/// A sound file with a number "-1" in it, and how it is read.
struct TextFormat {
    const char* file;
    std::string text;
    std::function<void(const std::string& path)> read;
};

std::vector<TextFormat> textFormats() {
    const auto points = [](const std::string& path) {
        LandmarkReadOptions options;
        options.coordinates = LandmarkCoordinates::Millimeters;
        readLandmarks(path, options);
    };
    const auto image = [](const std::string& path) { readFrame(openSequence({path}), 0); };
    const auto mesh = [](const std::string& path) { readMesh(path); };
    const std::string voxels = "0 1 2 3 4 5 6 -1\n";
    return {
        {"points.csv", "name,x,y,z\nA,-1,2,3\n", points},
        {"points.fcsv", "# CoordinateSystem = LPS\n# columns = id,x,y,z\n1,-1,2,3\n", points},
        {"points.txt", "point\n1\n-1 2 3\n", points},
        {"dirlab.txt", "-1 2 3\n", points},
        {"mesh.obj", "v -1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", mesh},
        {"mesh.ply",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
         "float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
         "-1 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         mesh},
        {"mesh.stl",
         "solid a\nfacet normal 0 0 1\nouter loop\nvertex -1 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
         "endloop\nendfacet\nendsolid a\n",
         mesh},
        {"mesh.vtp",
         "<VTKFile type='PolyData'><PolyData><Piece NumberOfPoints='3' NumberOfPolys='1'><Points>"
         "<DataArray type='Float32' NumberOfComponents='3' format='ascii'>-1 0 0 1 0 0 0 1 0"
         "</DataArray></Points><Polys><DataArray type='Int32' Name='connectivity' format='ascii'>"
         "0 1 2</DataArray><DataArray type='Int32' Name='offsets' format='ascii'>3</DataArray>"
         "</Polys></Piece></PolyData></VTKFile>",
         mesh},
        {"voxels.vtk",
         "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\n"
         "SPACING 1 1 1\nORIGIN 0 0 0\nPOINT_DATA 8\nSCALARS s short 1\nLOOKUP_TABLE default\n" +
             voxels,
         image},
        {"header.vtk",
         "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 2 2\n"
         "SPACING 1 1 1\nORIGIN -1 0 0\nPOINT_DATA 8\nSCALARS s short 1\nLOOKUP_TABLE default\n"
         "0 1 2 3 4 5 6 7\n",
         image},
        {"header.nrrd",
         "NRRD0005\ntype: float\ndimension: 3\nspace: left-posterior-superior\nsizes: 2 2 2\n"
         "space directions: (1,0,0) (0,1,0) (0,0,1)\nencoding: ascii\nspace origin: (-1,0,0)\n\n"
         "0 1 2 3 4 5 6 7\n",
         image},
        {"header.mha",
         "ObjectType = Image\nNDims = 3\nBinaryData = False\nOffset = -1 0 0\n"
         "ElementSpacing = 1 1 1\nDimSize = 2 2 2\nElementType = MET_SHORT\n"
         "ElementDataFile = LOCAL\n0 1 2 3 4 5 6 7\n",
         image},
        {"matrix.txt", "1 0 0 -1\n0 1 0 0\n0 0 1 0\n0 0 0 1\n",
         [](const std::string& path) {
             if (!readMatrix(path, MatrixFormat::Lps, {}))
                 throw FileError("no matrix");
         }},
        {"transform.tfm",
         "#Insight Transform File V1.0\nTransform: TranslationTransform_double_3_3\n"
         "Parameters: 2 -1 0\nFixedParameters: \n",
         [](const std::string& path) { readItkAffine(path); }},
        {"matrix.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -1\n",
         [](const std::string& path) { readMatrixMarket(path); }},
    };
}

class TextFormats : public ::testing::TestWithParam<TextFormat> {};

TEST_P(TextFormats, RefuseANumberOfTwoSigns) {
    const auto& [file, text, read] = GetParam();
    const TemporaryFolder folder;
    const std::string path = folder / file;
    writeBytes(path, text);
    ASSERT_NO_THROW(read(path));
    std::string spoilt = text;
    spoilt.replace(spoilt.find("-1"), 2, "+-1");
    writeBytes(path, spoilt);
    EXPECT_THROW(read(path), FileError);
}

INSTANTIATE_TEST_SUITE_P(Each, TextFormats, ::testing::ValuesIn(textFormats()),
                         [](const auto& info) {
                             std::string name = info.param.file;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

} // namespace
} // namespace systole::test
