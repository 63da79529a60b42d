// The viewer without a window: the live view, its scene and its panels, drawn into a picture.
#pragma once

#include "app/live/picture_record.h"
#include "app/session/session.h"
#include "render/base/image.h"
#include "render/scene/scene.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

struct HeadlessOptions {
    std::vector<std::string> files;
    double frameTimeMilliseconds = 0;
    int frame = 0;          ///< frame that the picture shows
    int motionFrom = -1;    ///< frame from which the pairs are estimated one by one; −1: `frame`
    double liveSeconds = 0; ///< time of playing and estimating before the picture
    int width = 1280, height = 800;
    double pixelRatio = 1;
    SceneOptions scene;
    std::vector<std::string> panels; ///< titles of the panels shown, unfolded
    /// Called when the sequence is open, before any estimation.
    std::function<void(Session&, Tools&, Scene&)> prepare;
    /// Reports the current phase, for a progress bar.
    std::function<void(const std::string& phase, double fraction)> progress;
};

struct HeadlessPicture {
    RgbaImage image; ///< picture without a caption
    PictureRecord record;
    std::string note; ///< requested objects that aren't visible, and the reason; empty: none
};

/// Returns the picture when the frame, its motion and, side by side, both sides' motion and their
/// difference are available. Throws UsageError, FileError, ComputeError (an estimation failed) and
/// RenderError.
HeadlessPicture drawHeadless(const HeadlessOptions& options);

} // namespace systole
