#include "render/flat_layer.h"

#include "render/gl/gl_scope.h"

#include <vtkCoordinate.h>
#include <vtkObjectFactory.h>
#include <vtkRenderer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>
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

void TextLayer::add(vtkRenderer* renderer, const std::string& text, double x, double y,
                    TextAnchor anchor, Color color, int points) {
    if (used_ == actors_.size()) {
        actors_.push_back(vtkSmartPointer<vtkTextActor>::New());
        actors_.back()->GetTextProperty()->SetShadow(1);
        actors_.back()->GetTextProperty()->SetShadowOffset(1, -1);
        actors_.back()->GetTextProperty()->SetLineSpacing(1.25);
        renderer->AddViewProp(actors_.back());
    }
    vtkTextActor* actor = actors_[used_++];
    vtkTextProperty* property = actor->GetTextProperty();
    // As VTK numbers them: left, centered, right; bottom, centered, top.
    static constexpr std::pair<int, int> sides[] = {{0, 2}, {1, 2}, {0, 0}, {1, 0},
                                                    {0, 1}, {2, 1}, {1, 1}};
    const auto [across, up] = sides[static_cast<std::size_t>(anchor)];
    property->SetJustification(across);
    property->SetVerticalJustification(up);
    property->SetFontSize(points);
    property->SetColor(static_cast<double>(color.red), static_cast<double>(color.green),
                       static_cast<double>(color.blue));
    actor->SetInput(text.c_str());
    actor->GetPositionCoordinate()->SetCoordinateSystemToViewport();
    actor->GetPositionCoordinate()->SetValue(std::round(x), std::round(y));
    actor->SetVisibility(true);
}

void TextLayer::end() {
    for (std::size_t i = used_; i < actors_.size(); ++i)
        actors_[i]->SetVisibility(false);
}

} // namespace systole
