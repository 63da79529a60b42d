// Base of overlays that draw lines of the motion: their lines in each view, colored by the length
// of the motion.
#pragma once

#include "render/flow_lines.h"
#include "render/overlay.h"
#include "render/overlays/surface_layer.h"

#include <vtkNew.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace systole {

/// Approximate numbers of lines that begin along a slice and in the volume if the user gives no
/// spacing.
struct UsualLines {
    int alongSlice, inVolume;
};

class LineOverlay : public Overlay {
public:
    /// `rows`, its switch first, outlive it; `width` in logical pixels.
    LineOverlay(const std::vector<DisplayRow>& rows, std::size_t opacityRow, double width)
        : rows_(rows), opacityRow_(opacityRow), width_(width) {}

    void attach(ViewKind view, vtkRenderer* renderer) override;
    std::size_t update(const SceneState& state, const ViewPose& pose) override;
    OverlayColors colors(const SceneState& state) const override;
    double volumeOpacity(const SceneState& state) const override;

protected:
    // Asked only if there is motion on the host.
    /// Those of its numbers that lines() reads: others leave the lines as they are.
    virtual std::vector<double> lineOptions(const SceneState& state) const = 0;
    /// The lines of a view at the state's crosshair.
    virtual std::vector<FlowLine> lines(const SceneState& state, ViewKind view) const = 0;

    virtual bool followsCycle() const { return false; } ///< lines() reads SceneState::cycle

    bool shows(const SceneState& state) const;
    /// The motion, where it may be drawn: not where the fixed frame is dark.
    static sampling::ArrowSource sourceOf(const SceneState& state);
    /// mm between where lines of a view begin: as wanted, if that isn't 0.
    static double spacingOf(const SceneState& state, ViewKind view, double wanted,
                            UsualLines usual);
    /// Places about `spacing` mm apart where lines of a view begin.
    static std::vector<Vec3> placesOf(const SceneState& state, ViewKind view, double spacing);

private:
    /// Data and options from which lines were made.
    struct Source {
        std::uint64_t result = 0;
        /// Coordinates of the crosshair on which the view's lines depend; the others are 0.
        Vec3 crosshair;
        double colorMaximum = 0;
        std::vector<double> options;
        std::uint64_t cycle = 0; ///< a count: it doesn't keep the fields in memory
        bool operator==(const Source&) const = default;
    };
    /// Lines of one opacity.
    struct Strokes {
        std::shared_ptr<SurfaceBuffers> buffers = std::make_shared<SurfaceBuffers>();
        vtkNew<SurfaceLayer> layer;
    };
    struct Part {
        Strokes clear, faint;
        std::optional<Source> made; ///< inputs of the buffers' content; empty: they have none
    };

    const std::vector<DisplayRow>& rows_;
    std::size_t opacityRow_;
    double width_;
    PerView<Part> parts_;
};

} // namespace systole
