#include "app/feature/sources.h"

#include "app/feature/tools.h"

namespace systole {

LessonExperiments* experimentsOf(const Lesson& lesson, const Tools& tools) {
    for (const auto& tool : tools)
        if (auto* const found = dynamic_cast<LessonExperiments*>(tool.get());
            found && found->has(lesson))
            return found;
    return nullptr;
}

} // namespace systole
