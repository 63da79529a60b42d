#include "app/features/cardiac/strain_curves.h"

#include "io/base/byte_source.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t maxBytes = std::uintmax_t{64} << 20;
constexpr std::size_t maxSegments = 18;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string wholeFile(const std::string& path) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(path, failure);
    if (failure || bytes > maxBytes)
        throw fileError(path, "isn't a table of strain that can be read");
    return wholeText(path);
}

class Reader {
public:
    explicit Reader(const std::string& path) : path_(path), whole_(wholeFile(path)) {}

    StrainCurves read() {
        made_.name = fs::path(path_).filename().string();
        std::string_view text = whole_;
        while (!text.empty()) {
            ++line_;
            const std::string_view line = nextLine(text);
            if (line.empty() || line.starts_with('#'))
                continue;
            if (columns_.empty())
                begin(cellsOf(line));
            else
                add(cellsOf(line));
        }
        if (made_.frame.empty() || (made_.ofSegments && segment_ != segments_))
            fail("the table ends before its last frame does");
        return std::move(made_);
    }

private:
    [[noreturn]] void fail(const std::string& sentence) const {
        throw fileError(path_, fmt::format("line {}: {}", line_, sentence));
    }

    std::vector<std::string> cellsOf(std::string_view line) const {
        std::optional<std::vector<std::string>> cells = tableCells(line, ',');
        if (!cells)
            fail("a quote isn't closed");
        return std::move(*cells);
    }

    void begin(std::vector<std::string> columns) {
        columns_ = std::move(columns);
        const auto has = [&](const char* name) {
            return std::ranges::find(columns_, name) != columns_.end();
        };
        if (!has("frame") || !has("time_ms"))
            fail("expected the columns frame and time_ms of a table of strain");
        made_.ofSegments = has("segment");
    }

    double number(const std::string& cell, const std::string& column) const {
        if (cell.empty())
            return unknown;
        const std::optional<double> value = parseReal(cell);
        if (!value)
            fail(fmt::format("{} is no number in the column {}", inQuotes(cell), column));
        return *value;
    }

    void add(const std::vector<std::string>& cells) {
        if (cells.size() != columns_.size())
            fail(fmt::format("expected {} cells, found {}", columns_.size(), cells.size()));
        std::map<std::string, double> row;
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (columns_[i] != "name")
                row[columns_[i]] = number(cells[i], columns_[i]);
        place(row);
        for (const auto& [column, value] : row) {
            auto& curves = made_.of[column];
            curves.resize(std::max(curves.size(), segment_));
            curves[segment_ - 1].push_back(value);
        }
    }

    /// Finds the frame and the segment of a row: it begins another frame, or has the next segment
    /// of the last one.
    void place(const std::map<std::string, double>& row) {
        const double frame = row.at("frame");
        const bool next = made_.frame.empty() || !made_.ofSegments || frame != made_.frame.back();
        if (next) {
            if (segment_ != segments_)
                fail(fmt::format("the frame before has {} segments, the first one {}", segment_,
                                 segments_));
            made_.frame.push_back(frame);
            made_.milliseconds.push_back(row.at("time_ms"));
            segment_ = 0;
        }
        ++segment_;
        if (segment_ > maxSegments ||
            (made_.ofSegments && row.at("segment") != static_cast<double>(segment_)))
            fail(fmt::format("expected segment {}", segment_));
        if (made_.frame.size() == 1)
            segments_ = segment_;
    }

    std::string path_, whole_;
    std::size_t line_ = 0, segment_ = 0, segments_ = 0;
    std::vector<std::string> columns_;
    StrainCurves made_;
};

} // namespace

StrainCurves readStrainCurves(const std::string& path) { return Reader(path).read(); }

} // namespace systole
