#include "io/dicom/choice.h"

#include "io/base/messages.h"
#include "io/base/stored_image.h"
#include "io/dicom/joined_series.h"
#include "io/dicom/media.h"
#include "io/dicom/one_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace systole {
namespace {

constexpr std::size_t maxNamed = 5; ///< series in a message
constexpr const char* howToReadAnother =
    "to read another series, name one of its files, or open it in the window by File, Open";

/// Objects that aren't images, by the beginning of the UID of their class.
constexpr std::pair<std::string_view, const char*> objects[] = {
    {"1.2.840.10008.5.1.4.1.1.88.67", "radiation dose report"},
    {"1.2.840.10008.5.1.4.1.1.88.59", "key object selection"},
    {"1.2.840.10008.5.1.4.1.1.88", "structured report"},
    {"1.2.840.10008.5.1.4.1.1.11", "presentation state"},
    {"1.2.840.10008.5.1.4.1.1.104", "document"},
    {"1.2.840.10008.5.1.4.1.1.9", "waveform"},
    {"1.2.840.10008.5.1.4.1.1.66", "raw data or registration"},
    {"1.2.840.10008.5.1.4.1.1.481", "radiotherapy object"},
    {"1.2.840.10008.5.1.4.1.1.4.2", "spectroscopy"}};

constexpr std::string_view secondaryCapture = "1.2.840.10008.5.1.4.1.1.7";

/// A picture of the screen or a plan of the slices, which lies beside a sequence.
bool isSideImage(const DicomImageFile& file) {
    const auto has = [&](const char* word) {
        return file.imageType.find(word) != std::string::npos;
    };
    return file.sopClass == secondaryCapture ||
           file.sopClass.starts_with(std::string(secondaryCapture) + ".") || has("LOCALIZER") ||
           has("SCREEN SAVE") || has("SCREENSHOT");
}

std::string counted(std::size_t count, const std::string& what) {
    return count == 1 ? fmt::format("1 {}", what) : fmt::format("{} {}s", count, what);
}

std::vector<DicomSeries> bySeries(std::vector<DicomPlane> planes) {
    std::map<std::string, DicomSeries> groups;
    for (DicomPlane& plane : planes)
        groups[plane.file->series].push_back(std::move(plane));
    std::vector<DicomSeries> series;
    for (auto& [uid, members] : groups)
        series.push_back(std::move(members));
    return series;
}

/// Side images within a series of others, unless the user named one.
void leaveOutSideImages(const std::string& named, DicomSeries& series, const std::string& wanted,
                        std::vector<std::string>& notes) {
    const auto isSide = [](const DicomPlane& plane) { return isSideImage(*plane.file); };
    if (std::ranges::all_of(series, isSide))
        return;
    if (std::ranges::any_of(series, [&](const DicomPlane& plane) {
            return isSide(plane) && plane.file->path == wanted;
        })) {
        std::erase_if(series, std::not_fn(isSide));
        return;
    }
    const auto first = std::ranges::find_if(series, isSide);
    if (first == series.end())
        return;
    const std::string example = pathInQuotes(nameBelow(named, first->file->path));
    const std::size_t left = std::erase_if(series, isSide);
    addNote(notes, "{} (localizer or screenshot) of the series {} left out, such as {}",
            counted(left, "image"), left == 1 ? "is" : "are", example);
}

class Choice {
public:
    Choice(const std::string& named, DicomContents contents, const std::string& wanted)
        : named_(named)
        , wanted_(wanted)
        , others_(std::move(contents.others))
        , series_(bySeries(std::move(contents.planes))) {
        for (DicomSeries& members : series_)
            leaveOutSideImages(named, members, wanted, notes_);
        candidates_ = joinedSeries(series_);
    }

    DicomArrangement arrange() {
        requireWantedIsRead();
        const std::size_t chosen = chosenCandidate();
        leaveOutRepeatsOfWanted(candidates_[chosen]);
        const JoinedSeries& candidate = candidates_[chosen];
        requireAllAreRead(candidate);
        const std::string list = listOfOthers(candidate);
        try {
            DicomSeries planes;
            for (const std::size_t index : candidate.members)
                planes.insert(planes.end(), series_[index].begin(), series_[index].end());
            DicomArrangement arrangement = arrangePlanes(named_, std::move(planes), wanted_);
            noteWhatIsRead(candidate, list);
            arrangement.notes.insert(arrangement.notes.begin(), notes_.begin(), notes_.end());
            arrangement.series = withOthers(seriesTitle(fileOf(candidate)), candidate);
            return arrangement;
        } catch (const FileError& error) {
            if (list.empty())
                throw;
            throw FileError(fmt::format("{} (of {} series that {} was chosen; left out: {}; {})",
                                        error.what(), allSeries().size(), nameOf(candidate), list,
                                        howToReadAnother));
        }
    }

private:
    const DicomImageFile& fileOf(const JoinedSeries& candidate) const {
        return *series_[candidate.members.front()].front().file;
    }

    static std::string withOthers(const std::string& first, const JoinedSeries& candidate) {
        return candidate.members.size() == 1 || first.empty()
                   ? first
                   : fmt::format("{} and {} more", first, candidate.members.size() - 1);
    }
    std::string nameOf(const JoinedSeries& candidate) const {
        return withOthers(seriesName(fileOf(candidate)), candidate);
    }
    std::string exampleOf(const DicomImageFile& file) const {
        return pathInQuotes(nameBelow(named_, file.path));
    }

    void requireWantedIsRead() const {
        for (const OtherDicomFile& other : others_)
            if (other.identity.path == wanted_ && !other.error.empty())
                throw FileError(other.error);
    }

    std::set<std::string> allSeries() const {
        std::set<std::string> all;
        for (const DicomSeries& members : series_)
            all.insert(members.front().file->series);
        for (const OtherDicomFile& other : others_)
            all.insert(other.identity.series);
        return all;
    }

    std::size_t chosenCandidate() const {
        for (std::size_t i = 0; i < candidates_.size(); ++i)
            for (const std::size_t index : candidates_[i].members)
                for (const DicomPlane& plane : series_[index])
                    if (plane.file->path == wanted_)
                        return i;
        const auto rank = [&](const JoinedSeries& candidate) {
            const std::string& component =
                series_[candidate.members.front()].front().kinds[componentKind];
            const bool isCycle = candidate.positions > 1 && candidate.images > candidate.positions;
            return std::tuple(isSideImage(fileOf(candidate)) || candidate.positions == 0, !isCycle,
                              !component.empty() && component != "magnitude",
                              candidate.positions == 1, -static_cast<double>(candidate.images),
                              parseReal(fileOf(candidate).seriesNumber).value_or(0));
        };
        return static_cast<std::size_t>(
            std::distance(candidates_.begin(), std::ranges::min_element(candidates_, {}, rank)));
    }

    /// Leaves out series that lie where the series of the named file lies: the user chooses among
    /// repeated slices by naming a file.
    void leaveOutRepeatsOfWanted(JoinedSeries& candidate) {
        const auto holdsWanted = [&](std::size_t index) {
            return std::ranges::any_of(series_[index], [&](const DicomPlane& plane) {
                return plane.file->path == wanted_;
            });
        };
        const auto wanted = std::ranges::find_if(candidate.members, holdsWanted);
        if (candidate.joining != SeriesJoining::Slices || wanted == candidate.members.end())
            return;
        const DicomSeries& kept = series_[*wanted];
        const Vec3 normal = kept.front().normal();
        const auto isAtPlaceOfWanted = [&](const DicomPlane& plane) {
            return std::ranges::any_of(kept, [&](const DicomPlane& own) {
                return std::abs(dot(normal, *plane.position - *own.position)) <=
                       samePlaneMillimeters;
            });
        };
        std::vector<std::size_t> members;
        for (const std::size_t index : candidate.members) {
            if (&series_[index] == &kept ||
                std::ranges::none_of(series_[index], isAtPlaceOfWanted)) {
                members.push_back(index);
                continue;
            }
            candidate.images -= series_[index].size();
            addNote(notes_,
                    "the series {} is left out: it lies where {} lies, to which the named file "
                    "belongs",
                    seriesName(*series_[index].front().file), seriesName(*kept.front().file));
        }
        candidate.members = std::move(members);
    }

    /// Whether another file holds the same image: a cut copy of it isn't missed. A UID that more
    /// files share tells nothing.
    bool isHeldByAnother(const DicomImageFile& unread) const {
        std::set<std::string> holders;
        for (const DicomSeries& members : series_)
            for (const DicomPlane& plane : members)
                if (!unread.instance.empty() && plane.file->instance == unread.instance)
                    holders.insert(plane.file->path);
        return holders.size() == 1;
    }

    /// An image of another series may be of any kind; one of this series may be missing.
    void requireAllAreRead(const JoinedSeries& candidate) {
        std::size_t colored = 0, copies = 0;
        std::string example, copy;
        for (const OtherDicomFile& other : others_)
            for (const std::size_t index : candidate.members) {
                if (other.error.empty() ||
                    other.identity.series != series_[index].front().file->series)
                    continue;
                if (isHeldByAnother(other.identity)) {
                    ++copies;
                    copy = exampleOf(other.identity);
                    continue;
                }
                if (!other.isColor && !isSideImage(other.identity))
                    throw FileError(other.error);
                ++colored;
                example = exampleOf(other.identity);
            }
        if (copies > 0)
            addNote(
                notes_,
                "{} left out, such as {}, which can't be read: another file has its SOP instance "
                "UID and is whole",
                copies == 1 ? std::string("1 file is") : fmt::format("{} files are", copies), copy);
        if (colored > 0)
            addNote(notes_, "{} in color or of a screen {} left out, such as {}",
                    counted(colored, "image"), colored == 1 ? "is" : "are", example);
    }

    /// Names of the series that aren't read, and of other objects.
    std::string listOfOthers(const JoinedSeries& candidate) const {
        std::vector<std::string> named;
        std::map<std::string, std::size_t> kinds;
        for (const JoinedSeries& other : candidates_)
            if (&other != &candidate)
                named.push_back(fmt::format("{} ({}, such as {})", nameOf(other),
                                            counted(other.images, "image"),
                                            exampleOf(fileOf(other))));
        std::map<std::string, std::vector<const OtherDicomFile*>> unread;
        std::set<std::string> withPlanes;
        for (const DicomSeries& members : series_)
            withPlanes.insert(members.front().file->series);
        for (const OtherDicomFile& other : others_)
            if (other.error.empty())
                ++kinds[other.what];
            else if (!withPlanes.contains(other.identity.series))
                unread[other.identity.series].push_back(&other);
        for (const auto& [uid, files] : unread) {
            const std::string& error = files.front()->error;
            const std::size_t colon = error.find(": ");
            named.push_back(fmt::format(
                "{} ({}, such as {}, which can't be read: {})", seriesName(files.front()->identity),
                counted(files.size(), "image"), exampleOf(files.front()->identity),
                error.substr(colon == std::string::npos ? 0 : colon + 2)));
        }
        if (named.size() > maxNamed) {
            const std::size_t more = named.size() - maxNamed;
            named.resize(maxNamed);
            named.push_back(fmt::format("{} more", more));
        }
        for (const auto& [kind, count] : kinds)
            named.push_back(counted(count, kind));
        return fmt::format("{}", fmt::join(named, ", "));
    }

    void noteWhatIsRead(const JoinedSeries& candidate, const std::string& list) {
        std::vector<std::string> notes;
        const std::size_t joined = candidate.members.size();
        if (candidate.joining == SeriesJoining::Phases)
            addNote(notes, "{} series of one grid are read as the frames of one sequence", joined);
        if (candidate.joining == SeriesJoining::Slices)
            addNote(notes,
                    "{} series are read as the slices of one stack: each holds the phases "
                    "of other slices",
                    joined);
        if (!list.empty())
            addNote(notes, "holds {} series: {} {} read, with {}; left out: {}; {}",
                    allSeries().size(), nameOf(candidate), joined == 1 ? "is" : "are",
                    counted(candidate.images, "image"), list, howToReadAnother);
        notes_.insert(notes_.begin(), notes.begin(), notes.end());
    }

    const std::string& named_;
    const std::string& wanted_;
    std::vector<OtherDicomFile> others_;
    std::vector<DicomSeries> series_;
    std::vector<JoinedSeries> candidates_;
    std::vector<std::string> notes_;
};

} // namespace

std::string objectName(const DicomImageFile& file) {
    for (const auto& [uid, name] : objects)
        if (file.sopClass.starts_with(uid) &&
            (file.sopClass.size() == uid.size() || file.sopClass[uid.size()] == '.'))
            return name;
    return file.modality.empty() ? std::string("object without an image")
                                 : fmt::format("object {} without an image", file.modality);
}

DicomArrangement chooseAndArrange(const std::string& named, DicomContents contents,
                                  const std::string& wanted) {
    return Choice(named, std::move(contents), wanted).arrange();
}

} // namespace systole
