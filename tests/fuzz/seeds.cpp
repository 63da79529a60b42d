#include "tests/fuzz/seeds.h"

#include "io/base/png_text.h"
#include "io/formats/nifti_intents.h"
#include "io/formats/nifti_write.h"
#include "io/formats/writer.h"
#include "io/landmarks/landmark_file.h"
#include "io/matrices/matrix_market.h"
#include "io/meshes/mesh_file.h"
#include "io/transforms/affine_file.h"
#include "io/transforms/transform_file.h"
#include "tests/io/dicom_support.h"

#include <fmt/format.h>

namespace systole::fuzz {
namespace {

using test::append;
using test::Bytes;
using test::counting;
using test::deflated;
using test::gzipped;
using test::NiftiBytes;
using test::writeBytes;

const Geometry grid({4, 5, 4}, {1.5, 1.25, 2.5}, {-10, 5, 30}, test::obliquePermutedDirection());

NiftiBytes niftiHeader(int version, bool bigEndian) {
    NiftiBytes header(version, bigEndian);
    header.dim({4, 4, 4, 4, 3, 1, 1, 1}).type(4, 16).units(2 | 8).qform({0, 0, 0.5}, {1, 2, 3});
    return header;
}
Bytes shorts() {
    Bytes data;
    append(data, counting<std::int16_t>(64));
    return data;
}
Bytes behind(std::string_view header, const Bytes& data) {
    Bytes file;
    append(file, header);
    append(file, data);
    return file;
}
Bytes nifti(int version, bool bigEndian) {
    return niftiHeader(version, bigEndian).with(counting<std::int16_t>(192));
}

Bytes gipl() {
    Bytes data;
    append(data, std::vector<std::uint16_t>{4, 4, 4, 1, 15}, true);
    append(data, std::vector<float>{1, 1, 1, 1}, true);
    data.resize(252);
    append(data, std::vector<std::uint32_t>{0xefffe9b0}, true);
    append(data, counting<std::int16_t>(64), true);
    return data;
}

MillimeterField field(BufferPool& pool) {
    MillimeterField made{grid, pool.acquire<float>(3 * grid.voxels(), "field")};
    float value = 0;
    for (float& v : made.vectors.span())
        v = value += 0.125f;
    return made;
}

LandmarkSet points() {
    return {2, {{"apex", {1.5, -2.25, 30}}, {"a, \"b\"", {4, 5, 6}}, {"c", {-7, 8e1, 9}}}};
}

TriangleMesh tetrahedron(bool normals) {
    TriangleMesh mesh;
    mesh.points = {{0.1f, 0, 0}, {10.25f, 0, -3}, {0, 7.5f, 0}, {0, 0, 1e-3f}};
    mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    if (normals)
        mesh.normals = {{0, 0, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return mesh;
}

const test::Series& series() {
    static const test::Series made{.slices = 2,
                                   .phases = 1,
                                   .grid = Geometry({16, 12, 2}, {1.25, 1.5, 8}, {-20, 30, 400},
                                                    test::obliqueSliceDirection())};
    return made;
}

const char* quads = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1//1 2/2/2 3 4\nf -1 -2 -4\n";
const char* textStl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                      "vertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
const char* textPly = "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty float "
                      "y\nproperty float z\nproperty uchar red\nelement face 1\nproperty uchar "
                      "flag\nproperty list uint8 uint vertex_index\nend_header\n0 0 0 255\n1 0 0 "
                      "7\n0 1 0 0\n9 3 0 1 2\n";
const char* textVtp =
    "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\"><Points>"
    "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0"
    "</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">"
    "0 1 2</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>"
    "</Polys></Piece></PolyData></VTKFile>";
// One triangle in base64, each array behind its size.
const char* base64Vtp =
    "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\"><PolyData><Piece NumberOfPoints=\"3\" "
    "NumberOfPolys=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "
    "format=\"binary\">JAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAA==</DataArray></"
    "Points>"
    "<Polys><DataArray type=\"Int32\" Name=\"connectivity\" "
    "format=\"binary\">DAAAAAAAAAABAAAAAgAAAA=="
    "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"binary\">BAAAAAMAAAA="
    "</DataArray></Polys></Piece></PolyData></VTKFile>";

/// A VTP file with zlib blocks after the XML: their number, size, the last one's if it is shorter,
/// the packed size, and the block.
Bytes packedVtp() {
    Bytes blocks;
    std::vector<std::size_t> starts;
    const auto add = [&](const auto& numbers) {
        Bytes plain;
        append(plain, numbers);
        const Bytes block = deflated(plain);
        starts.push_back(blocks.size());
        append(blocks, std::vector<std::uint32_t>{1, static_cast<std::uint32_t>(plain.size()), 0,
                                                  static_cast<std::uint32_t>(block.size())});
        append(blocks, block);
    };
    add(std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
    add(std::vector<std::int32_t>{0, 1, 2});
    add(std::vector<std::int32_t>{3});
    Bytes file = behind(
        fmt::format(
            "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" "
            "compressor=\"vtkZLibDataCompressor\"><PolyData><Piece NumberOfPoints=\"3\" "
            "NumberOfPolys=\"1\"><Points><DataArray type=\"Float32\" "
            "NumberOfComponents=\"3\" format=\"appended\" offset=\"{}\"/></Points><Polys>"
            "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"{}\"/>"
            "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" offset=\"{}\"/>"
            "</Polys></Piece></PolyData><AppendedData encoding=\"raw\">_",
            starts[0], starts[1], starts[2]),
        blocks);
    append(file, "</AppendedData></VTKFile>");
    return file;
}

} // namespace

void niftiSeeds(const NextPath& next) {
    writeBytes(next(), nifti(1, false));
    writeBytes(next(), nifti(2, true));
}

void packedNiftiSeeds(const NextPath& next) { writeBytes(next(), gzipped(nifti(1, false))); }

void niftiPairSeeds(const NextPath& next) {
    writeBytes(next(), niftiHeader(1, false).magic("ni1").voxelOffset(0).header());
}
void voxelsOfPair(const std::string& folder) {
    Bytes voxels;
    append(voxels, counting<std::int16_t>(192));
    writeBytes(folder + "/a.img", voxels);
}

void nrrdSeeds(const NextPath& next) {
    const std::vector<float> voxels(grid.voxels(), 1.5f);
    const std::string path = next();
    writeVolume(path, grid, {voxels.data(), grid.size()});
    writeBytes(next(), "NRRD0005\ntype: short\ndimension: 4\nspace: right-anterior-superior\n"
                       "sizes: 3 4 4 4\nspace directions: none (1,0,0) (0,1,0) (0,0,2)\n"
                       "kinds: list domain domain domain\nunits: \"s\" \"\" \"\" \"\"\nendian: "
                       "little\nencoding: raw\nspace origin: (1,2,3)\naxis 0 index values:=0 1 "
                       "3\n\n" +
                           std::string(384, 'v'));
    writeBytes(next(), behind("NRRD0004\ntype: short\ndimension: 3\nsizes: 4 4 4\nspacings: 1 1 2\n"
                              "endian: little\nencoding: gzip\n\n",
                              gzipped(shorts())));
    std::string text = "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 3 2 2\nspacings: 1 1 2\n"
                       "encoding: ascii\n\n";
    writeBytes(next(), text + "1 2 3 4 5 6 7 8 9 10 11 12\n");
}

void metaSeeds(const NextPath& next) {
    const std::vector<float> voxels(grid.voxels(), 1.5f);
    writeVolume(next(), grid, {voxels.data(), grid.size()});
    writeBytes(next(),
               behind("ObjectType = Image\nNDims = 3\nBinaryData = True\nCompressedData = True\n"
                      "ElementSpacing = 1 1 2\nDimSize = 4 4 4\nElementType = MET_SHORT\n"
                      "ElementDataFile = LOCAL\n",
                      deflated(shorts())));
    writeBytes(next(),
               "ObjectType = Image\nNDims = 3\nBinaryData = False\nTransformMatrix = 1 0 0 0 1 0 0 "
               "0 1\nOffset = 0 0 0\nElementSpacing = 1 1 1\nDimSize = 3 2 2\nElementType = "
               "MET_SHORT\nElementDataFile = LOCAL\n1 2 3 4 5 6 7 8 9 10 11 12\n");
}

void vtkSeeds(const NextPath& next) {
    const std::string head = "# vtk DataFile Version 3.0\nmade by a test\n",
                      set = "\nDATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 2\nSPACING 1 1 2\n"
                            "ORIGIN 0 -5 0\nPOINT_DATA 12\nSCALARS scalars short 1\n"
                            "LOOKUP_TABLE default\n";
    writeBytes(next(), head + "BINARY" + set + std::string(24, 'v'));
    writeBytes(next(), head + "ASCII" + set + "1 2 3 4 5 6 7 8 9 10 11 12\n");
}

void packedGiplSeeds(const NextPath& next) { writeBytes(next(), gzipped(gipl())); }
void giplSeeds(const NextPath& next) { writeBytes(next(), gipl()); }

void dicomSeeds(const NextPath& next) {
    const std::string plain = next();
    test::writeSlice(plain, series().slice(0, 0));
    for (const auto syntax : {gdcm::TransferSyntax::DeflatedExplicitVRLittleEndian,
                              gdcm::TransferSyntax::ExplicitVRBigEndian})
        test::writeSlice(next(), series().slice(0, 0), syntax);
    const Bytes file = test::readBytes(plain); // its data set without preamble and prefix
    writeBytes(next(), Bytes(file.begin() + 132, file.end()));
    for (const auto syntax :
         {gdcm::TransferSyntax::RLELossless, gdcm::TransferSyntax::JPEGLosslessProcess14_1,
          gdcm::TransferSyntax::JPEGLSLossless, gdcm::TransferSyntax::JPEG2000Lossless})
        test::compressSlice(plain, next(), syntax);
}
void restOfSeries(const std::string& folder) {
    test::writeSlice(folder + "/b.dcm", series().slice(1, 0));
}

void fieldSeeds(const NextPath& next) {
    for (const int intent : {1006, 1007, 2006, 2007, 0}) { // FSL's have a volume a component
        NiftiBytes header(1, false);
        const bool volumes = intent > 2000;
        header.dim({volumes ? 4 : 5, 4, 4, 4, volumes ? 3 : 1, volumes ? 1 : 3, 1, 1});
        header.type(16, 32).units(2).intent(intent);
        writeBytes(next(), header.with(counting<float>(192)));
    }
    BufferPool pool;
    for (const bool asNiftyReg : {false, true})
        writeControlPoints(next(), field(pool), asNiftyReg);
}

void itkTransformSeeds(const NextPath& next) {
    writeItkAffine(next(), {{{{1, 0.1, 0}, {-0.1, 1, 0}, {0, 0, 1}}}, {1, 2, 3}});
    writeBytes(
        next(),
        "#Insight Transform File V1.0\n#Transform 0\nTransform: "
        "CompositeTransform_double_3_3\n#Transform 1\nTransform: "
        "Euler3DTransform_double_3_3\nParameters: 0.1 -0.2 0.3 1 2 3\nFixedParameters: 4 5 6 "
        "0\n#Transform 2\nTransform: TranslationTransform_double_3_3\nParameters: 1 2 3\n"
        "FixedParameters:\n");
    writeBytes(next(), "#Insight Transform File V1.0\nTransform: Similarity3DTransform_double_3_3\n"
                       "Parameters: 0.1 0.2 0.3 1 2 3 1.1\nFixedParameters: 4 5 6\n");
}

void matrixSeeds(const NextPath& next) {
    writeMatrix(next(), {{{{1, 0.1, 0}, {-0.1, 1, 0}, {0, 0, 1}}}, {1, 2, 3}}, MatrixFormat::Lps,
                {});
    writeBytes(next(), "\xEF\xBB\xBF"
                       "1;0,5;0;2\r\n0;1;0;-1\r\n0;0;1,5;0,5\r\n");
}

void landmarkSeeds(const NextPath& next) {
    writeLandmarks(next(), points());
    if (const std::string path = next(); path.ends_with(".csv"))
        writeBytes(path, "x_ras [mm];y_ras [mm];z_ras [mm];label\n1;2;3;a\n4.5;-5;6e1;b\n");
}

void indexSeeds(const NextPath& next) {
    writeBytes(next(), "10 20 30\n11\t21\t31\n");
    writeBytes(next(), "point\n2\n1 2 3\n-4.5 5e1 6\n");
    writeBytes(next(), "index\n1\n0 0 1\n");
}

void trackSeeds(const NextPath& next) {
    writeTracks(next(), {0,
                         {{"a", {TrackedPosition{{1, 2, 3}, 1}, TrackedPosition{{2, 3, 4}, 0.5}}},
                          {"b", {TrackedPosition{{5, 6, 7}, 1}, std::nullopt}}}});
}

void meshSeeds(const NextPath& next) {
    const std::string path = next();
    writeMesh(path, tetrahedron(true));
    writeMesh(next(), tetrahedron(false));
    writeBytes(next(), path.ends_with(".obj") ? quads : path.ends_with(".stl") ? textStl : textPly);
}

void vtpSeeds(const NextPath& next) {
    writeMesh(next(), tetrahedron(true));
    writeBytes(next(), textVtp);
    writeBytes(next(), base64Vtp);
    writeBytes(next(), packedVtp());
}

void vtkSurfaceSeeds(const NextPath& next) {
    const std::string head = "# vtk DataFile Version 5.1\nSPACE=LPS\n",
                      points = "POINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\n";
    writeBytes(next(), head +
                           "ASCII\nDATASET POLYDATA\nFIELD FieldData 1\nSPACE 1 1 string\nLPS\n" +
                           points + "POLYGONS 2 8\n3 0 1 2\n3 1 3 2\n");
    writeBytes(next(),
               head + "ASCII\nDATASET POLYDATA\n" + points +
                   "POLYGONS 3 6\nOFFSETS vtktypeint64\n0 3 6\nCONNECTIVITY vtktypeint64\n0 1 2 "
                   "1 3 2\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n");
    std::string binary = head + "BINARY\nDATASET POLYDATA\nPOINTS 3 float\n";
    binary += std::string(
        "\0\0\0\0\0\0\0\0\0\0\0\0\x3f\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x3f\x80\0\0\0\0\0\0", 36);
    binary += "\nPOLYGONS 1 4\n" + std::string("\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\2", 16) + "\n";
    writeBytes(next(), binary);
}

void matrixMarketSeeds(const NextPath& next) {
    const std::string plain = next();
    writeMatrixMarket(plain, sparse::CsrMatrix<double>{2, 3, {0, 2, 3}, {0, 2, 1}, {1.5, -2, 7}});
    writeBytes(next(), gzipped(test::readBytes(plain)));
    writeBytes(next(), "%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n3 3 3\n"
                       "1 1\n3 2\n2 1\n");
    writeBytes(next(), "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n");
}

void pngSeeds(const NextPath& next) {
    // One gray pixel.
    constexpr unsigned char pixel[] = {
        0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,    0,    13,   'I',  'H',
        'D',  'R',  0,    0,    0,    1,    0,    0,    0,    1,    8,    0,    0,    0,
        0,    0x3a, 0x7e, 0x9b, 0x55, 0,    0,    0,    10,   'I',  'D',  'A',  'T',  0x78,
        0x9c, 0x63, 0x60, 0,    0,    0,    2,    0,    1,    0x48, 0xaf, 0xa4, 0x71, 0,
        0,    0,    0,    'I',  'E',  'N',  'D',  0xae, 0x42, 0x60, 0x82};
    const std::string png(reinterpret_cast<const char*>(pixel), sizeof pixel);
    writeBytes(next(), withPngTexts(png, {{"Title", "a heart"}, {"Systole", "{\"ä\": 1}"}}));
}

} // namespace systole::fuzz
