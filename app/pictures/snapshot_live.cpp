// `systole snapshot` through the live view: two sides, panels, and the state after playing.
#include "app/base/error.h"
#include "app/cli/note_text.h"
#include "app/cli/progress.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/features/bias/bias_tool.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/fields/fields_tool.h"
#include "app/features/laboratory/laboratory_tool.h"
#include "app/features/landmarks/landmark_tool.h"
#include "app/features/profile/profile_tool.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/features/surface/surface_tool.h"
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
           surface_.any() || segment_.any() || landmarks_.any() || cardiac_.any() || fields_.any();
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
        if (surface_.any() || segment_.any() || cardiac_.segment > 0)
            display_.show(session.display, {"surface", "contours"});
        if (landmarks_.any())
            display_.show(session.display, {"landmarks"});
        sides_.apply(session);
        auto& segmentation = tools.get<SegmentationTool>();
        segment_.apply(segmentation);
        if (segment_.hasSeeds())
            segmentation.start();
        surface_.apply(tools.get<SurfaceTool>(), segment_.hasSeeds());
        landmarks_.apply(tools.get<LandmarkTool>());
        cardiac_.apply(tools.get<CardiacTool>());
        auto& fields = tools.get<FieldsTool>();
        fields_.apply(fields);
        if (fields_.any()) // the window would wait for the others
            requireFieldOfEachFrame(session.opened->sequence, fields.files.size());
        if (const auto& p = profile_; p.size() == 6)
            tools.get<ProfileTool>().set(
                TimeProfile::Line{Vec3{p[0], p[1], p[2]}, Vec3{p[3], p[4], p[5]}});
        aim(scene);
        if (std::ranges::find(panels_, laboratoryTitle) != panels_.end())
            lab_.apply(tools.get<LaboratoryTool>());
        if (std::ranges::find(panels_, biasTitle) != panels_.end()) {
            auto& bias = tools.get<BiasTool>();
            if (const std::string why = bias.whyNot(); !why.empty())
                throw UsageError(fmt::format("--panel {}: {}", biasTitle, why));
            bias_.apply(bias, session.motion.backend);
            bias.start();
        }
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
