// The inside of Scene, shared by its source files.
#pragma once

#include "render/gl_timer.h"
#include "render/quality.h"
#include "render/scene_state.h"
#include "render/slice_view.h"
#include "render/texture_ring.h"
#include "render/view_3d.h"

#include <vtkNew.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class vtkGenericOpenGLRenderWindow;
class vtkObject;
class vtkRenderer;

namespace systole {

struct Scene::Impl {
    explicit Impl(const SceneOptions& options);
    ~Impl();

    // --- scene_draw.cpp
    void onWindowEvent(vtkObject*, unsigned long event, void* data);
    void arrange();
    void prepareSequence();
    void uploadTextures();
    void applyTransfer();
    void draw(unsigned framebuffer);
    void render(unsigned framebuffer);
    void checkContext();

    // --- scene_input.cpp
    SliceView* sliceView(ViewKind kind);
    const SliceView* sliceView(ViewKind kind) const;
    const ViewArea* areaAt(double x, double y) const;
    void setCrosshair(Vec3 position);
    void dragSlice(SliceView& view, PointerButton button, double dx, double dy);
    void dragVolume(PointerButton button, double dx, double dy);

    SceneOptions options;
    ContextHooks hooks;
    bool initialized = false;
    std::string rendererName = "none";
    bool software = false;

    vtkNew<vtkGenericOpenGLRenderWindow> window;
    vtkNew<vtkRenderer> ground; ///< fills what lies between the views
    View3D view3D;
    std::array<SliceView, 3> sliceViews{SliceView(ViewKind::Axial), SliceView(ViewKind::Coronal),
                                        SliceView(ViewKind::Sagittal)};
    std::vector<ViewArea> areas; ///< of the layout, framebuffer pixels

    SceneState state;
    std::string activePreset = "mr";
    std::string sequencePreset = "mr"; ///< what "auto" means
    bool presetOpen = false;           ///< the file names no modality: the first frame shall tell
    bool halfFloat = false;
    double seenMaximum = 0;           ///< mm, of the results so far, rounded up
    std::uint64_t seenGeneration = 0; ///< of the parameters that those results were made with
    std::unique_ptr<TextureRing> frames, magnitudes;
    std::vector<float> magnitudeVoxels;
    GlTexture colorMapTexture;
    std::optional<ColorMap> shownColorMap;

    int width = 1, height = 1; ///< logical
    bool dirty = true;
    bool sequenceChanged = false, transferChanged = true, layoutChanged = true;
    bool volumeOwed = false; ///< the last draw had a coarser volume than it will have at rest
    QualityControl quality;
    GlTimer timer;
    SceneTimes times;

    std::function<void(Vec3)> crosshairChanged;
    struct Drag {
        ViewKind view;
        PointerButton button;
        double x, y;
    };
    std::optional<Drag> drag;
    double wheelRest = 0; ///< parts of a notch not yet used
};

} // namespace systole
