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

/// Most pictures of texts that a view keeps: those of its labels over the frames of a cycle.
constexpr std::size_t maxTexts = 64;

/// Everything that decides a text's picture.
struct TextLayer::Look {
    std::string text;
    TextAnchor anchor;
    Color color;
    int points, dpi;
    bool operator==(const Look&) const = default;
};

/// A text as a picture in a rectangle.
struct TextLayer::Drawn {
    explicit Drawn(vtkRenderer* renderer) {
        property->SetShadow(1);
        property->SetShadowOffset(1, -1);
        property->SetLineSpacing(1.25);
        corners->SetNumberOfPoints(4);
        inTexture->SetNumberOfComponents(2);
        inTexture->SetNumberOfTuples(4);
        const vtkIdType around[] = {0, 1, 2, 3};
        quads->InsertNextCell(4, around);
        rectangle->SetPoints(corners);
        rectangle->SetPolys(quads);
        rectangle->GetPointData()->SetTCoords(inTexture);
        mapper->SetInputData(rectangle);
        texture->SetInputData(picture);
        actor->SetMapper(mapper);
        actor->SetTexture(texture);
        actor->GetPositionCoordinate()->SetCoordinateSystemToViewport();
        renderer->AddViewProp(actor);
    }

    void draw(const Look& wanted) {
        look = wanted;
        // VTK's numbers: left, centered, right; bottom, centered, top.
        static constexpr std::pair<int, int> sides[] = {{0, 2}, {1, 2}, {0, 0}, {1, 0},
                                                        {0, 1}, {2, 1}, {1, 1}};
        const auto [across, up] = sides[static_cast<std::size_t>(look.anchor)];
        property->SetJustification(across);
        property->SetVerticalJustification(up);
        property->SetFontSize(look.points);
        property->SetColor(static_cast<double>(look.color.red),
                           static_cast<double>(look.color.green),
                           static_cast<double>(look.color.blue));
        size[0] = size[1] = 0;
        seen = !look.text.empty() &&
               vtkTextRenderer::GetInstance()->RenderString(property, vtkStdString(look.text),
                                                            picture, size, look.dpi);
        if (!seen)
            return;
        // Extent in pixels, relative to the anchor, y upwards.
        const int* const extent = picture->GetExtent();
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
    }

    vtkNew<vtkTextProperty> property;
    vtkNew<vtkImageData> picture;
    vtkNew<vtkPoints> corners;
    vtkNew<vtkFloatArray> inTexture;
    vtkNew<vtkCellArray> quads;
    vtkNew<vtkPolyData> rectangle;
    vtkNew<vtkPolyDataMapper2D> mapper;
    vtkNew<vtkTexture> texture;
    vtkNew<vtkTexturedActor2D> actor;
    Look look;
    int size[2] = {};    ///< framebuffer pixels
    bool seen = false;   ///< there is something to be seen
    bool wanted = false; ///< drawn since begin()
};

TextLayer::TextLayer() = default;
TextLayer::~TextLayer() = default;

void TextLayer::begin() {
    for (const auto& text : texts_)
        text->wanted = false;
}

/// One that isn't wanted yet. Those that were used last are at the end.
TextLayer::Drawn& TextLayer::drawn(vtkRenderer* renderer, const Look& look) {
    auto place = std::ranges::find_if(
        texts_, [&](const auto& drawn) { return !drawn->wanted && drawn->look == look; });
    if (place == texts_.end()) {
        if (texts_.size() >= maxTexts)
            place = std::ranges::find_if(texts_, [](const auto& drawn) { return !drawn->wanted; });
        if (place == texts_.end())
            place = texts_.insert(place, std::make_unique<Drawn>(renderer));
        (*place)->draw(look);
    }
    std::rotate(place, place + 1, texts_.end());
    return *texts_.back();
}

void TextLayer::add(vtkRenderer* renderer, const std::string& text, double x, double y,
                    TextAnchor anchor, Color color, int points) {
    Drawn& added =
        drawn(renderer, {text, anchor, color, points, renderer->GetVTKWindow()->GetDPI()});
    added.wanted = true;
    added.actor->GetPositionCoordinate()->SetValue(std::round(x), std::round(y));
}

TextSize TextLayer::sizeOf(vtkRenderer* renderer, const std::string& text, TextAnchor anchor,
                           Color color, int points) {
    const Drawn& measured =
        drawn(renderer, {text, anchor, color, points, renderer->GetVTKWindow()->GetDPI()});
    return {static_cast<double>(measured.size[0]), static_cast<double>(measured.size[1])};
}

void TextLayer::end() {
    for (const auto& text : texts_)
        text->actor->SetVisibility(text->wanted && text->seen);
}

} // namespace systole
