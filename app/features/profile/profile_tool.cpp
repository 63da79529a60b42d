#include "app/features/profile/profile_tool.h"

#include "render/view_plane.h"

namespace systole {

std::string ProfileTool::whyNot() const {
    return !session().opened                       ? "no file is open"
           : session().opened->sequence.frames < 2 ? "there is only one frame"
                                                   : "";
}

std::vector<Action> ProfileTool::actions() {
    return {{"Draw a &time profile", "T",
             [this] {
                 takeInHand();
                 if (inHand())
                     host().openPanel(profileTitle);
             },
             [this] { return whyNot(); }, [this] { return inHand(); }},
            {"Remove the time &profile", "Shift+T", [this] { set(std::nullopt); },
             [this] { return ends ? "" : "no line is drawn"; }}};
}

void ProfileTool::opened(const OpenedSequence& opened) {
    LineTool::opened(opened);
    profile_.reset();
}

bool ProfileTool::unfinished() const { return profile_ && profile_->missing(); }

/// A frame a tick, so that the window never waits.
void ProfileTool::follow(ToolContext& context) {
    if (!settled() || !whyNot().empty()) {
        profile_.reset();
        return;
    }
    const Sequence& sequence = session().opened->sequence;
    if (!profile_ || profile_->line() != *settled())
        profile_.emplace(*settled(), sequence.frames, smallestSpacing(sequence.geometry));
    const std::optional<int> frame = profile_->missing();
    if (!frame)
        return;
    if (!context.readable(*frame))
        profile_->leaveOut(*frame);
    else if (const std::shared_ptr<const Volume> volume = context.frame(*frame))
        profile_->sample(*frame, *volume);
}

void ProfileTool::show(SceneContribution& scene) const {
    if (!ends)
        return;
    scene.marks.push_back({.position = (*ends)[0], .to = (*ends)[1]});
    scene.marks.push_back({.position = (*ends)[0], .text = "0 mm"});
}

std::string ProfileTool::caption() const { return ends ? "time profile along the line" : ""; }

std::unique_ptr<Tool> makeProfileTool(Tools& tools) { return std::make_unique<ProfileTool>(tools); }

} // namespace systole
