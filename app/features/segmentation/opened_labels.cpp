#include "app/features/segmentation/opened_labels.h"

#include "app/anatomy/label_grid.h"
#include "app/anatomy/label_record.h"
#include "app/anatomy/tissue_labels.h"
#include "compute/cardiac/label_roles.h"
#include "compute/core/error.h"
#include "compute/core/points.h"
#include "io/base/text.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace systole {
namespace {

constexpr int maxNumber = 65535;

/// A frame of the file as labels, 16 bits each.
std::vector<std::uint16_t> numbersIn(const Sequence& file, int frame, const std::string& path,
                                     const ExecContext& ctx) {
    Volume map = decodeFrame(file, frame, *ctx.pool, "labels");
    roundToLabels(map.view().span(), path);
    const auto labels = map.view().span();
    return {labels.begin(), labels.end()};
}

/// Adds the centers of all labelled voxels.
void addLabelled(Bounds& place, const std::vector<std::uint16_t>& numbers, const Geometry& grid) {
    const Size3 size = grid.size();
    std::size_t next = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x, ++next)
                if (numbers[next] != 0)
                    place.add(centerOfVoxel(grid, x, y, z));
}

Bounds placeOf(const Geometry& grid) {
    const Size3 size = grid.size();
    Bounds place;
    for (const int x : {0, size.x - 1})
        for (const int y : {0, size.y - 1})
            for (const int z : {0, size.z - 1})
                place.add(centerOfVoxel(grid, x, y, z));
    return place;
}

std::string textOf(const Bounds& place) {
    return fmt::format("x {:.0f} to {:.0f}, y {:.0f} to {:.0f}, z {:.0f} to {:.0f}", place.low.x,
                       place.high.x, place.low.y, place.high.y, place.low.z, place.high.z);
}

/// Offset in `from` of the voxel nearest to a position; `beyond`: the position lies outside that
/// grid by more than half a voxel.
constexpr std::size_t beyond = ~std::size_t{0};
std::size_t nearestVoxel(const Geometry& from, Vec3 position) {
    const Vec3 at = from.physicalToIndex(position);
    const Size3 size = from.size();
    std::size_t offset = 0;
    for (int axis = 2; axis >= 0; --axis) {
        // Halves are rounded down, so that those of two grids go to one side.
        const double index = std::ceil(at[axis] - 0.5 - 1e-6);
        if (!(index >= 0 && index < size[axis]))
            return beyond;
        offset = offset * static_cast<std::size_t>(size[axis]) + static_cast<std::size_t>(index);
    }
    return offset;
}

std::vector<std::uint16_t> onGrid(const std::vector<std::uint16_t>& numbers, const Geometry& from,
                                  const Geometry& to, const ExecContext& ctx) {
    std::vector<std::uint16_t> found(to.voxels(), 0);
    std::size_t next = 0;
    const Size3 size = to.size();
    for (int z = 0; z < size.z; ++z) {
        ctx.throwIfCancelled();
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x, ++next)
                if (const std::size_t at = nearestVoxel(from, centerOfVoxel(to, x, y, z));
                    at != beyond)
                    found[next] = numbers[at];
    }
    return found;
}

/// The number in "…_frameNN_gt.nii.gz", counted from 1 (ACDC); none: the name has none.
std::optional<int> frameInName(const std::string& path) {
    const std::string name = lowerCase(std::filesystem::path(path).filename().string());
    constexpr std::string_view word = "frame";
    const std::size_t at = name.rfind(word);
    if (at == name.npos || name.find("_gt", at) == name.npos)
        return std::nullopt;
    const std::size_t begin = at + word.size();
    const std::size_t end = std::min(name.find_first_not_of("0123456789", begin), name.size());
    const auto number = parseInteger(std::string_view(name).substr(begin, end - begin));
    return number && *number >= 1 && *number <= maxNumber ? std::optional(static_cast<int>(*number))
                                                          : std::nullopt;
}

/// Frame of the sequence to which a map of one frame belongs.
int frameOf(const std::string& path, const LabelTarget& target,
            const std::optional<LabelRecord>& record, std::vector<std::string>& notes) {
    if (target.frames == 1)
        return 0;
    if (record && record->frames.size() == 1 && record->frames.front() < target.frames) {
        notes.push_back(fmt::format("It is of frame {}, as the record beside it says.",
                                    record->frames.front()));
        return record->frames.front();
    }
    if (const auto number = frameInName(path); number && *number <= target.frames) {
        notes.push_back(
            fmt::format("It is taken as that of frame {}: its name says frame {}, counted from 1.",
                        *number - 1, *number));
        return *number - 1;
    }
    notes.push_back(
        fmt::format("One frame; it was put into frame {}, the one shown.", target.frame));
    return target.frame;
}

/// Roles of the labels, found from their neighborhood; none: it doesn't show them.
std::optional<ChamberNumbers> rolesIn(const OpenedLabels& opened, Size3 size) {
    if (opened.numbers.size() == 1)
        return ChamberNumbers{opened.numbers.front(), 0};
    const auto numberOf = [&](int place) {
        return opened.numbers[static_cast<std::size_t>(place - 1)];
    };
    for (const OpenedLabels::Frame& frame : opened.frames)
        try {
            const cardiac::LabelRoles roles = cardiac::rolesOf(*frame.places, size, {});
            return ChamberNumbers{numberOf(roles.cavity), numberOf(roles.wall)};
        } catch (const ComputeError&) {
            continue; // another frame may show it
        }
    return std::nullopt;
}

bool occurs(const OpenedLabels& opened, int number) {
    return std::ranges::binary_search(opened.numbers, number);
}

/// The smallest number from `first` on that neither the file nor `other` has.
int freeNumber(const OpenedLabels& opened, int first, int other) {
    int number = first;
    while (occurs(opened, number) || number == other)
        ++number;
    return number;
}

/// Fills in frames and numbers: of all voxels the places of their numbers.
void setFrames(OpenedLabels& opened, const std::vector<std::vector<std::uint16_t>>& frames,
               const std::vector<int>& of) {
    std::vector<bool> has(maxNumber + 1);
    for (const auto& frame : frames)
        for (const std::uint16_t number : frame)
            has[number] = true;
    std::vector<std::uint8_t> placeOf(maxNumber + 1);
    for (int number = 1; number <= maxNumber; ++number)
        if (has[static_cast<std::size_t>(number)]) {
            opened.numbers.push_back(number);
            placeOf[static_cast<std::size_t>(number)] =
                static_cast<std::uint8_t>(std::min<std::size_t>(opened.numbers.size(), 255));
        }
    if (opened.numbers.size() > maxLabelNumbers)
        throw fileError(opened.path,
                        fmt::format("has {} different labels; at most {} can be opened, so it may "
                                    "be an image rather than a label map",
                                    opened.numbers.size(), maxLabelNumbers));
    for (std::size_t i = 0; i < frames.size(); ++i) {
        LabelMap places(frames[i].size());
        std::ranges::transform(frames[i], places.begin(),
                               [&](std::uint16_t number) { return placeOf[number]; });
        if (std::ranges::any_of(places, [](std::uint8_t place) { return place != 0; }))
            opened.frames.push_back({of[i], std::make_shared<const LabelMap>(std::move(places))});
    }
}

} // namespace

OpenedLabels readOpenedLabels(const std::string& path, const LabelTarget& target,
                              const ExecContext& ctx) {
    OpenedLabels opened{.path = path};
    const Sequence file = openSequence({path});
    if (file.frames != 1 && file.frames != target.frames)
        throw fileError(path, fmt::format("has {} frames; a label map of this image has 1 or {}",
                                          file.frames, target.frames));
    const std::optional<LabelRecord> record = readLabelRecord(path);
    const bool same = file.geometry.matches(target.grid, 1e-2);
    std::vector<int> of;
    if (file.frames == 1)
        of.push_back(frameOf(path, target, record, opened.notes));
    else
        for (int frame = 0; frame < file.frames; ++frame)
            of.push_back(frame);
    std::vector<std::vector<std::uint16_t>> frames;
    Bounds labelled;
    bool any = false;
    for (int frame = 0; frame < file.frames; ++frame) {
        ctx.report("reading labels", static_cast<double>(frame) / file.frames);
        std::vector<std::uint16_t> numbers = numbersIn(file, frame, path, ctx);
        any = any || std::ranges::any_of(numbers, [](std::uint16_t n) { return n != 0; });
        if (!same)
            addLabelled(labelled, numbers, file.geometry);
        frames.push_back(same ? std::move(numbers)
                              : onGrid(numbers, file.geometry, target.grid, ctx));
    }
    if (!any)
        throw fileError(path, "the label map has no label but 0");
    setFrames(opened, frames, of);
    if (opened.frames.empty())
        throw fileError(path, fmt::format("none of its labels lies in the image: they are at {}, "
                                          "the image at {} (LPS mm)",
                                          textOf(labelled), textOf(placeOf(target.grid))));
    if (!same)
        opened.notes.push_back("Its voxels are others than the image's: each voxel of the image "
                               "has the label of the nearest one.");
    if (record && (record->chamber > 0 || record->wall > 0))
        opened.found = {occurs(opened, record->chamber) ? record->chamber : 0,
                        occurs(opened, record->wall) ? record->wall : 0};
    else
        opened.found = rolesIn(opened, target.grid.size());
    if (record && record->points) {
        opened.points = record->points;
        opened.pointsFrame = record->pointsFrame.value_or(
            record->frames.empty() ? of.front() : record->frames.front());
    }
    return opened;
}

std::vector<int> numbersOf(const OpenedLabels& opened, const ChamberNumbers& roles) {
    const int chamber =
        roles.chamber > 0 ? roles.chamber : freeNumber(opened, chamberLabel, roles.wall);
    const int wall = roles.wall > 0 ? roles.wall : freeNumber(opened, wallLabel, chamber);
    std::vector<int> numbers{0, chamber, wall};
    std::ranges::copy_if(opened.numbers, std::back_inserter(numbers),
                         [&](int number) { return number != chamber && number != wall; });
    return numbers;
}

LabelMap labelsOf(const OpenedLabels::Frame& frame, const OpenedLabels& opened,
                  const ChamberNumbers& roles) {
    const std::vector<int> numbers = numbersOf(opened, roles);
    std::vector<std::uint8_t> labelAt(opened.numbers.size() + 1);
    for (std::size_t place = 0; place < opened.numbers.size(); ++place)
        labelAt[place + 1] = static_cast<std::uint8_t>(
            std::ranges::find(numbers.begin() + 1, numbers.end(), opened.numbers[place]) -
            numbers.begin());
    LabelMap labels(frame.places->size());
    std::ranges::transform(*frame.places, labels.begin(),
                           [&](std::uint8_t place) { return labelAt[place]; });
    return labels;
}

} // namespace systole
