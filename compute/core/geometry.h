// Size, spacing, origin and direction of a voxel grid: the only place where index and LPS
// millimeters are turned into one another.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace systole {

/// Voxels along x (fastest), y, z.
struct Size3 {
    int x = 0, y = 0, z = 0;

    constexpr std::size_t voxels() const {
        return static_cast<std::size_t>(x) * static_cast<std::size_t>(y) *
               static_cast<std::size_t>(z);
    }
    constexpr int operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
    bool operator==(const Size3&) const = default;
};

struct Vec3 {
    double x = 0, y = 0, z = 0;

    double& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
    double operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
    bool operator==(const Vec3&) const = default;
};

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
double length(Vec3 a);

using Matrix3 = std::array<std::array<double, 3>, 3>; ///< [row][column]
inline constexpr Matrix3 identity3{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Vec3 operator*(const Matrix3& m, Vec3 v);

class Geometry {
public:
    /// One voxel of 1 mm at the origin.
    Geometry();

    /// spacing in mm per index step; origin is the center of voxel (0,0,0) in LPS mm; column a of
    /// direction is the unit vector of index axis a in LPS. Throws ComputeError unless every size
    /// is at least 1, every spacing finite and positive, the origin finite and the direction
    /// invertible.
    Geometry(Size3 size, Vec3 spacing, Vec3 origin = {}, const Matrix3& direction = identity3);

    Size3 size() const { return size_; }
    Vec3 spacing() const { return spacing_; }
    Vec3 origin() const { return origin_; }
    const Matrix3& direction() const { return direction_; }
    std::size_t voxels() const { return size_.voxels(); }

    Vec3 indexToPhysical(Vec3 index) const;
    Vec3 physicalToIndex(Vec3 lpsMillimeters) const;
    /// Linear part of the maps between voxels and LPS mm, for displacements: without the origin.
    Vec3 voxelVectorToPhysical(Vec3 voxels) const;
    Vec3 physicalVectorToVoxel(Vec3 lpsMillimeters) const;
    /// voxelVectorToPhysical as a matrix: direction · diag(spacing).
    const Matrix3& voxelToPhysicalMatrix() const { return toPhysical_; }
    const Matrix3& physicalToVoxelMatrix() const { return toIndex_; }

    Vec3 center() const; ///< LPS mm

    /// The index axis that runs most nearly along the given LPS axis (0 left, 1 posterior,
    /// 2 superior), and the sign of its direction along it. Each index axis serves one LPS axis.
    struct AnatomicalAxis {
        int indexAxis = 0;
        int sign = 1;
    };
    AnatomicalAxis axisAlong(int lpsAxis) const;
    /// Three letters such as "LPS" or "RAI": the anatomical direction in which each index grows.
    std::string orientationLetters() const;

    bool isOrthonormal(double tolerance = 1e-3) const;
    /// Same size, and spacing, origin and direction equal within tolerance (mm, and of direction).
    bool matches(const Geometry& other, double tolerance = 1e-4) const;

private:
    Size3 size_;
    Vec3 spacing_;
    Vec3 origin_;
    Matrix3 direction_;
    Matrix3 toPhysical_;
    Matrix3 toIndex_;
};

} // namespace systole
