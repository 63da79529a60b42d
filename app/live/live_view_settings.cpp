// The estimation settings of each side: from the user's choice, the layout and other users of the
// device.
#include "app/live/live_view.h"

#include <algorithm>

namespace systole {

EstimationSettings LiveView::rightSettings() const {
    EstimationSettings right = settings(session_.compared, session_.motion);
    right.enabled = right.enabled && sideBySide(session_);
    right.warmStart = false;
    return right;
}

/// One core is left to the window; side by side, two CPU implementations share the others.
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
    const bool shared =
        sideBySide(session_) && mine.backend != Backend::Cuda && other.backend != Backend::Cuda;
    const int all = session_.threads > 0 ? session_.threads : systole::estimationThreads();
    settings.threads = std::max(1, all / (shared ? 2 : 1));
    // Comparison runs on the host, and drawing without interop reads from there.
    // So does what moves or colors a surface.
    settings.downloadFields = sideBySide(session_) || !showsFromDevice() || needs.hostFields;
    settings.profileKernels = session_.kernelTimesWanted;
    // Two estimations, or the laboratory, would disturb the measurements of a search.
    if (session_.autotune)
        settings.tuning =
            sideBySide(session_) || needs.device ? BlockTuning::Known : BlockTuning::Search;
    return settings;
}

bool LiveView::sidesFollow() const {
    return left_.follows(settings(session_.motion, session_.compared)) &&
           (!sideBySide(session_) || (right_ && right_->follows(rightSettings())));
}

void LiveView::applyMotion() {
    const EstimationSettings left = settings(session_.motion, session_.compared);
    const EstimationSettings right = rightSettings();
    session_.estimationThreads = left.threads;
    if (left_.follow(session_.motion, left))
        session_.timing.clear();
    session_.right.threads = right.threads;
    // A right side that was never shown has no thread.
    if ((right.enabled || right_) && rightEstimation().follow(session_.compared, right))
        session_.right.timing.clear();
}

} // namespace systole
