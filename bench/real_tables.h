// The figures of real images, as tables and as a record; what a pair of frames adds to them.
#pragma once

#include "bench/benchmark.h"
#include "bench/programs.h"
#include "bench/real_cases.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// Filled case by case: figures[table][row][column].
class RealTables {
public:
    static constexpr const char* dice = "Dice of the labels";
    static constexpr const char* folded = "folded, %";
    static constexpr const char* seconds = "seconds per pair";

    void set(const std::string& table, const std::string& row, const std::string& column,
             double value);
    void print() const;
    /// record[case][program][figure].
    Json record() const;

private:
    struct Table {
        std::vector<std::string> rows, columns;
        std::map<std::pair<std::string, std::string>, double> values;
    };
    std::vector<std::string> order_;
    std::map<std::string, Table> tables_;
};

/// Every installed program on a pair of frames, first of all "no motion". Of one that fails all
/// figures but the seconds are NaN.
void measureRealPair(RealTables& tables, const std::string& folder, const RealCase& which,
                     const std::vector<MotionProgram>& programs, const ExecContext& ctx);

} // namespace systole
