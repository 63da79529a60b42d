#include "io/source.h"

#include "io/base/absent_content.h"
#include "io/base/frame_list.h"
#include "io/base/image_reader.h"
#include "io/base/messages.h"
#include "io/base/natural_order.h"
#include "io/dicom/dicom.h"
#include "io/dirlab/image.h"
#include "io/formats/image_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace systole {
namespace {

/// Every format of single files, in the order in which they are tried.
constexpr ImageReader imageReaders[] = {
    // DIR-Lab precedes NIfTI, whose pairs of .hdr and .img have other names.
    {"DIR-Lab", "caseN_T00.img, copdN_iBHCT.img", recognizesDirLabImage, readDirLabImage},
    {"NIfTI", ".nii .nii.gz .hdr", recognizesNifti, readNifti},
    {"NRRD", ".nrrd .nhdr", recognizesNrrd, readNrrd},
    {"MetaImage", ".mha .mhd", recognizesMetaImage, readMetaImage},
    {"VTK legacy", ".vtk", recognizesVtk, readVtk},
    {"GIPL", ".gipl .gipl.gz", recognizesItkImage, readItkImage},
};

constexpr std::size_t enoughToRecognize = 1024;

/// Other kinds of files by their extensions, and what reads them.
constexpr std::pair<std::string_view, std::string_view> otherKinds[] = {
    {".vtp .stl .ply .obj", "is a surface, not an image; 'systole denoise' reads it, and --surface "
                            "of 'systole view' shows it"},
    {".gii .off .vtu .vtm",
     "is a surface in a format that isn't read here; write it as .vtp, .stl, "
     ".ply, .obj or .vtk"},
    {".mrk.json .fcsv", "holds points, not an image; 'systole landmarks' reads them"},
    {".tfm .mat .h5 .hdf5", "is not an image, but named like a transform, which --initial and "
                            "--transform of 'systole register' take"}};

void refuseOtherKinds(const std::string& path) {
    const std::string name = lowerCase(path);
    for (const auto& [endings, sentence] : otherKinds)
        for (const std::string& ending : words(endings))
            if (name.ends_with(ending))
                throw fileError(path, std::string(sentence));
}

void requireContent(const std::string& path) {
    if (const std::string why = whyAbsent(path); !why.empty())
        throw fileError(path, why);
}

const ImageReader& readerOf(const std::string& path) {
    const std::string beginning = readBeginning(path, enoughToRecognize);
    if (beginning.empty())
        throw fileError(path, "the file is empty");
    for (const ImageReader& reader : imageReaders)
        if (reader.recognizes(path, beginning))
            return reader;
    refuseOtherKinds(path);
    std::string known;
    for (const ImageReader& reader : imageReaders)
        known += fmt::format("{} ({}), ", reader.name, reader.extensions);
    throw fileError(path, "is not an image in a format that is read here: {}DICOM", known);
}

} // namespace

bool isImageFile(const std::string& path) {
    const std::string beginning = readBeginning(path, enoughToRecognize);
    return std::ranges::any_of(imageReaders, [&](const ImageReader& reader) {
        return reader.recognizes(path, beginning);
    });
}

StoredImage readStoredImage(const std::string& path, const OpenOptions& options) {
    requireContent(path);
    return readerOf(path).read(path, options);
}

Sequence openSequence(const std::vector<std::string>& paths, const OpenOptions& options) {
    if (paths.empty())
        throw FileError("no file was named");
    std::error_code ignored;
    if (paths.size() == 1 && std::filesystem::is_directory(paths.front(), ignored)) {
        const std::vector<std::string> phases = dirLabImagesIn(paths.front());
        return phases.empty()       ? openDicomFolder(paths.front(), options)
               : phases.size() == 1 ? openSequence(phases, options)
                                    : openFrameList(phases, options);
    }
    std::ranges::for_each(paths, requireContent);
    if (isDicomFile(paths.front()))
        return openDicomFiles(paths.front(), paths, options);
    if (paths.size() > 1) {
        const FilesInOrder files = frameFilesInOrder(paths);
        Sequence sequence = openFrameList(files.paths, options);
        if (!files.note.empty())
            sequence.notes.push_back(files.note);
        return sequence;
    }
    return toSequence(readStoredImage(paths.front(), options), options);
}

} // namespace systole
