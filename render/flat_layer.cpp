#include "render/flat_layer.h"

#include "render/gl/gl_scope.h"

#include <vtkCellArray.h>
#include <vtkCoordinate.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkObjectFactory.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkStdString.h>
#include <vtkTextProperty.h>
#include <vtkTextRenderer.h>
#include <vtkTexture.h>
#include <vtkTexturedActor2D.h>
#include <vtkTimeStamp.h>
#include <vtk_glew.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace systole {

vtkStandardNewMacro(FlatLayer)

void FlatLayer::setViewSize(int width, int height) {
    width_ = width;
    height_ = height;
}

void FlatLayer::addQuad(double x, double y, double width, double height, Color low, Color high,
                        double opacity) {
    const auto vertex = [&](bool right, bool top) {
        const Color& c = top ? high : low;
        return Vertex{static_cast<float>(right ? x + width : x),
                      static_cast<float>(top ? y + height : y),
                      c.red,
                      c.green,
                      c.blue,
                      static_cast<float>(opacity)};
    };
    vertices_.insert(vertices_.end(),
                     {vertex(false, false), vertex(true, false), vertex(true, true),
                      vertex(false, false), vertex(true, true), vertex(false, true)});
}

void FlatLayer::addRectangle(double x, double y, double width, double height, Color color,
                             double opacity) {
    addQuad(x, y, width, height, color, color, opacity);
}

void FlatLayer::addGradient(double x, double y, double width, double height,
                            const std::vector<Color>& colors) {
    const double step = height / static_cast<double>(colors.size() - 1);
    for (std::size_t i = 0; i + 1 < colors.size(); ++i)
        addQuad(x, y + step * static_cast<double>(i), width, step, colors[i], colors[i + 1], 1);
}

void FlatLayer::addTriangle(const std::array<ScenePoint, 3>& corners, Color color, double opacity) {
    for (const auto& [x, y] : corners)
        vertices_.push_back({static_cast<float>(x), static_cast<float>(y), color.red, color.green,
                             color.blue, static_cast<float>(opacity)});
}

void FlatLayer::addCircle(double x, double y, double radius, double thickness, Color color,
                          double opacity) {
    const double hollow = std::max(0.0, radius - thickness);
    const int steps = std::clamp(static_cast<int>(2 * radius), 16, 128);
    double c = 1, s = 0;
    const auto at = [&](double r) { return ScenePoint{x + r * c, y + r * s}; };
    for (int i = 1; i <= steps; ++i) {
        const double angle = 2 * std::numbers::pi * i / steps;
        const ScenePoint inner = at(hollow), outer = at(radius);
        c = std::cos(angle);
        s = std::sin(angle);
        addTriangle({inner, outer, at(radius)}, color, opacity);
        if (hollow > 0)
            addTriangle({inner, at(radius), at(hollow)}, color, opacity);
    }
}

int FlatLayer::RenderOverlay(vtkViewport* viewport) {
    if (vertices_.empty())
        return 0;
    if (!program_) {
        program_ = makeProgram("flat.vert", "flat.frag");
        array_ = makeVertexArray();
        addAttribute(array_, 0, 0, 2, offsetof(Vertex, x));
        addAttribute(array_, 1, 0, 4, offsetof(Vertex, red));
        capacity_ = 0;
    }
    if (vertices_.size() > capacity_) {
        capacity_ = 2 * vertices_.size();
        buffer_ = makeBuffer(capacity_ * sizeof(Vertex), nullptr);
        glVertexArrayVertexBuffer(array_.id(), 0, buffer_.id(), 0, sizeof(Vertex));
    }
    glNamedBufferSubData(buffer_.id(), 0,
                         static_cast<GLsizeiptr>(vertices_.size() * sizeof(Vertex)),
                         vertices_.data());

    GlScope scope(viewport, GlScope::Depth::Ignore);
    setUniform(program_, "viewSize", static_cast<float>(width_), static_cast<float>(height_));
    glUseProgram(program_.id());
    glBindVertexArray(array_.id());
    glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(vertices_.size()));
    return 1;
}

void FlatLayer::ReleaseGraphicsResources(vtkWindow*) {
    program_.reset();
    array_.reset();
    buffer_.reset();
    capacity_ = 0;
}

/// A text as a picture in a rectangle.
struct TextLayer::Drawn {
    Drawn() {
        property->SetShadow(1);
        property->SetShadowOffset(1, -1);
        property->SetLineSpacing(1.25);
        corners->SetNumberOfPoints(4);
        inTexture->SetNumberOfComponents(2);
        inTexture->SetNumberOfTuples(4);
        const vtkIdType around[] = {0, 1, 2, 3};
        sides->InsertNextCell(4, around);
        rectangle->SetPoints(corners);
        rectangle->SetPolys(sides);
        rectangle->GetPointData()->SetTCoords(inTexture);
        mapper->SetInputData(rectangle);
        texture->SetInputData(picture);
        actor->SetMapper(mapper);
        actor->SetTexture(texture);
        actor->GetPositionCoordinate()->SetCoordinateSystemToViewport();
    }

    /// Again only if something about it has changed; false: there is nothing to be seen.
    bool draw(const std::string& wanted, int wantedDpi) {
        if (wanted == text && wantedDpi == dpi && property->GetMTime() < drawn)
            return !wanted.empty();
        text = wanted;
        dpi = wantedDpi;
        int size[2] = {};
        if (text.empty() || !vtkTextRenderer::GetInstance()->RenderString(
                                property, vtkStdString(text), picture, size, dpi)) {
            text.clear();
            return false;
        }
        const int* const extent = picture->GetExtent(); // from the anchor, upwards
        const int* const whole = picture->GetDimensions();
        for (vtkIdType corner = 0; corner < 4; ++corner) {
            const double right = corner == 1 || corner == 2, top = corner >= 2;
            corners->SetPoint(corner, extent[0] + right * size[0], extent[2] + top * size[1], 0);
            inTexture->SetTuple2(corner, right * size[0] / whole[0], top * size[1] / whole[1]);
        }
        corners->Modified();
        inTexture->Modified();
        rectangle->Modified();
        texture->Modified();
        drawn.Modified();
        return true;
    }

    vtkNew<vtkTextProperty> property;
    vtkNew<vtkImageData> picture;
    vtkNew<vtkPoints> corners;
    vtkNew<vtkFloatArray> inTexture;
    vtkNew<vtkCellArray> sides;
    vtkNew<vtkPolyData> rectangle;
    vtkNew<vtkPolyDataMapper2D> mapper;
    vtkNew<vtkTexture> texture;
    vtkNew<vtkTexturedActor2D> actor;
    std::string text;
    int dpi = 0;
    vtkTimeStamp drawn;
};

TextLayer::TextLayer() = default;
TextLayer::~TextLayer() = default;

void TextLayer::add(vtkRenderer* renderer, const std::string& text, double x, double y,
                    TextAnchor anchor, Color color, int points) {
    if (used_ == texts_.size()) {
        texts_.push_back(std::make_unique<Drawn>());
        renderer->AddViewProp(texts_.back()->actor);
    }
    Drawn& drawn = *texts_[used_++];
    vtkTextProperty* property = drawn.property;
    // As VTK numbers them: left, centered, right; bottom, centered, top.
    static constexpr std::pair<int, int> sides[] = {{0, 2}, {1, 2}, {0, 0}, {1, 0},
                                                    {0, 1}, {2, 1}, {1, 1}};
    const auto [across, up] = sides[static_cast<std::size_t>(anchor)];
    property->SetJustification(across);
    property->SetVerticalJustification(up);
    property->SetFontSize(points);
    property->SetColor(static_cast<double>(color.red), static_cast<double>(color.green),
                       static_cast<double>(color.blue));
    drawn.actor->SetVisibility(drawn.draw(text, renderer->GetVTKWindow()->GetDPI()));
    drawn.actor->GetPositionCoordinate()->SetValue(std::round(x), std::round(y));
}

void TextLayer::end() {
    for (std::size_t i = used_; i < texts_.size(); ++i)
        texts_[i]->actor->SetVisibility(false);
}

} // namespace systole
