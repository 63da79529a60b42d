#include "app/live/session.h"
#include "app/panels/panels.h"
#include "app/panels/parameter_widget.h"
#include "app/panels/plot.h"
#include "app/panels/treemap.h"
#include "app/panels/widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr ImU32 ground = IM_COL32(24, 25, 29, 255), idleColor = IM_COL32(74, 78, 86, 255),
                otherColor = IM_COL32(110, 104, 96, 255), darkText = IM_COL32(16, 17, 20, 255),
                lightText = IM_COL32(225, 228, 232, 255);
constexpr float stripHeight = 20, mapHeight = 132;

struct Part {
    std::string name;
    std::size_t bytes = 0;
    ImU32 color = 0;
};

float asFloat(double value) { return static_cast<float>(value); }

std::string partText(const Part& part, std::size_t whole) {
    return fmt::format("{}: {}, {:.1f} %", part.name, bytesText(part.bytes),
                       100 * static_cast<double>(part.bytes) / static_cast<double>(whole));
}

/// The parts side by side; the rest of the bar is free memory.
void drawStrip(const std::vector<Part>& parts, std::size_t whole) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(corner, {corner.x + width, corner.y + stripHeight}, ground);
    float x = corner.x;
    for (const Part& part : parts) {
        const float extent =
            width * asFloat(static_cast<double>(part.bytes) / static_cast<double>(whole));
        const ImVec2 from{x, corner.y}, to{x + extent, corner.y + stripHeight};
        list->AddRectFilled(from, to, part.color);
        if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(from, to))
            wrappedTooltip(partText(part, whole));
        x += extent;
    }
    ImGui::Dummy({width, stripHeight});
}

void drawEntry(const Part& part, std::size_t whole) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float side = ImGui::GetTextLineHeight();
    ImGui::GetWindowDrawList()->AddRectFilled(
        {corner.x, corner.y + 2}, {corner.x + side - 4, corner.y + side - 2}, part.color);
    ImGui::Dummy({side, side});
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(part.name.c_str());
    if (ImGui::IsItemHovered())
        wrappedTooltip(partText(part, whole));
    ImGui::TableNextColumn();
    textRight(bytesText(part.bytes), plainColor());
}

void drawEntries(const char* id, const std::vector<Part>& parts, std::size_t whole) {
    if (!ImGui::BeginTable(id, 3, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoPadOuterX))
        return;
    ImGui::TableSetupColumn("color");
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, 72);
    for (const Part& part : parts)
        drawEntry(part, whole);
    ImGui::EndTable();
}

std::vector<Tile> tilesOf(const std::vector<Part>& parts, float width) {
    std::vector<double> sizes;
    for (const Part& part : parts)
        sizes.push_back(static_cast<double>(part.bytes));
    return treemap(sizes, static_cast<double>(width), static_cast<double>(mapHeight));
}

/// Treemap of the parts, labeled where there is room.
void drawMap(const std::vector<Part>& parts, const std::vector<Tile>& tiles, std::size_t whole) {
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
        list->AddRect(from, to, ground); // neighbors of one color stay apart
        const ImU32 color = parts[i].color == idleColor ? lightText : darkText;
        const float room = to.x - from.x - 6, line = ImGui::GetTextLineHeight();
        const std::string size = bytesText(parts[i].bytes);
        constexpr float minLabelWidth = 40; // one or two letters would be no label
        if (to.y - from.y > line + 2 &&
            (room >= minLabelWidth || room >= ImGui::CalcTextSize(parts[i].name.c_str()).x))
            list->AddText({from.x + 4, from.y + 1}, color, shortened(parts[i].name, room).c_str());
        if (to.y - from.y > 2 * line + 2 && room >= ImGui::CalcTextSize(size.c_str()).x)
            list->AddText({from.x + 4, from.y + 1 + line}, color, size.c_str());
        if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(from, to))
            wrappedTooltip(partText(parts[i], whole));
    }
    ImGui::Dummy({width, mapHeight});
}

/// A pool's buffers by name, largest first, and its idle blocks.
std::vector<Part> partsOf(const PoolMemory& pool) {
    std::vector<Part> parts;
    for (const BufferPool::Usage::Holder& holder : pool.usage.holders)
        parts.push_back({holder.name, holder.bytes, 0});
    if (pool.usage.idleBytes > 0)
        parts.push_back({"idle, kept for reuse", pool.usage.idleBytes, idleColor});
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.bytes > b.bytes; });
    return parts;
}

void drawPool(const PoolMemory& pool) {
    const BufferPool::Usage& usage = pool.usage;
    ImGui::PushID(name(pool.space));
    ImGui::PushID(pool.owner.c_str());
    ImGui::Separator();
    ImGui::TextUnformatted(pool.owner.c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%s memory", name(pool.space));
    std::string sum =
        fmt::format("{} in use (peak {})", bytesText(usage.usedBytes), bytesText(usage.peakBytes));
    if (usage.idleBytes > 0)
        sum += fmt::format(", {} idle", bytesText(usage.idleBytes));
    if (usage.budgetBytes != BufferPool::unlimited)
        sum += fmt::format(", budget {}", bytesText(usage.budgetBytes));
    wrappedText(sum, dimColor());
    std::vector<Part> parts = partsOf(pool);
    const std::vector<Tile> tiles = tilesOf(parts, ImGui::GetContentRegionAvail().x);
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].color != idleColor)
            parts[i].color = plotColor(i);
    if (parts.size() > 1)
        drawMap(parts, tiles, pool.takenBytes());
    drawEntries("entries", parts, pool.takenBytes());
    ImGui::PopID();
    ImGui::PopID();
}

class DeviceMemoryPanel : public Panel {
public:
    const char* title() const override { return "Device memory"; }

    void draw(Session& session) override {
        const MemoryReport& report = session.memory;
        if (report.device.empty())
            drawHost(report);
        else
            drawDevice(report);
        if (report.pools.empty())
            ImGui::TextDisabled("no buffers yet");
        for (const PoolMemory& pool : report.pools)
            drawPool(pool);
        drawTextures(report);
    }

    std::string text(const Session& session) const override { return session.memory.text(); }

private:
    static std::vector<Part> partsOn(const MemoryReport& report, MemorySpace space) {
        std::vector<Part> parts;
        for (const PoolMemory* pool : report.poolsOf(space))
            parts.push_back({pool->owner, pool->takenBytes(), plotColor(parts.size())});
        return parts;
    }

    static void drawDevice(const MemoryReport& report) {
        ImGui::TextUnformatted(report.device.c_str());
        std::vector<Part> parts = partsOn(report, MemorySpace::Device);
        if (report.texturesOnDevice && report.textureBytes() > 0)
            parts.push_back({"OpenGL textures", report.textureBytes(), plotColor(parts.size())});
        parts.push_back({"CUDA and other programs", report.otherOnDevice(), otherColor});
        drawStrip(parts, report.deviceTotal);
        parts.push_back({"free", report.deviceFree, ground});
        drawEntries("device", parts, report.deviceTotal);
        ImGui::TextDisabled("of %s reported by the driver", bytesText(report.deviceTotal).c_str());
        if (report.residentFrames > 0)
            ImGui::TextDisabled("%d frames of the sequence are resident", report.residentFrames);
    }

    static void drawHost(const MemoryReport& report) {
        wrappedText("No CUDA device is in use; this is the host memory.", dimColor());
        std::vector<Part> parts = partsOn(report, MemorySpace::Host);
        drawStrip(parts, report.hostTotal);
        drawEntries("host", parts, report.hostTotal);
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
            parts.push_back({texture.name, texture.bytes, plotColor(parts.size())});
        drawEntries("textures", parts, report.textureBytes());
    }
};

} // namespace

std::unique_ptr<Panel> makeDeviceMemoryPanel() { return std::make_unique<DeviceMemoryPanel>(); }

} // namespace systole
