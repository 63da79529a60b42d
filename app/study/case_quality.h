// The quality of a case's results: figures by which cases are compared, doubts, and its page.
#pragma once

#include "app/study/cohort_plan.h"

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace systole {

/// A figure that every case has or lacks: a column of the table.
struct QualityMeasure {
    const char* id; ///< column, and reference_ID of a table of cases
    const char* title;
    const char* unit; ///< "%"; empty: none
    int decimals;
    const char* meaning; ///< a sentence for the sidecar
    /// Differences smaller than this make no case an outlier, however alike the others are.
    double floor;
    /// A measure of the heart, which a reader looks for first; else of images and registration.
    bool ofHeart = false;
};
/// All measures, those of the heart first.
std::span<const QualityMeasure> qualityMeasures();

/// The doubt of a case without the step "strain".
inline constexpr const char* noStrain = "Without a label map there is no strain.";

struct CaseQuality {
    std::map<std::string, double>
        figures; ///< figure by id of the measure; unknown ones are missing
    std::array<std::vector<double>, 3> segments; ///< strain at end systole, %, by direction
    /// True if the standard error of that strain exceeds the bound; empty: unknown.
    std::array<std::vector<bool>, 3> doubtful;
    std::vector<std::string> doubts; ///< sentences of the commands
};

/// The step "quality": writes quality.json and report.html into `folder`, from the other steps.
/// Throws FileError.
void writeCaseQuality(const PlannedCase& planned, const std::string& output,
                      const std::string& folder);

/// Reads the result of writeCaseQuality(). Throws FileError.
CaseQuality readCaseQuality(const PlannedCase& planned, const std::string& output);

/// The whole page of a case.
std::string casePage(const PlannedCase& planned, const std::string& output,
                     const CaseQuality& quality);

/// A <figure> with the bull's-eye of a strain, %, of one case or of several; empty for a number of
/// segments that no model has. `hatched`: which segments; empty: none. `direction`: as in
/// cardiac::directionNames.
std::string strainBullsEye(const std::vector<double>& segments, const std::vector<bool>& hatched,
                           std::size_t direction);

/// A PNG file as an <img>, without the texts in it: a picture's record has durations, and equal
/// results give equal pages. Empty if the file isn't a PNG.
std::string htmlImage(const std::string& path, const std::string& name);

} // namespace systole
