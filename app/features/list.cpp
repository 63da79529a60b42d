// The one list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/task/task.h"

// A line each, in the order in which their tools follow, show and get the pointer: fields before
// what measures motion, the heart's segment in place of the surface, the wall after the landmarks.
// clang-format off
#define SYSTOLE_FEATURES(feature) \
    feature(motion) \
    feature(registration) \
    feature(bias) \
    feature(fields) \
    feature(segmentation) \
    feature(surface) \
    feature(cardiac) \
    feature(landmarks) \
    feature(ruler) \
    feature(angle) \
    feature(profile) \
    feature(laboratory) \
    feature(phantom) \
    feature(about)

// clang-format on

namespace systole {

#define SYSTOLE_DECLARE(name) const Feature& name##Feature();
SYSTOLE_FEATURES(SYSTOLE_DECLARE)
#undef SYSTOLE_DECLARE

const std::vector<const Feature*>& features() {
#define SYSTOLE_ENTRY(name) &name##Feature(),
    static const std::vector<const Feature*> list{SYSTOLE_FEATURES(SYSTOLE_ENTRY)};
#undef SYSTOLE_ENTRY
    return list;
}

std::vector<Task> tasks() {
    std::vector<Task> all;
    for (const Feature* feature : features())
        for (const auto& task : feature->tasks)
            all.push_back(task());
    return all;
}

} // namespace systole
