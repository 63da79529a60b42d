#include "compute/core/field_convention.h"
#include "io/bounds.h"
#include "io/byte_source.h"
#include "io/messages.h"
#include "io/output_file.h"
#include "io/transforms/affine_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// Sixteen numbers of twenty-some characters, and some comments.
constexpr std::size_t mostBytes = 16384;

/// The numbers of a text without its comments; nothing if a word is no number.
std::optional<std::vector<double>> numbersIn(const std::string& path) {
    const std::string text = readBeginning(path, mostBytes);
    std::vector<double> numbers;
    for (const std::string& line : words(text, "\n"))
        for (const std::string& word : words(line.substr(0, line.find('#')), " \t\r,")) {
            const std::optional<double> number = parseReal(word);
            if (!number)
                return std::nullopt;
            numbers.push_back(*number);
        }
    return numbers;
}

AffineMap mapOf(const std::array<double, 16>& m) {
    AffineMap map;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            map.matrix[row][column] = m[4 * row + column];
        map.offset[static_cast<int>(row)] = m[4 * row + 3];
    }
    return map;
}

/// RAS to LPS and back.
const AffineMap mirror = coordinatesIn(VectorFrame::Ras, {});

AffineMap inverseOf(const AffineMap& map) {
    const std::optional<AffineMap> inverse = map.inverse();
    if (!inverse)
        throw FileError("an affine map that squeezes space flat has no inverse");
    return *inverse;
}

} // namespace

AffineMap checkedMap(const std::string& path, const AffineMap& map) {
    constexpr double smallestDeterminant = 1e-9;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            requireWithin(coordinateBounds, path, map.matrix[row][column],
                          "a number of its matrix");
        requireWithin(coordinateBounds, path, map.offset[static_cast<int>(row)],
                      "an offset of its map");
    }
    if (std::abs(determinant(map.matrix)) < smallestDeterminant)
        throw fileError(path, "holds a map that can't be inverted");
    return map;
}

bool isMatrixText(const std::string& path) {
    const auto numbers = numbersIn(path);
    return numbers && numbers->size() == 16;
}

AffineMap readMatrix(const std::string& path, MatrixFormat format, const FrameGrids& grids) {
    const auto numbers = numbersIn(path);
    if (!numbers || numbers->size() != 16)
        throw fileError(
            path, numbers ? fmt::format("is no 4 × 4 matrix: it holds {} numbers", numbers->size())
                          : "is no 4 × 4 matrix: it holds more than numbers");
    std::array<double, 16> m{};
    std::copy(numbers->begin(), numbers->end(), m.begin());
    constexpr double rounding = 1e-6;
    for (std::size_t column = 0; column < 4; ++column)
        if (std::abs(m[12 + column] - (column == 3 ? 1 : 0)) > rounding)
            throw fileError(path, "the last row of the matrix must be 0 0 0 1");
    const AffineMap stored = checkedMap(path, mapOf(m));
    if (format == MatrixFormat::NiftyReg)
        return compose(mirror, compose(stored, mirror));
    if (format == MatrixFormat::Fsl)
        return compose(inverseOf(coordinatesIn(VectorFrame::Fsl, grids.moving)),
                       compose(inverseOf(stored), coordinatesIn(VectorFrame::Fsl, grids.fixed)));
    return stored;
}

void writeMatrix(const std::string& path, const AffineMap& map, MatrixFormat format,
                 const FrameGrids& grids) {
    AffineMap stored = map;
    if (format == MatrixFormat::NiftyReg)
        stored = compose(mirror, compose(map, mirror));
    if (format == MatrixFormat::Fsl)
        stored = compose(
            coordinatesIn(VectorFrame::Fsl, grids.fixed),
            compose(inverseOf(map), inverseOf(coordinatesIn(VectorFrame::Fsl, grids.moving))));
    std::string text;
    for (std::size_t row = 0; row < 3; ++row)
        text += fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}\n", stored.matrix[row][0],
                            stored.matrix[row][1], stored.matrix[row][2],
                            stored.offset[static_cast<int>(row)]);
    writeTextAtomically(path, text + "0 0 0 1\n");
}

} // namespace systole
