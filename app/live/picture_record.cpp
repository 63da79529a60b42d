#include "app/live/picture_record.h"

#include "app/base/version.h"
#include "compute/core/enum_text.h"
#include "render/overlays/rows.h"

#include <filesystem>

namespace systole {

const char* name(PictureContent content) {
    return enumText(content, {"scene", "panels", "window"});
}

std::vector<std::string> absolutePaths(const std::vector<std::string>& paths) {
    std::vector<std::string> absolute;
    for (const std::string& path : paths)
        absolute.push_back(std::filesystem::absolute(path).lexically_normal().string());
    return absolute;
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
    for (const ColorScale& own : scene.ownScales())
        record.ownColors[own.caption] = rangeText(own);
    record.notes = scene.motionNotes();
    record.marks = scene.marks();
    record.secondImage = scene.flickered();
    const SideBySide& sides = scene.sideBySide();
    record.difference = sides.difference != nullptr;
    record.leftLabel = sides.leftLabel;
    record.rightLabel = sides.rightLabel;
    record.differenceLabel = sides.differenceLabel;
    return record;
}

void nameFrame(PictureRecord& record, const Sequence& sequence, int frame) {
    record.name = sequence.name;
    record.frames = sequence.frames;
    record.frame = frame;
    record.milliseconds.reset();
    if (sequence.timeKnown())
        record.milliseconds = 1000 * sequence.timeOf(frame);
}

PictureRecord recordOf(const Session& session, const Tools& tools, const Scene& scene) {
    PictureRecord record = recordOf(scene);
    const Sequence& sequence = session.opened->sequence;
    record.files = absolutePaths(session.opened->paths);
    nameFrame(record, sequence, session.shownFrame);
    if (session.timeGivenByUser)
        record.frameTimeMilliseconds = 1000 * sequence.secondsToNext(0);
    // A tool that shows something in place of the sequence hides the objects of other tools.
    for (const auto& tool : tools)
        if (const std::string caption = tool->caption();
            !caption.empty() && caption.starts_with(session.inPlace))
            record.tools[tool->name().id] = caption;
    if (!session.inPlace.empty())
        return record;
    const bool sides = sideBySide(session);
    if (session.result && (sides || showsMotionOverlays(record.display)))
        record.left = motionOf(*session.result, session.resultChoice);
    if (sides && session.right.result)
        record.right = motionOf(*session.right.result, session.right.resultChoice);
    return record;
}

} // namespace systole
