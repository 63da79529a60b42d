#include "app/live/command_line.h"

#include "app/feature/feature.h"
#include "app/feature/tool_options.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace systole {

std::string shellWord(const std::string& text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-+=.,:/@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos)
        return text;
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::vector<double> numbersOf(const SceneCamera& camera) {
    std::vector<double> numbers;
    const auto add = [&](Vec3 point) {
        numbers.insert(numbers.end(), {point.x, point.y, point.z});
    };
    for (const Vec3& point : {camera.eye, camera.focus, camera.up})
        add(point);
    for (const SceneCamera::Slice& slice : camera.slices) {
        numbers.push_back(slice.zoom);
        add(slice.pan);
    }
    return numbers;
}

SceneCamera cameraOf(const std::vector<double>& numbers) {
    SceneCamera camera;
    if (numbers.size() != numbersOf(camera).size())
        throw std::logic_error("a camera has another number of numbers");
    auto next = numbers.begin();
    const auto point = [&] {
        const Vec3 read{next[0], next[1], next[2]};
        next += 3;
        return read;
    };
    camera.eye = point();
    camera.focus = point();
    camera.up = point();
    for (SceneCamera::Slice& slice : camera.slices) {
        slice.zoom = *next++;
        slice.pan = point();
    }
    return camera;
}

namespace {

class CommandLine {
public:
    explicit CommandLine(const std::string& command) : text_("systole " + command) {}

    void word(const std::string& text) { text_ += " " + shellWord(text); }
    void option(const std::string& name, const std::string& value) {
        text_ += " --" + name + " " + shellWord(value);
    }
    void flag(const std::string& name) { text_ += " --" + name; }
    /// A value that may begin with a hyphen.
    void numbers(const std::string& name, const std::vector<std::string>& values) {
        text_ += fmt::format(" --{}={}", name, fmt::join(values, ","));
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

std::vector<std::string> textsOf(const std::vector<double>& numbers) {
    std::vector<std::string> texts;
    for (const double number : numbers)
        texts.push_back(exactText(number));
    return texts;
}

using ChosenOptions = std::vector<std::pair<const ToolOption*, OptionValues>>;

/// The options that say what the tools are set to, with their values, in their order.
ChosenOptions chosenOptions(const Tools& tools) {
    ChosenOptions chosen;
    for (const ToolOptionGroup& group : toolOptions())
        for (const ToolOption& option : group.options)
            if (auto values = option.get ? option.get(tools.named(group.tool)) : std::nullopt)
                chosen.emplace_back(&option, std::move(*values));
    return chosen;
}

/// True if a switch that is on shows something; one that needs a tool's option shows something only
/// with that option.
bool draws(const std::string& display, const ChosenOptions& chosen) {
    const bool needsOption = std::ranges::any_of(toolOptions(), [&](const ToolOptionGroup& group) {
        return std::ranges::any_of(
            group.options, [&](const ToolOption& option) { return option.drawsFor(display); });
    });
    return !needsOption || std::ranges::any_of(chosen, [&](const auto& each) {
        return each.first->drawsFor(display);
    });
}

void addDisplay(CommandLine& line, const DisplayOptions& display, const ChosenOptions& chosen,
                bool window) {
    const DisplayOptions usual;
    std::vector<std::string> named;
    for (const DisplayRow& row : displayRows()) {
        const std::string& id = row.param.id;
        if (row.extra) {
            if (row.isOn(display) && (window || draws(id, chosen)))
                named.push_back(id);
        } else if (row.isSwitch()) {
            if (row.isOn(display) != row.isOn(usual))
                line.option("switch", id + (row.isOn(display) ? "=on" : "=off"));
        } else if (row.param.type == ParamType::Real) {
            // The window of a sequence is its own in the viewer, unless it was changed.
            if (row.grayValue || row.value(display) != row.value(usual))
                line.numbers(id, {exactText(row.real(display))});
        } else if (row.value(display) != row.value(usual)) {
            line.option(id, row.text(display));
        }
    }
    if (window)
        named.insert(named.begin(), "only");
    line.option("overlay", named.empty() ? "none" : fmt::format("{}", fmt::join(named, ",")));
}

void addMotion(CommandLine& line, const MotionChoice& choice, const std::string& prefix) {
    const bool left = prefix.empty();
    line.option(prefix + "backend", name(choice.backend));
    line.option(prefix + "method", choice.method->name);
    if (!choice.preset.empty())
        line.option(left ? "motion-preset" : "compare-preset", choice.preset);
    for (const std::string& text :
         changedParameters(choice.parameters, ParamSet(*choice.method->parameters, choice.preset)))
        line.option(prefix + "set", text);
    for (const std::string& stage : choice.stages)
        line.option(prefix + "stage", stage);
    if (choice.window == 1)
        line.option(prefix + "reference", "first");
    if (choice.window > 1) {
        line.option(prefix + "reference", "window");
        line.option(prefix + "window-frames", fmt::format("{}", choice.window));
    }
}

void addTools(CommandLine& line, const ChosenOptions& chosen) {
    for (const auto& [option, values] : chosen) {
        switch (option->form) {
        case ToolOption::Form::Switch:
            line.flag(option->name);
            break;
        case ToolOption::Form::Numbers:
        case ToolOption::Form::List:
            line.numbers(option->name, values);
            break;
        default:
            for (const std::string& value : values)
                line.option(option->name, value);
        }
    }
}

/// Adds the options that both commands have.
void addCommon(CommandLine& line, const Session& session, const Tools& tools, const Scene& scene,
               bool window, std::vector<std::string>& left) {
    for (const std::string& path : session.opened->paths)
        line.word(std::filesystem::absolute(path).lexically_normal().string());
    const Sequence& sequence = session.opened->sequence;
    if (session.timeGivenByUser)
        line.option("frame-time", exactText(1000 * sequence.secondsToNext(0)));
    line.option("frame", fmt::format("{}", session.playback.frame()));
    const ChosenOptions chosen = chosenOptions(tools);
    addDisplay(line, session.display, chosen, window);
    addMotion(line, session.motion, "");
    if (!session.motion.enabled)
        line.flag("no-motion");
    if (!session.autotune)
        line.flag("no-autotune");
    if (session.display.layout == Layout::SideBySide)
        addMotion(line, session.compared, "compare-");
    if (session.result && session.result->startFrame >= 0 && session.motion.window == 0 &&
        session.result->startFrame < session.result->fixedFrame)
        line.option("motion-from", fmt::format("{}", session.result->startFrame));
    addTools(line, chosen);
    for (const auto& tool : tools)
        if (std::string sentence = tool->notInOptions(); !sentence.empty())
            left.push_back(std::move(sentence));
    line.numbers("crosshair",
                 textsOf({scene.crosshair().x, scene.crosshair().y, scene.crosshair().z}));
    line.numbers("camera", textsOf(numbersOf(scene.camera())));
}

} // namespace

CopiedCommand snapshotCommandOf(const Session& session, const Tools& tools, const Scene& scene) {
    CopiedCommand copied;
    CommandLine line("snapshot");
    addCommon(line, session, tools, scene, false, copied.left);
    const SceneSize size = scene.size();
    line.option("size", fmt::format("{}x{}", size.width, size.height));
    if (size.pixelRatio != 1)
        line.option("pixel-ratio", exactText(size.pixelRatio));
    line.option("panel", "none");
    copied.text = line.text() + " -o picture.png";
    return copied;
}

CopiedCommand viewCommandOf(const Session& session, const Tools& tools, const Scene& scene,
                            const WindowState& window) {
    CopiedCommand copied;
    CommandLine line("view");
    addCommon(line, session, tools, scene, true, copied.left);
    line.option("size", fmt::format("{}x{}", window.width, window.height));
    for (const std::string& panel : window.panels)
        line.option("panel", panel);
    copied.text = line.text();
    return copied;
}

} // namespace systole
