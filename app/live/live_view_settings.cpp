// The estimation settings of each side: from the user's choice, the layout and other users of the
// device.
#include "app/live/live_view.h"
#include "compute/motion/trajectory_filter.h"
#include "render/overlays/rows.h"

#include <algorithm>

namespace systole {

EstimationSettings LiveView::rightSettings() const {
    EstimationSettings right = settings(session_.compared, session_.motion);
    right.enabled = right.enabled && sideBySide(session_);
    right.warmStart = false;
    return right;
}

/// Settings of the left side, for the motion from the first frame into every other one.
EstimationSettings LiveView::sinceFirstSettings() const {
    EstimationSettings settings = this->settings(session_.motion, session_.compared);
    settings.enabled = settings.enabled && estimatesSinceFirst();
    settings.window = unsmoothedWindow;
    settings.stages.clear();
    settings.keepEstimating = false;
    return settings;
}

/// One core is left to the window; estimations on the CPU at the same time share the others. Those
/// that take turns have all of them.
EstimationSettings LiveView::settings(const MotionChoice& mine, const MotionChoice& other) const {
    EstimationSettings settings;
    settings.revision = mine.revision;
    settings.backend = mine.backend;
    settings.stages = mine.stages;
    settings.window = mine.window;
    const ToolNeeds needs = tools_.needs();
    settings.enabled = session_.motion.enabled && !needs.device && !needs.processor;
    settings.keepEstimating = session_.motion.keepEstimating;
    // Side by side, results must differ by settings, not by which pairs each side had time for.
    settings.warmStart = !sideBySide(session_);
    const bool onProcessor = mine.backend != Backend::Cuda;
    const int sharing = 1 + (onProcessor && estimatesSinceFirst() ? 1 : 0) +
                        (onProcessor && sideBySide(session_) && other.backend != Backend::Cuda &&
                         !systole::takesTurns(mine, other));
    const int all = session_.threads > 0 ? session_.threads : systole::estimationThreads();
    settings.threads = std::max(1, all / sharing);
    // Comparison runs on the host, and drawing without interop reads from there.
    // So does what moves or colors a surface, and what some overlays show.
    settings.downloadFields = sideBySide(session_) || !showsFromDevice() || needs.hostFields ||
                              readsHostFields(session_.display);
    settings.standardErrors = readsStandardErrors(session_.display);
    settings.profileKernels = session_.kernelTimesWanted;
    // Two estimations, or the laboratory, would disturb the measurements of a search.
    if (session_.autotune)
        settings.tuning = sideBySide(session_) || needs.device || estimatesSinceFirst()
                              ? BlockTuning::Known
                              : BlockTuning::Search;
    return settings;
}

bool LiveView::sidesFollow() const {
    return left_.follows(settings(session_.motion, session_.compared)) &&
           (!sideBySide(session_) || (right_ && right_->follows(rightSettings()))) &&
           (!estimatesSinceFirst() || (sinceFirst_ && sinceFirst_->follows(sinceFirstSettings())));
}

void LiveView::applyMotion() {
    const EstimationSettings left = settings(session_.motion, session_.compared);
    const EstimationSettings right = rightSettings(), sinceFirst = sinceFirstSettings();
    session_.estimationThreads = left.threads;
    if (left_.follow(session_.motion, left))
        session_.timing.clear();
    session_.right.threads = right.threads;
    // A side that was never needed has no thread.
    if ((right.enabled || right_) && made(right_).follow(session_.compared, right))
        session_.right.timing.clear();
    if (sinceFirst.enabled || sinceFirst_)
        made(sinceFirst_).follow(session_.motion, sinceFirst);
}

} // namespace systole
