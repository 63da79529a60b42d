// The beginning of a NIfTI-1 file of ours: header and extension, ready for the voxels.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/volume.h"
#include "io/base/voxel_type.h"
#include "io/formats/nifti_intents.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// How three components per voxel are to be understood; intent 1007 in any case.
struct NiftiVectors {
    const char* intentName = "";
    float intentParameter = 0; ///< intent_p1
    bool ras = false;          ///< components in RAS; else in LPS
    bool positions = false;    ///< vectors are voxel positions; else displacements
    /// Whether the transform applies an affine map, the identity, first. Where there is one,
    /// NiftyReg takes control points where the header says; else one before the image's first
    /// voxel.
    bool withAffine = false;
};
/// Displacements as ITK, ANTs and greedy write them.
inline constexpr NiftiVectors itkDisplacement{};
/// Vectors of NiftyReg. Its grids of control points hold positions.
inline constexpr NiftiVectors niftyRegDisplacement{niftyRegIntentName, 1, true, false};
inline constexpr NiftiVectors niftyRegSpline{niftyRegIntentName, 2, true, true, true};
/// Ours: the displacements of control points, LPS mm like itkDisplacement.
inline constexpr NiftiVectors splineDisplacement{splineIntentName, 0, false, false};

struct NiftiContents {
    VoxelType type = VoxelType::Float32; ///< float32, uint8, uint16 or int16
    int frames = 1;
    double frameSeconds = 0;               ///< 0: unknown
    std::optional<NiftiVectors> vectors{}; ///< three components per voxel; else gray values
};

/// Position and orientation go into the sform, and into the qform when the axes are perpendicular.
/// Throws FileError naming `path` when the format can't hold the size.
std::vector<std::byte> niftiBeginning(const std::string& path, const Geometry& geometry,
                                      const NiftiContents& contents);

/// Writes a field, gzipped. `field` holds displacements in LPS mm, whatever `vectors` wants in the
/// file.
void writeNiftiVectors(const std::string& path, const MillimeterField& field,
                       const NiftiVectors& vectors);

} // namespace systole
