// The task of measuring a left ventricle by its motion.
#pragma once

#include "app/features/cardiac/cycle_gap.h"
#include "app/task/task.h"
#include "app/task/task_run.h"
#include "compute/cardiac/cycle.h"
#include "compute/cardiac/label_roles.h"
#include "compute/cardiac/measure_errors.h"
#include "compute/cardiac/ventricle.h"
#include "compute/core/params.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

inline constexpr const char* researchOnly = "Research and teaching, not for diagnosis.";

/// Definition of strain, AHA model, order of the polynomials, end diastole and end systole, what
/// the labels of a map are.
const ParamTable& strainTable();
cardiac::MeasureOptions measureOptions(const ParamSet& parameters);
cardiac::LabelRoles labelRoles(const ParamSet& parameters);

/// Frame that the parameter "end-diastole" or "end-systole" names; empty: none.
std::optional<int> namedFrame(const ParamSet& parameters, const char* id);
/// The place of a frame in the motion's lists; empty: none is named, or it isn't there.
std::optional<int> placeOf(const cardiac::VentricleMotion& motion, std::optional<int> frame);

/// Motion and draws of its error begin in this frame, if it is named and among them.
void beginAt(std::optional<int> endDiastole, const Beat& beat, cardiac::VentricleMotion& motion,
             cardiac::DrawnErrors& drawn);

/// The motion from the reference to one frame.
struct StrainField {
    int frame = 0;
    double seconds = 0;                    ///< time since the reference; NaN: unknown
    std::function<MillimeterField()> read; ///< displacement, LPS mm; called once
    /// Passes on draws of the displacement's error, LPS mm; empty: nothing knows it.
    std::function<void(const MillimeterField& displacement, int draws,
                       const std::function<void(const MillimeterField&)>& take,
                       const ExecContext& ctx)>
        drawErrors{};
};

struct StrainTask {
    int frame = 0; ///< the reference: that of the labels, where the motion begins
    std::shared_ptr<const cardiac::TissueMap> tissue;
    std::vector<std::string> notes{}; ///< notes on the labels; they join those of the ventricle
    cardiac::GivenPoints points;
    std::vector<StrainField> fields;
    /// Once around the cycle and back to the reference, LPS mm; empty: unknown.
    std::function<MillimeterField()> around{};
    bool closeCycle = false; ///< takes off what `around` leaves
    cardiac::MeasureOptions options;
    std::optional<int> endDiastole{}; ///< a frame; empty: the reference
    std::optional<int> endSystole{};  ///< a frame; empty: that of the smallest volume
    /// Standard errors of the measures, if draws of every field are known.
    bool standardErrors = false;
    double errorBound = 0; ///< StrainOutcome::errorBound
};

struct StrainOutcome {
    int frame = 0;                                       ///< the reference
    std::shared_ptr<const cardiac::Ventricle> ventricle; ///< null: see `failure`
    cardiac::VentricleMotion motion;
    cardiac::Measures measures;
    cardiac::CycleSummary summary;
    Beat beat;
    CycleResidual residual;
    /// Standard errors by frame; empty: unknown, or not requested.
    std::vector<cardiac::FrameErrors> errors;
    /// Bound of the standard error of a segment's strain, percent of length: above it, it is
    /// doubtful.
    double errorBound = 0;
    /// Labels of a label map from a file, ascending, without 0, even if it can't be measured; and
    /// their roles.
    std::vector<int> fileLabels{};
    cardiac::LabelRoles roles{};
    std::string failure; ///< one sentence
    double seconds = 0;
};

/// True if the standard error of a segment's strain in a direction exceeds the bound; false also if
/// it isn't known. `t`: index of the frame in the list of frames.
bool isDoubtful(const StrainOutcome& outcome, std::size_t t, std::size_t segment, int direction);

/// The standard errors of the measures; `drawn` empty: none.
void addErrors(const cardiac::VentricleFits& fits, const cardiac::DrawnErrors& drawn,
               const cardiac::MeasureOptions& options, double bound, const ExecContext& ctx,
               StrainOutcome& made);

/// ventricleOf() with notes on its labels before its own.
cardiac::Ventricle notedVentricle(const cardiac::TissueMap& tissue,
                                  const cardiac::GivenPoints& points,
                                  const std::vector<std::string>& notes, ExecContext& ctx);

/// See TaskRun.
class StrainWork {
public:
    using Task = StrainTask;
    using Outcome = StrainOutcome;

    /// Throws what ventricleOf(), measuresOf() and the reading of fields throw, and ComputeError
    /// for an end diastole or end systole that is no frame.
    void run(const StrainTask& task, StrainOutcome& made, ExecContext& ctx);
};

/// The task as command and window run it.
const Task& strainTask();

} // namespace systole
