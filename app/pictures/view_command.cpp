// systole view: the window.
#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/lesson_number.h"
#include "app/cli/option_forms.h"
#include "app/cli/overwrite.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/pictures/picture_options.h"
#include "app/pictures/tool_command_options.h"
#include "app/window/run.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace systole {
namespace {

class ViewCommand : public Command {
public:
    ViewCommand()
        : Command("view",
                  "Open the viewer on one 4D file, on a 3D file per frame, or on a DICOM folder") {}
    void addOptions(CLI::App& app) override;
    void prepareHelp(CLI::App& app) override {
        app.get_option("--panel")->description("Open a panel, repeatable: " + panelTitles());
    }
    int run() override;

private:
    ViewerOptions options_;
    SideOptions sides_;
    ToolCommandOptions tools_;
    AimOptions aim_;
    DisplayCommandOptions display_;
    OverwriteOption overwrite_;
    std::string size_, upload_;
    int frame_ = -1;
    int threads_ = 0;
    double after_ = -1;
    bool play_ = false, noPlay_ = false;
};

void ViewCommand::addOptions(CLI::App& app) {
    app.add_option("files", options_.files, "Files to show; default: the bundled sequence");
    app.add_option("--frame", frame_, "First frame to show, from 0, without playing")
        ->check(CLI::NonNegativeNumber);
    CLI::Option* play = app.add_flag("--play", play_, "Play from the start, also with --frame");
    app.add_flag("--no-play", noPlay_, "Don't play")->excludes(play);
    addFrameTime(app, options_.frameTimeMilliseconds);
    app.add_flag("--keep-estimating", options_.keepEstimating,
                 "Estimate every pair again during playback, ignoring finished fields");
    app.add_option("--size", size_, "Window size, such as 1400x900");
    addRepeatable(app, "--panel", options_.openPanels, "Open a panel; repeatable");
    app.add_option(
           "--lesson", options_.lesson,
           "Open a lesson (from 1) and run its experiment; --screenshot then shows its page")
        ->check(lessonNumber());
    app.add_option("--screenshot", options_.screenshot,
                   "Write a PNG of the window after --after seconds (default 3), then quit");
    app.add_option(
           "--after", after_,
           "Quit this many seconds after the first displayed frame, or later, once its motion "
           "is estimated")
        ->check(CLI::NonNegativeNumber);
    app.add_option(
        "--upload", upload_,
        "Upload path of voxels to OpenGL: interop (CUDA writes into OpenGL), host, or auto: "
        "interop if available");
    app.add_option("--report", options_.report,
                   "Write measured rates of display and estimation as JSON at the end");
    overwrite_.addTo(app, ". They are those of --screenshot and --report; without it they are an "
                          "error");
    addThreads(app, threads_);
    display_.addTo(app, DisplayCommandOptions::Of::Viewer);
    sides_.addTo(app);
    aim_.addTo(app);
    tools_.addTo(app, {"lesson"}); // the window has it, with its page
}

int ViewCommand::run() {
    options_.write = [this](const std::string& path, const auto& writer) {
        overwrite_.checkAll({path}, options_.files);
        overwrite_.write(path, writer);
    };
    overwrite_.checkAll({options_.screenshot, options_.report}, options_.files);
    if (!options_.screenshot.empty())
        requirePngName(options_.screenshot, "--screenshot");
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
    tools_.check();
    tools_.addPanels(options_.openPanels);
    Session none;
    const Tools noTools(none);
    Panels panels = makePanels(noTools);
    for (const std::string& title : options_.openPanels)
        findPanel(panels, title);
    options_.prepare = [this](Session& session, Tools& tools) {
        session.threads = threads_;
        display_.apply(session.display);
        sides_.apply(session);
        tools_.apply(tools);
    };
    options_.prepareViews = [this](Session& session, Scene& scene) {
        display_.apply(session.display);
        aim_.apply(scene);
    };
    return runViewer(options_);
}

} // namespace

std::unique_ptr<Command> makeViewCommand() { return std::make_unique<ViewCommand>(); }

} // namespace systole
