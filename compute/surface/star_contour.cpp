#include "compute/surface/star_contour.h"

#include "compute/core/median.h"
#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace systole {
namespace {

constexpr double rayStep = 1; // mm

/// Divides each triangle into four whose new corners lie on the sphere.
void divide(std::vector<Vec3>& points, std::vector<std::array<int, 3>>& triangles) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
        const auto [entry, isNew] =
            middles.try_emplace(std::minmax(a, b), static_cast<int>(points.size()));
        if (isNew) {
            const Vec3 sum =
                points[static_cast<std::size_t>(a)] + points[static_cast<std::size_t>(b)];
            points.push_back((1 / length(sum)) * sum);
        }
        return entry->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : triangles) {
        const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    triangles = std::move(finer);
}

StarDirections makeDirections() {
    constexpr double g = std::numbers::phi;
    StarDirections made;
    constexpr Vec3 corners[] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    for (const Vec3 corner : corners)
        made.unit.push_back((1 / std::hypot(1.0, g)) * corner);
    std::vector<std::array<int, 3>> triangles{
        {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    for (int i = 0; i < 3; ++i)
        divide(made.unit, triangles);
    made.beside.resize(made.unit.size());
    // Each edge belongs to two triangles, once in each direction.
    for (const auto& [a, b, c] : triangles) {
        made.beside[static_cast<std::size_t>(a)].push_back(b);
        made.beside[static_cast<std::size_t>(b)].push_back(c);
        made.beside[static_cast<std::size_t>(c)].push_back(a);
    }
    return made;
}

/// Directions that may lie within an angle of any direction: a list for each cell of the faces of
/// a cube.
class DirectionsNear {
public:
    explicit DirectionsNear(double angle) : near_(6 * cells * cells) {
        const std::vector<Vec3>& unit = StarDirections::standard().unit;
        for (std::size_t cell = 0; cell < near_.size(); ++cell) {
            const int face = static_cast<int>(cell) / (cells * cells), axis = face / 2;
            const auto along = [&](int i) { return (i + 0.5) * 2 / cells - 1; };
            Vec3 middle;
            middle[axis] = face % 2 == 0 ? 1 : -1;
            middle[(axis + 1) % 3] = along(static_cast<int>(cell) % cells);
            middle[(axis + 2) % 3] = along(static_cast<int>(cell) / cells % cells);
            // Half the diagonal of a cell in the middle of a face is the largest angle.
            const double minProduct =
                std::cos(angle + std::numbers::sqrt2 / cells) * length(middle);
            for (std::size_t i = 0; i < unit.size(); ++i)
                if (dot(unit[i], middle) > minProduct)
                    near_[cell].push_back(i);
        }
    }
    const std::vector<std::size_t>& of(Vec3 d) const {
        int axis = 0;
        for (const int other : {1, 2})
            if (std::abs(d[other]) > std::abs(d[axis]))
                axis = other;
        const auto cell = [&](int other) {
            const double place = 0.5 * cells * (1 + d[(axis + other) % 3] / std::abs(d[axis]));
            return std::clamp(static_cast<int>(place), 0, cells - 1);
        };
        const int face = 2 * axis + (d[axis] < 0 ? 1 : 0);
        return near_[static_cast<std::size_t>((face * cells + cell(2)) * cells + cell(1))];
    }

private:
    static constexpr int cells = 16;             ///< number of cells along an edge of the cube
    std::vector<std::vector<std::size_t>> near_; ///< ascending
};

constexpr double excluded = -std::numeric_limits<double>::infinity();

/// The sums along a ray at `from`, `from` + rayStep and so on.
struct RayScore {
    std::vector<double> sums;
    bool met = false;
};

RayScore scoreRay(const SegmentGrid& grid, const GrayModel& model, const StarSearch& search,
                  std::size_t ray) {
    const Vec3 unit = StarDirections::standard().unit[ray];
    const auto wall = static_cast<std::size_t>(std::lround(search.wall / rayStep));
    RayScore score;
    double sum = 0, best = 0;
    const double end = search.to[ray] + static_cast<double>(wall) * rayStep;
    for (double r = search.from[ray]; r <= end; r += rayStep) {
        score.sums.push_back(sum);
        best = std::max(best, sum);
        if (sum < best - lostMillimeters) {
            score.met = true;
            if (wall == 0)
                return score;
        }
        const Vec3 at = search.center + (r + 0.5 * rayStep) * unit;
        if (!isInside(grid.geometry(), at))
            continue;
        if (grid.isKnown(at))
            sum += rayStep * model(sampledAt(grid.gray, at));
    }
    if (wall > 0) {
        for (std::size_t k = 0; k + wall < score.sums.size(); ++k)
            score.sums[k] += wallWeight * (score.sums[k] - score.sums[k + wall]);
        score.sums.resize(std::max(score.sums.size(), wall) - wall);
    }
    return score;
}

} // namespace

const StarDirections& StarDirections::standard() {
    static const StarDirections directions = makeDirections();
    return directions;
}

GrayModel GrayModel::alike(double mean, double width) {
    GrayModel model;
    model.a_ = mean;
    model.b_ = width;
    return model;
}

GrayModel GrayModel::between(double inside, double outside, double threshold) {
    GrayModel model;
    model.oneSided_ = false;
    model.a_ = threshold;
    model.b_ = 0.5 * (inside - outside);
    return model;
}

double GrayModel::operator()(double gray) const {
    const double scaled = (gray - a_) / b_;
    return oneSided_ ? std::max(1 - scaled * scaled, -1.0) : std::clamp(scaled, -1.0, 1.0);
}

StarBorder searchStar(const SegmentGrid& grid, std::span<const GrayModel> models,
                      const StarSearch& search, const ExecContext& ctx) {
    const StarDirections& star = StarDirections::standard();
    std::vector<RayScore> scores(star.unit.size());
    overItems(scores.size(), 32, ctx, [&](std::size_t i) {
        scores[i] = scoreRay(grid, models[models.size() > 1 ? i : 0], search, i);
    });
    StarBorder border;
    border.radii.resize(star.unit.size());
    border.met.resize(star.unit.size());
    const auto best = [&](std::size_t i, double mean, double weight) {
        double value = excluded, radius = search.from[i];
        for (std::size_t k = 0; k < scores[i].sums.size(); ++k) {
            const double r = search.from[i] + rayStep * static_cast<double>(k);
            double v = scores[i].sums[k] - weight * (r - mean) * (r - mean);
            if (!search.wanted.empty())
                v -= search.wantedWeight * (r - search.wanted[i]) * (r - search.wanted[i]);
            if (v > value) {
                value = v;
                radius = r;
            }
        }
        return radius;
    };
    std::vector<double> sure;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        border.met[i] = scores[i].met;
        border.radii[i] = best(i, 0, 0);
        if (scores[i].met)
            sure.push_back(border.radii[i]);
    }
    const double middle = median(sure);
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (!border.met[i] && !sure.empty() && search.wanted.empty())
            border.radii[i] = middle;
    // First medians, which single rays can't move, then means.
    constexpr int sweeps = 40, medianSweeps = 15;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        const std::vector<double> now = border.radii;
        for (std::size_t i = 0; i < now.size(); ++i) {
            std::vector<double> around;
            for (const int j : star.beside[i])
                around.push_back(now[static_cast<std::size_t>(j)]);
            double mean = 0;
            for (const double r : around)
                mean += r / static_cast<double>(around.size());
            border.radii[i] =
                best(i, sweep < medianSweeps ? median(around) : mean, search.neighborWeight);
        }
    }
    // Off the steps of the rays.
    const std::vector<double> found = border.radii;
    for (std::size_t i = 0; i < found.size(); ++i) {
        double sum = 2 * found[i];
        for (const int j : star.beside[i])
            sum += found[static_cast<std::size_t>(j)];
        border.radii[i] = sum / (2 + static_cast<double>(star.beside[i].size()));
    }
    return border;
}

Vec3 centroid(const StarContour& star) {
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    double volume = 0;
    Vec3 moment;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const double r = star.radii[i], cube = r * r * r;
        volume += cube / 3;
        moment = moment + (cube * r / 4) * unit[i];
    }
    return volume > 0 ? star.center + (1 / volume) * moment : star.center;
}

Volume starLevel(const StarContour& star, const Geometry& grid, const ExecContext& ctx) {
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    // Directions within 12 degrees count; there are at least three.
    constexpr double widestAngle = 12 * std::numbers::pi / 180;
    const double widest = std::cos(widestAngle);
    static const DirectionsNear near(widestAngle);
    Volume out(grid, *ctx.pool, "first contour");
    const VolumeView<float> level = out.view();
    const double largest = *std::ranges::max_element(star.radii);
    overVoxels(grid.size(), ctx, [&](int x, int y, int z) {
        const Vec3 at = centerOfVoxel(grid, x, y, z) - star.center;
        const double distance = length(at);
        double weights = 0, radius = 0;
        if (distance < largest + 15 && distance > 0)
            for (const std::size_t i : near.of(at)) {
                const double cosine = dot(at, unit[i]) / distance;
                if (cosine > widest) {
                    const double weight = (cosine - widest) * (cosine - widest);
                    weights += weight;
                    radius += weight * star.radii[i];
                }
            }
        level(x, y, z) = static_cast<float>(distance - (weights > 0 ? radius / weights : largest));
    });
    return out;
}

Ellipsoid ellipsoidOf(const StarContour& star) {
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    Ellipsoid made;
    made.center = centroid(star);
    const Vec3 shift = made.center - star.center;
    Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
    double volume = 0;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const double r = star.radii[i], cube = r * r * r;
        const Eigen::Vector3d d(unit[i].x, unit[i].y, unit[i].z);
        volume += cube / 3;
        second += cube * r * r / 5 * d * d.transpose();
    }
    const Eigen::Vector3d s(shift.x, shift.y, shift.z);
    // The second moment of a full ellipsoid along an axis is its half length squared over 5.
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(second / volume -
                                                                s * s.transpose());
    for (int axis = 0; axis < 3; ++axis)
        made.halfAxes[axis] = std::sqrt(5 * std::max(solver.eigenvalues()[axis], 0.2));
    Eigen::Map<Eigen::Matrix3d>(made.axes[0].data()) = solver.eigenvectors();
    return made;
}

double Ellipsoid::level(Vec3 lps) const {
    const Vec3 own = axes * (lps - center);
    const double scaled = std::hypot(own.x / halfAxes.x, own.y / halfAxes.y, own.z / halfAxes.z);
    const double slope =
        std::hypot(own.x / (halfAxes.x * halfAxes.x), own.y / (halfAxes.y * halfAxes.y),
                   own.z / (halfAxes.z * halfAxes.z));
    return slope > 0 ? scaled * (scaled - 1) / slope
                     : -std::min({halfAxes.x, halfAxes.y, halfAxes.z});
}

} // namespace systole
