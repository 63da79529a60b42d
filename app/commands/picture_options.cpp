#include "app/commands/picture_options.h"

#include "app/commands/lesson_number.h"
#include "app/error.h"
#include "app/estimation/backend.h"
#include "app/tuning/autotune_file.h"
#include "compute/core/error.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace systole {
namespace {
constexpr int largestSide = 16384;
}

std::pair<int, int> parsePictureSize(const std::string& text) {
    int width = 0, height = 0;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, width);
    const bool separated = first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x';
    const auto second = separated ? std::from_chars(first.ptr + 1, end, height) : first;
    if (!separated || second.ec != std::errc{} || second.ptr != end || width < 1 || height < 1 ||
        width > largestSide || height > largestSide)
        throw UsageError(fmt::format("--size: expected WIDTHxHEIGHT of 1 to {} pixels, found '{}'",
                                     largestSide, text));
    return {width, height};
}

UploadPath parseUpload(const std::string& text) {
    for (const UploadPath path : uploadPaths)
        if (text == name(path))
            return path;
    throw UsageError(fmt::format("--upload: '{}' is not one of auto, interop, host", text));
}

Layout parseLayout(const std::string& text) {
    for (const Layout layout : layouts)
        if (text == name(layout))
            return layout;
    throw UsageError(fmt::format("--layout: '{}' is not one of single, three, four, side", text));
}

ViewKind parseSideView(const std::string& text) {
    const auto equalLetters = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    };
    for (const ViewKind kind : viewKinds) {
        const std::string known = name(kind);
        if (std::equal(known.begin(), known.end(), text.begin(), text.end(), equalLetters))
            return kind;
    }
    throw UsageError(
        fmt::format("--side-view: '{}' is not one of 3d, axial, coronal, sagittal", text));
}

void SideOptions::addTo(CLI::App& app, bool withBackend) {
    const char* const group = "Two estimations side by side (--layout side)";
    const auto add = [&](const std::string& option, auto& value, const std::string& help) {
        return app.add_option(option, value, help)->group(group);
    };
    const auto several = [&](const std::string& option, auto& value, const std::string& help) {
        add(option, value, help)->allow_extra_args(false);
    };
    const std::string backends = fmt::format("{}", fmt::join(backendNames(), ", "));
    app.add_flag("--no-autotune", noAutotune, noAutotuneHelp);
    add("--side-view", view, "What the three views are: 3d, axial (default), coronal or sagittal");
    if (withBackend)
        add("--backend", left.backend, "What estimates the motion: " + backends);
    add("--method", left.method, "How the motion is estimated");
    add("--motion-preset", left.preset, "Preset of the method's parameters");
    several("--variant", left.variants, "STAGE=NAME: memory variant of a CUDA kernel");
    several("--set", left.assignments, "ID=VALUE: a parameter of the method");
    add("--compare-backend", right.backend,
        "The same for the right side: " + backends + "; the rest is as on the left");
    add("--compare-method", right.method, "How the right side is estimated");
    add("--compare-preset", right.preset, "Preset of the right side");
    several("--compare-variant", right.variants, "STAGE=NAME of the right side");
    several("--compare-set", right.assignments, "ID=VALUE of the right side");
}

void SideOptions::apply(Session& session) const {
    if (!view.empty())
        session.display.sideView = parseSideView(view);
    applyMotionOptions(session, left, right);
    session.autotune = !noAutotune;
}

void LabOptions::addTo(CLI::App& app) {
    const char* const group = "The panel Laboratory";
    CLI::Option* const ofLesson =
        app.add_option("--lesson", lesson, "Show the experiment of this lesson, from 1")
            ->check(lessonNumber())
            ->group(group);
    app.add_option("--lab-kernel", kernels,
                   "Kernels to show, separated by commas; 'systole lab --list' names them")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->excludes(ofLesson) // its experiment says
        ->group(group);
}

void LabOptions::apply(Session& session) const {
    lab::LabQuestion question;
    if (lesson > 0)
        question = systole::lesson(lesson).experiment;
    if (!kernels.empty())
        question.kernels = kernels;
    try {
        for (const std::string& kernel : question.kernels)
            lab::labKernel(kernel);
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("--lab-kernel: {}", error.what()));
    }
    session.lab.ask(question, lesson);
}

} // namespace systole
