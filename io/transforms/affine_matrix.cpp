#include "compute/core/field_convention.h"
#include "io/base/bounds.h"
#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/base/output_file.h"
#include "io/base/spelling.h"
#include "io/transforms/affine_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// Sixteen numbers of twenty-some characters, and some comments.
constexpr std::size_t maxBytes = 16384;

using Rows = std::vector<std::vector<double>>;

/// The numbers of each line, without comments and empty lines; nothing if a word is no number.
std::optional<Rows> rowsIn(const std::string& text, bool decimalCommas) {
    Rows rows;
    for (const std::string& line : words(text, "\n")) {
        std::vector<double> row;
        for (std::string word :
             words(line.substr(0, line.find('#')), decimalCommas ? " \t\r;" : " \t\r;,")) {
            if (const std::size_t comma = word.find(','); comma != word.npos)
                word[comma] = '.';
            const std::optional<double> number = parseReal(word);
            if (!number)
                return std::nullopt;
            row.push_back(*number);
        }
        if (!row.empty())
            rows.push_back(std::move(row));
    }
    return rows;
}

std::size_t countOf(const Rows& rows) {
    std::size_t count = 0;
    for (const std::vector<double>& row : rows)
        count += row.size();
    return count;
}

/// Twelve numbers in other lines may be a matrix and an offset behind it, as ITK has them.
bool isMatrix(const std::optional<Rows>& rows) {
    return rows && (countOf(*rows) == 16 ||
                    (rows->size() == 3 &&
                     std::ranges::all_of(*rows, [](const auto& row) { return row.size() == 4; })));
}

/// The 16 numbers of a matrix; nothing if the file holds more than numbers.
std::optional<std::array<double, 16>> numbersIn(const std::string& path) {
    const std::string text = plainText(readBeginning(path, maxBytes));
    const std::optional<Rows> separated = rowsIn(text, false), decimal = rowsIn(text, true);
    if (text.size() >= maxBytes || !separated || separated->empty())
        return std::nullopt;
    const bool apart = isMatrix(separated), asDecimals = isMatrix(decimal);
    if (apart && asDecimals && text.find(',') != std::string::npos && *separated != *decimal)
        throw fileError(path, "may hold a matrix whose numbers have decimal commas, or one whose "
                              "numbers are separated by commas; points and blanks tell them apart");
    if (!apart && !asDecimals)
        throw fileError(path,
                        "holds {} numbers in {} line{}; the 16 of a 4 × 4 matrix are expected, or "
                        "the three lines of four without its last, 0 0 0 1",
                        countOf(*separated), separated->size(), separated->size() == 1 ? "" : "s");
    std::array<double, 16> numbers{};
    numbers.back() = 1;
    auto next = numbers.begin();
    for (const std::vector<double>& row : apart ? *separated : *decimal)
        next = std::ranges::copy(row, next).out;
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

std::optional<AffineMap> readMatrix(const std::string& path, MatrixFormat format,
                                    const FrameGrids& grids) {
    const std::optional<std::array<double, 16>> numbers = numbersIn(path);
    if (!numbers)
        return std::nullopt;
    const std::array<double, 16>& m = *numbers;
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
