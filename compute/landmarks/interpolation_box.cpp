#include "compute/landmarks/interpolation_box.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace systole {
namespace {

/// Row j: the value of node j's Lagrange polynomial at every place.
std::vector<float> lagrange(const std::vector<double>& nodes, const std::vector<double>& places) {
    std::vector<float> rows(nodes.size() * places.size());
    std::vector<double> values(places.size());
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        double scale = 1;
        values.assign(places.size(), 1.0);
        for (std::size_t m = 0; m < nodes.size(); ++m) {
            if (m == j)
                continue;
            scale *= nodes[j] - nodes[m];
            for (std::size_t k = 0; k < places.size(); ++k)
                values[k] *= places[k] - nodes[m];
        }
        for (std::size_t k = 0; k < places.size(); ++k)
            rows[j * places.size() + k] = static_cast<float>(values[k] / scale);
    }
    return rows;
}

/// out[i + n·k] = Σ_c in[i + n·c] · rows[c][k] for n values that lie together.
void contractOuter(const std::vector<float>& rows, std::size_t from, std::size_t to,
                   std::size_t inner, std::size_t outer, const float* in, float* out) {
    std::fill_n(out, inner * to * outer, 0.0f);
    for (std::size_t o = 0; o < outer; ++o)
        for (std::size_t k = 0; k < to; ++k)
            for (std::size_t c = 0; c < from; ++c) {
                const float weight = rows[c * to + k];
                const float* const source = in + inner * (c + from * o);
                float* const target = out + inner * (k + to * o);
                for (std::size_t i = 0; i < inner; ++i)
                    target[i] += weight * source[i];
            }
}

/// Contraction along x, whose values lie together.
void contractInner(const std::vector<float>& rows, std::size_t from, std::size_t to,
                   std::size_t outer, const float* in, float* out) {
    std::fill_n(out, to * outer, 0.0f);
    for (std::size_t o = 0; o < outer; ++o)
        for (std::size_t c = 0; c < from; ++c) {
            const float value = in[c + from * o];
            const float* const row = rows.data() + c * to;
            float* const target = out + to * o;
            for (std::size_t k = 0; k < to; ++k)
                target[k] += value * row[k];
        }
}

VoxelBox halfOf(VoxelBox box, std::size_t axis, bool second) {
    int* const begins[] = {&box.x, &box.y, &box.z};
    int* const counts[] = {&box.size.x, &box.size.y, &box.size.z};
    const int half = (*counts[axis] + 1) / 2;
    *begins[axis] += second ? half : 0;
    *counts[axis] = second ? *counts[axis] - half : half;
    return box;
}

} // namespace

InterpolationBox::InterpolationBox(const VoxelBox& voxels, Vec3 spacing, int degree)
    : voxels_(voxels) {
    const int begin[] = {voxels.x, voxels.y, voxels.z};
    for (int k = 0; k < 3; ++k) {
        Axis& axis = axes_[static_cast<std::size_t>(k)];
        const int count = voxels.size[k];
        for (int i = 0; i < count; ++i)
            axis.voxels.push_back((begin[k] + i) * spacing[k]);
        axis.center = (axis.voxels.front() + axis.voxels.back()) / 2;
        axis.half = (axis.voxels.back() - axis.voxels.front()) / 2;
        axis.interpolated = count > degree + 1;
        if (!axis.interpolated) {
            axis.nodes = axis.voxels;
            continue;
        }
        for (int j = 0; j <= degree; ++j)
            axis.nodes.push_back(axis.center -
                                 axis.half * std::cos(std::numbers::pi * (j + 0.5) / (degree + 1)));
    }
}

bool InterpolationBox::exact() const {
    return std::ranges::none_of(axes_, [](const Axis& axis) { return axis.interpolated; });
}

double InterpolationBox::largestHalf() const {
    double largest = 0;
    for (const Axis& axis : axes_)
        if (axis.interpolated)
            largest = std::max(largest, axis.half);
    return largest;
}

double InterpolationBox::separation(Vec3 point) const {
    double along[3], outside[3]; // squared distances from the slabs
    for (int k = 0; k < 3; ++k) {
        const Axis& axis = axes_[static_cast<std::size_t>(k)];
        along[k] = std::abs(point[k] - axis.center);
        const double beyond = std::max(0.0, along[k] - axis.half);
        outside[k] = beyond * beyond;
    }
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
        const Axis& axis = axes_[static_cast<std::size_t>(k)];
        if (!axis.interpolated)
            continue;
        const double across = outside[(k + 1) % 3] + outside[(k + 2) % 3];
        const double nearer = along[k] - axis.half, farther = along[k] + axis.half;
        least = std::min(
            least, (std::sqrt(nearer * nearer + across) + std::sqrt(farther * farther + across)) /
                       axis.half);
    }
    return least;
}

std::vector<VoxelBox> InterpolationBox::parts() const {
    std::vector<VoxelBox> parts{voxels_};
    const double longest = largestHalf();
    for (std::size_t k = 0; k < 3; ++k) {
        if (!axes_[k].interpolated || axes_[k].half < 0.6 * longest)
            continue;
        const std::size_t before = parts.size();
        for (std::size_t i = 0; i < before; ++i) {
            parts.push_back(halfOf(parts[i], k, true));
            parts[i] = halfOf(parts[i], k, false);
        }
    }
    return parts;
}

void InterpolationBox::begin(const InterpolationBox* outer) {
    if (outer)
        outer->sample({&axes_[0].nodes, &axes_[1].nodes, &axes_[2].nodes}, values_);
    else
        for (std::vector<float>& values : values_)
            values.assign(static_cast<std::size_t>(points()), 0.0f);
}

void InterpolationBox::positions(std::array<std::vector<float>, 3>& out) const {
    for (std::vector<float>& coordinates : out)
        coordinates.clear();
    for (const double z : axes_[2].nodes)
        for (const double y : axes_[1].nodes)
            for (const double x : axes_[0].nodes) {
                out[0].push_back(static_cast<float>(x - axes_[0].center));
                out[1].push_back(static_cast<float>(y - axes_[1].center));
                out[2].push_back(static_cast<float>(z - axes_[2].center));
            }
}

void InterpolationBox::sampleVoxels(std::array<std::vector<float>, 3>& out) const {
    if (exact())
        out = values_;
    else
        sample({&axes_[0].voxels, &axes_[1].voxels, &axes_[2].voxels}, out);
}

void InterpolationBox::sample(const Places& places, std::array<std::vector<float>, 3>& out) const {
    std::array<std::vector<float>, 3> rows;
    std::array<std::size_t, 3> from, to;
    for (std::size_t k = 0; k < 3; ++k) {
        from[k] = axes_[k].nodes.size();
        to[k] = places[k]->size();
        rows[k] = lagrange(axes_[k].nodes, *places[k]);
    }
    std::vector<float> afterZ(from[0] * from[1] * to[2]), afterY(from[0] * to[1] * to[2]);
    for (std::size_t c = 0; c < 3; ++c) {
        out[c].resize(to[0] * to[1] * to[2]);
        contractOuter(rows[2], from[2], to[2], from[0] * from[1], 1, values_[c].data(),
                      afterZ.data());
        contractOuter(rows[1], from[1], to[1], from[0], to[2], afterZ.data(), afterY.data());
        contractInner(rows[0], from[0], to[0], to[1] * to[2], afterY.data(), out[c].data());
    }
}

} // namespace systole
