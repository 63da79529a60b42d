#include "io/dicom/kinds.h"

#include "io/base/messages.h"
#include "io/base/stored_image.h"
#include "io/dicom/copies.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace systole {
namespace {

constexpr std::size_t instanceNumber = timeKeys.size() - 1;

/// An image with more copies than that is none; each is compared with each.
constexpr std::size_t maxCopies = 16;

/// Images of one place and, as far as they have one, of one time.
using Cell = std::vector<DicomPlane*>;

/// Numbers in their order, before texts.
struct InOrder {
    bool operator()(const std::string& a, const std::string& b) const {
        const auto x = parseReal(a), y = parseReal(b);
        return x && y ? *x < *y : x.has_value() != y.has_value() ? x.has_value() : a < b;
    }
};
using Values = std::set<std::string, InOrder>;

Values valuesOf(std::size_t kind, const Cell& cell) {
    Values values;
    for (const DicomPlane* plane : cell)
        values.insert(plane->kinds[kind]);
    return values;
}

std::size_t imagesOf(const DicomStack& stack) { return stack.size(); }
std::size_t maxImages(const std::vector<DicomStack>& stacks) {
    return std::ranges::max(stacks, {}, imagesOf).size();
}

/// How many different times there are in a stack; nullopt when an image has none.
std::optional<std::size_t> timesIn(const DicomStack& stack, std::size_t key) {
    std::set<double> times;
    for (const DicomPlane& plane : stack)
        if (plane.times[key])
            times.insert(*plane.times[key]);
        else
            return std::nullopt;
    return times.size();
}

bool tellsAllApart(const std::vector<DicomStack>& stacks, std::size_t key) {
    return std::ranges::all_of(
        stacks, [&](const DicomStack& stack) { return timesIn(stack, key) == stack.size(); });
}

/// The first attribute that all images have and that differs between those of a place.
std::optional<std::size_t> phaseKeyOf(const std::vector<DicomStack>& stacks) {
    for (std::size_t key = 0; key < phaseKeys; ++key) {
        const auto has = [&](const DicomStack& stack) { return timesIn(stack, key).has_value(); };
        const auto varies = [&](const DicomStack& stack) {
            return timesIn(stack, key).value_or(0) > 1;
        };
        if (std::ranges::all_of(stacks, has) && std::ranges::any_of(stacks, varies))
            return key;
    }
    return std::nullopt;
}

std::vector<Cell> cellsOf(std::vector<DicomStack>& stacks, std::optional<std::size_t> key) {
    std::vector<Cell> cells;
    for (DicomStack& stack : stacks) {
        std::map<double, Cell> ofTimes;
        for (DicomPlane& plane : stack)
            ofTimes[key ? *plane.times[*key] : 0].push_back(&plane);
        for (auto& [time, cell] : ofTimes)
            cells.push_back(std::move(cell));
    }
    return cells;
}

/// Removes the planes for which `leaves` is true, and what is empty then.
void leaveOut(std::vector<DicomStack>& stacks,
              const std::function<bool(const DicomPlane&)>& leaves) {
    for (DicomStack& stack : stacks)
        std::erase_if(stack, leaves);
    std::erase_if(stacks, [](const DicomStack& stack) { return stack.empty(); });
}

class KindChoice {
public:
    KindChoice(std::vector<DicomStack>& stacks, const std::string& wanted,
               std::vector<std::string>& notes)
        : stacks_(stacks), wanted_(wanted), notes_(notes) {}

    /// Whatever their times: magnitude and phase are never frames of one sequence.
    void separateComponents() {
        for (DicomStack& stack : stacks_)
            if (Values values = valuesOf(componentKind, pointersTo(stack)); values.size() > 1)
                return keepValue(componentKind, all(componentKind));
    }

    /// Returns false when no attribute separates images of one place and time any more.
    bool separateByAnother() {
        const auto key = phaseKeyOf(stacks_);
        const std::vector<Cell> cells = cellsOf(stacks_, key);
        const std::size_t largest = std::ranges::max(cells, {}, &Cell::size).size();
        for (std::size_t kind = componentKind + 1; kind < kindKeys.size(); ++kind) {
            if (!key && !kindKeys[kind].withoutTimes)
                continue;
            const Values values = all(kind);
            const bool everywhere = std::ranges::all_of(stacks_, [&](DicomStack& stack) {
                return valuesOf(kind, pointersTo(stack)) == values;
            });
            if (everywhere && values.size() > 1 && values.size() <= largest) {
                keepValue(kind, values);
                return true;
            }
            const std::size_t count = valuesOf(kind, cells.front()).size();
            const bool equallyMany = std::ranges::all_of(
                cells, [&](const Cell& cell) { return valuesOf(kind, cell).size() == count; });
            if (equallyMany && count > 1) {
                keepFirst(kind, cells, count);
                return true;
            }
        }
        return false;
    }

private:
    static Cell pointersTo(DicomStack& stack) {
        Cell cell;
        for (DicomPlane& plane : stack)
            cell.push_back(&plane);
        return cell;
    }

    Values all(std::size_t kind) {
        Values values;
        for (DicomStack& stack : stacks_)
            values.merge(valuesOf(kind, pointersTo(stack)));
        return values;
    }

    /// The kind of the file that the user named, or the one that most are after.
    std::string choose(std::size_t kind, const Values& values) const {
        for (const DicomStack& stack : stacks_)
            for (const DicomPlane& plane : stack)
                if (plane.file->path == wanted_)
                    return plane.kinds[kind];
        if (kind == componentKind)
            for (const char* first : {"magnitude", "", "real"})
                if (values.contains(first))
                    return first;
        for (const std::string& value : values)
            if (value.starts_with("ORIGINAL"))
                return value;
        return *values.begin();
    }

    void keepValue(std::size_t kind, const Values& values) {
        const std::string chosen = choose(kind, values);
        std::map<std::string, std::size_t> counts;
        std::map<std::string, std::string> files;
        std::set<std::string> filesRead;
        for (const DicomStack& stack : stacks_)
            for (const DicomPlane& plane : stack) {
                ++counts[plane.kinds[kind]];
                files[plane.kinds[kind]] = fileNameOf(plane.file->path);
                if (plane.kinds[kind] == chosen)
                    filesRead.insert(fileNameOf(plane.file->path));
            }
        const auto nameOf = [](const std::string& value) {
            return value.empty() ? std::string("not stated") : inQuotes(value);
        };
        std::string others;
        bool inOneFile = false;
        for (const auto& [value, count] : counts) {
            if (value == chosen)
                continue;
            others += fmt::format("{}{} ({} images, such as {})", others.empty() ? "" : ", ",
                                  nameOf(value), count, inQuotes(files[value]));
            inOneFile = inOneFile || filesRead.contains(files[value]);
        }
        leaveOut(stacks_, [&](const DicomPlane& plane) { return plane.kinds[kind] != chosen; });
        addNote(notes_,
                "images of {} kinds lie at one place and time and differ in their {}: {} is read, "
                "with {} images; left out: {}{}",
                values.size(), kindKeys[kind].name, nameOf(chosen), counts[chosen], others,
                inOneFile ? "" : "; to read others, name one of their files");
    }

    /// Chooses by rank, for values that differ from place to place, such as running numbers: the
    /// first value of each cell, or the one of the file that the user named.
    void keepFirst(std::size_t kind, const std::vector<Cell>& cells, std::size_t count) {
        std::set<const DicomPlane*> left;
        std::string example;
        std::size_t rank = 0;
        for (const Cell& cell : cells)
            for (const DicomPlane* plane : cell)
                if (plane->file->path == wanted_) {
                    const Values values = valuesOf(kind, cell);
                    rank = static_cast<std::size_t>(
                        std::distance(values.begin(), values.find(plane->kinds[kind])));
                }
        for (const Cell& cell : cells) {
            const Values values = valuesOf(kind, cell);
            const std::string& chosen =
                *std::next(values.begin(), static_cast<std::ptrdiff_t>(rank));
            for (const DicomPlane* plane : cell)
                if (plane->kinds[kind] != chosen) {
                    left.insert(plane);
                    example = fileNameOf(plane->file->path);
                }
        }
        const std::size_t images = left.size();
        std::set<std::pair<std::string, int>> leaves;
        for (const DicomPlane* plane : left)
            leaves.emplace(plane->file->path, plane->frame);
        leaveOut(stacks_, [&](const DicomPlane& plane) {
            return leaves.contains({plane.file->path, plane.frame});
        });
        addNote(notes_,
                "{} images lie at each place and time and differ in their {}: number {} of each is "
                "read; {} are left out, such as {}; to read others, name one of their files",
                count, kindKeys[kind].name, rank + 1, images, inQuotes(example));
    }

    std::vector<DicomStack>& stacks_;
    const std::string& wanted_;
    std::vector<std::string>& notes_;
};

/// Leaves out copies: images with the same pixels as another one at the same place and time, or at
/// the same place and with the same number.
void leaveOutSamePixels(std::vector<DicomStack>& stacks, std::vector<std::string>& notes) {
    const auto key = phaseKeyOf(stacks);
    DicomPixelReader reader;
    std::set<std::pair<std::string, int>> copies;
    std::string example;
    for (const Cell& cell : cellsOf(stacks, key)) {
        if (key && cell.size() > maxCopies)
            continue;
        std::vector<const DicomPlane*> kept;
        for (const DicomPlane* plane : cell) {
            const bool isCopy = std::ranges::any_of(kept, [&](const DicomPlane* other) {
                const bool oneNumber = plane->times[instanceNumber] == other->times[instanceNumber];
                return plane->file->path != other->file->path && (key || oneNumber) &&
                       havePixelsOfOne(reader, *plane, *other);
            });
            if (!isCopy) {
                kept.push_back(plane);
                continue;
            }
            copies.emplace(plane->file->path, plane->frame);
            example = fileNameOf(plane->file->path);
        }
    }
    if (copies.empty())
        return;
    leaveOut(stacks, [&](const DicomPlane& plane) {
        return copies.contains({plane.file->path, plane.frame});
    });
    addNote(notes, "{} with the place, time and pixels of another left out, such as {}",
            copies.size() == 1 ? std::string("1 image is")
                               : fmt::format("{} images are", copies.size()),
            inQuotes(example));
}

/// Content time isn't among them: that of derived images is when they were computed.
bool anyAcquisitionTellsAllApart(const std::vector<DicomStack>& stacks) {
    for (std::size_t key = phaseKeys; key < timeKeys.size(); ++key)
        if (timeKeys[key].isClock() && timeKeys[key].tag.element != 0x0033 &&
            tellsAllApart(stacks, key))
            return true;
    return false;
}

bool anyKeyTellsAllApart(const std::vector<DicomStack>& stacks) {
    for (std::size_t key = 0; key < phaseKeys; ++key)
        if (tellsAllApart(stacks, key))
            return true;
    return false;
}

/// Whether time never decreases as the instance numbers grow, so that these tell the order.
bool runsWithInstanceNumbers(const DicomStack& stack, std::size_t key) {
    std::vector<std::pair<double, double>> pairs;
    for (const DicomPlane& plane : stack) {
        if (!plane.times[instanceNumber])
            return false;
        pairs.emplace_back(*plane.times[instanceNumber], *plane.times[key]);
    }
    std::ranges::sort(pairs);
    return std::ranges::is_sorted(pairs, {}, &std::pair<double, double>::second);
}

/// Refuses images whose order in time is ambiguous: instance numbers would make frames of images
/// that are no sequence.
void requireNoTies(std::vector<DicomStack>& stacks) {
    const auto key = phaseKeyOf(stacks);
    if (!key || maxImages(stacks) < 2 || anyKeyTellsAllApart(stacks) ||
        anyAcquisitionTellsAllApart(stacks))
        return;
    const std::vector<Cell> cells = cellsOf(stacks, key);
    const auto tied = std::ranges::find_if(cells, [](const Cell& cell) { return cell.size() > 1; });
    const bool allTied =
        std::ranges::all_of(cells, [](const Cell& cell) { return cell.size() > 1; });
    const bool runs = std::ranges::all_of(
        stacks, [&](const DicomStack& stack) { return runsWithInstanceNumbers(stack, *key); });
    if (tied == cells.end() || (runs && !allTied))
        return;
    const DicomPlane &first = *tied->front(), &second = *tied->at(1);
    const auto seriesOf = [&](const DicomPlane& plane) {
        return first.file->series == second.file->series
                   ? std::string()
                   : fmt::format(" (series {})", seriesName(*plane.file));
    };
    throw fileError(first.file->path,
                    "{}lies at the place and time of {}{} ({} {:g}) but has other pixels, and "
                    "neither image type, echo nor acquisition number tells which belongs to the "
                    "sequence; name {}",
                    seriesOf(first).empty() ? "" : seriesOf(first).substr(1) + " ",
                    second.file->path == first.file->path ? std::string("another frame of it")
                                                          : inQuotes(fileNameOf(second.file->path)),
                    seriesOf(second), timeKeys[*key].name, *first.times[*key],
                    seriesOf(first).empty()
                        ? "the files that belong together"
                        : "a file of the series to be read here, or all files of the sequence");
}

} // namespace

void keepOneKind(std::vector<DicomStack>& stacks, const std::string& wanted,
                 std::vector<std::string>& notes) {
    KindChoice choice(stacks, wanted, notes);
    choice.separateComponents();
    while (maxImages(stacks) > 1 && !anyKeyTellsAllApart(stacks) && choice.separateByAnother())
        ;
    if (maxImages(stacks) > 1 && !anyKeyTellsAllApart(stacks))
        leaveOutSamePixels(stacks, notes);
    requireNoTies(stacks);
}

} // namespace systole
