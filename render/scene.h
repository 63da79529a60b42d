// Everything between "an OpenGL context is current" and "the picture is in this framebuffer": one
// scene for the window and for headless use. Knows no windowing toolkit; its host owns the context.
//
// Positions are LPS millimetres. Pointer positions and sizes are logical pixels from the top left
// of the scene. All calls come from one thread; those under "context current" need the context.
#pragma once

#include "compute/core/frame_result.h"
#include "compute/core/sequence.h"
#include "render/display_options.h"
#include "render/gl/context_hooks.h"
#include "render/image.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// How voxels and vectors come to OpenGL. Interop: CUDA writes them in place, where OpenGL runs on
/// a CUDA device and they lie there. Auto: if available.
enum class UploadPath { Auto, Interop, Host };
inline constexpr UploadPath uploadPaths[] = {UploadPath::Auto, UploadPath::Interop,
                                             UploadPath::Host};
const char* name(UploadPath path); ///< "auto", "interop", "host"

struct SceneOptions {
    int multiSamples = 0; ///< of VTK's own framebuffer
    UploadPath upload = UploadPath::Auto;
};

enum class PointerButton { None, Left, Middle, Right };

/// What the layout SideBySide shows beside the result, of the same pair of frames.
struct SideBySide {
    std::shared_ptr<const FrameResult> right;           ///< null: its view has no motion
    std::shared_ptr<const Volume> difference;           ///< |left − right| in mm; null: no map
    double quantile99 = 0, maximum = 0;                 ///< of the difference, mm
    Vec3 maximumAt;                                     ///< LPS mm
    std::string leftLabel, rightLabel, differenceLabel; ///< lines under the name of each view
    bool operator==(const SideBySide&) const = default;
};

/// What the scene keeps in memory of voxel size.
struct SceneMemory {
    std::vector<BufferPool::Usage::Holder> textures; ///< of OpenGL, by what they hold
    /// Of the CUDA device that draws, beside its OpenGL; none without interop.
    std::optional<BufferPool::Usage> scratch;
};

struct SceneTimes {
    double fieldToGlSeconds = 0; ///< of the last draw that moved voxels or vectors to OpenGL
    double fieldToGlBytes = 0;   ///< over the bus: none by interop
    double renderSeconds = 0;    ///< of the last draw
};

class Scene {
public:
    explicit Scene(const SceneOptions& options = {});
    ~Scene(); ///< after release()
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    // --- context current
    /// Throws RenderError when the context is below OpenGL 4.5, and when interop was requested but
    /// is unavailable. May be called again after release(), with another context; what is shown comes
    /// back.
    void initialize(const ContextHooks& hooks);
    bool initialized() const;
    /// Draws into `framebuffer`, complete and at least of the size of the last resize(), at its
    /// left edge and so many logical pixels above its lower one; leaves it bound.
    void draw(unsigned framebuffer, int fromBottom = 0);
    /// Draws into a framebuffer of its own and reads it back.
    RgbaImage capture();
    /// Frees everything in OpenGL; call it before the context goes away.
    void release();

    /// Logical size; the framebuffer has round(size × pixelRatio) pixels.
    void resize(int width, int height, double pixelRatio);

    // --- what is shown
    /// A new sequence: frame and result are gone, cameras and crosshair are reset.
    /// low and high: its 1st and 99th percentile.
    void setSequence(const Sequence& sequence, float low, float high);
    /// The frame on the host, the same on a CUDA device, or both; null, null: nothing.
    void setFrame(std::shared_ptr<const Volume> frame,
                  std::shared_ptr<const Volume> onDevice = nullptr);
    /// Null: no motion. What lies on a CUDA device alone is shown where usesInterop(); elsewhere
    /// the views say why there is no motion. The scale of its colours and arrows may come a draw
    /// later.
    void setResult(std::shared_ptr<const FrameResult> result);
    /// What the layout SideBySide shows besides; a new sequence forgets it.
    void setSideBySide(const SideBySide& sides);
    /// As they were set last: the scene never changes them itself.
    const DisplayOptions& display() const;
    /// Throws RenderError for a volume preset that there isn't.
    void setDisplay(const DisplayOptions& display);
    /// What a window of 0 stands for: black and white at the ends of the sequence's range.
    WindowLevel automaticWindow() const;
    /// The user drags them in a slice. It is up to the owner of the options to set them.
    void onWindowLevelDragged(std::function<void(WindowLevel)> callback);
    /// The preset that "auto" stands for now.
    const std::string& activePreset() const;
    /// Upper end of the colour map in mm as shown now.
    double colorMaximum() const;
    /// The same of the difference's own colours.
    double differenceMaximum() const;

    // --- crosshair and cameras
    Vec3 crosshair() const;
    void setCrosshair(Vec3 lpsMillimetres); ///< clamped to the volume's bounds
    void onCrosshairChanged(std::function<void(Vec3)> callback);
    /// Moves the crosshair by whole voxel steps across the plane of a slice view.
    void stepSlice(ViewKind view, int steps);
    void setStandardView(StandardView view);
    void resetCameras();
    /// Turns the observer of the 3D view: degrees about the patient's long axis (positive towards
    /// his left when in front of him) and upwards.
    void rotate(double azimuth, double elevation);

    // --- input; each returns whether the scene made use of it
    bool pointerPressed(PointerButton button, double x, double y, bool shift);
    bool pointerMoved(double x, double y, bool shift);
    bool pointerReleased(PointerButton button, double x, double y);
    bool wheel(double notches, double x, double y);
    std::optional<ViewKind> viewAt(double x, double y) const;
    std::optional<ViewSide> sideAt(double x, double y) const;
    std::optional<Probe> probe(double x, double y) const;
    /// Where a position is seen in a view; nothing when the layout lacks that view.
    std::optional<ScenePoint> project(ViewKind view, Vec3 lpsMillimetres,
                                      ViewSide side = ViewSide::Left) const;

    // --- drawing on demand
    /// Something changed since the last draw (or full quality is still owed).
    bool needsRender() const;
    /// The device is still finding out the scale of what is shown; then needsRender() may change.
    bool awaitsDevice() const;
    /// Playing or being turned: on software OpenGL the volume's sampling is lowered until a paint
    /// takes under 100 ms; at rest the next draw has full quality.
    void setInteractive(bool interactive);

    // --- what it runs on
    const SceneOptions& options() const;
    const std::string& rendererName() const; ///< GL_RENDERER
    bool isSoftware() const;
    /// How the frame that is shown came to OpenGL: "cuda-interop" or "host upload".
    const char* uploadPath() const;
    const std::string& uploadReason() const; ///< why by host upload; empty for interop
    /// The CUDA device that draws, by its index in cudaStatus().devices: frames and fields that lie
    /// there can be shown without the host. None: everything has to be brought to the host.
    std::optional<int> interopDevice() const;
    bool usesInterop() const { return interopDevice().has_value(); }
    SceneTimes times() const;
    SceneMemory memory() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
