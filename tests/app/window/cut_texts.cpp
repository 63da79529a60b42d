#include "tests/app/window/cut_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace systole::testing {
namespace {

struct Letter {
    ImWchar code;
    ImVec2 low, high;
    std::size_t at; ///< index of its first triangle in the list
};

using Triangle = std::array<const ImDrawVert*, 3>;

const ImFontGlyph* glyphAt(const ImVec2& uv) {
    for (const ImFontGlyph& glyph : ImGui::GetFont()->Glyphs)
        if (glyph.Visible && glyph.U0 == uv.x && glyph.V0 == uv.y)
            return &glyph;
    return nullptr;
}

bool isPlain(const ImDrawVert& vertex) {
    const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
    return vertex.uv.x == white.x && vertex.uv.y == white.y;
}

bool covers(const Triangle& triangle, ImVec2 point) {
    constexpr unsigned opaque = 128;
    int positive = 0, negative = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!isPlain(*triangle[i]) || ((triangle[i]->col >> IM_COL32_A_SHIFT) & 0xff) < opaque)
            return false;
        const ImVec2 a = triangle[i]->pos, b = triangle[(i + 1) % 3]->pos;
        const float side = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
        positive += side > 0;
        negative += side < 0;
    }
    return positive == 0 || negative == 0;
}

void addCut(const ImDrawList& list, std::vector<std::string>& cut) {
    std::vector<Triangle> triangles;
    std::vector<Letter> letters;
    for (const ImDrawCmd& command : list.CmdBuffer)
        for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
            Triangle triangle;
            for (unsigned corner = 0; corner < 3; ++corner)
                triangle[corner] =
                    &list.VtxBuffer[static_cast<int>(command.VtxOffset) +
                                    list.IdxBuffer[static_cast<int>(command.IdxOffset + i) +
                                                   static_cast<int>(corner)]];
            triangles.push_back(triangle);
            // A letter is two triangles; the first one begins at its upper left corner.
            const ImFontGlyph* const glyph = glyphAt(triangle[0]->uv);
            if (!glyph || triangle[2]->uv.x != glyph->U1 || triangle[2]->uv.y != glyph->V1)
                continue;
            const ImVec2 low = triangle[0]->pos, high = triangle[2]->pos;
            const ImVec4 clip = command.ClipRect;
            if (high.y < clip.y || low.y > clip.w || high.x < clip.x || low.x > clip.z)
                continue; // scrolled out
            letters.push_back(
                {static_cast<ImWchar>(glyph->Codepoint), low, high, triangles.size() - 1});
            constexpr float allowed = 1.5f;
            if (low.x < clip.x - allowed || high.x > clip.z + allowed)
                cut.push_back(fmt::format("'{}' at {:.0f}, {:.0f} is cut by the edge at {:.0f}",
                                          static_cast<char>(glyph->Codepoint), low.x, low.y,
                                          low.x < clip.x ? clip.x : clip.z));
        }
    for (const Letter& letter : letters) {
        const ImVec2 middle{(letter.low.x + letter.high.x) / 2, (letter.low.y + letter.high.y) / 2};
        const bool covered =
            std::any_of(triangles.begin() + static_cast<std::ptrdiff_t>(letter.at) + 2,
                        triangles.end(), [&](const Triangle& t) { return covers(t, middle); });
        if (covered)
            cut.push_back(fmt::format("'{}' at {:.0f}, {:.0f} is covered",
                                      static_cast<char>(letter.code), middle.x, middle.y));
    }
}

} // namespace

std::vector<std::string> cutTexts(const ImDrawData& drawn) {
    std::vector<std::string> cut;
    for (int i = 0; i < drawn.CmdListsCount; ++i)
        addCut(*drawn.CmdLists[i], cut);
    return cut;
}

} // namespace systole::testing
