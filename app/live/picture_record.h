// Everything that decides the pixels of a saved picture, as plain data: written into the PNG file,
// and read back to make the picture again.
#pragma once

#include "app/feature/tools.h"
#include "app/session/session.h"
#include "render/scene/scene.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// The content of a saved picture.
enum class PictureContent {
    Scene,  ///< the views alone
    Panels, ///< the views and panels, whose measured figures nobody can repeat
    Window  ///< the whole window
};
const char* name(PictureContent content); ///< "scene", "panels", "window"
inline constexpr PictureContent pictureContents[] = {PictureContent::Scene, PictureContent::Panels,
                                                     PictureContent::Window};

/// The motion of one side.
struct PictureMotion {
    int fixedFrame = -1;
    int movingFrame = -1; ///< −1: unknown, from a file
    int startFrame = -1;  ///< FrameResult::startFrame
    int window = 0;       ///< MotionChoice::window
    bool smoothed = true; ///< true if the window was complete, or there is none
    /// FrameResult::pictureFrame()
    int pictureFrame() const { return window > 0 ? movingFrame : fixedFrame; }
    std::string method, preset;
    std::map<std::string, ParamValue> parameters; ///< all of the method's
    std::string backend;                          ///< backend that estimated the motion
    std::string fieldFile;   ///< the field was read from this file; empty: it was estimated
    std::string fieldSha256; ///< hash of that file's bytes
    bool operator==(const PictureMotion&) const = default;
};

struct PictureRecord {
    std::string version;  ///< the program's
    std::string renderer; ///< GL_RENDERER
    std::string upload;   ///< path by which voxels reached OpenGL
    PictureContent content = PictureContent::Scene;

    std::vector<std::string> files;   ///< absolute paths, in the order of the frames
    std::string sha256;               ///< hash of the bytes of all files, one after the other
    double frameTimeMilliseconds = 0; ///< given by the user; 0: as in the file
    std::string name;                 ///< the sequence's, for the caption
    int frame = 0, frames = 1;
    std::optional<double> milliseconds; ///< time of the frame; none: unknown

    SceneSize size;         ///< size without the caption
    DisplayOptions display; ///< its rows (displayRows())
    std::string preset;     ///< volume preset in use
    Vec3 crosshair;
    SceneCamera camera;
    DisplayScale scale;
    /// Meaning and range of each overlay's colors that don't stand for the magnitude of motion.
    std::map<std::string, std::string> ownColors;

    std::optional<PictureMotion> left, right; ///< none: no motion shown
    /// Descriptions of the shown objects, by the tools' ids, for the caption.
    std::map<std::string, std::string> tools;
    std::vector<SceneMark> marks;
    MotionNotes notes;
    bool secondImage = false;                           ///< Scene::flicker()
    bool difference = false;                            ///< the difference of both sides is shown
    std::string leftLabel, rightLabel, differenceLabel; ///< SideBySide's
};

/// The part of the record that the scene knows.
PictureRecord recordOf(const Scene& scene);
/// The picture that scene, session and tools show; a sequence must be open. Hashes are empty.
PictureRecord recordOf(const Session& session, const Tools& tools, const Scene& scene);
/// The frame that the picture shows: its number and time, and the sequence that it is of.
void nameFrame(PictureRecord& record, const Sequence& sequence, int frame);
/// Motion that was estimated with this choice.
PictureMotion motionOf(const FrameResult& result, const MotionChoice& choice);
std::vector<std::string> absolutePaths(const std::vector<std::string>& paths);

/// The caption, in parts: file, frame, time, pair, method, scale.
std::vector<std::string> captionOf(const PictureRecord& record);

} // namespace systole
