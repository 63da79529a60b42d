// The ejection fractions that are known: of the carried wall, and of labels that each frame has;
// and what is doubtful about them and the other figures.
#include "app/feature/tools.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/cardiac/strain_doubts.h"
#include "compute/surface/segment.h"

#include <algorithm>
#include <utility>

namespace systole {

/// Counted again in the frames whose labels have changed.
void CardiacTool::followFound() {
    const auto* source = tools().find<LabelSource>();
    if (!source)
        return;
    const LabelHistory& labels = source->labelHistory();
    std::vector<std::uint64_t> of;
    for (int frame = 0; frame < labels.frames(); ++frame)
        of.push_back(source->revision(frame));
    if (of == foundOf_)
        return;
    std::vector<VolumeInFrame> found;
    for (int frame = 0; frame < labels.frames(); ++frame) {
        const auto i = static_cast<std::size_t>(frame);
        if (of[i] == 0)
            continue;
        const auto was = std::ranges::find(found_, frame, &VolumeInFrame::frame);
        const bool known = was != found_.end() && i < foundOf_.size() && foundOf_[i] == of[i];
        const double milliliters =
            known ? was->milliliters : labels.milliliters(frame, chamberLabel);
        if (milliliters > 0)
            found.push_back({frame, milliliters});
    }
    found_ = std::move(found);
    foundOf_ = std::move(of);
}

LiveStrainRun::Progress CardiacTool::progress() const { return course_.progress(); }

std::string CardiacTool::motionName() const {
    return motion_.given > 0 ? "given fields" : session().motion.method->name;
}

std::vector<EjectionWay> CardiacTool::ejections() const {
    std::vector<EjectionWay> ways = ejectionWays(*outcome_, motionName(), found_);
    const auto* surfaces = tools().find<EjectionSource>();
    for (const KnownEjection& known :
         surfaces ? surfaces->ejections() : std::vector<KnownEjection>{})
        ways.push_back({known.way, 100 * known.ejection.fraction, known.ejection.largestFrame,
                        known.ejection.smallestFrame, known.ejection.largest,
                        known.ejection.smallest,
                        "Of the Surface panel: what the closed, smooth surface of the label "
                        "encloses."});
    return ways;
}

std::vector<std::string> CardiacTool::doubts() const {
    const auto* labels = tools().find<LabelSource>();
    const std::vector<std::string> ofLabels =
        labels && from == HeartLabels::Segmentation ? labels->doubts() : std::vector<std::string>{};
    return outcome() ? strainDoubts(*outcome_, found_, ofLabels) : ofLabels;
}

} // namespace systole
