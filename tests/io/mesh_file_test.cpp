// Mesh files: written and read back, written by hand, and damaged.
#include "io/base/error.h"
#include "io/meshes/mesh_file.h"
#include "tests/io/hostile_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace systole::test {
namespace {

/// A tetrahedron with outward triangles and slanted coordinates.
TriangleMesh tetrahedron(bool normals) {
    TriangleMesh mesh;
    mesh.points = {{0.1f, 0, 0}, {10.25f, 0, -3}, {0, 7.5f, 0}, {0, 0, 1e-3f}};
    mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    if (normals)
        mesh.normals = {{0, 0, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return mesh;
}

using Triangle = std::array<std::array<float, 3>, 3>;
/// Triangles by their coordinates, the least corner first: the same whatever the order of points.
std::vector<Triangle> shapeOf(const TriangleMesh& mesh) {
    std::vector<Triangle> list;
    for (const auto& t : mesh.triangles) {
        Triangle corners{mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]};
        std::ranges::rotate(corners, std::ranges::min_element(corners));
        list.push_back(corners);
    }
    std::ranges::sort(list);
    return list;
}

std::string refusalOf(const std::string& path) {
    try {
        readMesh(path);
    } catch (const FileError& error) {
        return error.what();
    }
    return {};
}

class MeshFile : public ::testing::TestWithParam<const char*> {};

TEST_P(MeshFile, IsReadBackAsWritten) {
    const TemporaryFolder folder;
    for (const bool normals : {false, true}) {
        const std::string path = folder / (std::string("surface") + GetParam());
        writeMesh(path, tetrahedron(normals));
        const TriangleMesh read = readMesh(path);
        EXPECT_EQ(read.points.size(), 4u);
        EXPECT_TRUE(read.normals.empty());
        EXPECT_EQ(shapeOf(read), shapeOf(tetrahedron(false)));
        const Bytes bytes = readBytes(path);
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        EXPECT_NE(text.find("SPACE=LPS"), std::string_view::npos);
    }
    // Nothing but the file under its final name.
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST_P(MeshFile, OfRasCoordinatesIsTurned) {
    const TemporaryFolder folder;
    const std::string path = folder / (std::string("ras") + GetParam());
    writeMesh(path, tetrahedron(false));
    const Bytes bytes = readBytes(path);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    text.replace(text.find("SPACE=LPS"), 9, "SPACE=RAS");
    // The letters LPS in .vtp, as numbers.
    if (const std::size_t field = text.find("76 80 83"); field != text.npos)
        text.replace(field, 8, "82 65 83");
    writeBytes(path, text);
    TriangleMesh turned = tetrahedron(false);
    for (auto& p : turned.points)
        p = {0.0f - p[0], 0.0f - p[1], p[2]};
    EXPECT_EQ(shapeOf(readMesh(path)), shapeOf(turned));
}

TEST_P(MeshFile, DamagedAtRandomIsReadOrRefused) {
    const TemporaryFolder folder;
    const std::string path = folder / (std::string("damaged") + GetParam());
    writeMesh(path, tetrahedron(true));
    const Bytes sound = readBytes(path);
    std::mt19937 random(99);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
        Bytes bytes = sound;
        for (std::size_t k = 0, count = 1 + below(4); k < count; ++k) {
            const std::size_t at = below(bytes.size());
            const auto favorite = std::string_view("0123456789-. \n<>\"/=\xff\x7f")[below(22)];
            bytes[at] = static_cast<std::byte>(below(2) == 0 ? static_cast<unsigned>(favorite)
                                                             : static_cast<unsigned>(random()));
            if (below(4) == 0)
                bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
        }
        if (below(5) == 0)
            bytes.resize(below(bytes.size()));
        writeBytes(path, bytes);
        try {
            const TriangleMesh mesh = readMesh(path);
            for (const auto& t : mesh.triangles)
                for (const std::uint32_t point : t)
                    ASSERT_LT(point, mesh.points.size());
        } catch (const FileError& error) {
            ++refused;
            ASSERT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
            ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
    EXPECT_GT(refused, 200);
}

INSTANTIATE_TEST_SUITE_P(Formats, MeshFile, ::testing::Values(".vtp", ".stl", ".ply", ".obj"),
                         [](const auto& info) { return std::string(info.param).substr(1); });

struct ByHand {
    const char* name;
    std::string text;
    std::size_t points, triangles;
};

class MeshByHand : public ::testing::TestWithParam<ByHand> {};

TEST_P(MeshByHand, IsRead) {
    const TemporaryFolder folder;
    const std::string path = folder / GetParam().name;
    writeBytes(path, GetParam().text);
    const TriangleMesh mesh = readMesh(path);
    EXPECT_EQ(mesh.points.size(), GetParam().points);
    EXPECT_EQ(mesh.triangles.size(), GetParam().triangles);
}

const std::string vtpHead =
    "<?xml version=\"1.0\"?><VTKFile type='PolyData' byte_order=\"LittleEndian\"";

INSTANTIATE_TEST_SUITE_P(
    Each, MeshByHand,
    ::testing::Values(
        ByHand{"text.stl",
               "solid a b\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex "
               "0 1 "
               "0\n endloop\n endfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 "
               "0\nvertex -0 1 0\nendloop\nendfacet\nendsolid a b\n",
               4, 2},
        ByHand{
            "quad.obj",
            "# a quad and a triangle\r\no thing\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf "
            "1//1 2//1 3//1 4//1\nf -1/7 -2/7 -4/7\n",
            4, 3},
        ByHand{
            "text.ply",
            "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 3\nproperty double x\nproperty "
            "float32 y\nproperty float z\nproperty uchar red\nelement edge 1\nproperty list uchar "
            "int ends\nelement face 1\nproperty uchar flag\nproperty list uint8 uint "
            "vertex_index\nend_header\n0 0 0 255\n1 0 0 7\n0 1 0 0\n2 0 1\n9 3 0 1 2\n",
            3, 1},
        ByHand{"text.vtp",
               vtpHead + "><PolyData><!-- > --><Piece NumberOfPoints=\"4\" NumberOfPolys=\"1\">"
                         "<PointData><DataArray type=\"Float32\" Name=\"s\" format=\"ascii\">1 2 3 "
                         "4</DataArray></PointData><Points><DataArray type=\"Float64\" "
                         "NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 1 1 0 0 1 0"
                         "</DataArray></Points><Polys><DataArray type=\"Int32\" "
                         "Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray><DataArray "
                         "type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray></Polys>"
                         "</Piece></PolyData></VTKFile>",
               4, 2}),
    [](const auto& info) {
        std::string name = info.param.name;
        std::ranges::replace(name, '.', '_');
        return name;
    });

/// A triangle in text, with other coordinates, connectivity or offsets.
std::string textVtp(const std::string& points, const std::string& corners = "0 1 2",
                    const std::string& ends = "3") {
    return vtpHead +
           "><PolyData><Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\"><Points><DataArray "
           "type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">" +
           points +
           "</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\" "
           "format=\"ascii\">" +
           corners + "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">" +
           ends + "</DataArray></Polys></Piece></PolyData></VTKFile>";
}

TEST(MeshFile, NumbersOfTextVtpAreTheirOwn) {
    const TemporaryFolder folder;
    const std::string path = folder / "a.vtp";
    const auto refusal = [&](const std::string& text) {
        writeBytes(path, text);
        return refusalOf(path);
    };
    using ::testing::HasSubstr;
    const std::string sound = "0 0 0 1 0 0 0 1 0";
    EXPECT_EQ(refusal(textVtp(sound, "0 1.0 2e0")), "");
    for (const char* bad : {"nan", "inf", "-inf", "1e15", "-1e15", "1e300"})
        EXPECT_THAT(refusal(textVtp(std::string("0 0 0 1 0 0 0 1 ") + bad)),
                    HasSubstr("a coordinate of the surface is"));
    for (const char* bad : {"0 1 1.9", "0 1 -0.5", "0 1 nan", "0 1 1e15", "0 1 -1"})
        EXPECT_THAT(refusal(textVtp(sound, bad)), HasSubstr("is no index of a point"));
    EXPECT_THAT(refusal(textVtp(sound, "0 1 2", "3.5")), HasSubstr("3.5 is no index"));
}

/// Files whose headers or whose bytes make much of little: refused before memory is taken.
TEST(MeshFile, NoFileTakesMuchMoreMemoryThanItHolds) {
    const TemporaryFolder folder;
    const auto refusal = [&](const char* name, const std::string& text) {
        writeBytes(folder / name, text);
        const std::size_t before = peakBytes();
        const std::string sentence = refusalOf(folder / name);
        EXPECT_LT(peakBytes() - before, 4 * text.size() + (std::size_t{40} << 20)) << name;
        return sentence;
    };
    using ::testing::HasSubstr;
    const std::size_t faces = 8 << 20;
    EXPECT_THAT(refusal("empty.ply",
                        "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float "
                        "x\nproperty float y\nproperty float z\nelement face " +
                            std::to_string(faces) +
                            "\nproperty list uchar int vertex_indices\nend_header\n" +
                            std::string(12 + faces, '\0')),
                HasSubstr("a face has 0 corners"));
    std::string emptyFaces;
    for (int i = 0; i < 1 << 20; ++i)
        emptyFaces += "f\n";
    EXPECT_THAT(refusal("empty.obj", emptyFaces), HasSubstr("a face has 0 corners"));

    // 24 million points at the origin, which deflate to 300 kB.
    const std::size_t bytes = 12 * std::size_t{24'000'000};
    const Bytes packed = deflated(Bytes(bytes / 8));
    const std::uint64_t header[] = {8, bytes / 8, 0};
    std::string data(reinterpret_cast<const char*>(header), sizeof header);
    const std::uint64_t size = packed.size();
    for (int block = 0; block < 8; ++block)
        data.append(reinterpret_cast<const char*>(&size), sizeof size);
    for (int block = 0; block < 8; ++block)
        data.append(reinterpret_cast<const char*>(packed.data()), packed.size());
    EXPECT_THAT(
        refusal("bomb.vtp", vtpHead +
                                " header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">"
                                "<PolyData><Piece NumberOfPoints=\"24000000\" NumberOfPolys=\"1\">"
                                "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "
                                "format=\"appended\" offset=\"0\"/></Points></Piece></PolyData>"
                                "<AppendedData encoding=\"raw\">_" +
                                data + "</AppendedData></VTKFile>"),
        HasSubstr("288000000 bytes doesn't fit into the file"));
}

TEST(MeshFile, SaysWhatIsWrong) {
    const TemporaryFolder folder;
    const auto refusal = [&](const char* name, const std::string& text) {
        writeBytes(folder / name, text);
        return refusalOf(folder / name);
    };
    using ::testing::HasSubstr;
    EXPECT_THAT(refusal("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
                HasSubstr("a face names point 3 of 3"));
    EXPECT_THAT(refusal("a.obj", "v 0 0 zero\n"), HasSubstr("expected a number, found 'zero'"));
    EXPECT_THAT(refusal("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 inf\nf 1 2 3\n"), HasSubstr("finite"));
    EXPECT_THAT(refusal("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 -1e7\nf 1 2 3\n"),
                HasSubstr("a coordinate of the surface is -1e+07"));
    EXPECT_THAT(refusal("a.obj", "v 0 0 0\n"), HasSubstr("no triangles"));
    EXPECT_THAT(refusal("a.stl", "ply"), HasSubstr("neither text"));
    EXPECT_THAT(refusal("a.ply", "solid"), HasSubstr("begins with 'ply'"));
    EXPECT_THAT(refusal("a.ply", "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float "
                                 "x\nend_header\n1\n"),
                HasSubstr("don't fit into the file"));
    EXPECT_THAT(refusal("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float "
                                 "x\nend_header\n1\n"),
                HasSubstr("no y"));
    EXPECT_THAT(refusal("a.vtp", "<VTKFile type=\"ImageData\"></VTKFile>"), HasSubstr("PolyData"));
    EXPECT_THAT(refusal("a.vtp", vtpHead + " compressor=\"vtkLZ4DataCompressor\">"),
                HasSubstr("vtkLZ4DataCompressor"));
    EXPECT_THAT(refusal("a.foo", "x"), HasSubstr(".vtp, .stl, .ply or .obj"));
    EXPECT_THAT(refusalOf(folder / "none.ply"), HasSubstr("none.ply"));
    EXPECT_THROW(writeMesh(folder / "a.foo", tetrahedron(false)), FileError);
    EXPECT_THROW(writeMesh(folder / "no/such/a.ply", tetrahedron(false)), FileError);
    EXPECT_TRUE(isMeshFile("A.VTP"));
    EXPECT_FALSE(isMeshFile("a.nii.gz"));
}

} // namespace
} // namespace systole::test
