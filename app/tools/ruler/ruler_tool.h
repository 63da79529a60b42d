// The ruler: the distance between two points on the slices. A drag measures, or moves an end.
#pragma once

#include "app/tools/tool.h"

#include <array>

namespace systole {

class RulerTool : public Tool {
public:
    using Tool::Tool;
    using Ends = std::optional<std::array<Vec3, 2>>; ///< LPS mm; none: nothing is measured
    Ends ends;

    ToolName name() const override { return {"ruler", "Ruler"}; }
    std::vector<Action> actions() override;
    void opened(const OpenedSequence&) override { set(std::nullopt); }
    void show(SceneContribution& scene) const override;
    bool holdsPointer() const override { return inHand_ && session().inPlace.empty(); }
    void pointer(const SlicePointer& pointer) override;
    void dropPointer() override { inHand_ = false; }
    std::string caption() const override;
    std::shared_ptr<const ToolState> state() const override;
    void restore(const ToolState& state) override;

private:
    void set(const Ends& to) {
        ends = settled_ = to;
        dragged_.reset();
    }

    Ends settled_;                       ///< `ends` as of the last release
    std::optional<std::size_t> dragged_; ///< end
    bool inHand_ = false;
};

} // namespace systole
