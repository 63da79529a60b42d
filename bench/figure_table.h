// A table of a benchmark's figures: one row per program, one column per case.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct FigureRow {
    std::string name;
    std::vector<double> figures; ///< in the columns' order; NaN, or beyond the end: none
    std::string instead{};       ///< not empty: printed in place of the figures
};

/// Prints to standard output, with so many decimals; a missing figure is a dash.
void printFigures(const std::string& title, const std::vector<std::string>& columns,
                  const std::vector<FigureRow>& rows, int decimals);

} // namespace systole
