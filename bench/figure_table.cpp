#include "bench/figure_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {

void printFigures(const std::string& title, const std::vector<std::string>& columns,
                  const std::vector<FigureRow>& rows, int decimals) {
    std::size_t name = 0, cell = 6;
    for (const FigureRow& row : rows)
        name = std::max(name, row.name.size());
    for (const std::string& column : columns)
        cell = std::max(cell, column.size());
    fmt::print("\n  {}\n  {:<{}}", title, "", name);
    for (const std::string& column : columns)
        fmt::print("  {:>{}}", column, cell);
    fmt::print("\n");
    for (const FigureRow& row : rows) {
        fmt::print("  {:<{}}", row.name, name);
        if (!row.instead.empty())
            fmt::print("  {}", row.instead);
        else
            for (std::size_t i = 0; i < columns.size(); ++i) {
                const double value = i < row.figures.size() ? row.figures[i] : NAN;
                fmt::print("  {:>{}}",
                           std::isnan(value) ? "–" : fmt::format("{:.{}f}", value, decimals), cell);
            }
        fmt::print("\n");
    }
}

} // namespace systole
