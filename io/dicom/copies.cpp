#include "io/dicom/copies.h"

#include "io/base/messages.h"
#include "io/base/stored_image.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace systole {
namespace {

using Indices = std::vector<std::size_t>;

/// Whether two images were taken at one place and time, as far as their files state them.
bool haveOnePlaceAndTime(const DicomPlane& a, const DicomPlane& b) {
    const auto apart = [](const Vec3& u, const Vec3& v) { return length(u - v) > 0; };
    return a.position.has_value() == b.position.has_value() &&
           !(a.position && apart(*a.position, *b.position)) && !apart(a.alongRow, b.alongRow) &&
           !apart(a.alongColumn, b.alongColumn) && a.times == b.times && a.kinds == b.kinds;
}

/// The planes of each file, the files by their SOP instance UID.
std::map<std::string, std::map<std::string, Indices>>
filesByInstance(const std::vector<DicomPlane>& planes) {
    std::map<std::string, std::map<std::string, Indices>> files;
    for (std::size_t i = 0; i < planes.size(); ++i)
        if (!planes[i].file->instance.empty())
            files[planes[i].file->instance][planes[i].file->path].push_back(i);
    return files;
}

enum class Likeness { Copy, OtherPixels, OtherImage };

Likeness likenessOf(DicomPixelReader& reader, const std::vector<DicomPlane>& planes,
                    const Indices& first, const Indices& second) {
    if (first.size() != second.size())
        return Likeness::OtherImage;
    for (std::size_t i = 0; i < first.size(); ++i)
        if (!haveOnePlaceAndTime(planes[first[i]], planes[second[i]]))
            return Likeness::OtherImage;
    for (std::size_t i = 0; i < first.size(); ++i)
        if (!havePixelsOfOne(reader, planes[first[i]], planes[second[i]]))
            return Likeness::OtherPixels;
    return Likeness::Copy;
}

} // namespace

bool havePixelsOfOne(DicomPixelReader& reader, const DicomPlane& a, const DicomPlane& b) {
    if (a.file->rows != b.file->rows || a.file->columns != b.file->columns)
        return false;
    const auto pixelsOf = [&](const DicomPlane& plane) {
        std::vector<float> pixels(static_cast<std::size_t>(plane.file->rows) *
                                  static_cast<std::size_t>(plane.file->columns));
        reader.read(plane, pixels);
        return pixels;
    };
    return pixelsOf(a) == pixelsOf(b);
}

void leaveOutCopies(std::vector<DicomPlane>& planes, const std::string& wanted,
                    std::vector<std::string>& notes) {
    DicomPixelReader reader;
    std::set<std::size_t> left;
    std::string copy, shared;
    std::size_t copies = 0, sharing = 0;
    for (const auto& [instance, files] : filesByInstance(planes)) {
        // The original is the file with the shorter name: "a.dcm", not "a (1).dcm".
        std::vector<std::pair<std::string, Indices>> sorted(files.begin(), files.end());
        std::ranges::stable_sort(sorted, {}, [&](const auto& file) {
            return std::pair(file.first != wanted, file.first.size());
        });
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            const Likeness likeness =
                likenessOf(reader, planes, sorted.front().second, sorted[i].second);
            if (likeness == Likeness::OtherPixels)
                throw fileError(sorted[i].first,
                                "has the same SOP instance UID, place and time as {}, but other "
                                "pixels: one of both files is wrong",
                                fileNameOf(sorted.front().first));
            const bool isCopy = likeness == Likeness::Copy;
            (isCopy ? copies : sharing)++;
            (isCopy ? copy : shared) = fileNameOf(sorted[i].first);
            if (isCopy)
                left.insert(sorted[i].second.begin(), sorted[i].second.end());
        }
    }
    std::vector<DicomPlane> kept;
    for (std::size_t i = 0; i < planes.size(); ++i)
        if (!left.contains(i))
            kept.push_back(std::move(planes[i]));
    planes = std::move(kept);
    if (copies > 0)
        addNote(notes,
                "{} left out as copies of others, with their SOP instance UID and pixels, such as "
                "{}",
                copies == 1 ? std::string("1 file is") : fmt::format("{} files are", copies),
                inQuotes(copy));
    if (sharing > 0)
        addNote(notes,
                "{} the SOP instance UID of another image, such as {}; they are told apart by "
                "place and time",
                sharing == 1 ? std::string("1 file has") : fmt::format("{} files have", sharing),
                inQuotes(shared));
}

} // namespace systole
