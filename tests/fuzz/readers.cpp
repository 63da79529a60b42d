#include "tests/fuzz/readers.h"

#include "compute/core/error.h"
#include "io/base/png_text.h"
#include "io/field_reader.h"
#include "io/landmarks/landmark_file.h"
#include "io/matrices/matrix_market.h"
#include "io/meshes/mesh_file.h"
#include "io/source.h"
#include "io/transforms/transform_file.h"
#include "tests/fuzz/seeds.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace systole::fuzz {
namespace {

/// Small, so that a promise of more is refused and not fulfilled.
constexpr OpenOptions options{.maximumFrameBytes = std::size_t{1} << 20,
                              .maximumFileBytes = std::size_t{8} << 20,
                              .acceptUnknown = true};

void readSequence(const std::string& path) {
    const Sequence sequence = openSequence({path}, options);
    std::vector<float> voxels(sequence.geometry.voxels());
    for (int frame = 0; frame < std::min(sequence.frames, 4); ++frame)
        sequence.source->read(frame, {voxels.data(), sequence.geometry.size()});
}
void readFolder(const std::string& path) {
    readSequence(std::filesystem::path(path).parent_path().string());
}

void readAnyTransform(const std::string& path) {
    static const FrameGrids grids{Geometry({20, 17, 12}, {1.5, 1.25, 2.5}, {-10, 5, 30}),
                                  Geometry({31, 30, 16}, {1, 1.1, 2}, {24, -9, 63})};
    BufferPool pool(std::size_t{256} << 20);
    try {
        for (const MatrixFormat format :
             {MatrixFormat::Lps, MatrixFormat::NiftyReg, MatrixFormat::Fsl})
            if (readTransform(path, format, grids, pool).vectors)
                break;
    } catch (const OutOfMemory&) { // as the program has a budget, too
    }
}

void readAnyConvention(const std::string& path) {
    static const Geometry other({9, 7, 5}, {1.1, 0.9, 2}, {3, -4, 5});
    BufferPool pool(std::size_t{256} << 20);
    try {
        for (const FieldConvention& convention : fieldConventions()) {
            RawField raw = readRawField(path, pool);
            statedConvention(raw);
            displacementsOf(path, std::move(raw), convention, other);
        }
    } catch (const OutOfMemory&) {
    }
}

void readPoints(const std::string& path) {
    readLandmarks(path, {.grid = Geometry({256, 256, 94}, {0.97, 0.97, 2.5})});
}
void readAnyTracks(const std::string& path) {
    isTracksFile(path);
    readTracks(path);
}
void readSurface(const std::string& path) { readMesh(path); }
void readSparseMatrix(const std::string& path) { readMatrixMarket(path); }
void readTexts(const std::string& path) { readPngTexts(path); }

constexpr const char* nrrdWords =
    "NRRD0004 NRRD0005 type: dimension: space: sizes: spacings: directions: kinds: endian: "
    "encoding: raw gzip ascii little big none list domain vector short float double units: "
    "space-origin axis-mins: byte skip: line centers: := nan inf (1,0,0) 1e39";
constexpr const char* metaWords =
    "ObjectType NDims BinaryData CompressedData CompressedDataSize TransformMatrix Offset "
    "ElementSpacing DimSize ElementType MET_SHORT MET_FLOAT MET_UCHAR ElementDataFile LOCAL LIST "
    "ElementNumberOfChannels BinaryDataByteOrderMSB HeaderSize AnatomicalOrientation True -1 1e39";
constexpr const char* vtkWords =
    "ASCII BINARY DATASET STRUCTURED_POINTS DIMENSIONS SPACING ASPECT_RATIO ORIGIN POINT_DATA "
    "SCALARS VECTORS LOOKUP_TABLE default short float double unsigned_char METADATA nan 1e39";
constexpr const char* itkWords =
    "Transform: Parameters: FixedParameters: AffineTransform_double_3_3 "
    "Euler3DTransform_double_3_3 "
    "CompositeTransform_double_3_3 VersorRigid3DTransform_double_3_3 "
    "TranslationTransform_float_3_3 "
    "Similarity3DTransform_double_3_3 QuaternionRigidTransform_double_3_3 nan inf 1e39 +-1";
constexpr const char* pointWords =
    "# coordinateSystem: LPS RAS columns = id,x,y,z vis sel lock label x,y,z,name i,j,k units: mm "
    "frame: point index \" ; , nan inf 1e39 1,5 +-1";
constexpr const char* trackWords =
    "track,frame,x,y,z,certainty # coordinateSystem: RAS frames: reference: units: mm , ,,,, nan";
constexpr const char* markupsWords =
    "\"markups\" \"controlPoints\" \"position\" \"positionStatus\" \"missing\" \"label\" "
    "\"coordinateSystem\" \"coordinateUnits\" \"LPS\" \"RAS\" \"name\" [ ] { } null 1e39 \"frame\"";
constexpr const char* meshWords =
    "v f vn solid facet normal outer loop vertex endloop endfacet endsolid ply format ascii "
    "binary_little_endian binary_big_endian element face property list uchar int float double "
    "vertex_indices end_header SPACE=RAS nan inf 1e39 1//1 -1";
constexpr const char* vtpWords =
    "<VTKFile type=\"PolyData\" byte_order= header_type=\"UInt64\" compressor= <Piece "
    "NumberOfPoints= NumberOfPolys= <Points> <Polys> <DataArray Name=\"connectivity\" "
    "Name=\"offsets\" format=\"ascii\" format=\"appended\" format=\"binary\" offset= Float32 Int64 "
    "<AppendedData encoding=\"raw\" _ SPACE=RAS nan 1e39 -->";
constexpr const char* vtkSurfaceWords =
    "ASCII BINARY DATASET POLYDATA POINTS POLYGONS TRIANGLE_STRIPS LINES VERTICES OFFSETS "
    "CONNECTIVITY vtktypeint64 float double FIELD FieldData SPACE string METADATA POINT_DATA nan "
    "1e39 -1 SPACE=RAS";
constexpr const char* elastixWords =
    "(Transform \"EulerTransform\") \"BSplineTransform\" \"AffineTransform\" (TransformParameters "
    "(CenterOfRotationPoint (GridSize (GridSpacing (GridOrigin (GridDirection (GridIndex (Size "
    "(Spacing (Origin (Direction \"NoInitialTransform\" \"Compose\" \"Add\" nan 1e39 // )";
constexpr const char* marketWords =
    "%%MatrixMarket matrix coordinate real integer pattern general symmetric skew-symmetric % nan "
    "1e308 268435456";

constexpr Reader list[] = {
    {"nifti", "a.nii", readSequence, niftiSeeds},
    {"nifti-packed", "a.nii.gz", readSequence, packedNiftiSeeds},
    {"nifti-pair", "a.hdr", readSequence, niftiPairSeeds, "", voxelsOfPair},
    {"nrrd", "a.nrrd", readSequence, nrrdSeeds, nrrdWords},
    {"metaimage", "a.mha", readSequence, metaSeeds, metaWords},
    {"vtk", "a.vtk", readSequence, vtkSeeds, vtkWords},
    {"gipl", "a.gipl", readSequence, giplSeeds},
    {"gipl-packed", "a.gipl.gz", readSequence, packedGiplSeeds},
    {"dicom", "a.dcm", readFolder, dicomSeeds, "MR US ORIGINAL 1.2.840 0.5\\0.5", restOfSeries},
    {"field", "a.nii", readAnyTransform, fieldSeeds, "NREG_TRANS CUBIC_SPLINE"},
    {"field-convention", "a.nii", readAnyConvention, fieldSeeds, "NREG_TRANS CUBIC_SPLINE"},
    {"itk-transform", "a.tfm", readAnyTransform, itkTransformSeeds, itkWords},
    {"matlab-transform", "a.mat", readAnyTransform, matlabTransformSeeds,
     "AffineTransform_double_3_3 Euler3DTransform_double_3_3 fixed"},
    {"hdf5-transform", "a.h5", readAnyTransform, hdf5TransformSeeds,
     "TransformGroup TransformType TransformParameters OHDR OCHK TREE SNOD HEAP GCOL"},
    {"elastix-transform", "a.txt", readAnyTransform, elastixTransformSeeds, elastixWords},
    {"matrix", "a.txt", readAnyTransform, matrixSeeds, "0 1 # nan inf 1e39 +-1 , -"},
    {"points-csv", "a.csv", readPoints, landmarkSeeds, pointWords},
    {"points-fcsv", "a.fcsv", readPoints, landmarkSeeds, pointWords},
    {"points-text", "a.txt", readPoints, indexSeeds, pointWords},
    {"points-markups", "a.mrk.json", readPoints, landmarkSeeds, markupsWords},
    {"tracks-csv", "a.csv", readAnyTracks, trackSeeds, trackWords},
    {"tracks-markups", "a.mrk.json", readAnyTracks, trackSeeds, markupsWords},
    {"vtp", "a.vtp", readSurface, vtpSeeds, vtpWords},
    {"vtk-surface", "a.vtk", readSurface, vtkSurfaceSeeds, vtkSurfaceWords},
    {"stl", "a.stl", readSurface, meshSeeds, meshWords},
    {"ply", "a.ply", readSurface, meshSeeds, meshWords},
    {"obj", "a.obj", readSurface, meshSeeds, meshWords},
    {"matrix-market", "a.mtx", readSparseMatrix, matrixMarketSeeds, marketWords},
    {"png-texts", "a.png", readTexts, pngSeeds, "tEXt zTXt iTXt IHDR IDAT IEND"},
};

} // namespace

std::span<const Reader> readers() { return list; }

} // namespace systole::fuzz
