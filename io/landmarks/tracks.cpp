// Tracks: points over the frames of a sequence, as CSV or as lists of Slicer's markups.
#include "io/base/messages.h"
#include "io/base/output_file.h"
#include "io/landmarks/landmark_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace systole {
namespace {

using landmarks::Line;
using landmarks::lineError;
using landmarks::MarkupsList;
using landmarks::MarkupsPoint;

constexpr std::array titles{"track", "frame", "x", "y", "z", "certainty"};
constexpr std::string_view certaintyWord = "certainty ";
constexpr std::string_view referenceWord = "(reference)";

std::size_t framesOf(const LandmarkTracks& tracks) {
    std::size_t frames = 0;
    for (const LandmarkTracks::Track& track : tracks.tracks)
        frames = std::max(frames, track.frames.size());
    return frames;
}

bool isJson(const std::string& text) { return trimmed(text).starts_with('{'); }

double certaintyOf(const std::string& path, int line, std::string_view text) {
    const std::optional<double> value = parseReal(text);
    if (!value || !(*value >= 0 && *value <= 1))
        throw lineError(path, line, "the certainty is {}; 0 to 1 is expected", inQuotes(text));
    return *value;
}

std::string csvOf(const LandmarkTracks& tracks) {
    std::string text = fmt::format("# coordinateSystem: LPS\n# units: mm\n# frames: {}\n"
                                   "# reference: {}\ntrack,frame,x,y,z,certainty\n",
                                   framesOf(tracks), tracks.reference);
    for (const LandmarkTracks::Track& track : tracks.tracks) {
        const std::string name = landmarks::csvName(track.name);
        for (std::size_t frame = 0; frame < track.frames.size(); ++frame)
            if (const auto& at = track.frames[frame])
                text += fmt::format("{},{},{},{},{},{}\n", name, frame, at->position.x,
                                    at->position.y, at->position.z, at->certainty);
            else
                text += fmt::format("{},{},,,,\n", name, frame);
    }
    return text;
}

std::string markupsOf(const LandmarkTracks& tracks) {
    std::vector<MarkupsList> lists(framesOf(tracks));
    for (std::size_t frame = 0; frame < lists.size(); ++frame) {
        lists[frame].name = fmt::format("frame {}", frame);
        if (static_cast<int>(frame) == tracks.reference)
            lists[frame].name += fmt::format(" {}", referenceWord);
        for (const LandmarkTracks::Track& track : tracks.tracks) {
            MarkupsPoint point{track.name, {}, {}};
            if (frame < track.frames.size() && track.frames[frame]) {
                const TrackedPosition& at = *track.frames[frame];
                point.description = fmt::format("{}{}", certaintyWord, at.certainty);
                point.position = at.position;
            }
            lists[frame].points.push_back(std::move(point));
        }
    }
    return landmarks::markupsJson(lists);
}

/// The tracks of a CSV file, in the order in which their names first occur.
class CsvTracks {
public:
    CsvTracks(const std::string& path, const std::string& text) : path_(path) {
        landmarks::LineReader lines(text);
        while (const std::optional<Line> line = lines.next())
            if (line->text.starts_with('#'))
                landmarks::addComment(path_, comments_, *line);
            else if (!header_)
                readHeader(*line);
            else
                readRow(*line);
    }

    LandmarkTracks finish() {
        if (tracks_.tracks.empty())
            throw fileError(path_, "holds no tracks");
        std::size_t frames = framesOf(tracks_);
        if (const auto said = comments_.find("frames"); said != comments_.end()) {
            const int count = landmarks::smallNumber(path_, "number of frames", said->second);
            if (static_cast<std::size_t>(count) < frames)
                throw fileError(path_, "announces {} frames, but has rows of frame {}", count,
                                frames - 1);
            frames = static_cast<std::size_t>(count);
        }
        // Frames that are announced without a row take memory all the same.
        constexpr std::size_t fewPositions = 1'000'000, positionsPerRow = 16;
        const std::size_t maxPositions =
            std::min(landmarks::maxTrackRows, fewPositions + positionsPerRow * rows_);
        if (frames * tracks_.tracks.size() > maxPositions)
            throw fileError(path_, "holds {} tracks of {} frames, too many", tracks_.tracks.size(),
                            frames);
        if (const auto said = comments_.find("reference"); said != comments_.end())
            tracks_.reference = landmarks::smallNumber(path_, "reference frame", said->second);
        if (static_cast<std::size_t>(tracks_.reference) >= frames)
            throw fileError(path_, "the reference frame {} is none of its {} frames",
                            tracks_.reference, frames);
        if (const auto unit = comments_.find("units"); unit != comments_.end())
            landmarks::requireMillimeters(path_, unit->second);
        const auto system = comments_.find("coordinatesystem");
        const bool ras = system != comments_.end() && landmarks::isRas(path_, system->second);
        for (LandmarkTracks::Track& track : tracks_.tracks) {
            track.frames.resize(frames);
            for (auto& at : track.frames)
                if (at && ras)
                    at->position = landmarks::mirrored(at->position);
        }
        return std::move(tracks_);
    }

private:
    void readHeader(const Line& line) {
        separator_ = landmarks::separatorOf(line.text);
        std::vector<std::string> fields = landmarks::csvFields(path_, line, separator_);
        for (std::string& field : fields)
            field = lowerCase(field);
        if (!std::ranges::equal(fields, titles))
            throw lineError(path_, line.number,
                            "the columns of tracks are track,frame,x,y,z,certainty");
        header_ = true;
    }

    void readRow(const Line& line) {
        if (separator_ == ',')
            landmarks::refuseDecimalCommas(path_, line);
        std::vector<std::string> fields = landmarks::csvFields(path_, line, separator_);
        if (fields.size() != titles.size())
            throw lineError(path_, line.number, "has {} columns where {} are expected",
                            fields.size(), titles.size());
        if (++rows_ > landmarks::maxTrackRows)
            throw lineError(path_, line.number, "there are too many rows");
        const int frame = landmarks::smallNumber(path_, "frame", fields[1]);
        const std::string name = landmarks::nameInCsv(fields[0]);
        const auto [known, fresh] = index_.emplace(name, tracks_.tracks.size());
        if (fresh)
            tracks_.tracks.push_back({name, {}});
        auto& frames = tracks_.tracks[known->second].frames;
        // Frames come in their order; a jump would let one row take memory for millions.
        if (static_cast<std::size_t>(frame) != frames.size())
            throw lineError(path_, line.number,
                            "frame {} of the track {} follows its frame {}; the frames of a track "
                            "come one after the other from 0",
                            frame, inQuotes(name), static_cast<long long>(frames.size()) - 1);
        if (fields[2].empty() && fields[3].empty() && fields[4].empty()) {
            frames.emplace_back();
            return;
        }
        if (separator_ != ',')
            for (std::size_t column = 2; column < fields.size(); ++column)
                decimals_.normalize(path_, line, fields[column]);
        TrackedPosition at;
        at.position = landmarks::positionIn(path_, line.number, fields, {2, 3, 4});
        if (!fields[5].empty())
            at.certainty = certaintyOf(path_, line.number, fields[5]);
        frames.emplace_back(at);
    }

    std::string path_;
    landmarks::Comments comments_;
    bool header_ = false;
    char separator_ = ',';
    landmarks::DecimalSigns decimals_;
    std::size_t rows_ = 0;
    std::map<std::string, std::size_t> index_;
    LandmarkTracks tracks_;
};

LandmarkTracks markupsTracks(const std::string& path, const std::string& text) {
    const std::vector<MarkupsList> lists = landmarks::parseMarkups(path, text);
    LandmarkTracks tracks;
    for (std::size_t frame = 0; frame < lists.size(); ++frame) {
        const MarkupsList& list = lists[frame];
        if (list.points.size() != lists.front().points.size())
            throw fileError(
                path,
                "frame {} has {} points, but the first has {}; tracks have a point in every frame",
                frame, list.points.size(), lists.front().points.size());
        if (list.name.ends_with(referenceWord))
            tracks.reference = static_cast<int>(frame);
        tracks.tracks.resize(list.points.size());
        for (std::size_t i = 0; i < list.points.size(); ++i) {
            const MarkupsPoint& point = list.points[i];
            LandmarkTracks::Track& track = tracks.tracks[i];
            if (frame == 0)
                track.name = point.label;
            else if (track.name != point.label)
                throw fileError(path,
                                "point {} is {} in frame {} and {} in the first; tracks have the "
                                "same points in every frame",
                                i + 1, inQuotes(point.label), frame, inQuotes(track.name));
            std::optional<TrackedPosition> at;
            if (point.position) {
                at = TrackedPosition{*point.position};
                if (point.description.starts_with(certaintyWord))
                    at->certainty =
                        certaintyOf(path, 1, point.description.substr(certaintyWord.size()));
            }
            track.frames.push_back(at);
        }
    }
    if (tracks.tracks.empty())
        throw fileError(path, "holds no tracks");
    return tracks;
}

LandmarkTracks tracksIn(const std::string& path, const std::string& text) {
    return isJson(text) ? markupsTracks(path, text) : CsvTracks(path, text).finish();
}

} // namespace

void writeTracks(const std::string& path, const LandmarkTracks& tracks) {
    const std::string lower = lowerCase(path);
    if (!lower.ends_with(".csv") && !lower.ends_with(".mrk.json"))
        throw fileError(path, "has none of the extensions of tracks: .csv, .mrk.json");
    const std::string text = lower.ends_with(".csv") ? csvOf(tracks) : markupsOf(tracks);
    try {
        tracksIn(path, text); // names that one format tells apart may be equal in another
    } catch (const FileError& error) {
        throw FileError(
            fmt::format("{} (as it would be read again; nothing was written)", error.what()));
    }
    writeTextAtomically(path, text);
}

LandmarkTracks readTracks(const std::string& path) {
    return tracksIn(path, landmarks::readText(path));
}

bool isTracksFile(const std::string& path) {
    const std::string lower = lowerCase(path);
    try {
        if (lower.ends_with(".json"))
            return landmarks::parseMarkups(path, landmarks::readText(path)).size() > 1;
        if (!lower.ends_with(".csv"))
            return false;
        const std::string text = landmarks::readText(path);
        landmarks::LineReader lines(text);
        while (const std::optional<Line> line = lines.next())
            if (!line->text.starts_with('#')) {
                const std::vector<std::string> fields =
                    landmarks::csvFields(path, *line, landmarks::separatorOf(line->text));
                return fields.size() > 1 && lowerCase(fields[0]) == titles[0] &&
                       lowerCase(fields[1]) == titles[1];
            }
    } catch (const FileError&) {
        return false;
    }
    return false;
}

} // namespace systole
