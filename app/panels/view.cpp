#include "app/panels/view.h"

#include "app/live/session.h"
#include "app/panels/widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

namespace systole {
namespace {

/// A slider whose lower end, 0, means "chosen by the program".
void sliderOrAuto(const char* text, double& value, double maximum, const char* format) {
    panelLabel(text);
    const double zero = 0;
    ImGui::PushID(text);
    ImGui::SliderScalar("##value", ImGuiDataType_Double, &value, &zero, &maximum,
                        value > 0 ? format : "auto", ImGuiSliderFlags_AlwaysClamp);
    ImGui::PopID();
}

void slider(const char* text, double& value, double minimum, double maximum, const char* format) {
    panelLabel(text);
    ImGui::PushID(text);
    ImGui::SliderScalar("##value", ImGuiDataType_Double, &value, &minimum, &maximum, format,
                        ImGuiSliderFlags_AlwaysClamp);
    ImGui::PopID();
}

void checkboxPair(const char* left, bool& leftValue, const char* right, bool& rightValue) {
    ImGui::Checkbox(left, &leftValue);
    ImGui::SameLine(148);
    ImGui::Checkbox(right, &rightValue);
}

class ViewPanel : public Panel {
public:
    const char* title() const override { return "View"; }

    void draw(Session& session) override {
        DisplayOptions& display = session.display;
        drawLayout(display);
        checkboxPair("Volume (V)", display.volume, "Glyphs (G)", display.glyphs);
        checkboxPair("Magnitude map", display.magnitudeMap, "Slices in 3D", display.slicesIn3D);
        checkboxPair("Crosshair", display.crosshair, "Annotations", display.annotations);
        drawVolume(session);
        drawWindowLevel(session);
        drawGlyphs(display);
        drawColors(session);
        if (ImGui::SmallButton("Reset view"))
            resetKeepingLayout(display);
        ImGui::SameLine();
    }

    std::string text(const Session& session) const override {
        const DisplayOptions& display = session.display;
        return fmt::format(
            "layout\t{}\nside by side shows\t{}\nvolume preset\t{}\nvolume "
            "opacity\t{:g}\nwindow\t{:g}\nlevel\t{:g}\n"
            "glyph spacing mm\t{:g}\nglyph scale\t{:g}\nglyph opacity\t{:g}\ncolour map\t{}\n"
            "colour maximum mm\t{:g}\nmap opacity\t{:g}\n",
            name(display.layout), name(display.sideView), session.figures.activePreset,
            display.volumeOpacity, display.window, display.level, display.glyphSpacing,
            display.glyphScale, display.glyphOpacity, name(display.colorMap),
            session.figures.colorMaximum, display.mapOpacity);
    }

private:
    static void drawLayout(DisplayOptions& display) {
        const auto choice = [&](const char* text, Layout layout) {
            if (ImGui::RadioButton(text, display.layout == layout))
                display.layout = layout;
        };
        choice("3D", Layout::Single3D);
        ImGui::SameLine();
        choice("Three slices", Layout::ThreeSlices);
        ImGui::SameLine();
        choice("Four-up", Layout::FourUp);
        choice("Side by side:", Layout::SideBySide);
        ImGui::SameLine();
        ImGui::SetNextItemWidth(-1);
        if (ImGui::BeginCombo("##sideView", name(display.sideView))) {
            for (const ViewKind kind : viewKinds)
                if (ImGui::Selectable(name(kind), kind == display.sideView)) {
                    display.sideView = kind;
                    display.layout = Layout::SideBySide;
                }
            ImGui::EndCombo();
        }
    }

    static void drawVolume(Session& session) {
        DisplayOptions& display = session.display;
        panelLabel("volume");
        const auto& presets = volumePresets();
        const auto current =
            std::find_if(presets.begin(), presets.end(), [&](const VolumePreset& preset) {
                return preset.id == display.volumePreset;
            });
        std::string shown = current != presets.end() ? current->title : display.volumePreset;
        if (display.volumePreset == "auto" && !session.figures.activePreset.empty())
            shown += fmt::format(" ({})", session.figures.activePreset);
        if (ImGui::BeginCombo("##preset", shown.c_str())) {
            for (const VolumePreset& preset : presets)
                if (ImGui::Selectable(preset.title.c_str(), preset.id == display.volumePreset))
                    display.volumePreset = preset.id;
            ImGui::EndCombo();
        }
        slider("opacity", display.volumeOpacity, 0, 4, "%.2f");
    }

    static void drawWindowLevel(Session& session) {
        if (!session.opened)
            return;
        const IntensityScale scale = session.opened->scale;
        const double low = scale.low, high = scale.high, range = high - low;
        slider("window", session.display.window, 0.01 * range, 2 * range, "%.4g");
        slider("level", session.display.level, low - 0.5 * range, high + 0.5 * range, "%.4g");
    }

    static void drawGlyphs(DisplayOptions& display) {
        ImGui::Separator();
        sliderOrAuto("glyph spacing", display.glyphSpacing, 20, "%.1f mm");
        sliderOrAuto("glyph scale", display.glyphScale, 10, "%.2f");
        slider("glyph opacity", display.glyphOpacity, 0, 1, "%.2f");
    }

    static void drawColors(Session& session) {
        DisplayOptions& display = session.display;
        panelLabel("colour map");
        if (ImGui::BeginCombo("##map", name(display.colorMap))) {
            for (const ColorMap map : {ColorMap::Viridis, ColorMap::Cividis, ColorMap::Grey})
                if (ImGui::Selectable(name(map), map == display.colorMap))
                    display.colorMap = map;
            ImGui::EndCombo();
        }
        sliderOrAuto("maximum", display.colorMaximum, 20, "%.2f mm");
        slider("map opacity", display.mapOpacity, 0, 1, "%.2f");
    }

    static void resetKeepingLayout(DisplayOptions& display) {
        DisplayOptions fresh;
        fresh.layout = display.layout;
        fresh.sideView = display.sideView;
        display = fresh;
    }
};

} // namespace

std::unique_ptr<Panel> makeViewPanel() { return std::make_unique<ViewPanel>(); }

} // namespace systole
