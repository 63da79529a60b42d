#include "app/features/fields/fields_tool.h"

#include "app/base/plural.h"
#include "app/feature/tools.h"

#include <fmt/format.h>

#include <utility>

namespace systole {

FieldsTool::FieldsTool(Tools& tools)
    : Tool(tools)
    , course_(*this, {.changed = [this] { return !(now() == source_); },
                      .renew = [this] { renew(); },
                      .take = [this](GivenMotionOutcome made) { take(std::move(made)); },
                      .fail = [this](const CourseFailure& why) { failure = why.why + "."; }}) {}

void FieldsTool::add() {
    host().chooseOpen(
        {.title = fmt::format("The displacement field from frame 0 to frame {}", files.size() + 1),
         .types = "Fields (*.nii *.nii.gz *.mha *.mhd *.nrrd);;All files (*)"},
        [this](const std::string& path) { files.push_back(path); });
}

/// Fields named before the first sequence are its own.
void FieldsTool::opened(const OpenedSequence&) {
    if (session().opened)
        files.clear();
    source_ = {};
    forget();
}

void FieldsTool::forget() {
    course_.stop();
    motions_.clear();
    failure.clear();
}

void FieldsTool::renew() {
    forget();
    source_ = now();
    // The user adds files one by one in the panel: an incomplete list waits.
    if (static_cast<int>(files.size()) + 1 < session().opened->sequence.frames)
        return;
    GivenMotionTask task;
    task.sequence = session().opened->paths;
    task.files = files;
    task.named = findFieldConvention(convention);
    course_.begin(std::make_shared<SingleInput<GivenMotionWork>>(std::move(task)));
}

void FieldsTool::follow(ToolContext& context) {
    course_.follow(context);
    // They follow no settings of the estimation, and are never those of earlier ones.
    for (auto& motion : motions_)
        if (const std::uint64_t generation = session().estimation.generation;
            motion->generation != generation) {
            auto renewed = std::make_shared<FrameResult>(*motion);
            renewed->generation = generation;
            motion = std::move(renewed);
        }
}

void FieldsTool::take(GivenMotionOutcome made) {
    failure.clear();
    reading_ = std::move(made.reading);
    ++read_;
    for (FrameResult& motion : made.motions)
        motions_.push_back(std::make_shared<FrameResult>(std::move(motion)));
}

void FieldsTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Fields: ", failure});
    if (!reading())
        return;
    messages.push_back({"Fields: ", reading_.warning, false});
    for (const std::string& note : reading_.notes)
        messages.push_back({"Fields: ", note, false});
}

std::string FieldsTool::caption() const {
    return reading() ? fmt::format("motion by {} of another program ({})",
                                   plural(static_cast<int>(files.size()), "field"),
                                   reading_.convention->name)
                     : "";
}

std::vector<ToolSetting> FieldsTool::settings() {
    std::vector<ToolSetting> settings{settingOf("fields: convention", convention)};
    settings.front().number = false;
    return settings;
}

std::unique_ptr<Tool> makeFieldsTool(Tools& tools) { return std::make_unique<FieldsTool>(tools); }

} // namespace systole
