// Which files of a folder belong together, and the sequence that they make.
#include "io/dicom/dicom.h"
#include "io/dicom/order.h"
#include "io/dicom/pixels.h"
#include "io/messages.h"
#include "io/stored_image.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostFiles = 200'000;
constexpr int deepestFolder = 4; ///< below the one named: patient, study, series

class DicomFrames final : public FrameSource {
public:
    DicomFrames(DicomArrangement arrangement, const OpenOptions& options)
        : arrangement_(std::move(arrangement)), unknown_(options.acceptUnknown) {}

    void read(int index, VolumeView<float> voxels) override {
        const auto& slices = arrangement_.frames.at(static_cast<std::size_t>(index));
        const std::size_t pixels = voxels.voxels() / slices.size();
        for (std::size_t z = 0; z < slices.size(); ++z)
            reader_.read(slices[z], voxels.span().subspan(z * pixels, pixels));
        unknown_.replace(slices.front().file->path, index, voxels);
    }
    std::span<const std::uint8_t> known() const override { return unknown_.known(); }

private:
    DicomArrangement arrangement_;
    DicomPixelReader reader_;
    UnknownVoxels unknown_;
};

using Planes = std::vector<DicomPlane>;

/// Planes by series, the largest series first.
std::vector<Planes> bySeries(Planes planes) {
    std::map<std::string, Planes> groups;
    for (DicomPlane& plane : planes)
        groups[plane.file->series].push_back(std::move(plane));
    std::vector<Planes> series;
    series.reserve(groups.size());
    for (auto& [uid, members] : groups)
        series.push_back(std::move(members));
    std::stable_sort(series.begin(), series.end(),
                     [](const Planes& a, const Planes& b) { return a.size() > b.size(); });
    return series;
}

/// Scanners often store each phase of the heart as a series of its own.
bool arePhasesOfOne(const std::vector<Planes>& series) {
    if (series.size() < 2)
        return false;
    try {
        const DicomArrangement first = arrangePlanes("", series.front());
        return std::all_of(series.begin(), series.end(), [&](const Planes& planes) {
            const DicomArrangement one = arrangePlanes("", planes);
            return one.frames.size() == 1 && one.geometry.matches(first.geometry, 1e-2);
        });
    } catch (const FileError&) {
        return false;
    }
}

DicomArrangement chooseAndArrange(const std::string& named, Planes planes) {
    std::vector<Planes> series = bySeries(std::move(planes));
    if (series.size() == 1)
        return arrangePlanes(named, std::move(series.front()));
    if (arePhasesOfOne(series)) {
        Planes all;
        for (Planes& members : series)
            std::move(members.begin(), members.end(), std::back_inserter(all));
        DicomArrangement arrangement = arrangePlanes(named, std::move(all));
        addNote(arrangement.notes, "{} series of one grid are read as the frames of one sequence",
                series.size());
        return arrangement;
    }
    const std::size_t size = series.front().size();
    const std::string number = series.front().front().file->seriesNumber;
    DicomArrangement arrangement = arrangePlanes(named, std::move(series.front()));
    addNote(arrangement.notes, "holds {} series; the largest is read: number {} with {} images",
            series.size(), inQuotes(number), size);
    return arrangement;
}

bool namedLikeDicom(const fs::path& path) {
    const std::string extension = lowerCase(path.extension().string());
    return extension == ".dcm" || extension == ".ima" || extension == ".dicom";
}

} // namespace

Sequence openDicomFiles(const std::string& named, const std::vector<std::string>& files,
                        const OpenOptions& options) {
    Planes planes;
    for (const std::string& path : files) {
        const DicomFile file = readDicomFile(path);
        if (isPhilipsCartesian(file)) {
            if (files.size() > 1)
                throw fileError(path, "is a whole Philips echo sequence; open it alone");
            return openPhilipsCartesian(file, options);
        }
        Planes found = planesOf(file, options.maximumFileBytes);
        std::move(found.begin(), found.end(), std::back_inserter(planes));
    }
    if (planes.empty())
        throw fileError(named, "holds no DICOM images");

    DicomArrangement arrangement = chooseAndArrange(named, std::move(planes));
    const DicomImageFile& first = *arrangement.frames.front().front().file;
    const Size3 size = arrangement.geometry.size();
    DeclaredSizes declared{
        {size.x, size.y, size.z}, static_cast<std::int64_t>(arrangement.frames.size()), "frames"};
    checkedSize(named, declared, static_cast<std::size_t>(first.bitsAllocated / 8), options);

    Sequence sequence;
    sequence.geometry = arrangement.geometry;
    sequence.frames = static_cast<int>(arrangement.frames.size());
    sequence.timesSeconds = arrangement.timesSeconds;
    sequence.closingSeconds = arrangement.closingSeconds;
    sequence.name = fileNameOf(named);
    sequence.format = first.enhanced ? "DICOM multi-frame" : "DICOM series";
    sequence.modality = first.modality;
    sequence.voxelType = name(first.voxelType());
    sequence.notes = arrangement.notes;
    if (first.inProbeSpace)
        sequence.notes.push_back("positions are those of the ultrasound volume; where it lies in "
                                 "the patient is not stated");
    sequence.source = std::make_shared<DicomFrames>(std::move(arrangement), options);
    applyFrameTime(sequence, options);
    return sequence;
}

Sequence openDicomFolder(const std::string& folder, const OpenOptions& options) {
    std::vector<std::string> files;
    std::error_code failure;
    fs::recursive_directory_iterator entry(folder, failure);
    for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
        std::error_code ignored;
        if (entry.depth() >= deepestFolder)
            entry.disable_recursion_pending();
        if (entry->is_directory(ignored) || entry->path().filename() == "DICOMDIR")
            continue;
        const std::string path = entry->path().string();
        const bool readable = entry->is_regular_file(ignored);
        if (readable && isDicomFile(path))
            files.push_back(path);
        else if (namedLikeDicom(entry->path()))
            throw fileError(path, "is named like a DICOM file but does not hold one");
        if (files.size() > mostFiles)
            throw fileError(folder, "holds more than {} DICOM files", mostFiles);
    }
    if (failure)
        throw fileError(folder, "the folder cannot be read: {}", failure.message());
    if (files.empty())
        throw fileError(folder, "the folder holds no DICOM files");
    std::sort(files.begin(), files.end());
    return openDicomFiles(folder, files, options);
}

} // namespace systole
