#include "compute/landmarks/interpolation_box.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace systole {
namespace {

/// Row j: the value of node j's Lagrange polynomial at every place.
std::vector<float> lagrange(const std::vector<double>& nodes, const std::vector<double>& places) {
    std::vector<float> rows;
    rows.reserve(nodes.size() * places.size());
    for (const double node : nodes)
        for (const double place : places) {
            double value = 1;
            for (const double other : nodes)
                if (other != node)
                    value *= (place - other) / (node - other);
            rows.push_back(static_cast<float>(value));
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

/// The same along x, whose values lie together.
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

} // namespace

InterpolationBox::InterpolationBox(const VoxelBox& voxels, Vec3 spacing, int degree)
    : voxels_(voxels) {
    for (int k = 0; k < 3; ++k) {
        const auto a = static_cast<std::size_t>(k);
        Axis& axis = axes_[a];
        const int count = voxels.count[a];
        for (int i = 0; i < count; ++i)
            axis.voxels.push_back((voxels.begin[a] + i) * spacing[k]);
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
            VoxelBox second = parts[i];
            const int half = (second.count[k] + 1) / 2;
            parts[i].count[k] = half;
            second.begin[k] += half;
            second.count[k] -= half;
            parts.push_back(second);
        }
    }
    return parts;
}

void InterpolationBox::begin(const InterpolationBox* outer) {
    for (int c = 0; c < 3; ++c) {
        std::vector<float>& values = values_[static_cast<std::size_t>(c)];
        values.assign(static_cast<std::size_t>(points()), 0.0f);
        if (outer)
            outer->sample(c, {&axes_[0].nodes, &axes_[1].nodes, &axes_[2].nodes}, values.data());
    }
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

void InterpolationBox::sampleVoxels(int component, float* out) const {
    sample(component, {&axes_[0].voxels, &axes_[1].voxels, &axes_[2].voxels}, out);
}

void InterpolationBox::sample(int component, const Places& places, float* out) const {
    const auto from = [&](std::size_t k) { return axes_[k].nodes.size(); };
    const auto to = [&](std::size_t k) { return places[k]->size(); };
    const auto rows = [&](std::size_t k) { return lagrange(axes_[k].nodes, *places[k]); };
    std::vector<float> afterZ(from(0) * from(1) * to(2)), afterY(from(0) * to(1) * to(2));
    contractOuter(rows(2), from(2), to(2), from(0) * from(1), 1,
                  values_[static_cast<std::size_t>(component)].data(), afterZ.data());
    contractOuter(rows(1), from(1), to(1), from(0), to(2), afterZ.data(), afterY.data());
    contractInner(rows(0), from(0), to(0), to(1) * to(2), afterY.data(), out);
}

} // namespace systole
