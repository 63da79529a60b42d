#include "app/feature/panel.h"
#include "app/features/profile/profile_tool.h"
#include "app/kit/tool_widgets.h"
#include "render/gl/gl_objects.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace systole {
namespace {

class ProfilePanel : public Panel {
public:
    explicit ProfilePanel(ProfileTool& tool) : tool_(tool) {}
    const char* title() const override { return profileTitle; }
    double wideShare() const override { return tool_.profile() ? 0.36 : 0; }

    void draw(Session&) override {
        wrappedText("The gray values along a line in every frame, as M-mode shows them. Draw the "
                    "line on a slice; a drag of an end moves it.",
                    dimColor());
        for (const Action& action : tool_.actions()) {
            std::string label = action.text;
            std::erase(label, '&');
            const std::string whyNot = action.whyNot();
            const bool pressed = whyNot.empty() && action.on
                                     ? toggleButton(label.c_str(), action.on(), "")
                                     : actionButton(label.c_str(), "", whyNot);
            if (pressed)
                action.act();
        }
        if (tool_.draws())
            wrappedText("Drag on a slice, from the end that is marked 0 mm to the other.",
                        warningColor);
        if (const TimeProfile* profile = tool_.profile())
            ImGui::TextUnformatted(fmt::format("{:.1f} mm, {} places, {} frames",
                                               profile->placeMillimeters(profile->places() - 1),
                                               profile->places(), profile->frames())
                                       .c_str());
    }

    void drawWide(Session& session) override;
    void release() override { texture_.reset(); }

    std::string text(const Session&) const override {
        return tool_.profile() ? tool_.profile()->table() : "no line is drawn\n";
    }

private:
    void updateTexture(const TimeProfile& profile, const WindowLevel& window);

    ProfileTool& tool_;
    GlTexture texture_;
    RgbaImage image_; ///< picture in the texture
};

void ProfilePanel::updateTexture(const TimeProfile& profile, const WindowLevel& window) {
    RgbaImage image = profile.picture(window);
    if (texture_ && image.width == image_.width && image.pixels == image_.pixels)
        return;
    image_ = std::move(image);
    texture_ = makePictureTexture(image_.width, image_.height, image_.pixels.data());
}

void ProfilePanel::drawWide(Session& session) {
    const TimeProfile* const profile = tool_.profile();
    if (!profile) {
        wrappedText("No line is drawn yet.", dimColor());
        return;
    }
    updateTexture(*profile, {session.display.window, session.display.level});
    const int frames = profile->frames();
    // A column reaches to the middle between its frame and its neighbors.
    const auto border = [&](int frame) {
        const int next = std::clamp(frame, 1, frames - 1);
        const double before = placeOfFrame(session, next - 1), after = placeOfFrame(session, next);
        return before + (frame - next + 0.5) * (after - before);
    };
    const double last = profile->placeMillimeters(profile->places() - 1);
    Plot plot(ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail(),
              PlotAxis(border(0), border(frames), frameAxisSteps(session)),
              PlotAxis(0, last, PlotAxis::Steps::Decimal),
              {"Time profile: mm from the end marked 0 mm", frameAxisName(session)});
    const auto texture = reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(texture_.id()));
    for (int frame = 0; frame < frames; ++frame)
        ImGui::GetWindowDrawList()->AddImage(
            texture, plot.pixel({border(frame), last}), plot.pixel({border(frame + 1), 0}),
            {static_cast<float>(frame) / static_cast<float>(frames), 1},
            {static_cast<float>(frame + 1) / static_cast<float>(frames), 0});
    plot.verticalLine(placeOfFrame(session, session.shownFrame), plotColor(1));
}

} // namespace

std::unique_ptr<Panel> ProfileTool::panel() { return std::make_unique<ProfilePanel>(*this); }

} // namespace systole
