// A table as spreadsheets save it: cells by column, whatever separates them.
#pragma once

#include "io/base/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

struct TableRow {
    std::size_t line = 0; ///< number of the line in the file, from 1
    std::vector<std::string> cells;
};

/// A table of text cells. They are separated by commas (.csv) or tabs (.tsv), or if `key` isn't one
/// of the columns then, by the separator that makes it one: comma, semicolon, tab, '|'. Lines end
/// as on any system; a cell may be in double quotes. Blanks around cells and empty rows are
/// dropped.
class CellTable {
public:
    /// Throws FileError naming the line for text that isn't UTF-8, control characters, rows of
    /// another length than the head, and two columns of one name.
    CellTable(const std::string& path, std::string_view key);

    bool has(std::string_view column) const { return indexOf(column) < columns_.size(); }
    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<TableRow>& rows() const { return rows_; }
    const std::string& path() const { return path_; }
    const std::string& head() const { return head_; } ///< the first line
    /// Sentences on text that was read although it is written in another way than expected.
    const std::vector<std::string>& notes() const { return notes_; }
    /// Text of a cell; empty if the column is missing or the cell is "n/a", as in BIDS.
    std::string cell(const TableRow& row, std::string_view column) const;
    /// The text of a cell as a number. A comma is a decimal one, unless it may separate thousands:
    /// semicolons between cells leave no doubt.
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
