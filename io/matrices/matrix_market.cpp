#include "io/matrices/matrix_market.h"

#include "io/base/inflate.h"
#include "io/base/messages.h"
#include "io/base/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace systole {
namespace {

constexpr std::int64_t maxRows = std::int64_t{1} << 28;
/// A matrix with more rows or columns has an entry for every so many of them: a few bytes can't
/// make us take gigabytes for rows that are all empty.
constexpr std::int64_t rowsWithoutEntries = std::int64_t{1} << 23, rowsPerEntry = 16;
constexpr std::size_t longestLine = std::size_t{1} << 16;

/// The lines of a file, plain or gzip, one after another.
class Lines {
public:
    explicit Lines(const std::string& path) : path_(path), file_(path) {
        if (file_.isGzip())
            inflater_.emplace(path, 0);
    }

    /// False at the end of the file. The line is valid until the next call.
    bool next(std::string_view& line) {
        for (;;) {
            const std::string_view rest(text_.data() + at_, text_.size() - at_);
            const std::size_t end = rest.find('\n');
            if (end != std::string_view::npos || (ended_ && !rest.empty())) {
                line = rest.substr(0, end);
                at_ += end == std::string_view::npos ? rest.size() : end + 1;
                ++number_;
                return true;
            }
            if (ended_)
                return false;
            if (rest.size() > longestLine)
                throw fileError(path_, "line {} is longer than {} characters", number_ + 1,
                                longestLine);
            refill();
        }
    }
    std::int64_t number() const { return number_; } ///< how many lines were given

    /// An error that names the last line.
    template <typename... Values>
    FileError error(fmt::format_string<const Values&...> sentence, const Values&... values) const {
        return fileError(path_, "line {}: {}", number_, fmt::format(sentence, values...));
    }
    const std::string& path() const { return path_; }

private:
    void refill() {
        constexpr std::size_t block = std::size_t{1} << 18;
        text_.erase(0, at_);
        at_ = 0;
        const std::size_t before = text_.size();
        text_.resize(before + block);
        const std::span<std::byte> room =
            std::as_writable_bytes(std::span(text_.data() + before, block));
        const std::size_t got = inflater_ ? inflater_->next(room) : file_.readSome(position_, room);
        position_ += got;
        text_.resize(before + got);
        ended_ = got < block;
    }

    std::string path_;
    InputFile file_;
    std::optional<Inflater> inflater_;
    std::string text_;
    std::size_t at_ = 0;
    std::uint64_t position_ = 0;
    std::int64_t number_ = 0;
    bool ended_ = false;
};

void readHeader(Lines& lines, StoredMatrix& stored) {
    std::string_view line;
    if (!lines.next(line))
        throw fileError(lines.path(), "is empty, where a Matrix Market matrix was expected");
    std::vector<std::string> parts = words(lowerCase(trimmed(line)));
    if (parts.size() != 5 || parts[0] != "%%matrixmarket" || parts[1] != "matrix")
        throw lines.error(
            "begins with {}, where '%%MatrixMarket matrix coordinate FIELD SYMMETRY' was expected",
            inQuotes(line));
    if (parts[2] != "coordinate")
        throw lines.error(
            "a matrix in the format {} can't be read; only sparse ones ('coordinate') can",
            inQuotes(parts[2]));
    stored.field = parts[3] == "double" ? "real" : parts[3];
    if (stored.field != "real" && stored.field != "integer" && stored.field != "pattern")
        throw lines.error("values of the kind {} can't be read; real, integer and pattern can",
                          inQuotes(parts[3]));
    stored.symmetry = parts[4];
    if (stored.symmetry != "general" && stored.symmetry != "symmetric" &&
        stored.symmetry != "skew-symmetric")
        throw lines.error(
            "the symmetry {} can't be read; general, symmetric and skew-symmetric can",
            inQuotes(parts[4]));
    if (stored.field == "pattern" && stored.symmetry == "skew-symmetric")
        throw lines.error("a pattern can't be skew-symmetric: it has no signs");
}

/// The next line that is neither a comment nor empty.
bool nextContent(Lines& lines, std::string_view& line) {
    while (lines.next(line)) {
        line = trimmed(line);
        if (!line.empty() && line.front() != '%')
            return true;
    }
    return false;
}

/// The next word of a line as a number; false where there is none.
bool take(std::string_view& line, std::int64_t& value) {
    const auto number = parseInteger(nextWord(line));
    value = number.value_or(0);
    return number.has_value();
}
bool take(std::string_view& line, double& value) {
    const auto number = parseReal(nextWord(line));
    value = number.value_or(0);
    return number.has_value();
}

bool isBlank(std::string_view rest) { return trimmed(rest).empty(); }

struct Triplet {
    std::int32_t row, column;
    double value;
};

Triplet readEntry(const Lines& lines, std::string_view line, const StoredMatrix& stored) {
    const sparse::CsrMatrix<double>& matrix = stored.matrix;
    std::string_view rest = line;
    std::int64_t row = 0, column = 0;
    double value = 1;
    const bool isPattern = stored.field == "pattern";
    if (!take(rest, row) || !take(rest, column) || (!isPattern && !take(rest, value)) ||
        !isBlank(rest))
        throw lines.error("{} isn't an entry: {} was expected", inQuotes(line),
                          isPattern ? "row and column" : "row, column and value");
    if (row < 1 || row > matrix.rows || column < 1 || column > matrix.columns)
        throw lines.error("row {}, column {} lies outside the matrix of {} rows and {} columns",
                          row, column, matrix.rows, matrix.columns);
    if (!std::isfinite(value))
        throw lines.error("{} isn't a finite value", inQuotes(line));
    if (stored.symmetry == "symmetric" && column > row)
        throw lines.error(
            "an entry above the diagonal, where a symmetric matrix has only its lower half");
    if (stored.symmetry == "skew-symmetric" && column >= row)
        throw lines.error("an entry on or above the diagonal, where a skew-symmetric matrix has "
                          "only what lies below it");
    return {static_cast<std::int32_t>(row - 1), static_cast<std::int32_t>(column - 1), value};
}

std::vector<Triplet> readEntries(Lines& lines, StoredMatrix& stored) {
    std::string_view line;
    std::int64_t rows = 0, columns = 0, entries = 0;
    if (!nextContent(lines, line))
        throw fileError(lines.path(), "ends before the line with the matrix's size");
    std::string_view rest = line;
    if (!take(rest, rows) || !take(rest, columns) || !take(rest, entries) || !isBlank(rest) ||
        rows < 0 || columns < 0 || entries < 0)
        throw lines.error("{} isn't a size: rows, columns and entries were expected",
                          inQuotes(line));
    if (rows > maxRows || columns > maxRows)
        throw lines.error("{} rows and {} columns are too many; at most {} can be read", rows,
                          columns, maxRows);
    if (const std::int64_t held = std::max(rowsWithoutEntries / rowsPerEntry, entries);
        std::max(rows, columns) / rowsPerEntry > held)
        throw lines.error("{} rows and {} columns are too many for {} entries", rows, columns,
                          entries);
    if (stored.symmetry != "general" && rows != columns)
        throw lines.error("a {} matrix can't have {} rows and {} columns", stored.symmetry, rows,
                          columns);
    stored.matrix.rows = rows;
    stored.matrix.columns = columns;
    stored.storedEntries = entries;
    // The announced number isn't trusted with memory.
    std::vector<Triplet> triplets;
    triplets.reserve(static_cast<std::size_t>(std::min<std::int64_t>(entries, 1 << 20)));
    for (std::int64_t n = 0; n < entries; ++n) {
        if (!nextContent(lines, line))
            throw fileError(lines.path(), "ends after {} of {} entries", n, entries);
        const Triplet entry = readEntry(lines, line, stored);
        triplets.push_back(entry);
        if (stored.symmetry != "general" && entry.row != entry.column)
            triplets.push_back({entry.column, entry.row,
                                stored.symmetry == "symmetric" ? entry.value : -entry.value});
    }
    if (nextContent(lines, line))
        throw lines.error("{} follows the {} announced entries", inQuotes(line), entries);
    return triplets;
}

/// Sorts by row and column; entries of one place are added in their order.
void assemble(const std::vector<Triplet>& triplets, StoredMatrix& stored) {
    sparse::CsrMatrix<double>& matrix = stored.matrix;
    std::vector<std::int64_t> start(static_cast<std::size_t>(matrix.rows) + 1, 0);
    for (const Triplet& entry : triplets)
        ++start[static_cast<std::size_t>(entry.row) + 1];
    for (std::size_t row = 1; row < start.size(); ++row)
        start[row] += start[row - 1];
    std::vector<Triplet> byRow(triplets.size());
    for (const Triplet& entry : triplets) // start becomes the end of each row
        byRow[static_cast<std::size_t>(start[static_cast<std::size_t>(entry.row)]++)] = entry;
    matrix.rowStart.assign(1, 0);
    matrix.rowStart.reserve(start.size());
    for (std::size_t row = 0; row + 1 < start.size(); ++row) {
        const auto begin = byRow.begin() + (row > 0 ? start[row - 1] : 0);
        const auto end = byRow.begin() + start[row];
        std::stable_sort(begin, end,
                         [](const Triplet& a, const Triplet& b) { return a.column < b.column; });
        for (auto entry = begin; entry != end; ++entry) {
            if (entry != begin && entry->column == (entry - 1)->column) {
                matrix.values.back() += entry->value;
                ++stored.duplicates;
                continue;
            }
            matrix.columnOf.push_back(entry->column);
            matrix.values.push_back(entry->value);
        }
        matrix.rowStart.push_back(static_cast<std::int64_t>(matrix.values.size()));
    }
}

} // namespace

StoredMatrix readMatrixMarket(const std::string& path) {
    Lines lines(path);
    StoredMatrix stored;
    readHeader(lines, stored);
    assemble(readEntries(lines, stored), stored);
    if (!std::all_of(stored.matrix.values.begin(), stored.matrix.values.end(),
                     [](double value) { return std::isfinite(value); }))
        throw fileError(path, "the sum of entries that occur more than once isn't finite");
    return stored;
}

template <typename Value>
void writeMatrixMarket(const std::string& path, const sparse::CsrMatrix<Value>& matrix) {
    writeFileAtomically(path, [&](OutputFile& file) {
        file.write(fmt::format(
            "%%MatrixMarket matrix coordinate real general\n% Written by Systole\n{} {} {}\n",
            matrix.rows, matrix.columns, matrix.entries()));
        std::string text;
        for (std::int64_t row = 0; row < matrix.rows; ++row) {
            text.clear();
            for (std::int64_t i = matrix.rowStart[static_cast<std::size_t>(row)];
                 i < matrix.rowStart[static_cast<std::size_t>(row) + 1]; ++i) {
                const auto at = static_cast<std::size_t>(i);
                fmt::format_to(std::back_inserter(text), "{} {} {}\n", row + 1,
                               std::int64_t{matrix.columnOf[at]} + 1, matrix.values[at]);
            }
            file.write(text);
        }
    });
}

template void writeMatrixMarket(const std::string&, const sparse::CsrMatrix<float>&);
template void writeMatrixMarket(const std::string&, const sparse::CsrMatrix<double>&);

} // namespace systole
