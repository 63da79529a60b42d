// A line that the user draws on a slice, for the tools that measure along one. A drag draws it, or
// moves an end.
#pragma once

#include "app/feature/tool.h"
#include "app/feature/tool_options.h"

#include <array>

namespace systole {

class LineTool : public Tool {
public:
    using Ends = std::optional<std::array<Vec3, 2>>; ///< LPS mm; none: there is no line
    Ends ends;

    void set(const Ends& to) {
        ends = settled_ = to;
        dragged_.reset();
    }
    /// A line that was chosen before the first sequence is for it.
    void opened(const OpenedSequence&) override {
        if (session().opened)
            set(std::nullopt);
    }
    bool holdsPointer() const override { return inHand_ && session().inPlace.empty(); }
    void pointer(const SlicePointer& pointer) override;
    void dropPointer() override { inHand_ = false; }
    std::shared_ptr<const ToolState> state() const override;
    void restore(const ToolState& state) override;

protected:
    /// `what` the line is to the user, "distance"; it outlives the tool.
    LineTool(Tools& tools, const char* what) : Tool(tools), what_(what) {}
    void takeInHand(); ///< takes the line in hand, or puts it away if it is in hand
    bool inHand() const { return inHand_; }
    /// The line as of the last release: it doesn't change while the user draws.
    const Ends& settled() const { return settled_; }

private:
    const char* what_;
    Ends settled_;
    std::optional<std::size_t> dragged_; ///< end
    bool inHand_ = false;
};

/// The option that sets the ends of a LineTool.
ToolOption lineOption(std::string name, std::string help);

} // namespace systole
