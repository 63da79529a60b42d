#include "render/scene/quality.h"

#include <algorithm>
#include <cmath>

namespace systole {

void QualityControl::painted(double seconds) {
    if (!interactive_ || !(seconds > 0))
        return;
    // The number of rays falls with the square. Coarsen immediately, refine in small steps and only
    // with time to spare, so that it settles.
    const double wanted = std::sqrt(seconds / pace_.targetSeconds);
    if (wanted > 1)
        learned_ *= std::min(wanted, 2.5);
    else if (wanted < 0.85)
        learned_ *= std::max(wanted, 0.9);
    learned_ = std::clamp(learned_, 1.0, pace_.coarsest);
}

} // namespace systole
