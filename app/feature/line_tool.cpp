#include "app/feature/line_tool.h"

namespace systole {
namespace {

constexpr double reach = 4; ///< mm from an end within which a press takes it

struct LineState : ToolState {
    LineState(const LineTool::Ends& ends, std::string what) : ends(ends), what(std::move(what)) {}
    std::vector<Change> changesTo(const ToolState& other) const override {
        const auto& after = dynamic_cast<const LineState&>(other).ends;
        return std::vector<Change>(ends == after ? 0 : 1,
                                   {after ? what : "removal of the " + what});
    }
    LineTool::Ends ends;
    std::string what;
};

} // namespace

void LineTool::takeInHand() {
    takePointer();
    inHand_ = !inHand_;
}

void LineTool::pointer(const SlicePointer& pointer) {
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
        if ((*ends)[0] == (*ends)[1]) // a click draws nothing
            ends = settled_;
        settled_ = ends;
    }
}

std::shared_ptr<const ToolState> LineTool::state() const {
    return std::make_shared<LineState>(settled_, what_);
}

void LineTool::restore(const ToolState& state) { set(dynamic_cast<const LineState&>(state).ends); }

ToolOption lineOption(std::string name, std::string help) {
    return {.name = std::move(name),
            .help = std::move(help),
            .form = ToolOption::Form::Numbers,
            .count = 6,
            .set = setting<LineTool>([](LineTool& tool, const OptionValues& values) {
                const std::vector<Vec3> ends = pointsOf(values);
                tool.set(std::array{ends[0], ends[1]});
            }),
            .get = getting<LineTool>([](const LineTool& tool) {
                return tool.ends ? std::optional(numbersOf({(*tool.ends)[0], (*tool.ends)[1]}))
                                 : std::nullopt;
            })};
}

} // namespace systole
