// The data that the views of a scene draw. Owned by the scene, which makes a copy with each side's
// motion for the views side by side.
#pragma once

#include "compute/core/frame_result.h"
#include "render/color_bar.h"
#include "render/display_options.h"
#include "render/display_scale.h"
#include "render/motion_source.h"
#include "render/scene_mark.h"
#include "render/scene_strain.h"
#include "render/scene_surface.h"
#include "render/scene_tracks.h"
#include "render/value_map.h"
#include "render/view_plane.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class VoxelUpload;

struct SceneState {
    DisplayOptions display;
    WindowLevel windowLevel;          ///< current window and level
    std::string windowName;           ///< title of the preset that they are of; empty: none
    std::optional<Geometry> geometry; ///< none before the first sequence
    PhysicalBox box;
    float low = 0, high = 1; ///< 1st and 99th percentile of the sequence
    Vec3 crosshair;

    std::shared_ptr<const Volume> frame;
    ValueMap values; ///< map over the slices, which replaces the overlays' maps
    std::shared_ptr<const FrameResult> result;
    MotionSource motion;           ///< motion of the result, as far as it is reachable from here
    std::uint64_t resultCount = 0; ///< counts setResult, so that views know when to sample again
    /// Motion of all frames, as far as it is known: Scene::setCycle().
    std::vector<std::shared_ptr<const FrameResult>> cycle;
    std::uint64_t cycleCount = 0; ///< counts changes of it on either side, as resultCount does
    std::shared_ptr<const SceneSurface> surface; ///< surface of the frame; null: none
    /// Note that the surface is another frame's; empty: it is the frame's own.
    std::string surfaceNote;
    std::shared_ptr<const SceneStrain> strain; ///< strain of the heart in the frame; null: none
    /// Interop with the drawing context; null: the host uploads.
    CudaInterop* interop = nullptr;
    VoxelUpload* upload = nullptr;             ///< buffers for uploads by the host; never null
    int threads = 0;                           ///< as SceneOptions::threads
    std::shared_ptr<const SceneTracks> tracks; ///< landmarks of all frames; null: none
    int trackFrame = 0;                        ///< frame of theirs that is shown
    std::string label;                         ///< lines under the name of a view; empty: none
    std::string sliceLabel;                    ///< lines that follow in slices; empty: none
    /// Why the motion isn't that of the frame and the settings shown, in lines; empty: it is.
    std::string note;
    /// Position of the largest difference, in the views of the difference.
    std::optional<Vec3> marker;
    std::vector<SceneMark> marks; ///< marks of the shown frame
    DisplayScale scale;           ///< scale of colors and arrows
    double colorMaximum = 0;      ///< mm at the upper end of the colors in these views

    double arrowScale = 0;      ///< drawn mm per mm of motion of the arrows; 0: there are none
    bool motionColored = false; ///< an overlay has colors that represent the motion
    std::vector<ColorScale> ownScales; ///< colors of overlays that don't

    const char* colorCaption = "displacement"; ///< caption of the legend
    /// |left − right| in mm, in the views of the difference; its map replaces that of the motion.
    std::shared_ptr<const Volume> difference;
    bool waits = true;     ///< a draw makes everything; else what takes longer is made on threads
    bool flickers = false; ///< overlays that alternate between two images show the second one
    bool slicesColored = false; ///< an overlay colors the slices by magnitude: others stay white

    // OpenGL names, valid during a draw; 0: none.
    unsigned frameTexture = 0;
    unsigned colorMapTexture = 0;
    unsigned valueTexture = 0, valueColorTexture = 0; ///< textures of `values`

    double pixelRatio = 1;

    /// Factor on the opacity of everything that is drawn of the motion; 0: it is hidden.
    double motionOpacity() const {
        return note.empty() ? 1 : display.outdatedMotion ? outdatedOpacity : 0;
    }
    static constexpr double outdatedOpacity = 0.3;
    bool showsMotion() const { return motion && geometry; }
    /// Motion below this fraction of the color map, or where the image is below this fraction of
    /// the gray range, isn't shown.
    static constexpr double smallestGlyphPart = 0.08;
    static constexpr double darkestPart = 0.08;
    float darkest() const { return low + static_cast<float>(darkestPart) * (high - low); }
};

} // namespace systole
