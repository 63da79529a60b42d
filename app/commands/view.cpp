#include "app/commands/view.h"

#include "app/commands/lesson_number.h"
#include "app/panels/panel.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>

#include <tuple>

namespace systole {

void ViewCommand::addOptions(CLI::App& app) {
    app.add_option("files", options_.files, "What to show; without any the bundled sequence");
    display_.addTo(app, DisplayCommandOptions::Of::Viewer);
    app.add_option("--frame", frame_, "Frame to begin with, from 0; it stands still")
        ->check(CLI::NonNegativeNumber);
    CLI::Option* play = app.add_flag("--play", play_, "Play from the start, with --frame too");
    app.add_flag("--no-play", noPlay_, "Stand still")->excludes(play);
    app.add_option("--frame-time", options_.frameTimeMilliseconds,
                   "Milliseconds from a frame to the next, in place of what the file says")
        ->check(CLI::PositiveNumber);
    app.add_flag("--keep-estimating", options_.keepEstimating,
                 "While playing, estimate again where a finished field is at hand");
    app.add_option("--size", size_, "Of the window, such as 1400x900");
    app.add_option("--panel", options_.openPanels, "Unfold a panel: " + panelTitles());
    app.add_option("--lesson", options_.lesson,
                   "Open a lesson on GPU memory (from 1) and run its experiment; --screenshot is "
                   "then of its page")
        ->check(lessonNumber());
    app.add_option("--screenshot", options_.screenshot,
                   "Write a PNG of the window after --after seconds (3 if not given), then quit");
    app.add_option("--after", after_, "Quit this many seconds after the first picture")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--upload", upload_,
                   "How voxels come to OpenGL: interop (CUDA writes them in place), host, or auto: "
                   "interop where it can be had");
    app.add_option("--report", options_.report,
                   "Write measured rates of display and estimation as JSON at the end");
    sides_.addTo(app);
}

int ViewCommand::run() {
    if (!size_.empty())
        std::tie(options_.width, options_.height) = parsePictureSize(size_);
    if (!upload_.empty())
        options_.upload = parseUpload(upload_);
    if (frame_ >= 0)
        options_.frame = frame_;
    if (play_ || noPlay_)
        options_.play = play_;
    if (after_ >= 0)
        options_.quitAfterSeconds = after_;
    Panels panels = makePanels();
    for (const std::string& title : options_.openPanels)
        findPanel(panels, title);
    options_.prepare = [this](Session& session) {
        display_.apply(session.display);
        sides_.apply(session);
    };
    return runViewer(options_);
}

} // namespace systole
