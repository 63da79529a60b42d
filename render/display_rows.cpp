#include "render/display_rows.h"

#include "render/window_presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

namespace systole {
namespace {

constexpr double unlimited = std::numeric_limits<double>::max();
constexpr double longest = 1e6; ///< mm

template <typename Values>
std::vector<std::string> namesOf(const Values& values) {
    std::vector<std::string> names;
    for (const auto value : values)
        names.emplace_back(name(value));
    return names;
}

template <typename Values>
auto named(const Values& values, const std::string& text) {
    return *std::find_if(std::begin(values), std::end(values),
                         [&](const auto value) { return text == name(value); });
}

template <typename Member>
inline constexpr bool isChoice = std::is_enum_v<Member>;

void assign(Layout& member, const std::string& text) { member = named(layouts, text); }
void assign(ViewKind& member, const std::string& text) { member = named(viewKinds, text); }
void assign(ColorMap& member, const std::string& text) { member = named(colorMaps, text); }
void assign(LegendCorner& member, const std::string& text) { member = named(legendCorners, text); }
void assign(CutPlane& member, const std::string& text) { member = named(cutPlanes, text); }

/// Checks the value like a method's parameter. Throws ComputeError.
ParamValue checked(const ParamRow& param, ParamValue value) {
    const ParamTable table({param});
    ParamSet values(table);
    values.set(param.id, std::move(value));
    return values.value(param.id);
}

template <typename Presets>
std::vector<std::string> idsOf(const Presets& presets) {
    std::vector<std::string> ids;
    for (const auto& preset : presets)
        ids.push_back(preset.id);
    return ids;
}

template <typename Presets>
std::vector<std::string> titlesOf(const Presets& presets) {
    std::vector<std::string> titles;
    for (const auto& preset : presets)
        titles.push_back(preset.title);
    return titles;
}

DisplayRow cropRow(const std::string& side, double DisplayOptions::*place) {
    return {.param = realParam("crop-" + side, 0, 0, 95, "%",
                               "Percent of the volume in the 3D view, removed from its " + side +
                                   " side."),
            .label = "crop " + side,
            .group = "Cut and crop",
            .place = place};
}

} // namespace

ParamValue DisplayRow::value(const DisplayOptions& display) const {
    return std::visit(
        [&]([[maybe_unused]] const auto member) -> ParamValue {
            if constexpr (std::is_same_v<decltype(member), const std::monostate>) {
                const auto found = display.overlays.find(param.id);
                return found != display.overlays.end() ? found->second : param.defaultValue;
            } else if constexpr (isChoice<std::remove_cvref_t<decltype(display.*member)>>) {
                return std::string(name(display.*member));
            } else {
                return display.*member;
            }
        },
        place);
}

void DisplayRow::set(DisplayOptions& display, ParamValue value) const {
    value = checked(param, std::move(value));
    std::visit(
        [&]([[maybe_unused]] const auto member) {
            if constexpr (std::is_same_v<decltype(member), const std::monostate>) {
                display.overlays[param.id] = std::move(value);
            } else {
                using Member = std::remove_cvref_t<decltype(display.*member)>;
                if constexpr (isChoice<Member>)
                    assign(display.*member, std::get<std::string>(value));
                else
                    display.*member = std::get<Member>(std::move(value));
            }
        },
        place);
    if (setsWindow)
        display.window = display.level = 0;
}

ParamValue DisplayRow::valueOf(const std::string& text) const {
    const ParamTable table({param});
    ParamSet values(table);
    values.setText(param.id, text);
    return values.value(param.id);
}

bool DisplayRow::isOn(const DisplayOptions& display) const {
    return std::get<bool>(value(display));
}

double DisplayRow::real(const DisplayOptions& display) const {
    return std::get<double>(value(display));
}

std::string DisplayRow::text(const DisplayOptions& display) const {
    if (param.type == ParamType::Real)
        return fmt::format("{:g}", real(display));
    if (param.type == ParamType::Switch)
        return isOn(display) ? "on" : "off";
    if (param.type == ParamType::Integer)
        return fmt::format("{}", std::get<int>(value(display)));
    return std::get<std::string>(value(display));
}

std::string DisplayRow::plainLabel() const {
    std::string plain = label;
    std::erase(plain, '&');
    return plain;
}

const std::string& DisplayRow::title(const std::string& choice) const {
    const auto found = std::ranges::find(param.choices, choice);
    return titles.empty() || found == param.choices.end()
               ? choice
               : titles[static_cast<std::size_t>(found - param.choices.begin())];
}

std::vector<std::string> DisplayRow::choicesFor(const std::string& modality) const {
    std::vector<std::string> choices = param.choices;
    if (param.id == "window-preset")
        std::erase_if(choices,
                      [&](const std::string& id) { return !suits(windowPreset(id), modality); });
    return choices;
}

/// Long because it is a table.
const std::vector<DisplayRow>& sceneRows() {
    static const std::vector<DisplayRow> rows{
        {.param = choiceParam("layout", name(Layout::FourUp), namesOf(layouts),
                              "single: 3D; three: the slices; four: both; side: two estimations of "
                              "the motion and their difference."),
         .label = "layout",
         .place = &DisplayOptions::layout},
        {.param = choiceParam("side-view", name(ViewKind::Axial), namesOf(viewKinds),
                              "What the three views of the layout side show."),
         .label = "side by side shows",
         .place = &DisplayOptions::sideView},
        {.param = choiceParam("modality", "auto", {"auto", "ct", "mr", "echo"},
                              "What kind of image this is; auto: as the file says, or CT if the "
                              "values are those of air and tissue in Hounsfield units."),
         .label = "modality",
         .menu = true,
         .titles = {"Automatic", "CT", "MR", "Echo"},
         .place = &DisplayOptions::modality},
        {.param = switchParam("volume", true, "The volume, rendered."),
         .label = "&Volume",
         .section = "3D view",
         .key = 'V',
         .place = &DisplayOptions::volume},
        {.param = choiceParam("preset", "auto", idsOf(volumePresets()), "How the volume is drawn."),
         .label = "volume",
         .titles = titlesOf(volumePresets()),
         .place = &DisplayOptions::volumePreset},
        {.param = realParam("volume-opacity", 1, 0, 4, "", "Factor of the preset's opacity."),
         .label = "opacity",
         .place = &DisplayOptions::volumeOpacity},
        {.param = realParam("arrows-volume-opacity", 0.5, 0, 1, "",
                            "Another factor of the volume's opacity while arrows or lines of the "
                            "motion are shown, so that those inside it are seen."),
         .label = "opacity with arrows",
         .place = &DisplayOptions::volumeOpacityWithArrows},
        {.param = switchParam("slices", false, "The three slices as planes in the 3D view."),
         .label = "Slices in 3D",
         .section = "3D view",
         .extra = true,
         .place = &DisplayOptions::slicesIn3D},
        {.param = switchParam("cut", false,
                              "The volume cut open towards the observer, at a plane through the "
                              "crosshair."),
         .label = "C&ut open",
         .section = "3D view",
         .extra = true,
         .place = &DisplayOptions::cutAway},
        {.param = choiceParam("cut-plane", name(CutPlane::Facing), namesOf(cutPlanes),
                              "Which plane through the crosshair cuts the volume open; facing: the "
                              "one that faces the observer most."),
         .label = "cut at",
         .group = "Cut and crop",
         .place = &DisplayOptions::cutPlane},
        cropRow("right", &DisplayOptions::cropRight),
        cropRow("left", &DisplayOptions::cropLeft),
        cropRow("anterior", &DisplayOptions::cropAnterior),
        cropRow("posterior", &DisplayOptions::cropPosterior),
        cropRow("inferior", &DisplayOptions::cropInferior),
        cropRow("superior", &DisplayOptions::cropSuperior),
        {.param = choiceParam("window-preset", "auto", idsOf(windowPresets()),
                              "Window and level under a name; those of CT are in Hounsfield units, "
                              "the others follow the range of the sequence."),
         .label = "window preset",
         .menu = true,
         .setsWindow = true,
         .titles = titlesOf(windowPresets()),
         .place = &DisplayOptions::windowPreset},
        {.param = realParam("window", 0, 0, unlimited, "",
                            "Gray values from black to white in the slices."),
         .label = "window",
         .grayValue = true,
         .place = &DisplayOptions::window},
        {.param = realParam("level", 0, -unlimited, unlimited, "",
                            "Gray value of middle gray; only with --window."),
         .label = "level",
         .grayValue = true,
         .place = &DisplayOptions::level},
        {.param = choiceParam("color-map", name(ColorMap::Viridis), namesOf(colorMaps),
                              "Colors of the motion."),
         .label = "color map",
         .place = &DisplayOptions::colorMap},
        {.param = realParam("color-maximum", 0, 0, longest, "mm",
                            "Millimeters at the upper end of the colors; when not given, that of "
                            "the sequence's motion."),
         .label = "colors up to",
         .automatic = true,
         .sliderMaximum = 20,
         .place = &DisplayOptions::colorMaximum},
        {.param = realParam("difference-maximum", 0, 0, longest, "mm",
                            "Millimeters at the upper end of a difference's colors; when not "
                            "given, a fifth of the motion's."),
         .label = "difference up to",
         .automatic = true,
         .sliderMaximum = 5,
         .place = &DisplayOptions::differenceMaximum},
        {.param = switchParam("lock-scale", false,
                              "Colors and arrows keep their scale when another file is opened."),
         .label = "&Lock scale",
         .section = "Colors and labels",
         .place = &DisplayOptions::lockScale},
        {.param = switchParam("rounding", false,
                              "Differences that come from rounding (below 0.01 voxel), shown with "
                              "a scale of their own instead of as none."),
         .label = "Rounding errors",
         .section = "Colors and labels",
         .extra = true,
         .place = &DisplayOptions::roundingDifferences},
        {.param = choiceParam("legend", name(LegendCorner::BottomRight), namesOf(legendCorners),
                              "Corner of the view in which the legend of the colors stands; it can "
                              "also be dragged there."),
         .label = "legend",
         .menu = true,
         .titles = {"Bottom right", "Bottom left", "Top right", "Top left"},
         .place = &DisplayOptions::legend},
        {.param = switchParam("crosshair", true, "Where the slices meet."),
         .label = "&Crosshair",
         .section = "Colors and labels",
         .place = &DisplayOptions::crosshair},
        {.param = switchParam("annotations", true,
                              "Orientation letters, the line that names each view, window and "
                              "level."),
         .label = "Annotations",
         .section = "Colors and labels",
         .place = &DisplayOptions::annotations},
        {.param = switchParam("outdated-motion", true,
                              "Motion of another frame or of earlier parameters, faded, until the "
                              "right one is estimated; off: hidden."),
         .label = "Outdated motion",
         .section = "Motion",
         .place = &DisplayOptions::outdatedMotion},
        {.param = switchParam("caption", true,
                              "File, frame, time, pair, method and scale below saved pictures."),
         .label = "Caption",
         .section = "Colors and labels",
         .place = &DisplayOptions::caption},
    };
    return rows;
}

} // namespace systole
