#include "tests/app/fields/six_writers.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace systole::test {
namespace {

template <typename T>
void put(std::vector<char>& bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

template <typename Body>
void overGrid(const Geometry& grid, const Body& body) {
    const Size3 size = grid.size();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                body(Vec3{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
}

Vec3 ras(Vec3 lps) { return {-lps.x, -lps.y, lps.z}; }

bool rightHandedInRas(const Geometry& grid) {
    const Matrix3& d = grid.direction(); // turned by half about z between LPS and RAS
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
               d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
               d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]) >
           0;
}

/// Newimage coordinates: index times spacing, x mirrored if the grid is right-handed.
Vec3 fsl(const Geometry& grid, Vec3 index) {
    const Vec3 s = grid.spacing();
    const double x = rightHandedInRas(grid) ? grid.size().x - 1 - index.x : index.x;
    return {s.x * x, s.y * index.y, s.z * index.z};
}

void writeNrrd(const std::string& path, const Geometry& grid, const Motion& motion) {
    std::ofstream file(path, std::ios::binary);
    const Size3 size = grid.size();
    const auto vector = [&](std::size_t axis) {
        const auto at = [&](std::size_t row) {
            return std::to_string(grid.voxelToPhysicalMatrix()[row][axis]);
        };
        return "(" + at(0) + "," + at(1) + "," + at(2) + ") ";
    };
    file << "NRRD0005\ntype: float\ndimension: 4\nspace: left-posterior-superior\nsizes: 3 "
         << size.x << " " << size.y << " " << size.z << "\nspace directions: none " << vector(0)
         << vector(1) << vector(2)
         << "\nkinds: vector domain domain domain\nendian: little\nencoding: raw\nspace origin: ("
         << grid.origin().x << "," << grid.origin().y << "," << grid.origin().z << ")\n\n";
    overGrid(grid, [&](Vec3 index) {
        const Vec3 w = motion(grid.indexToPhysical(index));
        const std::array<float, 3> numbers{static_cast<float>(w.x), static_cast<float>(w.y),
                                           static_cast<float>(w.z)};
        file.write(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers));
    });
}

/// A writer of NIfTI files with numbers(grid, index, displacement).
auto nifti(const NiftiField& stated,
           const std::function<Vec3(const Geometry&, Vec3, Vec3)>& numbers) {
    return [=](const std::string& path, const Geometry& grid, const Motion& motion, bool says) {
        NiftiField kind = stated;
        if (!says)
            kind = {.frames = kind.frames};
        writeNiftiField(path, grid, kind, [&](Vec3 index) {
            return numbers(grid, index, motion(grid.indexToPhysical(index)));
        });
    };
}

constexpr double exact = 1e-4;

Vec3 asItIs(const Geometry&, Vec3, Vec3 w) { return w; }
/// Greedy rounds to a tenth of a voxel.
Vec3 rounded(const Geometry& grid, Vec3, Vec3 w) {
    Vec3 voxels = grid.physicalVectorToVoxel(w);
    for (int axis = 0; axis < 3; ++axis)
        voxels[axis] = std::round(10 * voxels[axis]) / 10;
    return grid.voxelVectorToPhysical(voxels);
}
Vec3 rasPosition(const Geometry& grid, Vec3 index, Vec3 w) {
    return ras(grid.indexToPhysical(index) + w);
}
Vec3 fslRelative(const Geometry& grid, Vec3 index, Vec3 w) {
    const Vec3 to = grid.physicalToIndex(grid.indexToPhysical(index) + w);
    return fsl(grid, to) - fsl(grid, index);
}

} // namespace

void writeNiftiField(const std::string& path, const Geometry& grid, const NiftiField& kind,
                     const std::function<Vec3(Vec3 index)>& numbers) {
    std::vector<char> header(352);
    put<std::int32_t>(header, 0, 348);
    const Size3 size = grid.size();
    const std::array<int, 8> dim{kind.frames ? 4 : 5, size.x, size.y, size.z, kind.frames ? 3 : 1,
                                 kind.frames ? 1 : 3, 1,      1};
    for (std::size_t i = 0; i < 8; ++i)
        put(header, 40 + 2 * i, static_cast<std::int16_t>(dim[i]));
    put(header, 56, kind.intentParameter);
    put(header, 68, static_cast<std::int16_t>(kind.intentCode));
    put<std::int16_t>(header, 70, 16);
    put<std::int16_t>(header, 72, 32);
    put(header, 76, 1.0f);
    for (int axis = 0; axis < 3; ++axis)
        put(header, 80 + 4 * static_cast<std::size_t>(axis),
            static_cast<float>(grid.spacing()[axis]));
    put(header, 108, 352.0f);
    put(header, 112, 1.0f);
    header[123] = 2;                   // mm
    put<std::int16_t>(header, 254, 1); // sform
    for (std::size_t row = 0; row < 3; ++row) {
        const float sign = row < 2 ? -1.0f : 1.0f;
        for (std::size_t column = 0; column < 3; ++column)
            put(header, 280 + 16 * row + 4 * column,
                sign * static_cast<float>(grid.voxelToPhysicalMatrix()[row][column]));
        put(header, 292 + 16 * row,
            sign * static_cast<float>(grid.origin()[static_cast<int>(row)]));
    }
    std::memcpy(header.data() + 328, kind.intentName.data(), kind.intentName.size());
    std::memcpy(header.data() + 344, "n+1", 4);
    std::ofstream file(path, std::ios::binary);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (int axis = 0; axis < 3; ++axis)
        overGrid(grid, [&](Vec3 index) {
            const auto value = static_cast<float>(numbers(index)[axis]);
            file.write(reinterpret_cast<const char*>(&value), sizeof(value));
        });
}

const std::vector<FieldWriter>& sixWriters() {
    static const std::vector<FieldWriter> writers{
        // ITK from 5.4 on writes DISPVECT (1006) where it is asked to; then the components are RAS.
        {"ITK", "ras", "itk.nii", exact,
         nifti({.intentCode = 1006}, [](const Geometry&, Vec3, Vec3 w) { return ras(w); })},
        {"ANTs", "lps", "ants.nii", exact, nifti({.intentCode = 1007}, asItIs)},
        {"greedy", "lps", "greedy.nii", 0.15, nifti({.intentCode = 1007}, rounded)},
        {"elastix", "lps", "deformationField.nrrd", exact,
         [](const std::string& path, const Geometry& grid, const Motion& motion, bool stated) {
             stated ? writeNrrd(path, grid, motion)
                    : writeNiftiField(path, grid, {}, [&](Vec3 index) {
                          return motion(grid.indexToPhysical(index));
                      });
         }},
        {"NiftyReg", "ras-positions", "niftyreg.nii", exact,
         nifti({.intentCode = 1007, .intentName = "NREG_TRANS", .intentParameter = 0},
               rasPosition)},
        {"FSL", "fsl", "fsl.nii", exact, nifti({.frames = true, .intentCode = 2006}, fslRelative)},
    };
    return writers;
}

} // namespace systole::test
