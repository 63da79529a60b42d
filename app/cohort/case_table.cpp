#include "app/cohort/case_quality.h"
#include "app/cohort/cohort_case.h"
#include "app/file_stem.h"
#include "app/json_file.h"
#include "io/byte_source.h"
#include "io/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t mostBytes = std::uintmax_t{64} << 20;
constexpr std::size_t mostRows = 100000, mostColumns = 1000;
constexpr std::array caseColumns{"file",   "id",   "session", "labels",
                                 "frames", "seed", "points",  "group"};
constexpr std::string_view referencePrefix = "reference_";

struct TableRow {
    std::size_t line = 0; ///< from 1
    std::vector<std::string> cells;
};

class CellTable {
public:
    explicit CellTable(const std::string& path) : path_(path) {
        std::error_code failure;
        if (!fs::is_regular_file(path, failure))
            throw fileError(path, "isn't a file that can be read");
        if (fs::file_size(path, failure) > mostBytes)
            throw fileError(path, "is larger than any table of cases (64 MB)");
        const std::string whole = wholeText(path);
        std::string_view text = whole;
        if (text.starts_with("\xef\xbb\xbf")) // as spreadsheets write it
            text.remove_prefix(3);
        if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
            throw fileError(path, "is UTF-16; a table of cases is UTF-8");
        read(text, lowerCase(path).ends_with(".tsv") ? '\t' : ',');
    }

    bool has(std::string_view column) const { return indexOf(column) < columns_.size(); }
    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<TableRow>& rows() const { return rows_; }
    const std::string& path() const { return path_; }
    /// Empty where the column is missing; "n/a", as in BIDS, is empty.
    std::string cell(const TableRow& row, std::string_view column) const {
        const std::size_t at = indexOf(column);
        return at < columns_.size() && row.cells[at] != "n/a" ? row.cells[at] : std::string();
    }
    FileError error(std::size_t line, const std::string& sentence) const {
        return fileError(path_, fmt::format("line {}: {}", line, sentence));
    }

private:
    std::size_t indexOf(std::string_view column) const {
        return static_cast<std::size_t>(std::ranges::find(columns_, column) - columns_.begin());
    }

    std::vector<std::string> cellsOf(std::string_view line, char separator,
                                     std::size_t number) const {
        std::vector<std::string> cells(1);
        bool quoted = false;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char c = line[i];
            if (c == '"' && separator == ',') {
                if (quoted && i + 1 < line.size() && line[i + 1] == '"')
                    cells.back() += line[++i];
                else
                    quoted = !quoted;
            } else if (c == separator && !quoted) {
                if (cells.size() == mostColumns)
                    throw error(number, fmt::format("has more than {} cells", mostColumns));
                cells.emplace_back();
            } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
                throw error(number, "has a control character");
            } else {
                cells.back() += c;
            }
        }
        if (quoted)
            throw error(number, "a quote isn't closed (a cell can't go over lines)");
        for (std::string& cell : cells)
            cell = std::string(trimmed(cell));
        return cells;
    }

    void read(std::string_view text, char separator) {
        for (std::size_t number = 1; !text.empty(); ++number) {
            const std::string_view line = nextLine(text);
            if (trimmed(line).empty())
                continue;
            if (rows_.size() == mostRows)
                throw fileError(path_, fmt::format("has more than {} rows", mostRows));
            if (!isUtf8(std::string(line)))
                throw error(number, "isn't UTF-8");
            std::vector<std::string> cells = cellsOf(line, separator, number);
            if (columns_.empty()) {
                columns_ = std::move(cells);
                continue;
            }
            if (cells.size() != columns_.size())
                throw error(number, fmt::format("has {} cells, the head of the table {}",
                                                cells.size(), columns_.size()));
            rows_.push_back({number, std::move(cells)});
        }
        if (columns_.empty())
            throw fileError(path_, "is empty; a table of cases begins with the names of columns");
    }

    std::string path_;
    std::vector<std::string> columns_;
    std::vector<TableRow> rows_;
};

std::vector<std::pair<std::string, double>> referencesOf(const CellTable& table,
                                                         const TableRow& row) {
    std::vector<std::pair<std::string, double>> references;
    for (const std::string& column : table.columns()) {
        if (!column.starts_with(referencePrefix))
            continue;
        const std::string text = table.cell(row, column);
        if (text.empty())
            continue;
        const auto value = parseReal(text);
        if (!value || !std::isfinite(*value))
            throw table.error(row.line,
                              fmt::format("{} is {}, which is no number", column, inQuotes(text)));
        references.emplace_back(column.substr(referencePrefix.size()), *value);
    }
    return references;
}

bool isCaseColumn(const std::string& column) {
    return std::ranges::find(caseColumns, column) != caseColumns.end();
}

bool isReference(const std::string& column) { return column.starts_with(referencePrefix); }

bool isReferenceOfMeasure(const std::string& column) {
    return isReference(column) &&
           std::ranges::any_of(qualityMeasures(), [&](const QualityMeasure& measure) {
               return column.substr(referencePrefix.size()) == measure.id;
           });
}

/// Otherwise nobody would notice a misspelt column.
void noteColumns(const CellTable& table, bool (*isRead)(const std::string&),
                 std::vector<std::string>& notes) {
    constexpr std::size_t most = 10;
    std::vector<std::string> names;
    std::size_t others = 0;
    for (const std::string& column : table.columns())
        if (!isRead(column)) {
            if (names.size() < most)
                names.push_back(inQuotes(column));
            else
                ++others;
        }
    if (names.empty())
        return;
    const bool one = names.size() + others == 1;
    notes.push_back(fmt::format("{}: unknown {} {}{} {} ignored", table.path(),
                                one ? "column" : "columns", fmt::join(names, ", "),
                                others > 0 ? fmt::format(" and {} more", others) : "",
                                one ? "is" : "are"));
}

} // namespace

CohortCases casesOfTable(const std::string& path) {
    const CellTable table(path);
    if (!table.has("file"))
        throw fileError(path, "has no column 'file'; a table of cases names the image of a case "
                              "there, between commas (.csv) or tabs (.tsv), and may have id, "
                              "session, labels, frames, seed, points, "
                              "group and reference_MEASURE");
    const fs::path folder = fs::absolute(path).parent_path();
    const auto whole = [&](const std::string& file) {
        return file.empty() ? file : (folder / file).lexically_normal().string();
    };
    CohortCases found;
    noteColumns(
        table,
        [](const std::string& column) {
            return isCaseColumn(column) || isReferenceOfMeasure(column);
        },
        found.notes);
    for (const TableRow& row : table.rows()) {
        CohortCase made;
        const std::string file = table.cell(row, "file"), id = table.cell(row, "id");
        if (file.empty())
            throw table.error(row.line, "names no file");
        made.image = whole(file);
        made.labels = whole(table.cell(row, "labels"));
        made.frames = table.cell(row, "frames");
        made.seed = table.cell(row, "seed");
        made.points = table.cell(row, "points");
        made.group = table.cell(row, "group");
        made.session = bidsLabel(table.cell(row, "session"));
        const std::string name = fs::path(file).filename().string();
        made.subject = bidsLabel(id.empty()               ? fileStem(name)
                                 : id.starts_with("sub-") ? id.substr(4)
                                                          : id);
        made.id = "sub-" + made.subject + (made.session.empty() ? "" : "_ses-" + made.session);
        made.references = referencesOf(table, row);
        found.cases.push_back(std::move(made));
    }
    return found;
}

void addParticipants(const std::string& path, CohortCases& found) {
    const CellTable table(path);
    noteColumns(
        table,
        [](const std::string& column) {
            return !isReference(column) || isReferenceOfMeasure(column);
        },
        found.notes);
    std::map<std::string, const TableRow*> rows;
    for (const TableRow& row : table.rows())
        if (const std::string id = table.cell(row, "participant_id"); id.starts_with("sub-"))
            rows[bidsLabel(id.substr(4))] = &row;
    for (CohortCase& each : found.cases)
        if (const auto row = rows.find(each.subject); row != rows.end()) {
            each.group = table.cell(*row->second, "group");
            each.references = referencesOf(table, *row->second);
        }
}

} // namespace systole
