#include "app/estimation/estimation_settings.h"

#include <tuple>

namespace systole {
namespace {

auto comparable(const EstimationSettings& s) {
    return std::tie(s.revision, s.backend, s.stages, s.window, s.warmStart, s.enabled,
                    s.keepEstimating, s.threads, s.downloadFields, s.standardErrors,
                    s.profileKernels, s.tuning);
}

} // namespace

bool EstimationSettings::matches(const EstimationSettings& other) const {
    return comparable(*this) == comparable(other);
}

bool EstimationSettings::keepsFieldsOf(const EstimationSettings& earlier) const {
    return earlier.make && revision == earlier.revision && backend == earlier.backend &&
           stages == earlier.stages && window == earlier.window;
}

} // namespace systole
