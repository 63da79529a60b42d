// The implementation of Scene, shared by its source files.
#pragma once

#include "render/gl/gl_timer.h"
#include "render/overlays/overlay_kinds.h"
#include "render/scene/quality.h"
#include "render/scene/scene.h"
#include "render/scene/slice_view.h"
#include "render/scene/view_3d.h"
#include "render/scene_state.h"
#include "render/texture_ring.h"

#include <vtkNew.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class vtkGenericOpenGLRenderWindow;
class vtkObject;
class vtkRenderer;

namespace systole {

struct Scene::Impl {
    explicit Impl(const SceneOptions& options);
    ~Impl();

    // --- draw.cpp
    void onWindowEvent(vtkObject*, unsigned long event, void* data);
    void arrange();
    void prepareSequence();
    void prepareViews();
    /// The state for the views of one side.
    SceneState seenFrom(ViewSide side) const;
    /// Colors of overlays that don't have those of the motion; side by side those of either side.
    std::vector<ColorScale> ownScales() const;
    bool hasLegend(const ViewArea& area) const;
    ColorMap differenceMap() const;
    void applyTransfer();
    void followWindow();
    double opacityWithOverlays() const;
    std::string modality() const;
    void draw(unsigned framebuffer, int fromBottom);
    void render(unsigned framebuffer, int fromBottom);
    void checkContext();
    std::uint64_t made() const; ///< number of results that the overlays' threads have made

    // --- upload.cpp
    void upload();
    void uploadTextures();
    Uploaded uploadFrame();
    Uploaded uploadValues();
    void prepareFrame(const std::shared_ptr<const Volume>& next);
    std::size_t updateView(const ViewArea& area, const SceneState& seen);
    void releaseTextures();
    unsigned colorTexture(ColorMap map);

    // --- motion.cpp
    std::string whyNoMotion(const SceneState& seen) const;
    void openInterop();
    void closeInterop();
    void locateMotion();
    void forgetArrows();
    std::shared_ptr<const Volume> frameOnDevice() const;
    std::shared_ptr<const Volume> valuesOnDevice() const;
    /// Records that CUDA failed; the next draw continues with host upload.
    void failInterop(const char* problem) { interopFailure = problem; }
    void recoverFromInterop();
    void followScale();
    std::optional<Vec3> displacementUnder(const MotionSource& motion, Vec3 position);
    /// Value of a volume that lies on the host, on the device, or both.
    std::optional<float> valueUnder(const std::shared_ptr<const Volume>& onHost,
                                    const std::shared_ptr<const Volume>& onDevice, Vec3 position);

    // --- input.cpp
    /// Returns null for the 3D view.
    SliceView* sliceView(ViewKind kind, ViewSide side = ViewSide::Left);
    const SliceView* sliceView(ViewKind kind, ViewSide side = ViewSide::Left) const;
    SliceView* sliceView(const ViewArea& area) { return sliceView(area.kind, area.side); }
    const ViewArea* areaAt(double x, double y) const;
    bool legendAt(const ViewArea& area, double x, double y) const;
    void dragLegend(double x, double y);
    void setCrosshair(Vec3 position);
    void dragWindow(double dx, double dy);
    void dragView(SliceView* slice, PointerButton button, double dx, double dy);

    SceneOptions options;
    VoxelUpload voxelUpload{options.threads};
    ContextHooks hooks;
    bool initialized = false;
    std::string rendererName = "none";
    bool software = false;

    vtkNew<vtkGenericOpenGLRenderWindow> window;
    vtkNew<vtkRenderer> ground; ///< fills the space between the views
    /// The views of one side. Those of the right side and the difference share cameras with the
    /// left.
    struct Views {
        Overlays overlays;
        View3D volume{overlays};
        std::array<SliceView, 3> slices{SliceView(ViewKind::Axial, overlays),
                                        SliceView(ViewKind::Coronal, overlays),
                                        SliceView(ViewKind::Sagittal, overlays)};
        bool prepared = false; ///< the 3D view is set up for the sequence
    };
    std::array<Views, 3> views; ///< indexed by ViewSide
    Views& viewsOf(ViewSide side) { return views[static_cast<std::size_t>(side)]; }
    View3D& view3D = views[0].volume;
    std::vector<ViewArea> areas; ///< views of the layout, framebuffer pixels

    SceneState state; ///< the left side's, and what all sides share
    SideBySide sides;
    MotionNotes notes;
    std::optional<DisplayScale> heldScale; ///< instead of the options'
    std::vector<std::shared_ptr<const FrameResult>> rightCycle;
    MotionSource rightMotion;     ///< motion of sides.right, like state.motion
    std::uint64_t sidesCount = 0; ///< counts changes of `sides.right`, as state.resultCount does
    std::string activePreset = "mr";
    std::string unknownLook = "mr"; ///< the preset for an unknown modality
    bool lookOpen = false;          ///< the first frame will decide on it
    double overlaysOpacity = 1;     ///< the volume's factor in force because of overlays
    bool halfFloat = false;
    std::shared_ptr<const Volume> deviceFrame; ///< state.frame on the device
    std::vector<VoxelBox> frameBoxes;          ///< voxels that state.frame has; empty: all
    std::unique_ptr<CudaInterop> interop;      ///< null: the host uploads
    std::string noInterop;                     ///< why there is none
    std::string uploadReason;                  ///< reason for host upload of the shown frame
    bool shownByInterop = false;
    std::string interopFailure;   ///< CUDA failure, not yet handled
    DisplayScale automaticScale;  ///< scale of the sequence
    std::string sequenceModality; ///< modality in the file, or guessed; empty: unknown
    std::unique_ptr<TextureRing> frames;
    TextureRing valueMaps;
    Uploaded prepared; ///< upload that prepareFrame() did for the next draw
    double preparedSeconds = 0;
    std::array<GlTexture, colorMaps.size()> colorMapTextures; ///< made when first shown

    int width = 1, height = 1; ///< logical pixels
    bool dirty = true;
    std::uint64_t madeBefore = 0; ///< made() as the last draw began
    bool sequenceChanged = false, transferChanged = true, layoutChanged = true;
    bool volumeOwed = false; ///< the last draw had a coarser volume than the one at rest
    /// Draws leave the volume out, until the first that has a frame; then it is due.
    enum class Volume3D { Drawn, Waits, Due } volume3D = Volume3D::Drawn;
    QualityControl quality;
    GlTimer timer;
    SceneTimes times;

    /// False if nothing changes.
    template <typename T>
    bool change(T& member, T value) {
        if (value == member)
            return false;
        member = std::move(value);
        return dirty = true;
    }

    std::function<void(WindowLevel)> windowLevelDragged;
    std::function<void(LegendCorner)> legendDragged;
    struct Drag {
        ViewKind view;
        ViewSide side;
        PointerButton button;
        double x, y;
        bool legend = false; ///< moves the legend of the view
    };
    std::optional<Drag> drag;
    double wheelRest = 0; ///< fraction of a notch not yet used
};

} // namespace systole
