// `systole snapshot` through the live view: two sides, panels, and the state after playing.
#include "app/base/error.h"
#include "app/cli/note_text.h"
#include "app/cli/progress.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/pictures/headless_view.h"
#include "app/pictures/snapshot_command.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace systole {

bool SnapshotCommand::live() const {
    return display_.layout() == Layout::SideBySide || !panels_.empty() || liveSeconds_ > 0 ||
           !(sides_.left.reference.empty() || sides_.left.reference == "previous") ||
           tools_.any() || motionFrom_ >= 0 || sides_.noMotion || !sides_.left.stages.empty();
}

int SnapshotCommand::runLive() {
    if (!field_.empty() || moving_ >= 0)
        throw UsageError(
            "--field and --moving can't be combined with --layout side, --panel, "
            "--live, --reference first or window, --surface, --segment, --landmarks, --cardiac or "
            "--fields, "
            "which choose the frames themselves");
    HeadlessOptions options;
    options.files = files_;
    options.frameTimeMilliseconds = frameTimeMilliseconds_;
    options.frame = frame_;
    options.liveSeconds = liveSeconds_;
    options.motionFrom = motionFrom_;
    std::tie(options.width, options.height) = parsePictureSize(size_);
    options.pixelRatio = pixelRatio_;
    options.scene.upload = parseUpload(upload_);
    options.scene.threads = threads_;
    options.panels = panels_;
    options.prepare = [this](Session& session, Tools& tools, Scene& scene) {
        session.threads = threads_;
        display_.apply(session.display);
        if (session.playback.frames() < 2 && showsMotionOverlays(session.display))
            throw UsageError(fmt::format("{}: has a single frame, so no motion", files_.front()));
        for (const std::vector<std::string>& switches : tools_.shows())
            display_.show(session.display, switches);
        sides_.apply(session);
        tools_.apply(tools);
        startChosen(tools, panels_);
        aim_.apply(scene);
    };
    ProgressBar bar;
    options.progress = [&](const std::string& phase, double part) { bar.update(phase, part); };
    HeadlessPicture picture = drawHeadless(options);
    write(picture.image, std::move(picture.record), {}, output_);
    if (!picture.note.empty())
        printNote(picture.note);
    return 0;
}

} // namespace systole
