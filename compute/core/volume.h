// One frame, its displacement field, and the non-owning views that every operation takes.
// Voxels are float32, x fastest, contiguous.
#pragma once

#include "compute/core/buffer.h"
#include "compute/core/geometry.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>

namespace systole {

/// Non-owning: data[x + size.x * (y + size.y * z)].
template <typename T>
struct VolumeView {
    T* data = nullptr;
    Size3 size;

    constexpr VolumeView() = default;
    constexpr VolumeView(T* voxels, Size3 extent) : data(voxels), size(extent) {}
    /// A view of mutable voxels converts to one of constant voxels.
    template <typename U>
    requires(std::is_same_v<T, const U>) constexpr VolumeView(const VolumeView<U>& other)
        : data(other.data), size(other.size) {}

    constexpr bool empty() const { return data == nullptr; }
    constexpr std::size_t voxels() const { return size.voxels(); }
    constexpr std::size_t offset(int x, int y, int z) const {
        return static_cast<std::size_t>(x) +
               static_cast<std::size_t>(size.x) *
                   (static_cast<std::size_t>(y) +
                    static_cast<std::size_t>(size.y) * static_cast<std::size_t>(z));
    }
    constexpr T& operator()(int x, int y, int z) const { return data[offset(x, y, z)]; }
    constexpr T* row(int y, int z) const { return data + offset(0, y, z); }
    std::span<T> span() const { return {data, voxels()}; }
};

inline constexpr double unknownTime = std::numeric_limits<double>::quiet_NaN();

class CudaEvent;

/// One frame of a sequence: owns its voxels.
struct Volume {
    Geometry geometry;
    double timeSeconds = unknownTime; ///< time since the first frame, s; NaN if unknown
    Buffer<float> voxels;
    /// Event of voxels on the device: signaled when they are written, for readers on other streams.
    /// Null: they are complete.
    std::shared_ptr<const CudaEvent> ready;
    /// Mask in host memory: 1 where the file holds a number, 0 elsewhere (NaN, infinity), where the
    /// gray value counts for no estimation. Null: the file holds a number everywhere.
    std::shared_ptr<const Volume> known;

    Volume() = default;
    Volume(const Geometry& grid, BufferPool& pool, const std::string& name)
        : geometry(grid), voxels(pool.acquire<float>(grid.voxels(), name)) {}

    VolumeView<float> view() { return {voxels.data(), geometry.size()}; }
    VolumeView<const float> view() const { return {voxels.data(), geometry.size()}; }
};

/// Three planar components in voxels, as used by the solvers.
template <typename T>
struct FieldView {
    T* u = nullptr;
    T* v = nullptr;
    T* w = nullptr;
    Size3 size;

    constexpr FieldView() = default;
    constexpr FieldView(T* x, T* y, T* z, Size3 extent) : u(x), v(y), w(z), size(extent) {}
    /// Three components behind one another.
    constexpr FieldView(T* planar, Size3 extent)
        : FieldView(planar, planar + extent.voxels(), planar + 2 * extent.voxels(), extent) {}
    template <typename U>
    requires(std::is_same_v<T, const U>) constexpr FieldView(const FieldView<U>& other)
        : u(other.u), v(other.v), w(other.w), size(other.size) {}

    constexpr bool empty() const { return u == nullptr; }
    constexpr T* component(int axis) const { return axis == 0 ? u : axis == 1 ? v : w; }
    constexpr VolumeView<T> componentView(int axis) const { return {component(axis), size}; }
};

/// Both on the host and of one size.
void copy(FieldView<const float> from, FieldView<float> to);

/// Displacement in VOXELS along the index axes of its geometry, from fixed to moving: the point at
/// index p of the fixed frame lies at p + (u, v, w)(p) in the moving frame. Planar: u, v, w.
struct VectorField {
    Geometry geometry;
    Buffer<float> components;               ///< 3 * voxels, planar
    std::shared_ptr<const CudaEvent> ready; ///< see Volume::ready

    VectorField() = default;
    VectorField(const Geometry& grid, BufferPool& pool, const std::string& name)
        : geometry(grid), components(pool.acquire<float>(3 * grid.voxels(), name)) {}

    FieldView<float> view() { return {components.data(), geometry.size()}; }
    FieldView<const float> view() const { return {components.data(), geometry.size()}; }
};

/// Displacement field in LPS MILLIMETERS, interleaved (x, y, z per voxel), for files and display.
struct MillimeterField {
    Geometry geometry;
    Buffer<float> vectors; ///< 3 * voxels, interleaved
};

MillimeterField toMillimeters(const VectorField& field, BufferPool& pool);
VectorField toVoxels(const MillimeterField& field, BufferPool& pool);

} // namespace systole
