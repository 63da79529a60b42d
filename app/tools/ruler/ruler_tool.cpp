#include "app/tools/ruler/ruler_tool.h"

#include <fmt/format.h>

namespace systole {
namespace {

constexpr double reach = 4; ///< mm from an end within which a press takes it

struct RulerState : ToolState {
    explicit RulerState(const RulerTool::Ends& ends) : ends(ends) {}
    std::vector<Change> changesTo(const ToolState& other) const override {
        const auto& after = dynamic_cast<const RulerState&>(other).ends;
        return std::vector<Change>(ends == after ? 0 : 1,
                                   {after ? "distance" : "removal of the distance"});
    }
    RulerTool::Ends ends;
};

std::string textOf(const RulerTool::Ends& ends) {
    return fmt::format("{:.1f} mm", length((*ends)[1] - (*ends)[0]));
}

} // namespace

std::vector<Action> RulerTool::actions() {
    const auto measure = [this] {
        takePointer();
        inHand_ = !inHand_;
    };
    return {{"&Measure a distance", "L", measure,
             [this] { return session().opened ? "" : "no file is open"; },
             [this] { return inHand_; }},
            {"&Remove the distance", "Shift+L", [this] { set(std::nullopt); },
             [this] { return ends ? "" : "nothing is measured"; }}};
}

void RulerTool::pointer(const SlicePointer& pointer) {
    using Event = SlicePointer::Event;
    const auto isAt = [&](Vec3 end) { return length(end - pointer.position) < reach; };
    if (pointer.event == Event::Press) {
        dragged_ = ends && isAt((*ends)[0]) ? 0 : 1;
        if (!ends || !isAt((*ends)[*dragged_]))
            ends = {pointer.position, pointer.position};
    } else if (pointer.event == Event::Drag && dragged_) {
        (*ends)[*dragged_] = pointer.position;
    } else if (pointer.event == Event::Release && dragged_) {
        dragged_.reset();
        if ((*ends)[0] == (*ends)[1]) // a click measures nothing
            ends = settled_;
        settled_ = ends;
    }
}

void RulerTool::show(SceneContribution& scene) const {
    if (ends)
        scene.marks.push_back({.position = (*ends)[0], .to = (*ends)[1], .text = textOf(ends)});
}

std::string RulerTool::caption() const { return ends ? "distance " + textOf(ends) : ""; }

std::shared_ptr<const ToolState> RulerTool::state() const {
    return std::make_shared<RulerState>(settled_);
}

void RulerTool::restore(const ToolState& state) {
    set(dynamic_cast<const RulerState&>(state).ends);
}

} // namespace systole
