// The time profile: what lies on a line that the user draws, in every frame (M-mode).
#pragma once

#include "app/feature/line_tool.h"
#include "app/features/profile/time_profile.h"

namespace systole {

inline constexpr const char* profileTitle = "Time profile";

class ProfileTool : public LineTool {
public:
    explicit ProfileTool(Tools& tools)
        : LineTool(tools, "time profile")
        , frames_(*this, [this] { return unfinished() ? retrySeconds : never; }) {}

    ToolName name() const override { return {"profile", profileTitle}; }
    std::unique_ptr<Panel> panel() override;
    std::vector<Action> actions() override;
    void opened(const OpenedSequence& opened) override;
    void follow(ToolContext& context) override;
    ToolNeeds needs() const override { return {.frames = unfinished()}; }
    void show(SceneContribution& scene) const override;
    bool unfinished() const override;
    std::string caption() const override;

    /// Profile along the line, updated when the user releases it; null: none.
    const TimeProfile* profile() const { return profile_ ? &*profile_ : nullptr; }
    std::string whyNot() const;             ///< none can be drawn now; empty: it can
    bool draws() const { return inHand(); } ///< draws with the left button

private:
    std::optional<TimeProfile> profile_;
    FollowedState frames_; ///< frames that are sampled, one per tick
};

} // namespace systole
