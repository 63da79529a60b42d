// The report of a measured left ventricle: its content, and a page of it that needs no other file
// and no network.
#pragma once

#include "app/cardiac/strain_run.h"
#include "app/drawing.h"

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
    std::string errorsBy{}; ///< what the standard errors are of; empty: there are none
    std::string motionBy{}; ///< what estimated the motion, in words; empty: unknown
};

/// "clg (alpha 0.3, beta 0, ...)".
std::string motionWords(const std::string& method, const ParamSet& parameters);

struct ReportSection {
    std::string title;
    std::vector<Drawing> drawings{};   ///< side by side, above the blocks
    std::vector<std::string> blocks{}; ///< HTML: tables and paragraphs
    bool besideNext = false;           ///< where the page has columns
};

struct StrainReportContent {
    std::string title, notice;
    std::vector<ReportSection> sections;
    std::string foot;
};

/// Bull's-eyes at end systole, curves, volume, twist, J, a table of segments, what was measured and
/// how, parameters, inputs with their hashes, version.
StrainReportContent strainReportContent(const StrainOutcome& outcome, const StrainReport& report);

/// HTML with its pictures in it.
std::string strainReportPage(const StrainReportContent& content);

} // namespace systole
