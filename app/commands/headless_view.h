// The viewer without a window: the live view, its scene and its panels, drawn into a picture.
#pragma once

#include "app/live/session.h"
#include "render/image.h"
#include "render/scene.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

struct HeadlessOptions {
    std::vector<std::string> files;
    double frameTimeMilliseconds = 0;
    int frame = 0;          ///< that the picture shows
    double liveSeconds = 0; ///< that it plays and estimates before
    int width = 1280, height = 800;
    double pixelRatio = 1;
    SceneOptions scene;
    std::vector<std::string> panels; ///< titles of those that are shown, unfolded
    /// Called once the sequence is there, before anything is estimated.
    std::function<void(Session&, Scene&)> prepare;
    /// What is being waited for, for a progress bar.
    std::function<void(const std::string& phase, double fraction)> progress;
};

/// The picture once the frame, its motion and, side by side, the motion of both sides and their
/// difference are there. Throws UsageError, FileError, ComputeError (an estimation failed) and
/// RenderError.
RgbaImage drawHeadless(const HeadlessOptions& options);

} // namespace systole
