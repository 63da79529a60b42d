// The caption of a saved picture, from its record alone.
#include "app/live/picture_record.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "render/color_bar.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <filesystem>

namespace systole {
namespace {

/// Parameters that differ from those of the preset, as long as the list is short. Throws
/// ComputeError for what this program doesn't know.
std::string changedParameters(const PictureMotion& motion) {
    constexpr std::size_t most = 4;
    const MotionMethod& method = motionMethod(motion.method);
    const ParamSet start(*method.parameters, motion.preset);
    ParamSet set = start;
    std::string text;
    std::size_t changed = 0;
    for (const auto& [id, value] : motion.parameters) {
        set.set(id, value);
        if (set.value(id) != start.value(id) && ++changed <= most)
            text += fmt::format(", {} {}", id, set.text(id));
    }
    return changed > most ? text + fmt::format(" and {} more", changed - most) : text;
}

std::string methodText(const PictureMotion& motion) {
    if (!motion.fieldFile.empty())
        return "field " + std::filesystem::path(motion.fieldFile).filename().string();
    std::string text = motion.method;
    if (!motion.preset.empty())
        text += ", preset " + motion.preset;
    try {
        text += changedParameters(motion);
    } catch (const ComputeError&) {
        // A picture of another version; its method can be named, its parameters not compared.
    }
    return text + ", " + motion.backend;
}

std::string pairText(const PictureRecord& record) {
    const PictureMotion& motion = *record.left;
    if (motion.movingFrame == motion.fixedFrame)
        return fmt::format("motion begins in frame {}", motion.fixedFrame);
    std::string text = motion.movingFrame < 0
                           ? fmt::format("motion from frame {}", motion.fixedFrame)
                           : fmt::format("motion {} to {}", motion.fixedFrame, motion.movingFrame);
    if (!record.notes.left.empty())
        text += motion.pictureFrame() == record.frame ? " with earlier parameters"
                                                      : " (of another frame)";
    if (motion.window > 1)
        text += motion.smoothed ? fmt::format(", smoothed over {} frames", motion.window)
                                : std::string(", not smoothed yet");
    return text;
}

/// The pair, the methods, and the scale of their colors.
void addMotion(const PictureRecord& record, std::vector<std::string>& parts) {
    parts.push_back(pairText(record));
    if (record.display.layout == Layout::SideBySide && record.right) {
        parts.push_back("left: " + methodText(*record.left));
        parts.push_back("right: " + methodText(*record.right));
    } else {
        parts.push_back(methodText(*record.left));
    }
    const auto scale = [](const char* what, double maximum) {
        const LengthUnit unit = lengthUnit(maximum);
        return fmt::format("{} 0–{:.3g} {}", what, maximum / unit.millimeters, unit.name);
    };
    if (colorsMotion(record.display))
        parts.push_back(scale("colors", record.scale.motion));
    if (record.difference)
        parts.push_back(scale("difference", record.scale.difference));
}

} // namespace

std::vector<std::string> captionOf(const PictureRecord& record) {
    std::vector<std::string> parts{
        record.name, fmt::format("frame {} of 0–{}", record.frame, record.frames - 1)};
    parts.push_back(record.milliseconds ? fmt::format("time {:.0f} ms", *record.milliseconds)
                                        : "time unknown");
    for (const auto& [tool, caption] : record.tools)
        parts.push_back(caption);
    if (record.left)
        addMotion(record, parts);
    for (const auto& [what, range] : record.ownColors)
        parts.push_back(what + " " + range);
    return parts;
}

} // namespace systole
