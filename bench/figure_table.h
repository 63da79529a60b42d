// A table of a benchmark's figures: one row per program, one column per case.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct FigureRow {
    std::string name;
    std::vector<double>
        figures;           ///< figures in the order of the columns; NaN or beyond the end: none
    std::string instead{}; ///< text printed in place of the figures; empty: none
};

/// Prints to standard output, with so many decimals; a missing figure is a dash.
void printFigures(const std::string& title, const std::vector<std::string>& columns,
                  const std::vector<FigureRow>& rows, int decimals);

} // namespace systole
