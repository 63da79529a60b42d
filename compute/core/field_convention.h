// Conventions for the three numbers per voxel in a displacement field's file: a row each.
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/volume.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// The coordinates that the numbers are differences or positions in.
enum class VectorFrame {
    Lps,    ///< mm
    Ras,    ///< mm
    Voxels, ///< indices of a grid
    /// Millimeters of FSL: index times spacing, with x counted from the other end where the grid's
    /// axes are right-handed in RAS (fsl.fmrib.ox.ac.uk, "FLIRT FAQ").
    Fsl
};

/// Map from LPS mm to coordinates of the grid.
AffineMap coordinatesIn(VectorFrame frame, const Geometry& grid);

struct FieldConvention {
    const char* name;
    const char* writers; ///< who writes fields so
    VectorFrame frame;
    bool positions; ///< where each voxel goes; else by how much it is displaced
    /// The field lies on the moving image's grid and leads to the fixed image; else it lies on the
    /// fixed image's and leads to the moving one.
    bool backward;
};

/// All of them. The first is ours.
std::span<const FieldConvention> fieldConventions();
/// Null: there is none of this name.
const FieldConvention* findFieldConvention(std::string_view name);
/// "lps: displacements in LPS mm, fixed to moving (ITK, ANTs, ...)".
std::string textOf(const FieldConvention& convention);

/// The convention as far as a file states it; an empty member: the file doesn't state it.
struct StatedConvention {
    std::optional<VectorFrame> frame{};
    std::optional<bool> positions{};
    /// The numbers belong to control points of a cubic B-spline, not to voxels.
    bool isSpline = false;
    /// A clause that says what the numbers are and how to make a field of them; null: they are a
    /// field.
    const char* noField = nullptr;
    std::optional<bool> backward{}; ///< the field leads from the moving to the fixed image
    const char* unsaid = nullptr;   ///< a clause why there is no `frame`, where that isn't plain

    bool allows(const FieldConvention& convention) const {
        return frame.value_or(convention.frame) == convention.frame &&
               positions.value_or(convention.positions) == convention.positions &&
               backward.value_or(convention.backward) == convention.backward;
    }
};

/// A field's numbers as they stand in a file, three behind each other per voxel.
struct RawField {
    Geometry geometry;
    Buffer<float> vectors;
    StatedConvention stated;
    std::vector<std::string> notes{}; ///< sentences on what the file leaves open
    /// The note on how its axes are taken to lie; empty: the file says it.
    std::string assumedOrientation{};
};

/// The convention that the file says, forward unless it says backward; of an FSL field, positions
/// or displacements by FSL's own rule: positions where subtracting the grid's coordinates makes the
/// deviation smaller. Null: the file says no frame.
const FieldConvention* statedConvention(const RawField& field);

/// Where a convention takes voxels of a field.
class ConventionMap {
public:
    /// `own` is the field's grid, `other` that of the image to which it leads.
    ConventionMap(const FieldConvention& convention, const Geometry& own, const Geometry& other);

    /// The displacement of the voxel with these numbers, LPS mm; in Lps and Ras exactly that of the
    /// file.
    Vec3 displacement(Vec3 index, Vec3 stored) const;

private:
    AffineMap place_;     ///< voxel indices to LPS mm
    AffineMap fromOther_; ///< coordinates to LPS mm
    /// Displacement, LPS mm, of voxels whose numbers are 0; only if `shifts_`.
    AffineMap displacement_;
    bool positions_, shifts_;
};

} // namespace systole
