// Lines, rectangles and text in the pixels of a view: crosshair, frames, legend, labels.
#pragma once

#include "render/display_options.h"
#include "render/gl/gl_objects.h"

#include <vtkNew.h>
#include <vtkProp.h>
#include <vtkSmartPointer.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

class vtkRenderer;

namespace systole {

/// Coordinates are framebuffer pixels from the bottom left of the view. Drawn after everything else
/// in it.
class FlatLayer : public vtkProp {
public:
    static FlatLayer* New();
    vtkTypeMacro(FlatLayer, vtkProp)

    void clear() { vertices_.clear(); }
    void setViewSize(int width, int height);
    void addRectangle(double x, double y, double width, double height, Color color, double opacity);
    /// The colors run from bottom to top.
    void addGradient(double x, double y, double width, double height,
                     const std::vector<Color>& colors);

    void addTriangle(const std::array<ScenePoint, 3>& corners, Color color, double opacity = 1);
    /// A circle's line, `thickness` wide inwards from `radius`; of a thickness from `radius` on a
    /// disk.
    void addCircle(double x, double y, double radius, double thickness, Color color,
                   double opacity);

    int RenderOverlay(vtkViewport* viewport) override;
    void ReleaseGraphicsResources(vtkWindow* window) override;

private:
    struct Vertex {
        float x, y;
        float red, green, blue, alpha;
    };
    void addQuad(double x, double y, double width, double height, Color low, Color high,
                 double opacity);

    std::vector<Vertex> vertices_;
    double width_ = 1, height_ = 1;
    GlProgram program_;
    GlVertexArray array_;
    GlBuffer buffer_;
    std::size_t capacity_ = 0;
};

/// The point of a text whose position is given; in the order of the sides in TextLayer::add().
enum class TextAnchor {
    TopLeft,
    TopCenter,
    BottomLeft,
    BottomCenter,
    CenterLeft,
    CenterRight,
    Center
};

struct TextSize {
    double width = 0, height = 0;
};

/// The texts of one view, set again with each update. Their pictures are kept, and found again by
/// what they show, whatever else comes and goes: drawing the letters takes longer than all the
/// rest.
class TextLayer {
public:
    TextLayer();
    ~TextLayer();
    void begin();
    /// Size of the text that add() would draw, framebuffer pixels.
    TextSize sizeOf(vtkRenderer* renderer, const std::string& text, TextAnchor anchor, Color color,
                    int points);
    /// `points` at 72 dots per inch; pixels as in FlatLayer.
    void add(vtkRenderer* renderer, const std::string& text, double x, double y, TextAnchor anchor,
             Color color, int points = 13);
    /// Hides the texts that were not set again since begin().
    void end();

private:
    struct Look;
    struct Drawn;
    Drawn& drawn(vtkRenderer* renderer, const Look& look);

    std::vector<std::unique_ptr<Drawn>> texts_;
};

} // namespace systole
