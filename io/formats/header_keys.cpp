#include "io/formats/header_keys.h"

#include "io/base/messages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>

namespace systole {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t maxSegments = 100000;
constexpr std::size_t namesInASentence = 8;

/// "displacementfieldtype" of "Displacement_Field Type".
std::string lettersOf(std::string_view name) {
    std::string letters;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters;
}

/// Frame and rest of a key of Plus: "Seq_Frame0012_Timestamp" is 12 and "Timestamp".
struct FrameKey {
    int frame = 0;
    std::string_view what;
};

std::optional<FrameKey> frameKeyOf(std::string_view key) {
    constexpr std::string_view prefix = "Seq_Frame";
    if (!key.starts_with(prefix))
        return std::nullopt;
    key.remove_prefix(prefix.size());
    const std::size_t end = key.find('_');
    const auto frame = parseInteger(key.substr(0, end));
    if (end == std::string_view::npos || !frame || *frame < 0 ||
        *frame > std::numeric_limits<int>::max())
        return std::nullopt;
    return FrameKey{static_cast<int>(*frame), key.substr(end + 1)};
}

std::vector<double> timesUnder(const HeaderKeys& keys, std::string_view what, int frames) {
    std::vector<double> times;
    for (const auto& [key, text] : keys) {
        const std::optional<FrameKey> found = frameKeyOf(key);
        if (!found || found->what != what || found->frame >= frames)
            continue;
        times.resize(static_cast<std::size_t>(frames), unknown);
        times[static_cast<std::size_t>(found->frame)] = parseReal(text).value_or(unknown);
    }
    return times;
}

/// "a, b, c and 4 more"
std::string listOf(const std::vector<std::string>& names) {
    const std::size_t shown = std::min(names.size(), namesInASentence);
    std::string text = fmt::format(
        "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (names.size() > shown)
        text += fmt::format(" and {} more", names.size() - shown);
    return text;
}

} // namespace

std::string textOf(const HeaderKeys& keys, const std::string& key) {
    const auto found = keys.find(key);
    return found == keys.end() ? std::string() : found->second;
}

std::vector<double> frameTimestamps(const HeaderKeys& keys, int frames) {
    std::vector<double> times = timesUnder(keys, "Timestamp", frames);
    return times.empty() ? timesUnder(keys, "UnfilteredTimestamp", frames) : times;
}

void noteFrameStates(const HeaderKeys& keys, StoredImage& image) {
    std::vector<std::string> invalid;
    bool placed = false;
    for (const auto& [key, text] : keys) {
        const std::optional<FrameKey> found = frameKeyOf(key);
        if (!found)
            continue;
        if (found->what == "ImageStatus" && lettersOf(text) != "ok")
            invalid.push_back(fmt::format("{}", found->frame));
        placed |= found->what.ends_with("Transform");
    }
    if (!invalid.empty())
        addNote(image.notes, "the header calls these frames invalid: {}", listOf(invalid));
    if (placed)
        image.notes.push_back("the header gives each frame transforms of a tracked probe, which "
                              "aren't applied: all frames are shown at one place");
}

std::vector<StoredSegment> segmentsIn(const HeaderKeys& keys) {
    std::vector<StoredSegment> segments;
    for (std::size_t i = 0; i < maxSegments; ++i) {
        const std::string prefix = fmt::format("Segment{}_", i);
        const std::string id = textOf(keys, prefix + "ID"), name = textOf(keys, prefix + "Name"),
                          label = textOf(keys, prefix + "LabelValue");
        if (id.empty() && name.empty() && label.empty())
            break;
        segments.push_back({name.empty() ? id : name, label, textOf(keys, prefix + "Layer")});
    }
    return segments;
}

std::string segmentNames(const std::vector<StoredSegment>& segments) {
    std::vector<std::string> names;
    for (const StoredSegment& segment : segments)
        names.push_back(
            fmt::format("{} {}", segment.label.empty() ? "1" : segment.label, segment.name));
    return listOf(names);
}

void requireFrames(const std::string& path, const HeaderKeys& keys) {
    if (const std::vector<StoredSegment> segments = segmentsIn(keys); !segments.empty()) {
        std::vector<std::string> names;
        for (const StoredSegment& segment : segments)
            names.push_back(segment.name);
        throw fileError(path,
                        "holds layers of segments, which may overlap ({}), and no frames; a label "
                        "map has one layer: Slicer's module Segmentations, 'Export to files' or "
                        "'Export/import models and labelmaps', writes one",
                        inQuotes(listOf(names)));
    }
    const bool diffusion = std::ranges::any_of(keys, [](const auto& entry) {
        return entry.first.starts_with("DWMRI_") || entry.second == "DWMRI";
    });
    if (diffusion)
        throw fileError(path, "holds a diffusion image: its images differ in the gradient of "
                              "diffusion (DWMRI), so they are no frames of a motion");
}

std::string otherQuantityThanTime(std::string_view name) {
    const std::string letters = lettersOf(name);
    for (const char* other :
         {"echotime", "te", "repetitiontime", "tr", "inversiontime", "ti", "flipangle", "bvalue",
          "gradient", "energy", "kvp", "wavelength", "channel", "component", "spinlocktime"})
        if (letters == other)
            return std::string(name);
    return {};
}

void addFieldDirection(const std::string& path, const HeaderKeys& keys, StatedConvention& stated) {
    for (const auto& [key, text] : keys) {
        if (lettersOf(key) != "displacementfieldtype")
            continue;
        const std::string type = lettersOf(text);
        if (type != "resampling" && type != "modeling" && type != "modelling")
            throw fileError(path,
                            "gives {} as its displacement field type; resampling (from the fixed "
                            "to the moving image) and modeling (back) are known",
                            inQuotes(text));
        stated.backward = type != "resampling";
    }
}

} // namespace systole
