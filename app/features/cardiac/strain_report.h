// The report of a measured left ventricle: its content, and a page of it that needs no other file
// and no network.
#pragma once

#include "app/features/cardiac/ejection_ways.h"
#include "app/features/cardiac/strain_run.h"
#include "app/report/report_content.h"
#include "compute/core/volume.h"

#include <functional>
#include <memory>
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
    std::string errorsBy{}; ///< origin of the standard errors; empty: there are none
    std::string motionBy{}; ///< description of the motion's estimation; empty: unknown
    std::string study{};    ///< name of the measured images; empty: unknown
    std::string date{};     ///< date of the run, "2026-11-28"; empty: isn't stated
    /// Roles of the labels of a file, as found or given; 0: of no file.
    cardiac::LabelRoles roles{};
    /// All ejection fractions that are known; empty: those of the outcome alone.
    std::vector<EjectionWay> ejections{};
    std::vector<std::string> doubts{}; ///< strainDoubts(), of all that is known beside the outcome
    /// Pictures of end diastole and end systole, with the wall's contour, and of the labels' frame.
    std::vector<ReportPicture> pictures{};
};

/// Today, UTC, as StrainReport::date has it.
std::string dateOfToday();

/// heartPicture()s for a report: with the labels in their frame, and with the carried wall at end
/// diastole and end systole. `frameOf(frame)`: gray values on `grid`; null: there are none.
std::vector<ReportPicture>
heartPictures(const StrainOutcome& outcome, const Geometry& grid,
              const std::function<std::shared_ptr<const Volume>(int frame)>& frameOf);

/// "clg (alpha 0.3, beta 0, ...)".
std::string motionWords(const std::string& method, const ParamSet& parameters);

/// Bull's-eyes at end systole, curves, volume, twist, J, a table of segments, what was measured and
/// how, parameters, inputs with their hashes, version.
ReportContent strainReportContent(const StrainOutcome& outcome, const StrainReport& report);

/// HTML with its pictures in it.
std::string strainReportPage(const ReportContent& content);

} // namespace systole
