#include "io/dicom/order.h"

#include "io/base/messages.h"
#include "io/base/stored_image.h"
#include "io/dicom/kinds.h"
#include "io/dicom/one_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace systole {
namespace {

using Stack = DicomStack;

const std::string& pathOf(const DicomPlane& plane) { return plane.file->path; }

void requireOneGrid(const std::vector<DicomPlane>& planes) {
    const DicomPlane& first = planes.front();
    for (const DicomPlane& plane : planes) {
        if (!plane.position)
            throw fileError(pathOf(plane), "this DICOM image does not state its position in space; "
                                           "a volume needs slices that do");
        if (!plane.hasSpacing)
            throw fileError(pathOf(plane),
                            "the spacing of its pixels (0028,0030) is missing or isn't two "
                            "numbers{}",
                            plane.hasDetectorSpacing
                                ? "; that at the detector (0018,1164), which it states, is that of "
                                  "a projection and not of the body"
                                : "");
        if (!haveOneSize(plane, first))
            throw fileError(pathOf(plane),
                            "has {} × {} pixels, but {} of the same series has {} × {}",
                            plane.file->columns, plane.file->rows, fileNameOf(pathOf(first)),
                            first.file->columns, first.file->rows);
        if (!haveOneOrientation(plane, first))
            throw fileError(pathOf(plane), "lies in another orientation than {} of the same series",
                            fileNameOf(pathOf(first)));
        if (!haveOneSpacing(plane, first))
            throw fileError(pathOf(plane), "has another pixel spacing than {} of the same series",
                            fileNameOf(pathOf(first)));
    }
}

std::vector<Stack> stacksAlongNormal(std::vector<DicomPlane> planes) {
    const Vec3 normal = planes.front().normal();
    const auto height = [&](const DicomPlane& plane) { return dot(normal, *plane.position); };
    std::stable_sort(planes.begin(), planes.end(), [&](const DicomPlane& a, const DicomPlane& b) {
        return height(a) < height(b);
    });
    std::vector<Stack> stacks;
    for (DicomPlane& plane : planes) {
        if (stacks.empty() || height(plane) - height(stacks.back().front()) > samePlaneMillimeters)
            stacks.emplace_back();
        stacks.back().push_back(std::move(plane));
    }
    return stacks;
}

/// Clocks begin anew at midnight: of a slice taken across it the later images have the smaller
/// times.
void goOnAcrossMidnight(std::vector<Stack>& stacks) {
    constexpr double halfDay = secondsOfDay / 2;
    for (std::size_t key = 0; key < timeKeys.size(); ++key) {
        if (timeKeys[key].unit != TimeUnit::Clock)
            continue;
        for (Stack& stack : stacks) {
            double latest = 0;
            for (const DicomPlane& plane : stack)
                latest = std::max(latest, plane.times[key].value_or(0));
            for (DicomPlane& plane : stack)
                if (plane.times[key] && latest - *plane.times[key] > halfDay)
                    *plane.times[key] += secondsOfDay;
        }
    }
}

/// The times that the images of another stack have and those of this one lack, as far as an
/// attribute tells.
std::string missingIn(const Stack& stack, const std::vector<Stack>& stacks, std::size_t usual) {
    const auto whole = std::ranges::find(stacks, usual, &Stack::size);
    if (whole == stacks.end() || stack.size() >= usual)
        return {};
    for (std::size_t key = 0; key < timeKeys.size(); ++key) {
        const auto timesOf = [&](const Stack& of) {
            std::set<double> times;
            for (const DicomPlane& plane : of)
                if (plane.times[key])
                    times.insert(*plane.times[key]);
            return times;
        };
        const std::set<double> all = timesOf(*whole), held = timesOf(stack);
        std::vector<double> missing;
        std::ranges::set_difference(all, held, std::back_inserter(missing));
        if (all.size() == usual && held.size() == stack.size() &&
            missing.size() == usual - stack.size())
            return fmt::format("; missing here: {} {}{}", timeKeys[key].name,
                               timeText(timeKeys[key], missing.front()),
                               missing.size() > 1 ? " and others" : "");
    }
    return {};
}

/// " of the series …" when the images of a stack are of several.
std::string seriesOf(const Stack& stack) {
    std::map<std::string, std::string> names;
    for (const DicomPlane& plane : stack)
        names[plane.file->series] = seriesName(*plane.file);
    std::string text;
    for (const auto& [uid, name] : names)
        text += (text.empty() ? " of the series " : " and ") + name;
    return names.size() > 1 ? text : std::string();
}

void requireWholeStacks(const std::string& named, const std::vector<Stack>& stacks) {
    if (stacks.size() < 2) {
        if (stacks.front().front().file->imageType.find("MOSAIC") != std::string::npos)
            throw fileError(named, "its images are mosaics, which hold the slices of a volume side "
                                   "by side and aren't read here; dcm2niix makes NIfTI of them");
        throw fileError(
            named, "all its images lie in one plane; a volume needs slices at several positions");
    }
    std::vector<std::size_t> counts;
    counts.reserve(stacks.size());
    for (const Stack& stack : stacks)
        counts.push_back(stack.size());
    std::sort(counts.begin(), counts.end());
    const std::size_t usual = counts[counts.size() / 2];
    for (const Stack& stack : stacks)
        if (stack.size() != usual)
            throw fileError(
                pathOf(stack.front()),
                "at the position of this slice there are {} images{}, at most others "
                "{}: frames would have unequal numbers of slices{}{}",
                stack.size(), seriesOf(stack), usual, missingIn(stack, stacks, usual),
                stack.size() > usual && !seriesOf(stack).empty()
                    ? "; name a file of the series to be read here, or all files of the sequence"
                    : "");

    const Vec3 normal = stacks.front().front().normal();
    std::vector<double> gaps;
    for (std::size_t i = 1; i < stacks.size(); ++i)
        gaps.push_back(dot(normal, *stacks[i].front().position - *stacks[i - 1].front().position));
    std::vector<double> sorted = gaps;
    std::sort(sorted.begin(), sorted.end());
    const double usualGap = sorted[(sorted.size() - 1) / 2]; // a missing slice makes a wider one
    for (std::size_t i = 0; i < gaps.size(); ++i)
        if (isUnevenGap(gaps[i], usualGap))
            throw fileError(pathOf(stacks[i + 1].front()),
                            "lies {:.4g} mm behind {} where {:.4g} mm are usual: a slice is "
                            "missing or spacing is uneven",
                            gaps[i], fileNameOf(pathOf(stacks[i].front())), usualGap);
}

Geometry geometryOf(const std::string& named, const std::vector<Stack>& stacks,
                    std::vector<std::string>& notes) {
    const DicomPlane& first = stacks.front().front();
    const auto slices = static_cast<double>(stacks.size());
    const Vec3 step = (1 / (slices - 1)) * (*stacks.back().front().position - *first.position);
    for (std::size_t z = 0; z < stacks.size(); ++z)
        for (const DicomPlane& plane : stacks[z])
            if (length(*plane.position - *first.position - static_cast<double>(z) * step) >
                besideTheLine(length(step)))
                throw fileError(
                    pathOf(plane),
                    "is shifted within its plane against the other slices of its series");
    const Size3 size{first.file->columns, first.file->rows, static_cast<int>(stacks.size())};
    Matrix3 columns{};
    for (std::size_t row = 0; row < 3; ++row) {
        const int axis = static_cast<int>(row);
        columns[row] = {first.alongRow[axis], first.alongColumn[axis], step[axis]};
    }
    return checkedGeometry(named, size, {first.columnSpacing, first.rowSpacing, length(step)},
                           *first.position, columns, notes);
}

/// Sorts every stack by the key; false when two images of a stack have the same key.
bool sortBy(std::size_t key, std::vector<Stack>& stacks) {
    for (Stack& stack : stacks) {
        for (const DicomPlane& plane : stack)
            if (!plane.times[key])
                return false;
        std::stable_sort(stack.begin(), stack.end(), [&](const DicomPlane& a, const DicomPlane& b) {
            return *a.times[key] < *b.times[key];
        });
        for (std::size_t t = 1; t < stack.size(); ++t)
            if (*stack[t].times[key] <= *stack[t - 1].times[key])
                return false;
    }
    return true;
}

struct FrameTimes {
    std::vector<double> seconds; ///< the mean over the slices of each frame
    double spread = 0;           ///< largest difference between slices of a frame
};

std::optional<FrameTimes> timesBy(std::size_t key, const std::vector<Stack>& stacks,
                                  double cycleMilliseconds) {
    const TimeUnit stated = timeKeys[key].unit;
    const bool isClock = timeKeys[key].isClock();
    const double unit = isClock || stated == TimeUnit::Seconds ? 1
                        : stated == TimeUnit::Milliseconds     ? 1e-3
                        : stated == TimeUnit::PercentOfCycle   ? cycleMilliseconds / 1e5
                                                               : 0;
    if (unit <= 0)
        return std::nullopt;
    FrameTimes times;
    for (std::size_t t = 0; t < stacks.front().size(); ++t) {
        double sum = 0, earliest = 0, latest = 0;
        for (std::size_t z = 0; z < stacks.size(); ++z) {
            if (!stacks[z][t].times[key])
                return std::nullopt;
            // Slices that were taken one after another share no clock, only the cycle.
            const double clock = isClock ? *stacks[z][0].times[key] : 0;
            const double time = unit * (*stacks[z][t].times[key] - clock);
            earliest = z == 0 ? time : std::min(earliest, time);
            latest = z == 0 ? time : std::max(latest, time);
            sum += time;
        }
        times.spread = std::max(times.spread, latest - earliest);
        times.seconds.push_back(sum / static_cast<double>(stacks.size()));
        if (t > 0 && times.seconds[t] <= times.seconds[t - 1])
            return std::nullopt;
    }
    return times;
}

double meanCycleMilliseconds(const std::vector<Stack>& stacks) {
    double sum = 0;
    std::size_t count = 0;
    for (const Stack& stack : stacks)
        for (const DicomPlane& plane : stack) {
            if (!(plane.cycleMilliseconds > 0))
                return 0;
            sum += plane.cycleMilliseconds;
            ++count;
        }
    return sum / static_cast<double>(count);
}

/// Names an attribute that only some images have, so that it orders none.
void notePartialKeys(const std::vector<Stack>& stacks, std::vector<std::string>& notes) {
    std::size_t images = 0;
    for (const Stack& stack : stacks)
        images += stack.size();
    for (std::size_t key = 0; key < phaseKeys; ++key) {
        std::size_t without = 0;
        for (const Stack& stack : stacks)
            without += static_cast<std::size_t>(std::ranges::count_if(
                stack, [&](const DicomPlane& plane) { return !plane.times[key]; }));
        if (without > 0 && without < images)
            addNote(notes, "{} of {} images lack the {}, which is ignored therefore", without,
                    images, timeKeys[key].name);
    }
}

/// Adds notes where values stay as stored: rescale slopes of 0 and modality LUTs; also a note on
/// unusual bits.
void noteValuesAsStored(const std::vector<Stack>& stacks, std::vector<std::string>& notes) {
    std::size_t zeroSlopes = 0, tables = 0;
    for (const Stack& stack : stacks)
        for (const DicomPlane& plane : stack) {
            zeroSlopes += plane.rescalesToNothing ? 1 : 0;
            tables += plane.file->hasModalityTable ? 1 : 0;
        }
    if (zeroSlopes > 0)
        addNote(notes,
                "the rescale slope (0028,1053) of {} images is 0: their values are as stored",
                zeroSlopes);
    if (tables > 0)
        addNote(notes,
                "the modality LUT (0028,3000) of {} images isn't applied: their values are as "
                "stored",
                tables);
    const DicomImageFile& first = *stacks.front().front().file;
    if (first.highBit != first.bitsStored - 1)
        addNote(notes, "the values are in bits {} to {} of {}, as (0028,0102) says",
                first.highBit + 1 - first.bitsStored, first.highBit, first.bitsAllocated);
}

/// Orders the frames and, where the files say so, gives them times.
void orderInTime(const std::string& named, std::vector<Stack>& stacks, DicomArrangement& result) {
    if (stacks.front().size() < 2)
        return;
    std::size_t order = 0;
    while (order < timeKeys.size() && !sortBy(order, stacks))
        ++order;
    if (order == timeKeys.size())
        throw fileError(
            named, "holds {} images at each position but nothing that tells their order in time",
            stacks.front().size());
    notePartialKeys(stacks, result.notes);
    const double cycle = meanCycleMilliseconds(stacks);
    const double frameStep = stacks.front().front().file->frameMilliseconds / 1000;
    std::optional<FrameTimes> times = timesBy(order, stacks, cycle);
    std::size_t source = order;
    for (std::size_t key = 0; key < timeKeys.size() && !times; ++key) {
        // A stated frame time is more reliable than the wall clock, which isn't that of the beat
        // where phases were made of many beats.
        if (timeKeys[key].isClock() &&
            (frameStep > 0 || timeKeys[order].unit == TimeUnit::PercentOfCycle))
            continue;
        times = timesBy(key, stacks, cycle);
        source = key;
    }
    if (times) {
        addNote(result.notes, "times are from the {}", timeKeys[source].name);
        if (times->spread > 1e-3)
            addNote(result.notes,
                    "the slices of a frame differ in time by up to {:.0f} ms; their mean is shown",
                    1000 * times->spread);
        for (const double time : times->seconds)
            result.timesSeconds.push_back(time - times->seconds.front());
    } else if (frameStep > 0) {
        for (std::size_t t = 0; t < stacks.front().size(); ++t)
            result.timesSeconds.push_back(static_cast<double>(t) * frameStep);
        result.notes.push_back("times are from the frame time (0018,1063)");
    } else {
        addNote(result.notes, "time unknown: the frames are ordered by {}", timeKeys[order].name);
        return;
    }
    const bool wallClock = times && timeKeys[source].isClock();
    const double span = result.timesSeconds.back();
    if (cycle / 1000 > span && !wallClock)
        result.closingSeconds = cycle / 1000 - span;
}

} // namespace

DicomArrangement arrangePlanes(const std::string& named, std::vector<DicomPlane> planes,
                               const std::string& wanted) {
    requireOneGrid(planes);
    std::vector<Stack> stacks = stacksAlongNormal(std::move(planes));
    goOnAcrossMidnight(stacks);
    DicomArrangement result;
    keepOneKind(stacks, wanted, result.notes);
    requireWholeStacks(named, stacks);
    result.geometry = geometryOf(named, stacks, result.notes);
    noteValuesAsStored(stacks, result.notes);
    orderInTime(named, stacks, result);
    result.frames.resize(stacks.front().size());
    for (std::size_t t = 0; t < result.frames.size(); ++t)
        for (Stack& stack : stacks)
            result.frames[t].push_back(std::move(stack[t]));
    return result;
}

} // namespace systole
