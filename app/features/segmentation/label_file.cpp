#include "app/features/segmentation/label_file.h"

#include "io/base/error.h"
#include "io/base/text.h"
#include "io/formats/writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace systole {
namespace {

void checkName(const std::string& path, bool oneFrame) {
    if (isLabelMapName(path, oneFrame))
        return;
    throw FileError(path + ": the name of a label map must end with .nii.gz or .nii" +
                    (oneFrame ? ", .mha or .nrrd" : ", to hold every frame"));
}

template <typename Number>
void writeAs(const std::string& path, const LabelFile& file) {
    std::array<Number, 256> numberOf{};
    for (std::size_t label = 0; label < numberOf.size(); ++label)
        numberOf[label] = static_cast<Number>(file.numberOf(static_cast<std::uint8_t>(label)));
    std::vector<std::vector<Number>> frames;
    for (const auto& labels : file.frames) {
        frames.emplace_back(file.grid.voxels());
        if (labels)
            std::ranges::transform(*labels, frames.back().begin(),
                                   [&](std::uint8_t label) { return numberOf[label]; });
    }
    if (frames.size() == 1)
        writeLabels(path, file.grid, frames.front());
    else
        writeLabelSequence(path, file.grid, file.frameSeconds, frames);
}

} // namespace

bool isLabelMapName(const std::string& path, bool oneFrame) {
    const std::string name = lowerCase(path);
    return name.ends_with(".nii.gz") || name.ends_with(".nii") ||
           (oneFrame && (name.ends_with(".mha") || name.ends_with(".nrrd")));
}

LabelFile labelFileOf(const LabelHistory& labels, const Sequence& sequence) {
    LabelFile file{.grid = labels.grid()};
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
    const bool wide = std::ranges::any_of(file.numbers, [](int number) { return number > 255; });
    wide ? writeAs<std::uint16_t>(path, file) : writeAs<std::uint8_t>(path, file);
}

} // namespace systole
