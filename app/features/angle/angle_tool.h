// The angle between two lines on the slices. A drag draws a line, or moves an end; the third drag
// begins anew.
#pragma once

#include "app/feature/tool.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Degrees between two lines, 0 to 90: their directions don't count. NaN where one has no length.
double degreesBetween(Vec3 a, Vec3 b);

class AngleTool : public Tool {
public:
    using Line = std::array<Vec3, 2>; ///< ends, LPS mm
    using Lines = std::vector<Line>;  ///< none, one or two

    explicit AngleTool(Tools& tools) : Tool(tools) {}
    const Lines& lines() const { return lines_; }
    void set(Lines lines); ///< sets at most two lines
    /// None unless there are two lines.
    std::optional<double> degrees() const;

    ToolName name() const override { return {"angle", "Angle"}; }
    std::vector<Action> actions() override;
    /// An angle that was chosen before the first sequence is for it.
    void opened(const OpenedSequence&) override {
        if (session().opened)
            set({});
    }
    void show(SceneContribution& scene) const override;
    bool holdsPointer() const override { return inHand_ && session().inPlace.empty(); }
    void pointer(const SlicePointer& pointer) override;
    void dropPointer() override { inHand_ = false; }
    std::string caption() const override;
    std::shared_ptr<const ToolState> state() const override;
    void restore(const ToolState& state) override;

private:
    struct End {
        std::size_t line = 0, end = 0;
    };
    std::optional<End> endAt(Vec3 position) const;
    std::string text() const; ///< "42.0°"; empty: there is no angle

    Lines lines_;
    Lines settled_; ///< lines at the last release, which undo restores
    std::optional<End> dragged_;
    bool inHand_ = false;
};

} // namespace systole
