// The report of a measured left ventricle: one page that needs no other file and no network.
#pragma once

#include "app/cardiac/strain_run.h"

#include <string>
#include <vector>

namespace systole {

struct StrainReport {
    struct Input {
        std::string role; ///< "labels", "motion to frame 3"
        std::string file, sha256;
    };
    std::vector<Input> inputs;
    ParamSet parameters{strainTable()};
};

/// HTML with its pictures in it: bull's-eyes at end systole, curves, volume, twist, J, a table of
/// segments, what was measured and how, parameters, inputs with their hashes, version.
std::string strainReportPage(const StrainOutcome& outcome, const StrainReport& report);

} // namespace systole
