// VTK as the independent reference of surfaces: its files and ours, and its flying edges.
#include "compute/surface/isosurface.h"
#include "compute/surface/mesh_measures.h"
#include "io/meshes/mesh_file.h"
#include "tests/support/compute_support.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <vtkCubeSource.h>
#include <vtkFieldData.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkMassProperties.h>
#include <vtkNew.h>
#include <vtkOBJReader.h>
#include <vtkOBJWriter.h>
#include <vtkPLYReader.h>
#include <vtkPLYWriter.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkPolyDataWriter.h>
#include <vtkSTLReader.h>
#include <vtkSTLWriter.h>
#include <vtkSmartPointer.h>
#include <vtkSphereSource.h>
#include <vtkStringArray.h>
#include <vtkStripper.h>
#include <vtkTriangleFilter.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLPolyDataWriter.h>

namespace systole {
namespace {

using testing::TemporaryFolder;

test::TestVolume wavyBall() {
    return {{40, 42, 38}, [](double x, double y, double z) {
                return std::hypot(x - 19.3, y - 20.1, z - 18.2) - 12 + std::sin(0.9 * x) +
                       std::cos(0.7 * y + 0.4 * z);
            }};
}

TriangleMesh wavyMesh() {
    test::TestVolume phi = wavyBall();
    ExecResources resources(2);
    return isosurface(phi.view(), Geometry(phi.size, {1, 1, 1}), SurfaceEdge::Closed,
                      resources.context());
}

template <typename Reader>
void expectReadByVtk(const char* extension) {
    const TemporaryFolder folder;
    const TriangleMesh mesh = wavyMesh();
    const std::string path = folder / (std::string("ours") + extension);
    writeMesh(path, mesh);
    vtkNew<Reader> reader;
    reader->SetFileName(path.c_str());
    reader->Update();
    vtkPolyData* const data = reader->GetOutput();
    ASSERT_EQ(static_cast<std::size_t>(data->GetNumberOfPolys()), mesh.triangles.size());
    vtkNew<vtkMassProperties> mass;
    mass->SetInputData(data);
    const MeshMeasures m = measure(mesh);
    EXPECT_NEAR(mass->GetSurfaceArea(), m.areaSquareMillimeters, 1e-4 * m.areaSquareMillimeters);
    EXPECT_NEAR(mass->GetVolume(), m.volumeCubicMillimeters, 1e-4 * m.volumeCubicMillimeters);
}

TEST(MeshFileOfOurs, IsReadByVtk) {
    expectReadByVtk<vtkXMLPolyDataReader>(".vtp");
    expectReadByVtk<vtkSTLReader>(".stl");
    expectReadByVtk<vtkPLYReader>(".ply");
    expectReadByVtk<vtkOBJReader>(".obj");
}

TEST(MeshFileOfOurs, SaysItsSpaceAndNormalsToVtk) {
    const TemporaryFolder folder;
    writeMesh(folder / "ours.vtp", wavyMesh());
    vtkNew<vtkXMLPolyDataReader> reader;
    reader->SetFileName((folder / "ours.vtp").c_str());
    reader->Update();
    auto* const space = vtkStringArray::SafeDownCast(
        reader->GetOutput()->GetFieldData()->GetAbstractArray("SPACE"));
    ASSERT_NE(space, nullptr);
    EXPECT_EQ(space->GetValue(0), "LPS");
    EXPECT_NE(reader->GetOutput()->GetPointData()->GetNormals(), nullptr);
}

template <typename Writer, typename Set>
void expectReadByUs(const char* extension, const Set& set) {
    const TemporaryFolder folder;
    vtkNew<vtkSphereSource> sphere;
    sphere->SetThetaResolution(40);
    sphere->SetPhiResolution(30);
    sphere->SetRadius(10);
    vtkNew<Writer> writer;
    const std::string path = folder / (std::string("vtk") + extension);
    writer->SetFileName(path.c_str());
    writer->SetInputConnection(sphere->GetOutputPort());
    set(writer.Get());
    writer->Write();
    const TriangleMesh mesh = readMesh(path);
    EXPECT_EQ(mesh.points.size(), 40u * 28u + 2u) << extension;
    const MeshMeasures m = measure(mesh);
    EXPECT_TRUE(m.closed()) << extension;
    EXPECT_NEAR(m.volumeCubicMillimeters, 4120, 40) << extension;
}

TEST(MeshFileOfVtk, IsReadByUs) {
    const auto asItIs = [](auto*) {};
    expectReadByUs<vtkXMLPolyDataWriter>(".vtp", asItIs);
    for (const int mode : {vtkXMLWriter::Ascii, vtkXMLWriter::Binary, vtkXMLWriter::Appended})
        for (const bool packed : {false, true})
            for (const bool encoded : {false, true})
                for (const bool wide : {false, true})
                    expectReadByUs<vtkXMLPolyDataWriter>(".vtp", [&](vtkXMLPolyDataWriter* w) {
                        w->SetDataMode(mode);
                        w->SetCompressorType(packed ? vtkXMLWriter::ZLIB : vtkXMLWriter::NONE);
                        w->SetEncodeAppendedData(encoded);
                        w->SetBlockSize(4096);
                        if (wide)
                            w->SetHeaderTypeToUInt64();
                        else
                            w->SetHeaderTypeToUInt32();
                    });
    expectReadByUs<vtkSTLWriter>(".stl", [](vtkSTLWriter* w) { w->SetFileTypeToASCII(); });
    expectReadByUs<vtkSTLWriter>(".stl", [](vtkSTLWriter* w) { w->SetFileTypeToBinary(); });
    expectReadByUs<vtkPLYWriter>(".ply", [](vtkPLYWriter* w) { w->SetFileTypeToASCII(); });
    expectReadByUs<vtkPLYWriter>(".ply", [](vtkPLYWriter* w) {
        w->SetFileTypeToBinary();
        w->SetDataByteOrderToBigEndian();
    });
    expectReadByUs<vtkOBJWriter>(".obj", asItIs);
}

/// A box from (5, 6, 7) to (15, 26, 37) in LPS mm, in RAS and saying so in its field data, as
/// 3D Slicer hands it to VTK's writers.
vtkSmartPointer<vtkPolyData> rasBox() {
    vtkNew<vtkCubeSource> cube;
    cube->SetBounds(-15, -5, -26, -6, 7, 37);
    vtkNew<vtkTriangleFilter> triangles;
    triangles->SetInputConnection(cube->GetOutputPort());
    triangles->Update();
    vtkSmartPointer<vtkPolyData> box = triangles->GetOutput();
    vtkNew<vtkStringArray> space;
    space->SetName("SPACE");
    space->InsertNextValue("RAS");
    box->GetFieldData()->AddArray(space);
    return box;
}

void expectBox(const std::string& path) {
    const TriangleMesh mesh = readMesh(path);
    const MeshMeasures m = measure(mesh);
    EXPECT_TRUE(m.closed()) << path;
    EXPECT_NEAR(m.volumeCubicMillimeters, 6000, 0.01) << path; // positive: not turned inside out
    for (const auto& p : mesh.points) {
        EXPECT_TRUE(p[0] == 5 || p[0] == 15) << path << ' ' << p[0];
        EXPECT_TRUE(p[1] == 6 || p[1] == 26) << path << ' ' << p[1];
        EXPECT_TRUE(p[2] == 7 || p[2] == 37) << path << ' ' << p[2];
    }
}

TEST(MeshFileOfVtk, IsTurnedIntoLpsByTheSpaceInItsFieldData) {
    const TemporaryFolder folder;
    const vtkSmartPointer<vtkPolyData> box = rasBox();
    for (const int mode : {vtkXMLWriter::Ascii, vtkXMLWriter::Binary, vtkXMLWriter::Appended})
        for (const bool packed : {false, true})
            for (const bool encoded : {false, true})
                for (const bool wide : {false, true}) {
                    vtkNew<vtkXMLPolyDataWriter> writer;
                    writer->SetFileName((folder / "box.vtp").c_str());
                    writer->SetInputData(box);
                    writer->SetDataMode(mode);
                    writer->SetCompressorType(packed ? vtkXMLWriter::ZLIB : vtkXMLWriter::NONE);
                    writer->SetEncodeAppendedData(encoded);
                    writer->SetHeaderType(wide ? vtkXMLWriter::UInt64 : vtkXMLWriter::UInt32);
                    writer->Write();
                    expectBox(folder / "box.vtp");
                }
}

TEST(MeshFileOfVtk, InTheLegacyFormatIsRead) {
    const TemporaryFolder folder;
    const vtkSmartPointer<vtkPolyData> box = rasBox();
    for (const int version : {42, 51})
        for (const int type : {VTK_ASCII, VTK_BINARY}) {
            const std::string path = folder / ("model" + std::to_string(version + type) + ".vtk");
            vtkNew<vtkPolyDataWriter> writer;
            writer->SetFileVersion(version);
            writer->SetFileType(type);
            writer->SetFileName(path.c_str());
            writer->SetInputData(box);
            writer->Write();
            EXPECT_TRUE(isMeshFile(path));
            expectBox(path);
            // Strips, and the space in the title, as Slicer writes it.
            vtkNew<vtkSphereSource> sphere;
            sphere->SetThetaResolution(40);
            sphere->SetPhiResolution(30);
            sphere->SetRadius(10);
            sphere->SetCenter(-20, 0, 0);
            vtkNew<vtkStripper> strips;
            strips->SetInputConnection(sphere->GetOutputPort());
            vtkNew<vtkPolyDataWriter> ball;
            ball->SetFileVersion(version);
            ball->SetFileType(type);
            ball->SetHeader("3D Slicer output. SPACE=RAS");
            ball->SetFileName(path.c_str());
            ball->SetInputConnection(strips->GetOutputPort());
            ball->Write();
            const TriangleMesh mesh = readMesh(path);
            const MeshMeasures m = measure(mesh);
            EXPECT_TRUE(m.closed());
            EXPECT_NEAR(m.volumeCubicMillimeters, 4120, 40);
            for (const auto& p : mesh.points)
                EXPECT_GT(p[0], 9); // the ball lies at x = 20 in LPS
        }
}

TEST(Isosurface, HasTheSizeOfFlyingEdges) {
    test::TestVolume phi = wavyBall();
    vtkNew<vtkImageData> image;
    image->SetDimensions(phi.size.x, phi.size.y, phi.size.z);
    image->AllocateScalars(VTK_FLOAT, 1);
    std::ranges::copy(phi.voxels, static_cast<float*>(image->GetScalarPointer()));
    vtkNew<vtkFlyingEdges3D> edges;
    edges->SetInputData(image);
    edges->SetValue(0, 0);
    vtkNew<vtkMassProperties> mass;
    mass->SetInputConnection(edges->GetOutputPort());
    const MeshMeasures m = measure(wavyMesh());
    EXPECT_TRUE(m.closed());
    EXPECT_NEAR(m.areaSquareMillimeters, mass->GetSurfaceArea(), 1e-3 * mass->GetSurfaceArea());
    EXPECT_NEAR(m.volumeCubicMillimeters, mass->GetVolume(), 1e-3 * mass->GetVolume());
    EXPECT_EQ(static_cast<vtkIdType>(m.points), edges->GetOutput()->GetNumberOfPoints());
}

} // namespace
} // namespace systole
