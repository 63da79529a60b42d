#include "compute/ops/exponential.h"
#include "compute/ops/fold_math.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"

#include <algorithm>
#include <vector>

namespace systole {
namespace {

using RowPointers = const float* [3];

/// The steepest edge that starts in the row (y, z).
float steepestOfRow(const FieldView<const float>& field, int y, int z) {
    const Size3 size = field.size;
    const auto rowAt = [&](int j, int k, std::size_t first, RowPointers& row) {
        for (int c = 0; c < 3; ++c)
            row[c] = field.componentView(c).row(j, k) + first;
    };
    RowPointers here, next;
    rowAt(y, z, 0, here);
    rowAt(y, z, 1, next);
    float steepest = rows::largestDistance(here, next, size.x - 1);
    if (y + 1 < size.y) {
        rowAt(y + 1, z, 0, next);
        steepest = std::max(steepest, rows::largestDistance(here, next, size.x));
    }
    if (z + 1 < size.z) {
        rowAt(y, z + 1, 0, next);
        steepest = std::max(steepest, rows::largestDistance(here, next, size.x));
    }
    return steepest;
}

/// Which cells of the row that begins at (y, z) fold; empty: none. `steepest` is that of each row
/// of voxels, y fastest.
std::vector<char> foldedCells(const FieldView<const float>& field,
                              const std::vector<float>& steepest, int y, int z) {
    const Size3 size = field.size;
    std::vector<char> folded;
    if (y >= folds::cellsAlong(size.y) || z >= folds::cellsAlong(size.z))
        return folded;
    const int below = std::min(y + 1, size.y - 1), behind = std::min(z + 1, size.z - 1);
    const auto gentle = [&](int j, int k) {
        return !(steepest[rowIndex(size, j, k)] > folds::gentleEdge);
    };
    if (gentle(y, z) && gentle(below, z) && gentle(y, behind) && gentle(below, behind))
        return folded;
    const int count = folds::cellsAlong(size.x);
    for (int x = 0; x < count; ++x)
        if (!folds::Cell(field, x, y, z).isAbove(folds::minDeterminant)) {
            folded.resize(static_cast<std::size_t>(count));
            folded[static_cast<std::size_t>(x)] = 1;
        }
    return folded;
}

/// One flag per row of a volume, so that averaging visits only the surroundings of folds.
struct RowFlags {
    RowFlags(Size3 extent, bool set)
        : size(extent), of(rowIndex(extent, 0, extent.z), set ? 1 : 0) {}

    char& at(int y, int z) { return of[rowIndex(size, y, z)]; }
    bool any() const { return std::find(of.begin(), of.end(), 1) != of.end(); }
    /// Also set in the eight rows around a set one.
    RowFlags widened() const {
        RowFlags wide(size, false);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                if (of[rowIndex(size, y, z)] != 0)
                    for (int k = std::max(z - 1, 0); k <= z + 1 && k < size.z; ++k)
                        for (int j = std::max(y - 1, 0); j <= y + 1 && j < size.y; ++j)
                            wide.at(j, k) = 1;
        return wide;
    }
    template <typename Body>
    void overSet(const ExecContext& ctx, const Body& body) const {
        overRows(size, 1, ctx, [&](int y, int z) {
            if (of[rowIndex(size, y, z)] != 0)
                body(y, z);
        });
    }

    Size3 size;
    std::vector<char> of;
};

/// One entry for each row, y fastest.
std::vector<float> steepestOfRows(const FieldView<const float>& field, const ExecContext& ctx) {
    std::vector<float> rows(rowIndex(field.size, 0, field.size.z));
    overRows(field.size, 1, ctx,
             [&](int y, int z) { rows[rowIndex(field.size, y, z)] = steepestOfRow(field, y, z); });
    return rows;
}

} // namespace

float steepness(FieldView<const float> field, const ExecContext& ctx) {
    const std::vector<float> rows = steepestOfRows(field, ctx);
    return *std::max_element(rows.begin(), rows.end());
}

bool hasFolds(FieldView<const float> field, const ExecContext& ctx) {
    const Size3 size = field.size;
    const std::vector<float> rows = steepestOfRows(field, ctx);
    return parallelMax(ctx, size.z, 1, [&](int begin, int end) {
               for (int z = begin; z < end; ++z)
                   for (int y = 0; y < size.y; ++y)
                       if (!foldedCells(field, rows, y, z).empty())
                           return 1.0;
               return 0.0;
           }) > 0;
}

void exponentiate(FieldView<float> step, FieldView<float> spare, const ExecContext& ctx) {
    const folds::Scaling scaling = folds::scalingOf(steepness(step, ctx));
    if (scaling.squarings == 0)
        return;
    scaleField(step, {scaling.factor, scaling.factor, scaling.factor}, ctx);
    FieldView<float> from = step, to = spare;
    for (int n = 0; n < scaling.squarings; ++n) {
        composeFields(from, from, to, ctx);
        std::swap(from, to);
    }
    if (from.u != step.u)
        copy(from, step);
}

bool mendFolds(FieldView<float> field, FieldView<float> spare, VolumeView<float> marks,
               const ExecContext& ctx) {
    const Size3 size = field.size;
    const auto count = static_cast<std::size_t>(size.x);
    RowFlags changed(size, true), folded(size, false), marked(size, false);
    std::vector<float> steepest(changed.of.size());
    std::vector<std::vector<char>> cells(steepest.size());
    const auto foldedCell = [&](int x, int y, int z) {
        const std::vector<char>& row = cells[rowIndex(size, y, z)];
        return !row.empty() && row[static_cast<std::size_t>(x)] != 0;
    };
    for (int round = 0;; ++round) {
        ctx.throwIfCancelled();
        const RowFlags affected = changed.widened();
        affected.overSet(ctx, [&](int y, int z) {
            steepest[rowIndex(size, y, z)] = steepestOfRow(field, y, z);
        });
        affected.overSet(ctx, [&](int y, int z) {
            cells[rowIndex(size, y, z)] = foldedCells(field, steepest, y, z);
        });
        affected.overSet(ctx, [&](int y, int z) {
            float* const row = marks.row(y, z);
            bool anyFold = false, anyMark = false;
            for (int x = 0; x < size.x; ++x) {
                const bool fold = folds::atFoldedCell(size, x, y, z, foldedCell);
                const bool mark = fold || (round >= firstGrowingRound && row[x] != 0);
                row[x] = mark ? 1.0f : 0.0f;
                anyFold = anyFold || fold;
                anyMark = anyMark || mark;
            }
            folded.at(y, z) = anyFold ? 1 : 0;
            marked.at(y, z) = anyMark ? 1 : 0;
        });
        if (!folded.any())
            return true;
        if (round == folds::maxRounds)
            return false;
        changed = marked.widened();
        changed.widened().overSet(ctx, [&](int y, int z) {
            for (int k = 0; k < 3; ++k)
                std::copy_n(field.componentView(k).row(y, z), count,
                            spare.componentView(k).row(y, z));
        });
        changed.overSet(ctx, [&](int y, int z) {
            for (int x = 0; x < size.x; ++x)
                if (folds::nearMark(marks, x, y, z))
                    for (int k = 0; k < 3; ++k)
                        field.componentView(k)(x, y, z) =
                            folds::meanOfNeighbors(spare.componentView(k), x, y, z);
        });
    }
}

void removeFolds(FieldView<float> field, FieldView<float> spare, VolumeView<float> marks,
                 const ExecContext& ctx) {
    if (mendFolds(field, spare, marks, ctx))
        return;
    const float factor = folds::gentleFactor(steepness(field, ctx));
    scaleField(field, {factor, factor, factor}, ctx);
}

void removeFolds(FieldView<float> field, const ExecContext& ctx) {
    if (!hasFolds(field, ctx))
        return;
    const std::size_t voxels = field.size.voxels();
    Buffer<float> scratch = ctx.pool->acquire<float>(4 * voxels, "removing folds");
    removeFolds(field, {scratch.data(), field.size}, {scratch.data() + 3 * voxels, field.size},
                ctx);
}

void composeWithoutFolds(FieldView<const float> w, FieldView<float> step, FieldView<float> out,
                         FieldView<float> spare, VolumeView<float> marks, const ExecContext& ctx) {
    if (!hasFolds(out, ctx))
        return;
    exponentiate(step, spare, ctx);
    composeFields(w, step, out, ctx);
    if (!mendFolds(out, spare, marks, ctx))
        copy(w, out);
}

} // namespace systole
