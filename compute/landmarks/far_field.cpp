#include "compute/landmarks/far_field.h"

#include "compute/core/error.h"
#include "compute/landmarks/far_field_bound.h"
#include "compute/landmarks/interpolation_box.h"
#include "compute/landmarks/thin_plate_math.h"
#include "compute/landmarks/thin_plate_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr int minDegree = 3, maxDegree = 9;
constexpr int sampledUnits = 3; ///< units that are sampled to estimate the work of a degree

using Indices = std::vector<int>;

/// State that all boxes share.
class FarField {
public:
    FarField(const ThinPlateSpline& spline, Vec3 spacing, Size3 size, double tolerance, int degree)
        : spline_(spline), spacing_(spacing), degree_(degree) {
        double weights = 0;
        for (const Vec3& w : spline.weights)
            weights += length(w);
        const double smallest = std::min({spacing.x, spacing.y, spacing.z});
        // Every landmark is far if there are no weights.
        error_ = weights > 0     ? tolerance * smallest / weights
                 : tolerance > 0 ? std::numeric_limits<double>::max()
                                 : 0;
        for (int axis = 0; axis < 3; ++axis) {
            const auto k = static_cast<std::size_t>(axis);
            const double alike = 4 * (degree + 1) * smallest / spacing[axis];
            size_[k] = size[axis];
            unit_[k] = std::max(degree + 1, static_cast<int>(alike));
            units_[k] = (size_[k] + unit_[k] - 1) / unit_[k];
        }
    }

    int units() const { return units_[0] * units_[1] * units_[2]; }
    VoxelBox unit(int index) const {
        int begin[3], count[3];
        for (std::size_t k = 0; k < 3; index /= units_[k], ++k) {
            begin[k] = index % units_[k] * unit_[k];
            count[k] = std::min(unit_[k], size_[k] - begin[k]);
        }
        return {begin[0], begin[1], begin[2], {count[0], count[1], count[2]}};
    }
    int degree() const { return degree_; }
    Vec3 spacing() const { return spacing_; }
    double error() const { return error_; }
    const ThinPlateSpline& spline() const { return spline_; }

private:
    const ThinPlateSpline& spline_;
    Vec3 spacing_;
    int degree_;
    double error_ = 0;                             ///< allowed per weight, mm
    std::array<int, 3> size_{}, unit_{}, units_{}; ///< voxels, and voxels and number of units
};

/// Goes through one unit and the boxes in it. Its memory serves one unit after another.
class UnitWalk {
public:
    explicit UnitWalk(const FarField& field) : field_(field) {}

    /// The number of distances.
    double count(int unit) {
        counted_ = 0;
        visit(field_.unit(unit), all(), nullptr, nullptr, nullptr);
        return counted_;
    }
    void run(int unit, FieldView<float> out, const ExecContext& ctx) {
        visit(field_.unit(unit), all(), nullptr, &out, &ctx);
    }

private:
    Indices all() const {
        Indices indices(field_.spline().landmarks.size());
        for (std::size_t j = 0; j < indices.size(); ++j)
            indices[j] = static_cast<int>(j);
        return indices;
    }

    /// Adds the terms of `candidates` in the box, to what `outer` has of the others. Without `out`
    /// it only counts.
    void visit(const VoxelBox& voxels, const Indices& candidates, const InterpolationBox* outer,
               const FieldView<float>* out, const ExecContext* ctx) {
        if (ctx)
            ctx->throwIfCancelled();
        InterpolationBox box(voxels, field_.spacing(), field_.degree());
        const auto [far, near] = separate(box, candidates);
        counted_ += static_cast<double>(far.size()) * box.points();
        if (out) {
            box.begin(outer);
            addTerms(box, far);
        }
        if (near.empty()) {
            if (out)
                write(box, *out);
            return;
        }
        for (const VoxelBox& part : box.parts())
            visit(part, near, &box, out, ctx);
    }

    /// Landmarks that are far from the box, and the rest; in a box of voxels all count as far.
    std::pair<Indices, Indices> separate(const InterpolationBox& box, const Indices& candidates) {
        std::pair<Indices, Indices> both;
        if (box.exact()) {
            both.first = candidates;
            return both;
        }
        const double least = separation(box.largestHalf());
        for (const int j : candidates)
            (box.separation(field_.spline().landmarks[static_cast<std::size_t>(j)]) >= least
                 ? both.first
                 : both.second)
                .push_back(j);
        return both;
    }

    double separation(double half) {
        for (const auto& [known, least] : separations_)
            if (known == half)
                return least;
        separations_.emplace_back(half, minSeparation(field_.degree(), field_.error() / half));
        return separations_.back().second;
    }

    void addTerms(InterpolationBox& box, const Indices& indices) {
        if (indices.empty())
            return;
        terms_.clear();
        const Vec3 center = box.center();
        for (const int index : indices) {
            const auto j = static_cast<std::size_t>(index);
            const Vec3 p = field_.spline().landmarks[j] - center, w = field_.spline().weights[j];
            terms_.push_back(
                {static_cast<float>(p.x),
                 static_cast<float>(p.y),
                 static_cast<float>(p.z),
                 {static_cast<float>(w.x), static_cast<float>(w.y), static_cast<float>(w.z)},
                 {0, 0}});
        }
        float* const sums[3] = {box.values(0), box.values(1), box.values(2)};
        box.positions(positions_);
        const float* const points[3] = {positions_[0].data(), positions_[1].data(),
                                        positions_[2].data()};
        tps::addTerms(terms_, points, box.points(), sums);
    }

    /// Adds the affine part, less the voxel's place, and turns mm into voxels.
    void write(const InterpolationBox& box, FieldView<float> out) {
        const VoxelBox& voxels = box.voxels();
        const Vec3 spacing = field_.spacing();
        box.sampleVoxels(sampled_);
        for (int c = 0; c < 3; ++c) {
            const std::array<double, 4>& r = field_.spline().affine[static_cast<std::size_t>(c)];
            const float* from = sampled_[static_cast<std::size_t>(c)].data();
            for (int z = 0; z < voxels.size.z; ++z)
                for (int y = 0; y < voxels.size.y; ++y) {
                    Vec3 slope{r[1], r[2], r[3]};
                    slope[c] -= 1;
                    const Vec3 start{voxels.x * spacing.x, (voxels.y + y) * spacing.y,
                                     (voxels.z + z) * spacing.z};
                    const double affine = r[0] + dot(slope, start), step = slope.x * spacing.x;
                    float* const row =
                        out.componentView(c).row(voxels.y + y, voxels.z + z) + voxels.x;
                    for (int x = 0; x < voxels.size.x; ++x)
                        row[x] = static_cast<float>(
                            (affine + step * x + static_cast<double>(*from++)) / spacing[c]);
                }
        }
    }

    const FarField& field_;
    double counted_ = 0;
    std::vector<std::pair<double, double>> separations_; ///< pairs of half-width and separation
    std::vector<tps::Term> terms_;
    std::array<std::vector<float>, 3> positions_, sampled_;
};

double estimatedWork(const FarField& field) {
    UnitWalk walk(field);
    const int samples = std::min(sampledUnits, field.units());
    double sum = 0;
    for (int k = 0; k < samples; ++k)
        sum += walk.count((2 * k + 1) * field.units() / (2 * samples));
    return sum / samples * field.units();
}

} // namespace

FarFieldWork displacementOnGrid(const ThinPlateSpline& spline, Vec3 spacing, double tolerance,
                                FieldView<float> displacement, const ExecContext& ctx) {
    if (!(tolerance >= 0) || !std::isfinite(tolerance))
        throw ComputeError("the tolerance of a thin-plate spline must be finite and at least 0");
    FarFieldWork work{0, std::numeric_limits<double>::infinity()};
    for (int degree = minDegree; degree <= maxDegree; ++degree) {
        ctx.throwIfCancelled();
        const FarField field(spline, spacing, displacement.size, tolerance, degree);
        if (const double terms = estimatedWork(field); terms < work.terms)
            work = {degree, terms};
    }
    const FarField field(spline, spacing, displacement.size, tolerance, work.degree);
    parallelFor(ctx, field.units(), 1, [&](int begin, int end) {
        UnitWalk walk(field);
        for (int unit = begin; unit < end; ++unit)
            walk.run(unit, displacement, ctx);
    });
    return work;
}

} // namespace systole
