// Lines across the wall of a left ventricle, in rows around it and columns along it: what contours,
// thickness and enclosed volume are measured on.
#pragma once

#include "compute/cardiac/aha.h"
#include "compute/cardiac/local_fit.h"
#include "compute/cardiac/ventricle.h"

#include <array>
#include <cstddef>
#include <vector>

namespace systole::cardiac {

/// Where along a line.
enum class Depth { Endocardium, MidWall, Epicardium };

/// A line from endocardium to epicardium along the gradient of the harmonic depth: the shortest way
/// through the wall that everywhere crosses it at right angles (Jones, Buchbinder and Aharon, Human
/// Brain Mapping 11 (2000)). Its middle is halfway by length. It
/// ends at the image's edge where that cuts the wall.
struct TransmuralLine {
    std::array<Vec3, 3> point;         ///< points by Depth, LPS mm
    std::array<FitWeights, 3> weights; ///< weights of the wall's motion at each point
    bool found = true;                 ///< false: the mean of its neighbors, see shellOf()
};

/// Rows from the apex to the base, evenly spaced: first as a fan from a point of the long axis at
/// `fanShare` of its length (not where the labels are cut at the apex), then across the axis, the
/// last in the plane of the base. Columns by angle, evenly.
struct Shell {
    static constexpr int rows = 24, columns = 48;
    static constexpr double fanShare = 0.3;
    static constexpr double minFound = 0.75; ///< fraction of the lines

    std::vector<TransmuralLine> lines; ///< rows · columns, columns fastest

    const TransmuralLine& at(int row, int column) const {
        return lines[static_cast<std::size_t>(row * columns + column % columns)];
    }
};

/// `order` of the polynomials that carry it (local_fit.h). Where the gradient leads nowhere, as in
/// slices that are many times as thick as the wall's voxels are wide, a line goes straight on away
/// from the axis. One that finds no way at all, because the labels have a hole or the axis leaves
/// the cavity, is the mean of its neighbors, place and motion. Throws ComputeError if that is more
/// than a quarter of them.
Shell shellOf(const Ventricle& ventricle, int order, const ExecContext& ctx);

/// The points of one frame, LPS mm.
class CarriedShell {
public:
    /// Each point moved by a displacement in LPS mm, x, y, z, in the order of the lines and of
    /// Depth; none: at the reference.
    explicit CarriedShell(const Shell& shell, std::span<const float> displacements = {});

    Vec3 at(int row, int column, Depth depth) const {
        return points_[static_cast<std::size_t>(row * Shell::columns + column % Shell::columns)]
                      [static_cast<std::size_t>(depth)];
    }
    double thickness(int row, int column) const; ///< distance between the line's ends, mm
    /// Volume inside the surface of a depth, closed by its middle at the apex and a fan over the
    /// base.
    double milliliters(Depth depth) const;

private:
    std::vector<std::array<Vec3, 3>> points_;
};

} // namespace systole::cardiac
