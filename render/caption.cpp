#include "render/caption.h"

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkStdString.h>
#include <vtkTextProperty.h>
#include <vtkTextRenderer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace systole {
namespace {

constexpr int fontSize = 13;                  ///< logical pixels
constexpr double lineHeight = 19, margin = 9; ///< logical pixels
constexpr std::size_t maxLines = 16;
constexpr std::array<std::uint8_t, 3> ground{16, 18, 23};
const char* const separator = "   ·   ";

/// End of the UTF-8 character that begins at `start`.
std::size_t characterEnd(const std::string& text, std::size_t start) {
    std::size_t end = start + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        ++end;
    return end;
}

/// Whether these bytes are one character in UTF-8: names of files may be anything.
bool isCharacter(const std::string& bytes) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xc2 ? 0
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    return bytes.size() == length;
}

/// The text renderer of the scene's own texts, without OpenGL.
class TextPainter {
public:
    explicit TextPainter(double pixelRatio) : dpi_(static_cast<int>(std::lround(72 * pixelRatio))) {
        property_->SetFontSize(fontSize);
        property_->SetColor(0.90, 0.91, 0.94);
        property_->SetJustificationToLeft();
        property_->SetVerticalJustificationToBottom();
    }

    /// The text with a question mark for each character that the font lacks: left out, it would
    /// change the meaning of the rest.
    std::string drawable(const std::string& text) const {
        std::string result;
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = characterEnd(text, start);
            const std::string character = text.substr(start, end - start);
            const bool ascii = static_cast<unsigned char>(character[0]) < 0x80;
            const bool known =
                isCharacter(character) && (ascii || widthOf("n" + character + "n") > widthOf("nn"));
            result += known ? character : "?";
            start = end;
        }
        return result;
    }

    int widthOf(const std::string& text) const {
        int box[4] = {};
        if (!vtkTextRenderer::GetInstance()->GetBoundingBox(property_, vtkStdString(text), box,
                                                            dpi_))
            return 0;
        return box[1] - box[0] + 1;
    }

    /// Blends the text into the picture; `baseline` counts from the top.
    void paint(const std::string& text, int left, int baseline, RgbaImage& picture) const {
        vtkNew<vtkImageData> data;
        int size[2] = {};
        if (!vtkTextRenderer::GetInstance()->RenderString(property_, vtkStdString(text), data, size,
                                                          dpi_))
            return;
        const int* extent = data->GetExtent(); // relative to the start of the baseline, upwards
        for (int y = extent[2]; y < extent[2] + size[1]; ++y)
            for (int x = extent[0]; x < extent[0] + size[0]; ++x)
                blend(static_cast<const std::uint8_t*>(data->GetScalarPointer(x, y, 0)), left + x,
                      baseline - y, picture);
    }

private:
    static void blend(const std::uint8_t* color, int x, int y, RgbaImage& picture) {
        if (x < 0 || y < 0 || x >= picture.width || y >= picture.height)
            return;
        std::uint8_t* target =
            picture.pixels.data() +
            4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                 static_cast<std::size_t>(x));
        for (int channel = 0; channel < 3; ++channel)
            target[channel] = static_cast<std::uint8_t>(
                (color[channel] * color[3] + target[channel] * (255 - color[3]) + 127) / 255);
    }

    vtkNew<vtkTextProperty> property_;
    int dpi_;
};

/// Number of bytes of the first characters that fit, one at least.
std::size_t fittingBytes(const std::string& text, int width, const TextPainter& painter) {
    std::size_t fits = characterEnd(text, 0);
    while (fits < text.size() && painter.widthOf(text.substr(0, characterEnd(text, fits))) <= width)
        fits = characterEnd(text, fits);
    return fits;
}

std::vector<std::string> linesOf(const std::vector<std::string>& parts, int width,
                                 const TextPainter& painter) {
    std::vector<std::string> lines;
    for (const std::string& part : parts) {
        std::string rest = painter.drawable(part);
        const bool joins =
            !lines.empty() && painter.widthOf(lines.back() + separator + rest) <= width;
        if (joins) {
            lines.back() += separator + rest;
            continue;
        }
        while (!rest.empty() && lines.size() < maxLines) {
            const std::size_t bytes =
                painter.widthOf(rest) <= width ? rest.size() : fittingBytes(rest, width, painter);
            lines.push_back(rest.substr(0, bytes));
            rest.erase(0, bytes);
        }
    }
    return lines;
}

} // namespace

RgbaImage withCaption(const RgbaImage& picture, const std::vector<std::string>& parts,
                      double pixelRatio) {
    const TextPainter painter(pixelRatio);
    const auto pixels = [&](double logical) {
        return static_cast<int>(std::lround(logical * pixelRatio));
    };
    const std::vector<std::string> lines =
        linesOf(parts, std::max(1, picture.width - 2 * pixels(margin)), painter);
    RgbaImage result = picture;
    result.height += pixels(margin + lineHeight * static_cast<double>(lines.size()));
    const std::size_t before = picture.pixels.size();
    result.pixels.resize(4 * static_cast<std::size_t>(result.width) *
                         static_cast<std::size_t>(result.height));
    for (std::size_t i = before; i < result.pixels.size(); i += 4) {
        std::ranges::copy(ground, result.pixels.begin() + static_cast<std::ptrdiff_t>(i));
        result.pixels[i + 3] = 255;
    }
    for (std::size_t i = 0; i < lines.size(); ++i)
        painter.paint(lines[i], pixels(margin),
                      picture.height +
                          pixels(0.5 * margin + lineHeight * (static_cast<double>(i) + 0.72)),
                      result);
    return result;
}

} // namespace systole
