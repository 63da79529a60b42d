#include "compute/methods/ffd/vector_products.h"

#include <array>

namespace systole::strands {
namespace {

/// The sum of the strands of a block.
double sumOfBlock(std::size_t block, std::size_t blocks, const FieldView<const float>& a,
                  const FieldView<const float>& b, Vec3 weights) {
    const std::size_t points = a.size.voxels(), stride = blocks * perBlock;
    std::array<double, perBlock> sums{};
    for (int axis = 0; axis < 3; ++axis) {
        const float *const from = a.component(axis), *const with = b.component(axis);
        std::array<double, perBlock> parts{};
        for (std::size_t first = block * perBlock; first < points; first += stride) {
            const std::size_t count = std::min<std::size_t>(perBlock, points - first);
            for (std::size_t i = 0; i < count; ++i) // products of floats are exact
                parts[i] +=
                    static_cast<double>(from[first + i]) * static_cast<double>(with[first + i]);
        }
        for (std::size_t i = 0; i < perBlock; ++i)
            sums[i] += weights[axis] * parts[i];
    }
    double sum = 0;
    for (std::size_t group = 0; group < perBlock; group += perGroup)
        sum += byHalves(std::span(sums).subspan(group, perGroup));
    return sum;
}

} // namespace

double product(const FieldView<const float>& a, const FieldView<const float>& b, Vec3 weights) {
    std::array<double, maxBlocks> sums{};
    const auto blocks = static_cast<std::size_t>(blocksFor(a.size.voxels()));
    for (std::size_t block = 0; block < blocks; ++block)
        sums[block] = sumOfBlock(block, blocks, a, b, weights);
    return byHalves(sums);
}

} // namespace systole::strands
