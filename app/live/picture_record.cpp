#include "app/live/picture_record.h"

#include "app/version.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <filesystem>

namespace systole {

const char* name(PictureContent content) {
    switch (content) {
    case PictureContent::Scene:
        return "scene";
    case PictureContent::Panels:
        return "panels";
    case PictureContent::Window:
        return "window";
    }
    return "";
}

std::vector<std::string> absolutePaths(const std::vector<std::string>& paths) {
    std::vector<std::string> absolute;
    for (const std::string& path : paths)
        absolute.push_back(std::filesystem::absolute(path).lexically_normal().string());
    return absolute;
}

std::string captionOf(const SurfaceSession& surface) {
    if (!surface.shown || !surface.shown->scene)
        return "";
    const SurfaceChoice& choice = surface.choice;
    const std::string file = std::filesystem::path(choice.file).filename().string();
    std::string text = "surface of ";
    if (choice.source == SurfaceOrigin::Threshold)
        text += fmt::format("threshold {:g}", choice.threshold);
    else if (choice.source == SurfaceOrigin::Labels)
        text += fmt::format("label {} of {}", choice.label, file);
    else if (choice.source == SurfaceOrigin::Segmentation)
        text += fmt::format("label {} of a segmentation in the viewer", choice.label);
    else
        text += file;
    return text + (choice.denoise ? ", denoised" : "") +
           (choice.isCarried() ? ", carried by the motion" : "");
}

std::string captionOf(const RegistrationSession& registration) {
    const int number = registration.picture ? registration.picture->number : 0;
    return fmt::format("registration of {}, iteration {} of {}, {}", registration.status.name,
                       number, registration.status.points.size(), name(registration.view));
}

PictureMotion motionOf(const FrameResult& result, const MotionChoice& choice) {
    PictureMotion motion;
    motion.fixedFrame = result.fixedFrame;
    motion.movingFrame = result.movingFrame;
    motion.startFrame = result.startFrame;
    motion.window = choice.window;
    motion.smoothed = choice.window == 0 || result.window > 0;
    motion.method = choice.method->name;
    motion.preset = choice.preset;
    for (const ParamRow& row : choice.parameters.table().rows())
        motion.parameters[row.id] = choice.parameters.value(row.id);
    motion.backend = name(result.backend);
    return motion;
}

PictureRecord recordOf(const Scene& scene) {
    PictureRecord record;
    record.version = programVersion();
    record.renderer = scene.rendererName();
    record.upload = scene.uploadPath();
    record.size = scene.size();
    record.display = scene.display();
    record.preset = scene.activePreset();
    record.crosshair = scene.crosshair();
    record.camera = scene.camera();
    record.scale = scene.scale();
    record.notes = scene.motionNotes();
    const SideBySide& sides = scene.sideBySide();
    record.difference = sides.difference != nullptr;
    record.leftLabel = sides.leftLabel;
    record.rightLabel = sides.rightLabel;
    record.differenceLabel = sides.differenceLabel;
    return record;
}

PictureRecord recordOf(const Session& session, const Scene& scene) {
    PictureRecord record = recordOf(scene);
    const Sequence& sequence = session.opened->sequence;
    record.files = absolutePaths(session.opened->paths);
    record.name = sequence.name;
    record.frames = sequence.frames;
    record.frame = session.shownFrame;
    if (session.timeGivenByUser)
        record.frameTimeMilliseconds = 1000 * sequence.secondsToNext(0);
    if (sequence.timeKnown())
        record.milliseconds = 1000 * sequence.timeOf(session.shownFrame);
    if (session.registration.shown) {
        record.registration = captionOf(session.registration);
        return record;
    }
    if (displayRow("surface").isOn(record.display))
        record.surface = captionOf(session.surface);
    const bool sides = sideBySide(session);
    if (session.result && (sides || showsMotionOverlays(record.display)))
        record.left = motionOf(*session.result, session.resultChoice);
    if (sides && session.right.result)
        record.right = motionOf(*session.right.result, session.right.resultChoice);
    return record;
}

} // namespace systole
