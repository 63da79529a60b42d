#include "compute/core/field_convention.h"

#include "compute/core/enum_text.h"
#include "compute/core/error.h"
#include "compute/core/points.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

using enum VectorFrame;

constexpr FieldConvention conventions[] = {
    {"lps", "ITK, ANTs, greedy, elastix, Systole", Lps, false, false},
    {"ras", "NIfTI intent 1006, NiftyReg -disp", Ras, false, false},
    {"voxels", "Learn2Reg, VoxelMorph", Voxels, false, false},
    {"fsl", "FNIRT, convertwarp --relout", Fsl, false, false},
    {"lps-positions", "", Lps, true, false},
    {"ras-positions", "NiftyReg -def, -res", Ras, true, false},
    {"voxel-positions", "", Voxels, true, false},
    {"fsl-positions", "convertwarp --absout", Fsl, true, false},
    {"lps-backward", "InverseWarp of ANTs, greedy -oinv", Lps, false, true},
    {"ras-backward", "", Ras, false, true},
    {"voxels-backward", "", Voxels, false, true},
    {"fsl-backward", "invwarp", Fsl, false, true},
    {"lps-positions-backward", "", Lps, true, true},
    {"ras-positions-backward", "NiftyReg _backward", Ras, true, true},
    {"voxel-positions-backward", "", Voxels, true, true},
    {"fsl-positions-backward", "invwarp --abs", Fsl, true, true},
};

/// RAS to LPS and back.
constexpr Matrix3 mirror{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}};

/// index times spacing, x from the other end where FSL mirrors it.
AffineMap fslOfIndex(const Geometry& grid) {
    const Vec3 spacing = grid.spacing();
    AffineMap scale{{{{spacing.x, 0, 0}, {0, spacing.y, 0}, {0, 0, spacing.z}}}, {}};
    // A rotation between LPS and RAS leaves the handedness.
    if (determinant(grid.voxelToPhysicalMatrix()) > 0) {
        scale.matrix[0][0] = -spacing.x;
        scale.offset.x = (grid.size().x - 1) * spacing.x;
    }
    return scale;
}

AffineMap placesOf(const Geometry& grid) { return {grid.voxelToPhysicalMatrix(), grid.origin()}; }

AffineMap inverseOf(const AffineMap& map) {
    const std::optional<AffineMap> inverse = map.inverse();
    if (!inverse)
        throw ComputeError("a grid that is squeezed flat has no coordinates");
    return *inverse;
}

/// Standard deviations of the three numbers, added.
class Deviation {
public:
    void add(Vec3 v) {
        ++count_;
        for (int axis = 0; axis < 3; ++axis) { // Welford
            const double before = v[axis] - mean_[axis];
            mean_[axis] += before / count_;
            squares_[axis] += before * (v[axis] - mean_[axis]);
        }
    }
    double sum() const {
        return std::sqrt(squares_.x / count_) + std::sqrt(squares_.y / count_) +
               std::sqrt(squares_.z / count_);
    }

private:
    double count_ = 0;
    Vec3 mean_, squares_;
};

bool looksLikePositions(const RawField& field, VectorFrame frame) {
    const AffineMap coordinates =
        compose(coordinatesIn(frame, field.geometry), placesOf(field.geometry));
    Deviation asStored, lessCoordinates;
    const Size3 size = field.geometry.size();
    const float* stored = field.vectors.data();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x, stored += 3) {
                const Vec3 v{stored[0], stored[1], stored[2]};
                asStored.add(v);
                lessCoordinates.add(v - coordinates(voxelPoint(x, y, z)));
            }
    return asStored.sum() > lessCoordinates.sum();
}

} // namespace

AffineMap coordinatesIn(VectorFrame frame, const Geometry& grid) {
    if (frame == Lps)
        return {};
    if (frame == Ras)
        return {mirror, {}};
    const Matrix3& toIndex = grid.physicalToVoxelMatrix();
    const AffineMap index{toIndex, -1.0 * (toIndex * grid.origin())};
    return frame == Voxels ? index : compose(fslOfIndex(grid), index);
}

std::span<const FieldConvention> fieldConventions() { return conventions; }

const FieldConvention* findFieldConvention(std::string_view name) {
    const auto found = std::ranges::find(conventions, name, &FieldConvention::name);
    return found != std::end(conventions) ? found : nullptr;
}

std::string textOf(const FieldConvention& convention) {
    const std::string frame =
        enumText(convention.frame, {"LPS mm", "RAS mm", "voxels", "FSL's mm"});
    const std::string writers = convention.writers;
    return std::string(convention.name) + ": " +
           (convention.positions ? "positions" : "displacements") + " in " + frame +
           (convention.backward ? ", moving to fixed" : ", fixed to moving") +
           (writers.empty() ? "" : " (" + writers + ")");
}

const FieldConvention* statedConvention(const RawField& field) {
    const std::optional<VectorFrame> frame = field.stated.frame;
    if (!frame)
        return nullptr;
    const bool positions =
        field.stated.positions ? *field.stated.positions : looksLikePositions(field, *frame);
    return std::ranges::find_if(conventions, [&](const FieldConvention& row) {
        return row.frame == *frame && row.positions == positions &&
               row.backward == field.stated.backward.value_or(false);
    });
}

ConventionMap::ConventionMap(const FieldConvention& convention, const Geometry& own,
                             const Geometry& other)
    : place_(placesOf(own))
    , fromOther_(inverseOf(coordinatesIn(convention.frame, other)))
    , positions_(convention.positions)
    , shifts_((convention.frame == Voxels || convention.frame == Fsl) && !own.matches(other)) {
    const AffineMap arrived =
        compose(fromOther_, compose(coordinatesIn(convention.frame, own), place_));
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            displacement_.matrix[row][column] =
                arrived.matrix[row][column] - place_.matrix[row][column];
    displacement_.offset = arrived.offset - place_.offset;
}

Vec3 ConventionMap::displacement(Vec3 index, Vec3 stored) const {
    if (positions_)
        return fromOther_(stored) - place_(index);
    const Vec3 moved = fromOther_.matrix * stored;
    return shifts_ ? moved + displacement_(index) : moved;
}

} // namespace systole
