#include "app/base/plural.h"
#include "app/base/units.h"
#include "app/feature/panel.h"
#include "app/features/bias/bias_tool.h"
#include "app/kit/map_slice.h"
#include "app/kit/tool_widgets.h"
#include "app/task/backend.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "render/base/colormaps.h"
#include "render/gl/gl_objects.h"
#include "render/view_plane.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr float barWidth = 92, barThickness = 14, gap = 12;
constexpr double minProbability = 1e-12; // shown: a difference from 1 in double precision
constexpr ViewKind planes[] = {ViewKind::Axial, ViewKind::Coronal, ViewKind::Sagittal};

ImU32 imColor(const Color& color) {
    return ImGui::ColorConvertFloat4ToU32({color.red, color.green, color.blue, 1});
}

std::string probabilityText(double p) {
    if (std::isnan(p))
        return "–";
    return p < minProbability ? std::string("< 1e-12") : fmt::format("{:.2g}", p);
}

/// Text below a map.
std::vector<std::string> figuresOf(const BiasColumn& column, double trueGrowth) {
    if (column.series.count() == 0)
        return {"waiting"};
    const bool grew = trueGrowth > 0 && std::isfinite(column.growth);
    const TTest test = column.series.volume();
    const char* const is = test.p < minProbability || std::isnan(test.p) ? "" : "= ";
    // One repetition doesn't spread.
    const std::string deviation =
        column.series.count() > 1 ? fmt::format("{:.5f}", test.deviation) : std::string("–");
    return {fmt::format("mean {:+.5f} ±\u00a0{}", test.mean, deviation),
            fmt::format("t test: p {}{}", is, probabilityText(test.p)),
            fmt::format("spread {:.4f}", column.series.spread()),
            fmt::format("|u| {:.3f} voxels", column.series.displacement()),
            grew ? fmt::format("true growth: {:.0f} % found", 100 * column.growth / trueGrowth)
                 : "true growth: waiting"};
}

/// The text below a map, broken at its width.
std::vector<std::string> linesBelow(const BiasColumn& column, double trueGrowth, float width) {
    std::vector<std::string> lines;
    for (const std::string& figure : figuresOf(column, trueGrowth)) {
        std::istringstream parts(linesOf(figure, width));
        for (std::string line; std::getline(parts, line);)
            lines.push_back(std::move(line));
    }
    return lines;
}

class BiasPanel : public Panel {
public:
    explicit BiasPanel(BiasTool& tool) : tool_(tool) {}
    const char* title() const override { return biasTitle; }
    double wideShare() const override {
        return tool_.status.run > 0 || tool_.unfinished() ? 0.56 : 0;
    }

    void draw(Session& session) override {
        wrappedText("Volume change from noise alone: the frame shown, twice, each time with fresh "
                    "noise. No tissue has moved; a mean of log |J| other than 0 is the method's "
                    "bias.",
                    dimColor());
        parameterRows(tool_.parameters);
        drawBackend(session);
        drawButtons();
        if (tool_.status.run == 0)
            return;
        ImGui::Separator();
        drawSlice(session);
        drawFigures(tool_.status);
    }

    void drawWide(Session&) override;
    void release() override { pictures_.clear(); }

    std::string text(const Session&) const override {
        const BiasStatus& status = tool_.status;
        if (status.run == 0)
            return "nothing was registered yet\n";
        std::string text = fmt::format(
            "{}\nnoise {:g} % of the gray range, {}, {} repetitions wanted\n"
            "method\trepetitions\tmean log |J|\tstandard deviation\tt\tp\tspread of log |J|\t"
            "displacement, voxels\tseconds\tlog |J| found of a true {:g}\n",
            status.name, 100 * status.noiseShare, systole::name(status.backend), status.repetitions,
            status.trueGrowth);
        for (const BiasColumn& column : status.columns) {
            const TTest test = column.series.volume();
            text += fmt::format("{}\t{}\t{:g}\t{:g}\t{:g}\t{:g}\t{:g}\t{:g}\t{:g}\t{:g}\n",
                                column.method, column.series.count(), test.mean, test.deviation,
                                test.t, test.p, column.series.spread(),
                                column.series.displacement(), column.seconds, column.growth);
        }
        return text + (status.failure.empty() ? "" : status.failure + "\n");
    }

private:
    /// The texture of a map, and what it was made of.
    struct Picture {
        std::shared_ptr<const Volume> map;
        MapSlice slice;
        double maximum = 0;
        GlTexture texture;
    };

    void drawBackend(Session& session) {
        // All compared methods have the same backends.
        const MotionMethod& method = motionMethods().front();
        choiceRow(
            "backend", systole::name(tool_.backend), method.backends,
            [](Backend backend) { return systole::name(backend); },
            [&](Backend backend) {
                try {
                    tool_.backend = chooseBackend(systole::name(backend), method).backend;
                } catch (const ComputeError& error) {
                    session.message = error.what();
                }
            });
    }

    void drawButtons() {
        const BiasStatus& status = tool_.status;
        if (actionButton(status.running ? "Start again" : "Start", "", tool_.whyNot()))
            tool_.start();
        if (!status.running)
            return;
        ImGui::SameLine();
        if (button("Stop", "Ends it; the repetitions so far stay."))
            tool_.stop();
        progressBar(status.fraction);
        wrappedText(status.phase, dimColor());
    }

    void drawSlice(Session& session) {
        const BiasStatus& status = tool_.status;
        const auto kind = [](bool last) {
            return last ? "last repetition" : "mean of all repetitions";
        };
        choiceRow("maps", kind(showsLast_), std::array{false, true}, kind,
                  [&](bool last) { showsLast_ = last; });
        choiceRow(
            "plane", systole::name(slice_.plane), planes,
            [](ViewKind plane) { return systole::name(plane); },
            [&](ViewKind plane) { slice_.plane = plane; });
        if (const auto map = anyMap(status)) {
            const Geometry& grid = map->geometry;
            const Vec3 crosshair = session.figures.crosshair;
            slice_ = sliceThrough(grid, slice_.plane, crosshair);
            if (slider("slice", slice_.index, 0, slicesAcross(grid, slice_.plane) - 1))
                session.lookAt = inSlice(grid, slice_, crosshair);
        }
    }

    /// The others stand below the maps.
    static void drawFigures(const BiasStatus& status) {
        for (const std::string* text : {&status.failure, &status.note})
            if (!text->empty())
                wrappedText(*text, warningColor);
        for (const BiasColumn& column : status.columns) {
            if (column.series.count() == 0)
                continue;
            wrappedText(
                fmt::format("{}: {}, {} each", column.method,
                            plural(static_cast<std::int64_t>(column.series.count()), "repetition"),
                            secondsText(column.seconds)),
                plainColor());
        }
    }

    const std::shared_ptr<const Volume>& mapOf(const BiasColumn& column) const {
        return showsLast_ ? column.last : column.mean;
    }
    static std::shared_ptr<const Volume> anyMap(const BiasStatus& status) {
        const auto found = std::ranges::find_if(
            status.columns, [](const BiasColumn& column) { return column.mean != nullptr; });
        return found == status.columns.end() ? nullptr : found->mean;
    }
    void followMaximum(const BiasStatus& status);
    unsigned textureOf(std::size_t column, const std::shared_ptr<const Volume>& map);
    void drawMap(std::size_t number, const std::vector<std::string>& below, float room,
                 ImVec2 corner, ImVec2 size, Session& session);
    void drawCrosshair(const Geometry& grid, ImVec2 from, ImVec2 to, Session& session) const;
    void drawOutline(const Geometry& grid, ImVec2 from, ImVec2 to);
    void drawLetters(ImVec2 from, ImVec2 to) const;
    void drawBar(ImVec2 corner, float height) const;

    BiasTool& tool_;
    bool showsLast_ = false;
    MapSlice slice_;                                       ///< slice through the views' crosshair
    std::vector<std::shared_ptr<const Volume>> maximumOf_; ///< the maps whose scale it is
    double maximum_ = 1;
    std::vector<Picture> pictures_; ///< pictures by column
    /// Meshes that `outline_` was cut from.
    std::vector<std::shared_ptr<const TriangleMesh>> outlineOf_;
    MapSlice outlineSlice_; ///< slice in which `outline_` lies
    std::vector<PictureLine> outline_;
};

/// One scale for all maps: it changes only with them.
void BiasPanel::followMaximum(const BiasStatus& status) {
    std::vector<std::shared_ptr<const Volume>> maps;
    for (const BiasColumn& column : status.columns)
        maps.push_back(mapOf(column));
    if (maps == maximumOf_)
        return;
    maximum_ = commonMaximum(maps);
    maximumOf_ = std::move(maps);
}

unsigned BiasPanel::textureOf(std::size_t column, const std::shared_ptr<const Volume>& map) {
    if (pictures_.size() <= column)
        pictures_.resize(column + 1);
    Picture& picture = pictures_[column];
    if (!picture.texture || picture.map != map || !(picture.slice == slice_) ||
        picture.maximum != maximum_) {
        const RgbaImage image = pictureOf(*map, slice_, maximum_);
        picture = {map, slice_, maximum_,
                   makePictureTexture(image.width, image.height, image.pixels.data())};
    }
    return picture.texture.id();
}

/// Directions of the body at the borders of a map.
void BiasPanel::drawLetters(ImVec2 from, ImVec2 to) const {
    const std::array<char, 4> letters = borderLetters(viewPlane(slice_.plane));
    const float inset = 3, height = ImGui::GetTextLineHeight();
    const float middleX = (from.x + to.x) / 2, middleY = (from.y + to.y - height) / 2;
    const ImU32 color = IM_COL32(20, 20, 20, 255); // the maps are bright
    const auto draw = [&](ImVec2 at, char letter, float share) {
        const char text[] = {letter, 0};
        at.x -= share * ImGui::CalcTextSize(text).x;
        ImGui::GetWindowDrawList()->AddText(at, color, text);
    };
    draw({from.x + inset, middleY}, letters[0], 0);
    draw({to.x - inset, middleY}, letters[1], 1);
    draw({middleX, from.y + inset}, letters[2], 0.5f);
    draw({middleX, to.y - inset - height}, letters[3], 0.5f);
}

void BiasPanel::drawOutline(const Geometry& grid, ImVec2 from, ImVec2 to) {
    const auto meshes = tool_.outline().meshes;
    if (meshes != outlineOf_ || !(slice_ == outlineSlice_)) {
        outline_.clear();
        for (const auto& mesh : meshes)
            std::ranges::copy(contourIn(grid, slice_, *mesh), std::back_inserter(outline_));
        outlineOf_ = meshes;
        outlineSlice_ = slice_;
    }
    const auto at = [&](const PicturePlace& place) {
        return ImVec2{from.x + static_cast<float>(place.right) * (to.x - from.x),
                      from.y + static_cast<float>(place.down) * (to.y - from.y)};
    };
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(from, to, true);
    for (const auto& [start, end] : outline_)
        list.AddLine(at(start), at(end), IM_COL32(20, 20, 20, 255), 1.5f); // the maps are bright
    list.PopClipRect();
}

/// The views' crosshair, which follows a press or drag on the map.
void BiasPanel::drawCrosshair(const Geometry& grid, ImVec2 from, ImVec2 to,
                              Session& session) const {
    const PicturePlace place = placeOf(grid, slice_.plane, session.figures.crosshair);
    const float x = from.x + static_cast<float>(place.right) * (to.x - from.x),
                y = from.y + static_cast<float>(place.down) * (to.y - from.y);
    constexpr ImU32 color = IM_COL32(20, 20, 20, 110); // the maps are bright
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(from, to, true);
    list.AddLine({x, from.y}, {x, to.y}, color);
    list.AddLine({from.x, y}, {to.x, y}, color);
    list.PopClipRect();
    const ImVec2 pointer = ImGui::GetIO().MousePos;
    if (ImGui::IsWindowHovered() && ImGui::IsMouseDown(0) && ImGui::IsMouseHoveringRect(from, to))
        session.lookAt = pointAt(grid, slice_,
                                 {static_cast<double>((pointer.x - from.x) / (to.x - from.x)),
                                  static_cast<double>((pointer.y - from.y) / (to.y - from.y))});
}

/// Name, map and figures of a method, centered in this area; the map has so much room.
void BiasPanel::drawMap(std::size_t number, const std::vector<std::string>& below, float room,
                        ImVec2 corner, ImVec2 size, Session& session) {
    const BiasColumn& column = tool_.status.columns[number];
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const auto centered = [&](const std::string& text, float y, ImU32 color) {
        const std::string shown = shortened(text, size.x);
        const float free = size.x - ImGui::CalcTextSize(shown.c_str()).x;
        list.AddText({corner.x + free / 2, y}, color, shown.c_str());
    };
    centered(column.method, corner.y, ImGui::GetColorU32(ImGuiCol_Text));
    float y = corner.y + line;
    const std::shared_ptr<const Volume>& map = mapOf(column);
    if (map && room > 8) {
        const auto ratio = static_cast<float>(heightOverWidth(map->geometry, slice_.plane));
        const float width = std::min(size.x, room / ratio), height = ratio * width;
        const ImVec2 from{corner.x + (size.x - width) / 2, y};
        const ImVec2 to{from.x + width, from.y + height};
        list.AddImage(
            reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(textureOf(number, map))),
            from, to);
        list.AddRect(from, to, ImGui::GetColorU32(ImGuiCol_FrameBgActive));
        drawOutline(map->geometry, from, to);
        drawCrosshair(map->geometry, from, to, session);
        drawLetters(from, to);
        y += height;
    }
    for (const std::string& text : below) {
        centered(text, y + 2, ImGui::GetColorU32(ImGuiCol_Text));
        y += line;
    }
}

void BiasPanel::drawBar(ImVec2 corner, float height) const {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const std::vector<Color> colors = colorTable(ColorMap::Diverging, 64);
    const float step = height / static_cast<float>(colors.size());
    for (std::size_t i = 0; i < colors.size(); ++i) {
        const float bottom = corner.y + height - static_cast<float>(i) * step;
        list.AddRectFilled({corner.x, bottom - step}, {corner.x + barThickness, bottom},
                           imColor(colors[i]));
    }
    const ImU32 color = ImGui::GetColorU32(ImGuiCol_Text);
    const float x = corner.x + barThickness + 5, line = ImGui::GetTextLineHeight();
    const double top = volumeContracts.redEnd(maximum_);
    list.AddText({x, corner.y}, color, fmt::format("{:+g}", top).c_str());
    list.AddText({x, corner.y + line}, color, volumeContracts.name);
    list.AddText({x, corner.y + (height - line) / 2}, color, "0");
    list.AddText({x, corner.y + height - 2 * line}, color, volumeContracts.other);
    list.AddText({x, corner.y + height - line}, color, fmt::format("{:+g}", -top).c_str());
}

void BiasPanel::drawWide(Session& session) {
    const BiasStatus& status = tool_.status;
    if (status.run == 0) {
        ImGui::TextDisabled("waiting for the frame ...");
        return;
    }
    wrappedText(fmt::format("log |J| of {}, {}, noise of {:g} % of the gray range; {} of {} "
                            "repetitions; outline: {}",
                            status.name, showsLast_ ? "last repetition" : "mean of all repetitions",
                            100 * status.noiseShare,
                            status.columns.empty() ? 0 : status.columns.back().series.count(),
                            status.repetitions, tool_.outline().of),
                plainColor());
    if (const auto map = anyMap(status))
        slice_ = sliceThrough(map->geometry, slice_.plane, session.figures.crosshair);
    followMaximum(status);
    pictures_.resize(status.columns.size());
    const ImVec2 room = ImGui::GetContentRegionAvail(), corner = ImGui::GetCursorScreenPos();
    const auto columns = static_cast<float>(std::max<std::size_t>(1, status.columns.size()));
    const float width = (room.x - barWidth) / columns - gap;
    if (width < 40 || room.y < 80)
        return;
    std::vector<std::vector<std::string>> below;
    std::size_t most = 5; // lines: while it runs, maps don't shrink with the first figures
    for (const BiasColumn& column : status.columns)
        most =
            std::max(most, below.emplace_back(linesBelow(column, status.trueGrowth, width)).size());
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const float mapRoom = room.y - static_cast<float>(most + 1) * line; // all maps have the same
    for (std::size_t i = 0; i < status.columns.size(); ++i)
        drawMap(i, below[i], mapRoom, {corner.x + static_cast<float>(i) * (width + gap), corner.y},
                {width, room.y}, session);
    drawBar({corner.x + room.x - barWidth, corner.y + line}, mapRoom + line);
    ImGui::Dummy(room);
}

} // namespace

std::unique_ptr<Panel> BiasTool::panel() { return std::make_unique<BiasPanel>(*this); }

} // namespace systole
