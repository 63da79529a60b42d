#include "app/session/recent_profiles.h"

#include "compute/core/median.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace systole {
namespace {

bool sameWork(const FrameProfile& a, const FrameProfile& b) {
    return std::equal(a.spans.begin(), a.spans.end(), b.spans.begin(), b.spans.end(),
                      [](const ProfileSpan& x, const ProfileSpan& y) {
                          return x.stage == y.stage && x.kernel == y.kernel &&
                                 std::equal(std::begin(x.block), std::end(x.block),
                                            std::begin(y.block));
                      });
}

/// Median of the nonzero times; zero if there is none.
double medianTime(std::vector<double> seconds) {
    std::erase(seconds, 0.0);
    return seconds.empty() ? 0 : median(std::move(seconds));
}

} // namespace

void RecentProfiles::add(const FrameResult& result) {
    if (result.backend != backend_ || result.generation != generation_)
        profiles_.clear();
    backend_ = result.backend;
    generation_ = result.generation;
    profiles_.push_back(result.profile);
    if (profiles_.size() > capacity)
        profiles_.pop_front();
}

FrameProfile RecentProfiles::typical() const {
    if (profiles_.empty())
        return {};
    FrameProfile typical = profiles_.back();
    std::vector<const FrameProfile*> alike;
    for (const FrameProfile& profile : profiles_)
        if (sameWork(profile, typical))
            alike.push_back(&profile);
    for (std::size_t i = 0; i < typical.spans.size(); ++i) {
        std::vector<double> all, ofLaunch;
        for (const FrameProfile* profile : alike) {
            all.push_back(profile->spans[i].seconds);
            ofLaunch.push_back(profile->spans[i].launchSeconds);
        }
        typical.spans[i].seconds = medianTime(all);
        typical.spans[i].launchSeconds = medianTime(ofLaunch);
    }
    return typical;
}

} // namespace systole
