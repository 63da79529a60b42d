// Everything between "an OpenGL context is current" and "the picture is in this framebuffer": one
// scene for the window and for headless use. Independent of windowing toolkits; its host owns the
// context.
//
// Positions are LPS millimeters. Pointer positions and sizes are logical pixels from the top left
// of the scene. All calls come from one thread; those under "context current" need the context.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"
#include "compute/core/voxel_box.h"
#include "render/base/image.h"
#include "render/color_bar.h"
#include "render/display_options.h"
#include "render/display_scale.h"
#include "render/gl/context_hooks.h"
#include "render/scene_mark.h"
#include "render/scene_strain.h"
#include "render/scene_surface.h"
#include "render/scene_tracks.h"
#include "render/value_map.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// How voxels and vectors reach OpenGL. Interop: CUDA writes them in place, if OpenGL runs on the
/// CUDA device that holds them. Auto: interop if available.
enum class UploadPath { Auto, Interop, Host };
inline constexpr UploadPath uploadPaths[] = {UploadPath::Auto, UploadPath::Interop,
                                             UploadPath::Host};
const char* name(UploadPath path); ///< "auto", "interop", "host"

struct SceneOptions {
    int multiSamples = 0; ///< number of samples in VTK's own framebuffer
    UploadPath upload = UploadPath::Auto;
    int threads = 0; ///< CPU threads for what a picture needs; 0: all
    /// Pixels along a side that share a ray of the volume while interactive. None: determined by
    /// the time of paints; then pictures depend on how busy the machine is.
    std::optional<double> interactivePixelsPerRay{};
    /// The first picture of a sequence is without the volume, whose shaders are compiled for the
    /// second one (volumeIsDue()).
    bool slicesFirst = false;
};

enum class PointerButton { None, Left, Middle, Right };

/// Data that the layout SideBySide shows next to the result, for the same pair of frames.
struct SideBySide {
    std::shared_ptr<const FrameResult> right; ///< null: its view has no motion
    std::shared_ptr<const Volume> difference; ///< |left − right| in mm; null: no map
    double quantile99 = 0, maximum = 0;       ///< 99th percentile and maximum of the difference, mm
    Vec3 maximumAt;                           ///< LPS mm
    std::string leftLabel, rightLabel, differenceLabel; ///< lines under the name of each view
    bool operator==(const SideBySide&) const = default;
};

/// Why the motion shown isn't that of the frame and the settings shown, in lines, for each side's
/// views; it is then drawn faded or hidden (DisplayOptions::outdatedMotion). Empty: it is.
struct MotionNotes {
    std::string left, right, difference;
    bool operator==(const MotionNotes&) const = default;
};

/// Cameras of the views.
struct SceneCamera {
    Vec3 eye, focus, up; ///< camera of the 3D view, LPS mm
    struct Slice {
        double zoom = 1;
        Vec3 pan; ///< offset of the view's center from the volume's, mm
        bool operator==(const Slice&) const = default;
    };
    std::array<Slice, 3> slices; ///< axial, coronal, sagittal
    bool operator==(const SceneCamera&) const = default;
};

struct SceneSize {
    int width = 1, height = 1; ///< logical pixels
    double pixelRatio = 1;
};

/// The scene's memory for voxel-sized data.
struct SceneMemory {
    std::vector<BufferPool::Usage::Holder> textures; ///< OpenGL textures by their content
    BufferPool::Usage upload;                        ///< host memory from which OpenGL reads voxels
    /// Memory on the CUDA device that draws, in addition to OpenGL; none without interop.
    std::optional<BufferPool::Usage> scratch;
};

struct SceneTimes {
    double fieldToGlSeconds = 0; ///< time of the last draw that moved voxels or vectors to OpenGL
    double fieldToGlBytes = 0;   ///< bytes over the bus: none with interop
    double renderSeconds = 0;    ///< time of the last draw
};

class Scene {
public:
    explicit Scene(const SceneOptions& options = {});
    ~Scene(); ///< call after release()
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    // --- context current
    /// Throws RenderError if the context is below OpenGL 4.5, or if interop was requested but is
    /// unavailable. May be called again after release(), with another context; the shown content is
    /// restored.
    void initialize(const ContextHooks& hooks);
    bool initialized() const;
    /// Draws into `framebuffer`, complete and at least as large as the last resize(), at its left
    /// edge and the given number of logical pixels above its lower edge; leaves it bound.
    void draw(unsigned framebuffer, int fromBottom = 0);
    /// Draws into a framebuffer of its own and reads it back.
    RgbaImage capture();
    /// Frees all OpenGL objects; call it before the context is destroyed.
    void release();

    /// Logical size; the framebuffer has round(size × pixelRatio) pixels.
    void resize(int width, int height, double pixelRatio);
    SceneSize size() const;

    // --- what is shown
    /// Sets a new sequence: clears frame and result, resets cameras and crosshair.
    /// low and high: its 1st and 99th percentile. motionRange: the largest motion between
    /// neighboring frames in mm, for the automatic scale; 0: unknown.
    void setSequence(const Sequence& sequence, float low, float high, double motionRange = 0);
    /// The automatic scale from now on, of motion of another kind than setSequence() was told of.
    void setMotionRange(double motionRange);
    /// Sets the frame on the host, the same frame on a CUDA device, or both; null, null: nothing.
    /// `boxes`: of the frame on the host only these voxels are defined, those that the slices show;
    /// the 3D view needs all. Empty: all.
    void setFrame(std::shared_ptr<const Volume> frame,
                  std::shared_ptr<const Volume> onDevice = nullptr,
                  std::vector<VoxelBox> boxes = {});
    /// A map over the slices until this is called again, or another sequence is shown. Throws
    /// RenderError for one that isn't on the frame's grid.
    void setValues(ValueMap values);
    /// Null: no motion. Data on a CUDA device only is shown if usesInterop(); otherwise the views
    /// state why there is no motion.
    void setResult(std::shared_ptr<const FrameResult> result);
    /// Motion of the frames of the sequence, by frame, as far as it is known, for what shows motion
    /// over time (readsCycle(), render/overlays/rows.h); a new sequence clears it.
    void setCycle(std::vector<std::shared_ptr<const FrameResult>> left,
                  std::vector<std::shared_ptr<const FrameResult>> right = {});
    /// The surface of the shown frame; null: none. A new sequence clears it. `note`: that it is
    /// another frame's, in a few words; it is then drawn faded. Throws RenderError for values or
    /// triangles that don't fit its points.
    void setSurface(std::shared_ptr<const SceneSurface> surface, std::string note = {});
    /// Inputs of the heart's strain in the shown frame; null: none. A new sequence clears them.
    /// Equal content counts as the same.
    void setStrain(std::shared_ptr<const SceneStrain> strain);
    /// Landmarks of all frames, and the frame of theirs to show; null: none. A new sequence clears
    /// them.
    void setTracks(std::shared_ptr<const SceneTracks> tracks, int frame);
    /// Points and circles over the views; a new sequence clears them.
    void setMarks(std::vector<SceneMark> marks);
    const std::vector<SceneMark>& marks() const;
    /// Sets the additional content of the layout SideBySide; a new sequence clears it.
    void setSideBySide(const SideBySide& sides);
    const SideBySide& sideBySide() const;
    /// A new sequence clears the notes.
    void setMotionNotes(const MotionNotes& notes);
    const MotionNotes& motionNotes() const;
    /// The options as last set: the scene itself never changes them.
    const DisplayOptions& display() const;
    /// Throws RenderError for an unknown preset of volume or window.
    void setDisplay(const DisplayOptions& display);
    /// The meaning of window 0 with these options: their preset's window and level.
    WindowLevel automaticWindow(const DisplayOptions& display) const;
    /// Called when the user drags window and level in a slice. The owner of the options must set
    /// them.
    void onWindowLevelDragged(std::function<void(WindowLevel)> callback);
    /// Called when the user drags the legend to another corner; the owner sets it, as above.
    void onLegendDragged(std::function<void(LegendCorner)> callback);
    /// The modality in effect, an id of volumePresets(): chosen, as the file says, or guessed from
    /// its values; empty: unknown.
    std::string modality() const;
    /// The preset that "auto" currently selects.
    const std::string& activePreset() const;
    /// The scale of colors and arrows with these options; the arrows' as if it were automatic.
    const DisplayScale& scale() const;
    /// Scales of colors that don't represent the motion's length.
    std::vector<ColorScale> ownScales() const;
    /// Upper end of the color map in mm as currently shown.
    double colorMaximum() const { return scale().motion; }
    /// Upper end of the difference's own colors, mm.
    double differenceMaximum() const { return scale().difference; }
    /// Draws with this scale, whatever the options are; a new sequence ends that.
    void holdScale(const DisplayScale& scale);

    // --- crosshair and cameras
    Vec3 crosshair() const;
    void setCrosshair(Vec3 lpsMillimeters); ///< clamped to the volume's bounds
    /// Moves the crosshair by whole voxel steps across the plane of a slice view.
    void stepSlice(ViewKind view, int steps);
    void setStandardView(StandardView view);
    void resetCameras();
    SceneCamera camera() const;
    void setCamera(const SceneCamera& camera);
    /// Turns the observer of the 3D view: degrees about the patient's long axis (positive towards
    /// the patient's left when in front of the patient) and upwards.
    void rotate(double azimuth, double elevation);

    // --- input; each returns whether the scene used it
    bool pointerPressed(PointerButton button, double x, double y, bool shift);
    bool pointerMoved(double x, double y, bool shift);
    bool pointerReleased(PointerButton button, double x, double y);
    bool wheel(double notches, double x, double y);
    std::optional<ViewKind> viewAt(double x, double y) const;
    std::optional<Probe> probe(double x, double y) const;
    /// The point at which a position appears in a view; nothing if the layout lacks that view.
    std::optional<ScenePoint> project(ViewKind view, Vec3 lpsMillimeters,
                                      ViewSide side = ViewSide::Left) const;

    /// Uploads the frame that setFrame() gets next, so that the picture that shows it needs not
    /// wait for that; makes the context current. Does nothing with interop, which copies on the
    /// device; null: nothing to upload.
    void prepareFrame(const std::shared_ptr<const Volume>& next);

    // --- drawing on demand
    /// True if something changed since the last draw (or full quality is still due).
    bool needsRender() const;
    /// False: a draw leaves out what takes longer than that, a map of the deformation, until it is
    /// made on a thread; capture() waits in any case. True unless set.
    void setWaits(bool waits);
    /// Whether data that a draw left out are being made, or are ready: then needsRender().
    bool unfinished() const;
    /// The last draw showed a frame without its volume, which the next one adds.
    bool volumeIsDue() const;
    /// Set while playing or turning: the volume's sampling is reduced until a paint takes under 8
    /// ms, with software OpenGL 100 ms; at rest the next draw has full quality.
    void setInteractive(bool interactive);
    /// Selects which image overlays show that alternate between two (flickers(),
    /// render/overlays/rows.h).
    void flicker(bool second);
    bool flickered() const; ///< the last argument of flicker()

    // --- execution environment
    const SceneOptions& options() const;
    const std::string& rendererName() const; ///< GL_RENDERER
    bool isSoftware() const;
    /// How the shown frame reached OpenGL: "cuda-interop" or "host upload".
    const char* uploadPath() const;
    const std::string& uploadReason() const; ///< reason for host upload; empty for interop
    /// The CUDA device that draws, by its index in cudaStatus().devices: its frames and fields can
    /// be shown without the host. None: all data must be copied to the host.
    std::optional<int> interopDevice() const;
    bool usesInterop() const { return interopDevice().has_value(); }
    SceneTimes times() const;
    SceneMemory memory() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
