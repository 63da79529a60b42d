#include "app/segmentation/label_file.h"

#include "io/error.h"
#include "io/text.h"
#include "io/writer.h"

namespace systole {
namespace {

void checkName(const std::string& path, bool oneFrame) {
    if (isLabelMapName(path, oneFrame))
        return;
    throw FileError(path + ": the name of a label map must end with .nii.gz or .nii" +
                    (oneFrame ? ", .mha or .nrrd" : ", to hold every frame"));
}

} // namespace

bool isLabelMapName(const std::string& path, bool oneFrame) {
    const std::string name = lowerCase(path);
    return name.ends_with(".nii.gz") || name.ends_with(".nii") ||
           (oneFrame && (name.ends_with(".mha") || name.ends_with(".nrrd")));
}

LabelFile labelFileOf(const LabelHistory& labels, const Sequence& sequence) {
    LabelFile file{labels.grid(), 0, {}};
    if (sequence.timeKnown())
        file.frameSeconds = sequence.cycleSeconds() / sequence.frames;
    const bool one = labels.labelled() == 1;
    for (int frame = 0; frame < labels.frames(); ++frame)
        if (!one || labels.has(frame))
            file.frames.push_back(labels.labels(frame));
    if (labels.labelled() == 0)
        file.frames.clear();
    return file;
}

void writeLabelFile(const std::string& path, const LabelFile& file,
                    const std::vector<std::string>& inputs) {
    if (file.frames.empty())
        throw FileError(path + ": isn't written: no frame has labels");
    checkName(path, file.frames.size() == 1);
    refuseInputs(path, inputs);
    if (file.frames.size() == 1)
        return writeLabels(path, file.grid, *file.frames.front());
    std::vector<LabelMap> frames;
    for (const auto& frame : file.frames)
        frames.push_back(frame ? *frame : LabelMap(file.grid.voxels()));
    writeLabelSequence(path, file.grid, file.frameSeconds, frames);
}

} // namespace systole
