// The plan of a cohort: what is to be done for every case, with which commands, and what it needs.
// A run writes its plan to plan.json; the engine, every step and `group` read it.
#pragma once

#include "app/base/file_state.h"
#include "app/study/cohort_case.h"
#include "compute/core/motion_estimator.h"
#include "io/base/error.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace systole {

/// Folder of plans, records, logs and locks, below the folder of the cohort.
inline constexpr const char* workFolder = "work";
/// Files in it: the plan of the last run, and one that was only shown, which nothing reads.
inline constexpr const char* planFile = "plan.json";
inline constexpr const char* shownPlanFile = "next_plan.json";

/// A step of a case: commands of this program, run one after the other, that make one folder.
struct CohortStep {
    std::string name;                ///< "motion"
    std::vector<std::string> needs;  ///< steps of the case that come before
    std::vector<std::string> inputs; ///< files and folders that it reads; all in them count
    std::string output;              ///< the folder that it makes, relative to the cohort's
    /// Arguments of each command; outputWord, which one may begin with, stands for the folder being
    /// made.
    std::vector<std::vector<std::string>> commands;
    std::uint64_t bytes = 0;       ///< expected memory, bytes, the program included
    std::uint64_t deviceBytes = 0; ///< expected memory on a device; 0: it doesn't use one
    double seconds = 0;            ///< expected duration; 0: unknown
    /// Beginnings of the names of files in `output` that are removed once the case is done, by the
    /// user's choice. No step is done again only because they are missing.
    std::vector<std::string> temporary = {};

    /// True if a file in `output`, named relative to the cohort's folder, is one of them.
    bool isTemporary(const std::string& file) const;
};
inline constexpr const char* outputWord = "{output}";
inline constexpr const char* motionStep = "motion";
inline constexpr const char* segmentStep = "segment";
inline constexpr const char* strainStep = "strain";
/// The step that this program does itself: figures and page of the case, from the other steps.
inline constexpr const char* qualityStep = "quality";

struct PlannedCase {
    CohortCase entry;
    std::string input;   ///< path of the study, as the user gave it
    std::string method;  ///< method that estimates its motion: "clg, preset=paper, levels=2"
    std::string refusal; ///< reason why it can't be processed: it has no steps; empty: it can
    /// Its image or labels can't be looked at now, and count as they were when it was done.
    bool inputUnread = false;
    int frames = 0;
    std::vector<std::string> size, spacing; ///< texts of the header's values, x first
    std::vector<CohortStep> steps;

    const CohortStep& step(const std::string& name) const; ///< Throws UsageError.
};

/// The user's choices for all cases.
struct CohortSettings {
    std::string method = "clg", preset = "default", backend = "auto";
    std::vector<std::string> assignments = {}; ///< ID=VALUE of parameters of the method
    int threads = 1;                           ///< CPU threads of a step
    bool pictures = true;                      ///< makes pictures; needs a build with the viewer
    bool certainty = false; ///< standard errors of strain and of the wall's motion
    std::string fields =
        "all"; ///< one of fieldChoices(): the displacements that stay in a finished case
};
/// "all"; "first": the motion since the first frame; "none".
std::vector<std::string> fieldChoices();

/// Parameters of the method, from preset and assignments. Throws UsageError, ComputeError.
ParamSet parametersOf(const CohortSettings& settings);

/// Throws UsageError, ComputeError for a method, preset, parameter or certainty that isn't there.
void checkSettings(const CohortSettings& settings);

struct CohortPlan {
    std::string input;
    FileState program; ///< the executable; steps done by another one are done again
    CohortSettings settings;
    std::vector<PlannedCase> cases; ///< cases of this run, ascending by id
    /// Cases of earlier runs in the same folder, ascending by id; no id is one of this run.
    std::vector<PlannedCase> earlier;
    std::vector<std::string> refusals; ///< sentences on files that are no case
    /// Sentences on parts of the study that couldn't be read.
    std::vector<std::string> unread;
    std::set<std::string> absent; ///< CohortCases::absent, while the plan is made

    const PlannedCase& find(const std::string& id) const; ///< Throws UsageError.
};

/// Opens the header of each image. In a folder one of a single frame is no case. Throws UsageError
/// for a method, preset, parameter or backend that isn't there, FileError if there is no case.
CohortPlan makePlan(const std::string& input, const CohortCases& found,
                    const CohortSettings& settings);

/// The first sentences of a long list, and one with the number of the others, all of which are in
/// the file of a plan.
std::vector<std::string> firstOf(const std::vector<std::string>& sentences,
                                 const char* file = planFile);

/// All cases of the folder, ascending by id.
std::vector<PlannedCase> allCases(const CohortPlan& plan);

/// Keeps the cases of the last run in `output` as earlier ones; of a study that is planned as a
/// whole, those that it has no more are forgotten, unless a part of it couldn't be looked at. A
/// finished case also stays as it is if its image or labels can't be read any more, which goes to
/// plan.unread, or their content isn't here. Returns why nothing is kept: the plan of the last run
/// isn't as this version writes it; empty: it is, or there is none. Throws FileError if it can't be
/// read.
std::string keepEarlierCases(CohortPlan& plan, const std::string& output, bool wholeStudy);

void writePlan(const CohortPlan& plan, const std::string& output, const char* file = planFile);
/// True if there was a run, also if its plan can't be read: readPlan() throws the reason.
bool hasPlan(const std::string& output);
/// Error for a plan that isn't as this version writes it: a sentence that says what to do, and its
/// first part, which says only why.
struct UnusablePlan : FileError {
    explicit UnusablePlan(const FileError& why);
    std::string reason;
};
/// The plan of the last run. Throws FileError if there was none or it can't be read, and
/// UnusablePlan.
CohortPlan readPlan(const std::string& output);

} // namespace systole
