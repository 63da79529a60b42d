#include "app/study/cell_table.h"

#include "app/base/json_file.h"
#include "io/base/byte_source.h"
#include "io/base/spelling.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

namespace systole {
namespace {

constexpr std::uint64_t maxBytes = std::uint64_t{64} << 20;
constexpr std::size_t maxRows = 100000, maxColumns = 1000;

struct Separator {
    char character;
    const char* name;
};
constexpr Separator separators[] = {
    {',', "a comma"}, {';', "a semicolon"}, {'\t', "a tab"}, {'|', "'|'"}};

std::string nameOf(char separator) {
    return std::ranges::find(separators, separator, &Separator::character)->name;
}

std::string textOf(const std::string& path) {
    const InputFile file(path);
    if (file.size() > maxBytes)
        throw fileError(path, "is larger than any table of cases (64 MB)");
    std::string text = file.text(0, maxBytes);
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        throw fileError(path, "is UTF-16; a table of cases is UTF-8");
    return plainText(std::move(text));
}

bool isEmpty(const std::string& cell) { return cell.empty(); }

} // namespace

CellTable::CellTable(const std::string& path, std::string_view key)
    : path_(path), separator_(lowerCase(path).ends_with(".tsv") ? '\t' : ',') {
    read(textOf(path), key);
}

std::string CellTable::cell(const TableRow& row, std::string_view column) const {
    const std::size_t at = indexOf(column);
    return at < columns_.size() && row.cells[at] != "n/a" ? row.cells[at] : std::string();
}

std::optional<double> CellTable::number(const std::string& text) const {
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos)
        return parseReal(text);
    const bool maybeThousands =
        separator_ != ';' && text.size() - comma - 1 == 3 && !text.starts_with("0,");
    if (maybeThousands || text.find_first_of(",.", comma + 1) != std::string::npos ||
        text.find('.') != std::string::npos)
        return std::nullopt;
    std::string point = text;
    point[comma] = '.';
    return parseReal(point);
}

FileError CellTable::error(std::size_t line, const std::string& sentence) const {
    return fileError(path_, fmt::format("line {}: {}", line, sentence));
}

std::size_t CellTable::indexOf(std::string_view column) const {
    return static_cast<std::size_t>(std::ranges::find(columns_, column) - columns_.begin());
}

std::vector<std::string> CellTable::cellsOf(std::string_view line, std::size_t number) const {
    const auto isControl = [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    };
    if (std::ranges::any_of(line, isControl))
        throw error(number, "has a control character");
    // A quote is a character in tab-separated files of BIDS, where few are closed.
    const bool mayQuote = separator_ != '\t' || std::ranges::count(line, '"') % 2 == 0;
    std::optional<std::vector<std::string>> cells =
        tableCells(line, separator_, maxColumns, mayQuote);
    if (!cells)
        throw error(number, "a quote isn't closed (a cell can't go over lines)");
    if (cells->size() > maxColumns)
        throw error(number, fmt::format("has more than {} cells", maxColumns));
    for (std::string& cell : *cells)
        std::ranges::replace(cell, '\t', ' ');
    return std::move(*cells);
}

/// True if the head has that column with this separator, which then becomes the table's.
bool CellTable::splitsOff(std::string_view line, char separator, std::string_view key) {
    const char before = std::exchange(separator_, separator);
    const std::vector<std::string> cells = cellsOf(line, 1);
    if (std::ranges::find(cells, key) != cells.end())
        return true;
    separator_ = before;
    return false;
}

void CellTable::chooseSeparator(std::string_view line, std::string_view key) {
    if (splitsOff(line, separator_, key))
        return;
    for (const Separator& other : separators)
        if (splitsOff(line, other.character, key)) {
            notes_.push_back(fmt::format("{}: {} separates its cells{}", path_, other.name,
                                         separator_ == ';' ? ", and a comma decimals" : ""));
            return;
        }
}

void CellTable::read(std::string_view text, std::string_view key) {
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = nextLine(text);
        if (trimmed(line).empty())
            continue;
        if (!isUtf8(std::string(line)))
            throw error(number, "isn't UTF-8; a spreadsheet saves it so as 'CSV UTF-8'");
        if (!columns_.empty()) {
            addRow(number, cellsOf(line, number));
            continue;
        }
        if (number == 1 && line.size() == 5 && lowerCase(line).starts_with("sep=")) {
            separator_ = line.back(); // Excel's word for it
            continue;
        }
        chooseSeparator(line, key);
        head_ = line;
        columns_ = cellsOf(line, number);
        while (columns_.size() > 1 && columns_.back().empty())
            columns_.pop_back();
        for (auto at = columns_.begin(); at != columns_.end(); ++at)
            if (!at->empty() && std::find(columns_.begin(), at, *at) != at)
                throw error(number, fmt::format("the column {} is there twice", inQuotes(*at)));
    }
    if (columns_.empty())
        throw fileError(path_, "is empty; a table of cases begins with the names of columns");
}

void CellTable::addRow(std::size_t number, std::vector<std::string> cells) {
    if (std::ranges::all_of(cells, isEmpty)) // spreadsheets fill up a sheet with such rows
        return;
    if (rows_.size() == maxRows)
        throw fileError(path_, fmt::format("has more than {} rows", maxRows));
    while (cells.size() > columns_.size() && cells.back().empty())
        cells.pop_back();
    if (cells.size() != columns_.size())
        throw error(number,
                    fmt::format("has {} cells, the head of the table {}{}", cells.size(),
                                columns_.size(),
                                cells.size() > columns_.size()
                                    ? fmt::format("; a cell that contains {}, as in 61,5 or a "
                                                  "seed, stands in double quotes",
                                                  nameOf(separator_))
                                    : ""));
    rows_.push_back({number, std::move(cells)});
}

} // namespace systole
