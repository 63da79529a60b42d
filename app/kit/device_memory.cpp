#include "app/base/plural.h"
#include "app/base/units.h"
#include "app/kit/panels.h"
#include "app/kit/parameter_widget.h"
#include "app/kit/parts.h"
#include "app/kit/plot.h"
#include "app/kit/treemap.h"
#include "app/kit/widgets.h"
#include "app/session/session.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

namespace systole {
namespace {

constexpr ImU32 idleColor = IM_COL32(74, 78, 86, 255), otherColor = IM_COL32(110, 104, 96, 255),
                darkText = IM_COL32(16, 17, 20, 255), lightText = IM_COL32(225, 228, 232, 255);
constexpr float mapHeight = 132;

float asFloat(double value) { return static_cast<float>(value); }

Part partOf(const std::string& name, std::size_t bytes, std::size_t whole, ImU32 color) {
    const std::string text = bytesText(bytes);
    const double share = 100 * static_cast<double>(bytes) / static_cast<double>(whole);
    return {.name = name,
            .amount = static_cast<double>(bytes),
            .color = color,
            .text = text,
            .detail = fmt::format("{}: {}, {:.1f} %", name, text, share)};
}

std::vector<Tile> tilesOf(const std::vector<Part>& parts, float width) {
    std::vector<double> sizes;
    for (const Part& part : parts)
        sizes.push_back(part.amount);
    return treemap(sizes, static_cast<double>(width), static_cast<double>(mapHeight));
}

/// Treemap of the parts, labeled where there is room.
void drawMap(const std::vector<Part>& parts, const std::vector<Tile>& tiles) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Tile& tile = tiles[i];
        const ImVec2 from{corner.x + asFloat(tile.x), corner.y + asFloat(tile.y)};
        const ImVec2 to{from.x + asFloat(tile.width) - 1, from.y + asFloat(tile.height) - 1};
        if (to.x <= from.x || to.y <= from.y)
            continue; // less than a pixel
        list->AddRectFilled(from, to, parts[i].color);
        list->AddRect(from, to, darkGround); // neighbors of one color stay apart
        const ImU32 color = parts[i].color == idleColor ? lightText : darkText;
        const float room = to.x - from.x - 6, line = ImGui::GetTextLineHeight();
        const std::string& size = parts[i].text;
        constexpr float minLabelWidth = 40; // one or two letters would be no label
        if (to.y - from.y > line + 2 &&
            (room >= minLabelWidth || room >= ImGui::CalcTextSize(parts[i].name.c_str()).x))
            list->AddText({from.x + 4, from.y + 1}, color, shortened(parts[i].name, room).c_str());
        if (to.y - from.y > 2 * line + 2 && room >= ImGui::CalcTextSize(size.c_str()).x)
            list->AddText({from.x + 4, from.y + 1 + line}, color, size.c_str());
        if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(from, to))
            wrappedTooltip(parts[i].detail);
    }
    ImGui::Dummy({width, mapHeight});
}

/// A pool's buffers by name, largest first, and its idle blocks.
std::vector<Part> partsOf(const PoolMemory& pool) {
    std::vector<Part> parts;
    for (const BufferPool::Usage::Holder& holder : pool.usage.holders)
        parts.push_back(partOf(holder.name, holder.bytes, pool.takenBytes(), 0));
    if (pool.usage.idleBytes > 0)
        parts.push_back(
            partOf("idle, kept for reuse", pool.usage.idleBytes, pool.takenBytes(), idleColor));
    std::ranges::stable_sort(parts,
                             [](const Part& a, const Part& b) { return a.amount > b.amount; });
    return parts;
}

/// `voxels` of a frame; 0: none is open.
void drawPool(const PoolMemory& pool, std::size_t voxels) {
    const BufferPool::Usage& usage = pool.usage;
    ImGui::PushID(name(pool.space));
    ImGui::PushID(pool.owner.c_str());
    ImGui::Separator();
    ImGui::TextUnformatted(pool.owner.c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%s memory", name(pool.space));
    const auto amount = [](std::size_t bytes) { return unbroken(bytesText(bytes)); };
    std::string sum =
        fmt::format("{} in use (peak {})", amount(usage.usedBytes), amount(usage.peakBytes));
    if (voxels > 0)
        sum += fmt::format(", {:.0f} bytes per voxel of a frame",
                           static_cast<double>(usage.usedBytes) / static_cast<double>(voxels));
    if (usage.idleBytes > 0)
        sum += fmt::format(", {} idle", amount(usage.idleBytes));
    if (usage.budgetBytes != BufferPool::unlimited)
        sum += fmt::format(", budget {}", amount(usage.budgetBytes));
    wrappedText(sum, dimColor());
    std::vector<Part> parts = partsOf(pool);
    const std::vector<Tile> tiles = tilesOf(parts, ImGui::GetContentRegionAvail().x);
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].color != idleColor)
            parts[i].color = plotColor(i);
    if (parts.size() > 1)
        drawMap(parts, tiles);
    drawParts("entries", parts);
    ImGui::PopID();
    ImGui::PopID();
}

class DeviceMemoryPanel : public Panel {
public:
    const char* title() const override { return "Memory"; }
    const char* formerTitle() const override { return "Device memory"; }
    PanelGroup group() const override { return PanelGroup::Performance; }

    void draw(Session& session) override {
        const MemoryReport& report = session.memory;
        if (report.device.empty())
            drawHost(report);
        else
            drawDevice(report);
        if (report.pools.empty())
            ImGui::TextDisabled("no buffers yet");
        const std::size_t voxels = session.opened ? session.opened->sequence.geometry.voxels() : 0;
        for (const PoolMemory& pool : report.pools)
            drawPool(pool, voxels);
        drawTextures(report);
    }

    std::string text(const Session& session) const override { return session.memory.text(); }

private:
    static std::vector<Part> partsOn(const MemoryReport& report, MemorySpace space,
                                     std::size_t whole) {
        std::vector<Part> parts;
        for (const PoolMemory* pool : report.poolsOf(space))
            parts.push_back(
                partOf(pool->owner, pool->takenBytes(), whole, plotColor(parts.size())));
        return parts;
    }

    /// The bar as long as zoomedLength() says.
    static void drawZoomed(const std::vector<Part>& parts, std::size_t whole) {
        double taken = 0;
        for (const Part& part : parts)
            taken += part.amount;
        const std::size_t length = zoomedLength(static_cast<std::size_t>(taken), whole);
        drawStrip(parts, static_cast<double>(length));
        if (length < whole)
            ImGui::TextDisabled("bar: %s", bytesText(length).c_str());
    }

    static void drawDevice(const MemoryReport& report) {
        ImGui::TextUnformatted(report.device.c_str());
        const std::size_t whole = report.deviceTotal;
        std::vector<Part> parts = partsOn(report, MemorySpace::Device, whole);
        if (report.texturesOnDevice && report.textureBytes() > 0)
            parts.push_back(
                partOf("OpenGL textures", report.textureBytes(), whole, plotColor(parts.size())));
        parts.push_back(
            partOf("CUDA and other programs", report.otherOnDevice(), whole, otherColor));
        drawZoomed(parts, whole);
        parts.push_back(partOf("free", report.deviceFree, whole, darkGround));
        drawParts("device", parts);
        ImGui::TextDisabled("of %s reported by the driver", bytesText(report.deviceTotal).c_str());
        if (report.residentFrames > 0)
            ImGui::TextDisabled("resident: %s of the sequence",
                                plural(report.residentFrames, "frame").c_str());
    }

    static void drawHost(const MemoryReport& report) {
        ImGui::TextUnformatted("Host memory");
        wrappedText("No CUDA device is in use.", dimColor());
        const std::vector<Part> parts = partsOn(report, MemorySpace::Host, report.hostTotal);
        drawZoomed(parts, report.hostTotal);
        drawParts("host", parts);
        ImGui::TextDisabled("of %s of host memory", bytesText(report.hostTotal).c_str());
    }

    static void drawTextures(const MemoryReport& report) {
        if (report.textures.empty())
            return;
        ImGui::Separator();
        ImGui::TextUnformatted("OpenGL textures");
        ImGui::SameLine();
        ImGui::TextDisabled(report.texturesOnDevice ? "outside the pools"
                                                    : "on the OpenGL renderer");
        std::vector<Part> parts;
        for (const BufferPool::Usage::Holder& texture : report.textures)
            parts.push_back(partOf(texture.name, texture.bytes, report.textureBytes(),
                                   plotColor(parts.size())));
        drawParts("textures", parts);
    }
};

} // namespace

std::unique_ptr<Panel> makeDeviceMemoryPanel() { return std::make_unique<DeviceMemoryPanel>(); }

} // namespace systole
