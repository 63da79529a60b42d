// A table as spreadsheets save it: cells by column, whatever separates them.
#pragma once

#include "io/base/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

struct TableRow {
    std::size_t line = 0; ///< from 1
    std::vector<std::string> cells;
};

/// Cells are separated by commas (.csv) or tabs (.tsv), or by what makes `key` one of the columns
/// if those don't: commas, semicolons, tabs, '|'. Lines end as on any system; a cell may stand in
/// double quotes. Without blanks around cells and without empty rows.
class CellTable {
public:
    /// Throws FileError naming the line: for what isn't UTF-8, for control characters, rows of
    /// another length than the head, and a column that is there twice.
    CellTable(const std::string& path, std::string_view key);

    bool has(std::string_view column) const { return indexOf(column) < columns_.size(); }
    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<TableRow>& rows() const { return rows_; }
    const std::string& path() const { return path_; }
    const std::string& head() const { return head_; } ///< the first line
    /// What was read although it is written in another way than expected, a sentence each.
    const std::vector<std::string>& notes() const { return notes_; }
    /// Empty where the column is missing; "n/a", as in BIDS, is empty.
    std::string cell(const TableRow& row, std::string_view column) const;
    /// Of a cell. A comma is a decimal one, unless it may separate thousands: semicolons between
    /// cells leave no doubt.
    std::optional<double> number(const std::string& text) const;
    FileError error(std::size_t line, const std::string& sentence) const;

private:
    std::size_t indexOf(std::string_view column) const;
    std::vector<std::string> cellsOf(std::string_view line, std::size_t number) const;
    bool splitsOff(std::string_view line, char separator, std::string_view key);
    void chooseSeparator(std::string_view line, std::string_view key);
    void read(std::string_view text, std::string_view key);
    void addRow(std::size_t number, std::vector<std::string> cells);

    std::string path_, head_;
    char separator_;
    std::vector<std::string> columns_, notes_;
    std::vector<TableRow> rows_;
};

} // namespace systole
