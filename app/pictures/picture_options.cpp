#include "app/pictures/picture_options.h"

#include "app/base/error.h"
#include "app/cli/common_options.h"
#include "app/cli/method_options.h"
#include "app/cli/option_forms.h"
#include "app/cli/text_parts.h"
#include "app/live/command_line.h"
#include "app/task/backend.h"
#include "app/tuning/autotune_file.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {
constexpr int largestSide = 16384;
}

std::pair<int, int> parsePictureSize(const std::string& text) {
    const std::vector<int> sides = wholeNumbersIn(text, 'x', 1, largestSide);
    if (sides.size() != 2)
        throw UsageError(fmt::format("--size: expected WIDTHxHEIGHT of 1 to {} pixels, found '{}'",
                                     largestSide, text));
    return {sides[0], sides[1]};
}

UploadPath parseUpload(const std::string& text) {
    for (const UploadPath path : uploadPaths)
        if (text == name(path))
            return path;
    throw UsageError(fmt::format("--upload: '{}' is not one of auto, interop, host", text));
}

void DisplayCommandOptions::addTo(CLI::App& app, Of of) {
    const OptionGroup group(app, "Display");
    of_ = of;
    std::vector<std::string> extras{"bare", "none", "only"};
    std::map<std::string, std::string> former;
    std::string help = "Elements to add, separated by commas.";
    for (const DisplayRow& row : displayRows()) {
        const ParamRow& param = row.param;
        const std::string name = "--" + param.id;
        if (row.extra) {
            extras.push_back(param.id);
            help += fmt::format(" {}: {}", param.id, param.help);
            if (!row.former.empty())
                former[row.former] = param.id;
        }
        if (row.isSwitch())
            continue;
        if (param.type == ParamType::Choice) {
            std::string& choice = choices_[param.id] = std::get<std::string>(param.defaultValue);
            options_[param.id] = app.add_option(name, choice, param.help)
                                     ->transform(oneOfIgnoringCase(param.choices))
                                     ->capture_default_str();
            continue;
        }
        options_[param.id] = addReal(app, row, param.id);
        if (!row.former.empty())
            options_[row.former] = addReal(app, row, row.former)->group(""); // hidden
    }
    addList(
        app, "--overlay", extras_,
        help +
            " bare: No labels, no crosshair. none: nothing else, also nothing that other options "
            "would add. only: in the viewer, nothing that isn't named.")
        ->transform(CLI::Transformer(former).description(""))
        ->check(oneOf(extras));
    addSwitches(app);
}

void DisplayCommandOptions::addSwitches(CLI::App& app) {
    std::vector<std::string> names;
    for (const DisplayRow& row : displayRows())
        if (row.isSwitch() && !row.extra)
            for (const char* value : {"=on", "=off"})
                names.push_back(row.param.id + value);
    addRepeatable(app, "--switch", switches_,
                  "NAME=on or NAME=off: a switch of the display that --overlay doesn't name")
        ->check(oneOf(names));
}

CLI::Option* DisplayCommandOptions::addReal(CLI::App& app, const DisplayRow& row,
                                            const std::string& name) {
    const ParamRow& param = row.param;
    CLI::Option* const option = app.add_option("--" + name, numbers_[param.id], param.help);
    if (row.automatic || row.grayValue)
        return option->check(param.minimum < 0 ? CLI::Validator(CLI::Number)
                                               : CLI::Validator(CLI::PositiveNumber));
    return option->check(inRange(param.minimum, param.maximum));
}

bool DisplayCommandOptions::given(const std::string& id) const {
    return std::ranges::any_of(options_, [row = &displayRow(id)](const auto& option) {
        return row->isNamed(option.first) && option.second->count() > 0;
    });
}

Layout DisplayCommandOptions::layout() const {
    DisplayOptions display;
    apply(display);
    return display.layout;
}

DisplayCommandOptions
DisplayCommandOptions::withOverlays(const std::vector<std::string>& extras) const {
    DisplayCommandOptions other = *this;
    other.extras_.clear();
    for (const std::string& extra : extras) {
        const std::size_t colon = extra.find(':');
        if (colon != std::string::npos) {
            const std::string id = extra.substr(0, colon);
            other.assigned_.emplace_back(id, displayRow(id).valueOf(extra.substr(colon + 1)));
            continue;
        }
        const auto row = std::ranges::find_if(displayRows(), [&](const DisplayRow& known) {
            return known.extra && known.isNamed(extra);
        });
        if (extra != "bare" && row == displayRows().end())
            throw UsageError(fmt::format("'{}' is no overlay (see --overlay)", extra));
        other.extras_.push_back(extra == "bare" ? extra : row->param.id);
    }
    return other;
}

bool DisplayCommandOptions::isNamed(const std::string& extra) const {
    return std::ranges::find(extras_, extra) != extras_.end();
}

void DisplayCommandOptions::show(DisplayOptions& display,
                                 const std::vector<std::string>& switches) const {
    if (!isNamed("none") &&
        std::ranges::none_of(switches, [&](const auto& id) { return isNamed(id); }))
        for (const std::string& id : switches)
            displayRow(id).set(display, true);
}

void DisplayCommandOptions::apply(DisplayOptions& display) const {
    for (const DisplayRow& row : displayRows()) {
        const std::string& id = row.param.id;
        if (row.extra && (of_ == Of::Picture || isNamed("only") || isNamed(id)))
            row.set(display, isNamed(id));
        else if (given(id) && row.param.type == ParamType::Choice)
            row.set(display, choices_.at(id));
        else if (given(id))
            row.set(display, numbers_.at(id));
    }
    for (const auto& [id, value] : assigned_)
        displayRow(id).set(display, value);
    for (const std::string& text : switches_) {
        const std::size_t at = text.find('=');
        displayRow(text.substr(0, at)).set(display, text.substr(at + 1) == "on");
    }
    if (isNamed("bare"))
        display.crosshair = display.annotations = false;
}

void AimOptions::addTo(CLI::App& app) {
    const OptionGroup group(app, "Where the views look");
    const auto numbers = [&](const char* name, std::vector<double>& values, std::size_t count,
                             const char* help) {
        app.add_option(name, values, help)->delimiter(',')->expected(static_cast<int>(count));
    };
    numbers("--crosshair", crosshair_, 3,
            "x,y,z: position of the crosshair, where the slices meet, LPS mm");
    app.add_option("--view", view_, "Standard view of the volume")
        ->check(oneOf({"anterior", "left", "superior"}));
    numbers("--rotate", rotation_, 2, "AZIMUTH,ELEVATION: rotation of the view, degrees");
    numbers("--camera", camera_, numbersOf(SceneCamera()).size(),
            "Exact position of all views, as 'Copy as command line' writes it");
}

void AimOptions::apply(Scene& scene) const {
    if (crosshair_.size() == 3)
        scene.setCrosshair({crosshair_[0], crosshair_[1], crosshair_[2]});
    if (view_ == "anterior")
        scene.setStandardView(StandardView::Anterior);
    else if (view_ == "left")
        scene.setStandardView(StandardView::Left);
    else if (view_ == "superior")
        scene.setStandardView(StandardView::Superior);
    if (rotation_.size() == 2)
        scene.rotate(rotation_[0], rotation_[1]);
    if (!camera_.empty())
        scene.setCamera(cameraOf(camera_));
}

void SideOptions::addTo(CLI::App& app, bool withBackend) {
    const std::string backends = fmt::format("{}", fmt::join(backendNames(), ", "));
    const auto references = oneOf({"previous", "first", "window"});
    {
        const OptionGroup group(app, "How motion is estimated");
        if (withBackend)
            addBackend(app, left.backend, DeviceNumbers::Refused, drawingDeviceHelp);
        app.add_option("--method", left.method,
                       "Motion estimation method ('systole methods' lists them)");
        app.add_option("--motion-preset", left.preset, "Preset of the method's parameters");
        addRepeatable(app, "--variant", left.variants,
                      "STAGE=NAME: memory variant of a CUDA kernel; only with CUDA");
        addRepeatable(app, "--set", left.assignments, "NAME=VALUE: a parameter of the method");
        app.add_option("--reference", left.reference,
                       "Frame in which the motion begins. previous: the motion from each frame to "
                       "the next; first: since the first frame; window: since the first frame, "
                       "each voxel's trajectory smoothed over --window-frames frames")
            ->check(references);
        app.add_option("--window-frames", left.window, windowHelp());
        addRepeatable(app, "--stage", left.stages,
                      "NAME of a stage that follows each estimation, as in the panel Motion");
        app.add_flag("--no-motion", noMotion, "Estimate no motion");
        app.add_flag("--no-autotune", noAutotune, noAutotuneHelp);
    }
    const OptionGroup group(app, "The right side of two estimations (--layout side)");
    app.add_option("--compare-backend", right.backend,
                   "Backend of the right side: " + backends +
                       "; its other settings are as on the left");
    app.add_option("--compare-method", right.method, "Method of the right side");
    app.add_option("--compare-preset", right.preset, "Preset of the right side");
    addRepeatable(app, "--compare-variant", right.variants, "STAGE=NAME of the right side");
    addRepeatable(app, "--compare-set", right.assignments, "NAME=VALUE of the right side");
    addRepeatable(app, "--compare-stage", right.stages, "NAME of a stage of the right side");
    app.add_option("--compare-reference", right.reference, "Reference of the right side")
        ->check(references);
    app.add_option("--compare-window-frames", right.window, "Frames of the right side's window");
}

void SideOptions::apply(Session& session) const {
    applyMotionOptions(session, left, right);
    session.autotune = !noAutotune;
    session.motion.enabled = !noMotion;
}

} // namespace systole
