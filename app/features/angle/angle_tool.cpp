#include "app/features/angle/angle_tool.h"

#include "compute/core/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace systole {
namespace {

constexpr double reach = 4; ///< distance from an end within which a press takes it, mm

struct AngleState : ToolState {
    explicit AngleState(AngleTool::Lines lines) : lines(std::move(lines)) {}
    std::vector<Change> changesTo(const ToolState& other) const override {
        const auto& after = dynamic_cast<const AngleState&>(other).lines;
        if (lines == after)
            return {};
        return {{after.empty() ? "removal of the angle" : "angle"}};
    }
    AngleTool::Lines lines;
};

} // namespace

double degreesBetween(Vec3 a, Vec3 b) {
    const double both = length(a) * length(b);
    if (both == 0)
        return std::numeric_limits<double>::quiet_NaN();
    // The arc tangent is exact for small angles, too.
    return std::atan2(length(cross(a, b)), std::abs(dot(a, b))) * 180 / std::numbers::pi;
}

void AngleTool::set(Lines lines) {
    lines.resize(std::min<std::size_t>(lines.size(), 2));
    lines_ = settled_ = std::move(lines);
    dragged_.reset();
}

std::optional<double> AngleTool::degrees() const {
    if (lines_.size() != 2)
        return std::nullopt;
    const double degrees = degreesBetween(lines_[0][1] - lines_[0][0], lines_[1][1] - lines_[1][0]);
    return std::isnan(degrees) ? std::nullopt : std::optional(degrees);
}

std::string AngleTool::text() const {
    const std::optional<double> angle = degrees();
    return angle ? fmt::format("{:.1f}°", *angle) : "";
}

std::vector<Action> AngleTool::actions() {
    return {{"Measure an &angle", "Q",
             [this] {
                 takePointer();
                 inHand_ = !inHand_;
             },
             [this] { return session().opened ? "" : "no file is open"; },
             [this] { return inHand_; }},
            {"Remove the a&ngle", "Shift+Q", [this] { set({}); },
             [this] { return lines_.empty() ? "no angle is measured" : ""; }}};
}

void AngleTool::show(SceneContribution& scene) const {
    for (std::size_t i = 0; i < lines_.size(); ++i)
        scene.marks.push_back({.position = lines_[i][0],
                               .to = lines_[i][1],
                               .text = i == 1 ? text() : std::string()});
}

std::optional<AngleTool::End> AngleTool::endAt(Vec3 position) const {
    for (std::size_t line = 0; line < lines_.size(); ++line)
        for (std::size_t end = 0; end < 2; ++end)
            if (length(lines_[line][end] - position) < reach)
                return End{line, end};
    return std::nullopt;
}

void AngleTool::pointer(const SlicePointer& pointer) {
    using Event = SlicePointer::Event;
    if (pointer.event == Event::Press) {
        dragged_ = endAt(pointer.position);
        if (dragged_)
            return;
        if (lines_.size() == 2)
            lines_.clear();
        lines_.push_back({pointer.position, pointer.position});
        dragged_ = End{lines_.size() - 1, 1};
    } else if (pointer.event == Event::Drag && dragged_) {
        lines_[dragged_->line][dragged_->end] = pointer.position;
    } else if (pointer.event == Event::Release && dragged_) {
        const Line& drawn = lines_[dragged_->line];
        set(drawn[0] == drawn[1] ? settled_ : lines_); // a click draws nothing
    }
}

std::string AngleTool::caption() const {
    const std::string angle = text();
    return angle.empty() ? "" : "angle " + angle;
}

std::shared_ptr<const ToolState> AngleTool::state() const {
    return std::make_shared<AngleState>(settled_);
}

void AngleTool::restore(const ToolState& state) {
    set(dynamic_cast<const AngleState&>(state).lines);
}

std::unique_ptr<Tool> makeAngleTool(Tools& tools) { return std::make_unique<AngleTool>(tools); }

} // namespace systole
