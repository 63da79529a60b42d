#include "app/features/cardiac/wall_mesh.h"

#include "compute/core/points.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace systole {
namespace {

using cardiac::CarriedShell;
using cardiac::Depth;
using cardiac::Shell;

/// A place on one of both surfaces; row -1 is the middle of the first row, which closes the apex.
struct Corner {
    int row, column;
    Depth depth;
};

class Builder {
public:
    Builder(const CarriedShell& shell, std::span<const int> segments, int segment, double beyond)
        : shell_(shell)
        , segments_(segments)
        , segment_(segment)
        , beyond_(beyond)
        , index_(2 * (lines + 1), none) {}

    TriangleMesh build() {
        for (int row = -1; row + 1 < Shell::rows; ++row)
            for (int column = 0; column < Shell::columns; ++column)
                if (has(row, column))
                    addCell(row, column);
        return std::move(mesh_);
    }

private:
    static constexpr int lines = Shell::rows * Shell::columns;
    static constexpr std::uint32_t none = 0xffffffff;

    /// Cells lie between a row and the next one, a column and the next one.
    bool has(int row, int column) const {
        if (row < -1 || row + 1 >= Shell::rows)
            return false;
        const int line =
            std::max(row, 0) * Shell::columns + (column + Shell::columns) % Shell::columns;
        return segment_ == 0 || segments_[static_cast<std::size_t>(line)] == segment_;
    }

    std::uint32_t point(Corner at) {
        const int column = at.column % Shell::columns;
        const int place = at.row < 0 ? lines : at.row * Shell::columns + column;
        const bool outer = at.depth == Depth::Epicardium;
        std::uint32_t& index = index_[static_cast<std::size_t>(2 * place + (outer ? 1 : 0))];
        if (index == none) {
            index = static_cast<std::uint32_t>(mesh_.points.size());
            mesh_.points.push_back(narrowed(positionOf(at)));
        }
        return index;
    }

    Vec3 onLine(int row, int column, Depth depth) const {
        const Vec3 in = shell_.at(row, column, Depth::Endocardium),
                   out = shell_.at(row, column, Depth::Epicardium);
        return depth == Depth::Epicardium ? out + beyond_ * (out - in) : in - beyond_ * (out - in);
    }

    Vec3 positionOf(Corner at) const {
        if (at.row >= 0)
            return onLine(at.row, at.column, at.depth);
        Vec3 sum;
        for (int column = 0; column < Shell::columns; ++column)
            sum = sum + onLine(0, column, at.depth);
        return (1.0 / Shell::columns) * sum;
    }

    /// Counterclockwise seen from outside; a side of no length, at the apex, leaves a triangle.
    void addQuad(Corner a, Corner b, Corner c, Corner d) {
        const std::array<std::uint32_t, 4> p{point(a), point(b), point(c), point(d)};
        if (p[0] != p[1] && p[1] != p[2])
            mesh_.triangles.push_back({p[0], p[1], p[2]});
        if (p[0] != p[2] && p[2] != p[3] && p[3] != p[0])
            mesh_.triangles.push_back({p[0], p[2], p[3]});
    }

    /// Rows count towards the base, columns counter-clockwise seen from the apex.
    void addCell(int row, int column) {
        constexpr Depth in = Depth::Endocardium, out = Depth::Epicardium;
        const int up = row + 1, next = column + 1;
        addQuad({row, column, out}, {up, column, out}, {up, next, out}, {row, next, out});
        addQuad({row, column, in}, {row, next, in}, {up, next, in}, {up, column, in});
        if (!has(row, column - 1))
            addQuad({row, column, in}, {up, column, in}, {up, column, out}, {row, column, out});
        if (!has(row, next))
            addQuad({row, next, in}, {row, next, out}, {up, next, out}, {up, next, in});
        if (!has(up, column))
            addQuad({up, column, in}, {up, next, in}, {up, next, out}, {up, column, out});
        if (row >= 0 && !has(row - 1, column))
            addQuad({row, column, in}, {row, column, out}, {row, next, out}, {row, next, in});
    }

    const CarriedShell& shell_;
    std::span<const int> segments_;
    int segment_;
    double beyond_;
    std::vector<std::uint32_t> index_; ///< indices of the mesh's points, by place and depth
    TriangleMesh mesh_;
};

} // namespace

TriangleMesh wallMesh(const CarriedShell& shell, std::span<const int> segments, int segment,
                      double beyond) {
    return Builder(shell, segments, segment, beyond).build();
}

} // namespace systole
