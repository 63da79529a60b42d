#include "compute/cardiac/shell.h"

#include "compute/cardiac/local_slope.h"
#include "compute/core/error.h"
#include "compute/core/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace systole::cardiac {
namespace {

constexpr double thickest = 40; ///< mm, of a wall

struct Ray {
    Vec3 from, towards;
};

Ray rayOf(const Placement& placement, int row, int column) {
    const LongAxis& axis = placement.axis;
    // Fraction of the way from the apex to the base.
    const double share = (row + 0.5) / (Shell::rows - 0.5);
    const Vec3 out = axis.outwards(360.0 * column / Shell::columns), up = axis.towardsBase();
    if (share < Shell::fanShare && !placement.apicalCut) {
        const double turn = 0.5 * 3.14159265358979323846 * share / Shell::fanShare;
        return {axis.at(Shell::fanShare * axis.length()),
                std::sin(turn) * out - std::cos(turn) * up};
    }
    // The ray goes across the axis, and leans into the plane of the base on the way there.
    const Vec3 normal = placement.base.normal;
    const Vec3 inBase = out - dot(out, normal) / dot(up, normal) * up;
    const double lean = std::max(0.0, share - Shell::fanShare) / (1 - Shell::fanShare);
    const Vec3 towards = (1 - lean) * out + lean * inBase;
    return {axis.at(share * axis.length()), (1 / length(towards)) * towards};
}

class LineMaker {
public:
    explicit LineMaker(const Ventricle& ventricle, int order)
        : v_(ventricle), slope_(ventricle.wall, 2), motion_(ventricle.wall, order) {
        const Vec3 h = v_.wall.grid.spacing();
        step_ = 0.25 * std::min({h.x, h.y, h.z});
    }

    std::optional<TransmuralLine> along(const Ray& ray) const {
        const std::optional<Vec3> endocardium = leaveCavity(ray);
        if (!endocardium)
            return std::nullopt;
        LocalSlope slope(v_.wall, slope_, v_.depth);
        std::vector<Vec3> way =
            crossWall(*endocardium, [&](Vec3 p) { return direction(slope, p, ray.towards); });
        if (way.size() < 2)
            way = crossWall(*endocardium, [&](Vec3) { return ray.towards; });
        if (way.size() < 2)
            return std::nullopt;
        TransmuralLine line{{way.front(), middleOf(way), way.back()}, {}};
        for (std::size_t depth = 0; depth < 3; ++depth) {
            line.weights[depth] = motion_.at(v_.wall.grid.physicalToIndex(line.point[depth]));
            if (line.weights[depth].place.empty())
                return std::nullopt;
        }
        return line;
    }

private:
    bool inImage(Vec3 p) const {
        const Vec3 at = v_.wall.grid.physicalToIndex(p);
        const Size3 size = v_.wall.grid.size();
        const auto between = [](double x, int count) { return x >= -0.5 && x <= count - 0.5; };
        return between(at.x, size.x) && between(at.y, size.y) && between(at.z, size.z);
    }
    double cavityAt(Vec3 p) const { return v_.borders.cavityAt(v_.wall.grid.physicalToIndex(p)); }
    double heartAt(Vec3 p) const { return v_.borders.heartAt(v_.wall.grid.physicalToIndex(p)); }

    /// The first place from the axis where the share of the cavity falls through 1/2.
    std::optional<Vec3> leaveCavity(const Ray& ray) const {
        double before = cavityAt(ray.from);
        for (double way = step_; before >= 0.5 && way < 2 * v_.axis().length(); way += step_) {
            const double now = cavityAt(ray.from + way * ray.towards);
            if (now < 0.5)
                return ray.from + (way - step_ * (0.5 - now) / (before - now)) * ray.towards;
            before = now;
        }
        return std::nullopt;
    }

    /// Path from the endocardium along `direction` (of a point) to the epicardium, by the midpoint
    /// rule. Ends at the image's edge if that cuts the wall. Empty if it gets nowhere.
    template <class Direction>
    std::vector<Vec3> crossWall(Vec3 start, const Direction& direction) const {
        std::vector<Vec3> way{start};
        double before = heartAt(start);
        while (before >= 0.5 && static_cast<double>(way.size()) * step_ < thickest) {
            const Vec3 p = way.back();
            const Vec3 half = p + 0.5 * step_ * direction(p);
            const Vec3 next = p + step_ * direction(half);
            const double now = heartAt(next);
            if (now < 0.5) {
                way.push_back(p + (before - 0.5) / (before - now) * (next - p));
                return way;
            }
            if (!inImage(next) && v_.placement.beyond(next).first <= 0)
                return way;
            way.push_back(next);
            before = now;
        }
        return {};
    }

    Vec3 direction(LocalSlope& of, Vec3 p, Vec3 otherwise) const {
        const Vec3 slope = of.at(v_.wall.grid.physicalToIndex(p));
        // The depth isn't known beyond base and apical cut: no line leads there.
        const auto [above, plane] = v_.placement.beyond(p);
        const double rise = above > 0 ? std::max(0.0, dot(slope, plane.normal)) : 0;
        const Vec3 along = slope - rise * plane.normal;
        const double size = length(along);
        return size > 1e-12 ? (1 / size) * along : otherwise;
    }

    static Vec3 middleOf(const std::vector<Vec3>& way) {
        double total = 0;
        for (std::size_t i = 1; i < way.size(); ++i)
            total += length(way[i] - way[i - 1]);
        double left = total / 2;
        for (std::size_t i = 1; i < way.size(); ++i) {
            const double part = length(way[i] - way[i - 1]);
            if (part >= left && part > 0)
                return way[i - 1] + left / part * (way[i] - way[i - 1]);
            left -= part;
        }
        return way.back();
    }

    const Ventricle& v_;
    LocalFit slope_, motion_;
    double step_ = 0;
};

/// The lines beside one, up and down its column, that are known.
std::vector<std::size_t> knownBeside(std::size_t line, const std::vector<char>& known) {
    constexpr std::size_t columns = Shell::columns;
    const std::size_t row = line / columns, column = line % columns, first = row * columns;
    std::vector<std::size_t> beside{first + (column + 1) % columns,
                                    first + (column + columns - 1) % columns};
    if (row > 0)
        beside.push_back(line - columns);
    if (row + 1 < Shell::rows)
        beside.push_back(line + columns);
    std::erase_if(beside, [&](std::size_t i) { return known[i] == 0; });
    return beside;
}

TransmuralLine meanOf(const Shell& shell, const std::vector<std::size_t>& lines) {
    TransmuralLine mean;
    mean.found = false;
    const double share = 1 / static_cast<double>(lines.size());
    for (const std::size_t i : lines)
        for (std::size_t depth = 0; depth < 3; ++depth) {
            const TransmuralLine& line = shell.lines[i];
            mean.point[depth] = mean.point[depth] + share * line.point[depth];
            const FitWeights& from = line.weights[depth];
            FitWeights& to = mean.weights[depth];
            to.place.insert(to.place.end(), from.place.begin(), from.place.end());
            for (std::array<double, 4> weight : from.weight) {
                for (double& w : weight)
                    w *= share;
                to.weight.push_back(weight);
            }
        }
    return mean;
}

/// Fills unknown lines from the known ones inwards, a ring of unknown ones after the other.
void fillUnknown(Shell& shell, std::vector<char>& known) {
    while (std::ranges::find(known, 0) != known.end()) {
        std::vector<char> next = known;
        for (std::size_t i = 0; i < known.size(); ++i)
            if (const std::vector<std::size_t> beside = knownBeside(i, known);
                known[i] == 0 && !beside.empty()) {
                shell.lines[i] = meanOf(shell, beside);
                next[i] = 1;
            }
        known = std::move(next);
    }
}

} // namespace

Shell shellOf(const Ventricle& ventricle, int order, const ExecContext& ctx) {
    Shell shell;
    shell.lines.resize(std::size_t{Shell::rows} * Shell::columns);
    std::vector<char> known(shell.lines.size(), 0);
    const LineMaker maker(ventricle, order);
    parallelFor(ctx, static_cast<int>(shell.lines.size()), 16, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (std::optional<TransmuralLine> line = maker.along(
                    rayOf(ventricle.placement, i / Shell::columns, i % Shell::columns))) {
                shell.lines[at] = std::move(*line);
                known[at] = 1;
            }
        }
    });
    const auto found = static_cast<double>(std::ranges::count(known, 1));
    if (found < Shell::minFound * static_cast<double>(known.size()))
        throw ComputeError(fmt::format(
            "lines from the long axis through the wall exist in only {:.0f} of 100 places: the "
            "wall's labels have holes, or the apex and the mitral ring lie outside the cavity",
            100 * found / static_cast<double>(known.size())));
    fillUnknown(shell, known);
    return shell;
}

CarriedShell::CarriedShell(const Shell& shell, std::span<const float> displacements) {
    points_.reserve(shell.lines.size());
    for (const TransmuralLine& line : shell.lines)
        points_.push_back(line.point);
    if (displacements.empty())
        return;
    const float* u = displacements.data();
    for (std::array<Vec3, 3>& line : points_)
        for (Vec3& point : line) {
            point = point + widened({u[0], u[1], u[2]});
            u += 3;
        }
}

double CarriedShell::thickness(int row, int column) const {
    return length(at(row, column, Depth::Epicardium) - at(row, column, Depth::Endocardium));
}

double CarriedShell::milliliters(Depth depth) const {
    const auto middleOfRow = [&](int row) {
        Vec3 sum;
        for (int column = 0; column < Shell::columns; ++column)
            sum = sum + at(row, column, depth);
        return (1.0 / Shell::columns) * sum;
    };
    const Vec3 origin = middleOfRow(Shell::rows - 1), apex = middleOfRow(0);
    const auto tetrahedron = [&](Vec3 a, Vec3 b, Vec3 c) {
        return dot(a - origin, cross(b - origin, c - origin)) / 6;
    };
    double sum = 0; // the lid adds nothing to the volume, as its middle is the origin
    for (int column = 0; column < Shell::columns; ++column) {
        sum += tetrahedron(apex, at(0, column, depth), at(0, column + 1, depth));
        for (int row = 1; row < Shell::rows; ++row) {
            const Vec3 a = at(row - 1, column, depth), b = at(row - 1, column + 1, depth),
                       c = at(row, column, depth), d = at(row, column + 1, depth);
            sum += tetrahedron(a, d, b) + tetrahedron(a, c, d);
        }
    }
    return std::abs(sum) / 1000;
}

} // namespace systole::cardiac
