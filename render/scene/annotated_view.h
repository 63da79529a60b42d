// Base of the slices and the 3D view: their area, and the annotations drawn over their content.
#pragma once

#include "render/flat_layer.h"
#include "render/legend.h"
#include "render/scene_state.h"
#include "render/view_plane.h"

#include <vtkNew.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

class vtkRenderer;

namespace systole {

/// Color of a slice view's elements, here and for its line in the other views.
Color viewColor(ViewKind kind);

class AnnotatedView {
public:
    vtkRenderer* renderer() const { return renderer_; }
    void setArea(const ViewArea& area) { area_ = area; }
    /// Position of the legend after the last update; none: there is no legend.
    std::optional<LegendPlace> legend() const {
        return legends_.empty() ? std::nullopt : legends_.front().place;
    }

protected:
    AnnotatedView();
    ~AnnotatedView();

    /// How a view shows its content. All pixels are framebuffer pixels.
    struct Frame {
        const ViewPlane* plane = nullptr; ///< plane of a slice; null: the 3D view
        double millimetersPerPixel = 1;
        bool withLegend = false;
        std::function<ScenePoint(Vec3)> place; ///< pixel of a position, from the view's bottom left
    };
    /// Begins again with nothing over the content.
    void clearAnnotations();
    /// The marker, the marks, the legends and the note about the motion.
    void addContent(const SceneState& state, const Frame& frame);
    /// Whether the view has room for its name and letters, and they are on.
    bool showsAnnotations(const SceneState& state) const;
    /// Height of its title and notes.
    static double titleHeight(const SceneState& state);
    /// The name of the view, and below it the lines of the state's label. Returns where the name
    /// ends, from the left.
    double addTitle(const SceneState& state, const std::string& title, ViewKind kind);

    vtkNew<vtkRenderer> renderer_;
    vtkNew<FlatLayer> shapes_;
    TextLayer texts_;
    ViewArea area_;

private:
    void addLines(const std::string& text, double top, Color color, int points, double unit);
    void addMarker(ScenePoint at, bool faint, double unit);
    void addMarks(const SceneState& state, const Frame& frame);
    void addPoint(const SceneMark& mark, ScenePoint at, bool faint, const SceneState& state);
    void addLine(const SceneMark& mark, ScenePoint a, ScenePoint b, bool faint,
                 const SceneState& state);
    void addName(const SceneMark& mark, ScenePoint at, double unit);
    struct PlacedLegend {
        Legend legend;
        std::optional<LegendPlace> place; ///< none: there is no room
    };
    std::vector<PlacedLegend> placedLegends(const SceneState& state, const Frame& frame);
    void addNote(const SceneState& state);

    std::vector<PlacedLegend> legends_;
};

} // namespace systole
