// Groups the files of a folder, and makes a sequence of them.
#include "io/base/messages.h"
#include "io/base/stored_image.h"
#include "io/dicom/choice.h"
#include "io/dicom/copies.h"
#include "io/dicom/dicom.h"
#include "io/dicom/media.h"
#include "io/dicom/order.h"
#include "io/dicom/pixels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace systole {
namespace {

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

struct FoundFiles {
    DicomContents contents;
    std::vector<DicomFile> echoes;      ///< Philips', each of which is a whole sequence
    std::vector<DicomFile> directories; ///< DICOMDIR files of media
    std::string firstError;             ///< error of the first image that can't be read
    std::size_t withoutHeader = 0;
};

FoundFiles readFiles(const std::vector<std::string>& files, const OpenOptions& options) {
    FoundFiles found;
    for (const std::string& path : files) {
        DicomFile file = readDicomFile(path);
        found.withoutHeader += file.withoutHeader ? 1 : 0;
        if (isMediaDirectory(file)) {
            found.directories.push_back(std::move(file));
            continue;
        }
        if (isPhilipsCartesian(file)) {
            found.echoes.push_back(std::move(file));
            continue;
        }
        try {
            std::vector<DicomPlane> planes = planesOf(file, options.maximumFileBytes);
            if (planes.empty())
                found.contents.others.push_back(
                    {identityOf(file), objectName(identityOf(file)), "", false});
            std::ranges::move(planes, std::back_inserter(found.contents.planes));
        } catch (const FileError& error) {
            found.contents.others.push_back(
                {identityOf(file), "", error.what(), file.damage.empty() && isColor(file)});
            if (found.firstError.empty())
                found.firstError = error.what();
        }
    }
    return found;
}

Sequence openEcho(const std::string& named, const FoundFiles& found, const OpenOptions& options) {
    const DicomFile& echo = found.echoes.front();
    if (found.echoes.size() > 1)
        throw fileError(named,
                        "holds {} whole Philips echo sequences, such as {} and {}; open one alone",
                        found.echoes.size(), pathInQuotes(nameBelow(named, echo.path)),
                        pathInQuotes(nameBelow(named, found.echoes[1].path)));
    Sequence sequence = openPhilipsCartesian(echo, options);
    if (const std::size_t others = found.contents.planes.size() + found.contents.others.size();
        others > 0)
        addNote(sequence.notes,
                "the Philips echo sequence {} is read; {} other DICOM images or objects are left "
                "out",
                pathInQuotes(nameBelow(named, echo.path)), others);
    return sequence;
}

bool lieInOnePlane(const std::vector<DicomPlane>& planes) {
    return !planes.empty() && std::ranges::all_of(planes, [&](const DicomPlane& plane) {
        return plane.position && length(*plane.position - *planes.front().position) == 0;
    });
}

/// Makes a sequence of the files found: the one to which the file `wanted` belongs; `wanted` may be
/// empty.
Sequence openFound(const std::string& named, const std::string& wanted, FoundFiles found,
                   const OpenOptions& options, std::vector<std::string> notes) {
    if (!found.echoes.empty())
        return openEcho(named, found, options);
    if (found.contents.planes.empty() && !found.firstError.empty())
        throw FileError(found.firstError);
    if (found.contents.planes.empty() && !found.directories.empty())
        throw fileError(named, "holds a DICOMDIR, which lists images, but none of them");
    if (found.contents.planes.empty())
        throw fileError(named, "holds no DICOM images{}",
                        found.contents.others.empty()
                            ? std::string()
                            : fmt::format("; found: {}", found.contents.others.front().what));
    leaveOutCopies(found.contents.planes, wanted, notes);
    if (found.withoutHeader > 0)
        addNote(notes,
                "files without a header with a transfer syntax (no DICM at byte 128, or nothing "
                "behind it): {}; how they are coded was found by their elements",
                found.withoutHeader);
    DicomArrangement arrangement = chooseAndArrange(named, std::move(found.contents), wanted);
    if (!wanted.empty())
        addNote(notes, "the sequence that {} belongs to is read from its folder{}",
                inQuotes(fileNameOf(named)),
                arrangement.series.empty() ? "" : ": " + arrangement.series);
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
    sequence.part = arrangement.series;
    sequence.format = first.enhanced ? "DICOM multi-frame" : "DICOM series";
    sequence.modality = first.modality;
    sequence.voxelType = name(first.voxelType());
    sequence.notes = arrangement.notes;
    std::ranges::copy(notes, std::back_inserter(sequence.notes));
    if (first.inProbeSpace)
        sequence.notes.push_back("positions are those of the ultrasound volume; where it lies in "
                                 "the patient is not stated");
    sequence.source = std::make_shared<DicomFrames>(std::move(arrangement), options);
    applyFrameTime(sequence, options);
    return sequence;
}

/// The sequence of a folder. A refusal names the files that hold nothing, too: what is missing may
/// have been one of them.
Sequence openAround(const std::string& named, const std::string& wanted, const DicomFolder& folder,
                    const OpenOptions& options, std::vector<std::string> notes) {
    const std::string others = listOf(named, folder.others);
    if (!others.empty())
        addNote(notes, "left out, as no DICOM files: {}", others);
    try {
        return openFound(named, wanted, readFiles(folder.files, options), options,
                         std::move(notes));
    } catch (const FileError& error) {
        if (others.empty())
            throw;
        throw FileError(fmt::format("{}; left out, as no DICOM files: {}", error.what(), others));
    }
}

} // namespace

Sequence openDicomFiles(const std::string& named, const std::vector<std::string>& files,
                        const OpenOptions& options) {
    for (const std::string& path : files)
        if (!isDicomFile(path))
            throw fileError(path, "is not a DICOM file, but {} is; name files of one format",
                            inQuotes(fileNameOf(files.front())));
    std::vector<std::string> notes;
    FoundFiles found = readFiles(files, options);
    if (files.size() > 1)
        return openFound(named, {}, std::move(found), options, std::move(notes));
    if (!found.directories.empty()) {
        const std::vector<std::string> images =
            filesOfMediaDirectory(found.directories.front(), notes);
        addNote(notes, "the {} files that this DICOMDIR names are read", images.size());
        return openFound(named, {}, readFiles(images, options), options, std::move(notes));
    }
    if (!lieInOnePlane(found.contents.planes))
        return openFound(named, {}, std::move(found), options, std::move(notes));
    // One slice names the series that it belongs to.
    const std::filesystem::path parent = std::filesystem::path(files.front()).parent_path();
    DicomFolder around =
        dicomFilesIn(parent.empty() ? "." : parent.string(), FolderDepth::ThisFolder, notes);
    std::erase_if(around.files, [&](const std::string& path) {
        return fileNameOf(path) == fileNameOf(files.front());
    });
    around.files.push_back(files.front());
    return openAround(named, files.front(), around, options, std::move(notes));
}

Sequence openDicomFolder(const std::string& folder, const OpenOptions& options) {
    std::vector<std::string> notes;
    const DicomFolder found = dicomFilesIn(folder, FolderDepth::PatientStudySeries, notes);
    if (found.files.empty())
        throw fileError(folder, "the folder holds no DICOM files{}",
                        found.others.empty() ? "" : "; left out: " + listOf(folder, found.others));
    return openAround(folder, {}, found, options, std::move(notes));
}

} // namespace systole
