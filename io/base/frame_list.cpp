#include "io/base/frame_list.h"

#include "io/base/image_reader.h"
#include "io/base/messages.h"

#include <fmt/format.h>

namespace systole {
namespace {

/// Tolerance for origins written with few digits.
constexpr double sameWithinMillimeters = 1e-3;

void requireVolume(const StoredImage& image) {
    if (image.samples() != 1)
        throw fileError(image.path, "holds {} {}; in a list of files each must be one volume",
                        image.samples(), image.frames > 1 ? "frames" : "components");
}

std::string placeOf(const Geometry& g) {
    return fmt::format(
        "{} × {} × {} voxels of {:.4g} × {:.4g} × {:.4g} mm at ({:.4g}, {:.4g}, {:.4g}) {}",
        g.size().x, g.size().y, g.size().z, g.spacing().x, g.spacing().y, g.spacing().z,
        g.origin().x, g.origin().y, g.origin().z, g.orientationLetters());
}

/// Opens a file only while it is being read: a list may be longer than a process may have files
/// open, and compressed files would keep their inflated bytes.
class FileFrames final : public FrameSource {
public:
    FileFrames(std::vector<std::string> paths, const Geometry& geometry, OpenOptions options)
        : paths_(std::move(paths)), geometry_(geometry), options_(options) {}

    void read(int index, VolumeView<float> voxels) override {
        StoredImage image = readStoredImage(paths_.at(static_cast<std::size_t>(index)), options_);
        requireVolume(image);
        if (!image.geometry.matches(geometry_, sameWithinMillimeters))
            throw fileError(image.path, "has changed since the sequence was opened");
        SampleReader reader(std::move(image), options_);
        reader.read(0, voxels);
        known_.assign(reader.known().begin(), reader.known().end());
    }
    std::span<const std::uint8_t> known() const override { return known_; }

private:
    std::vector<std::string> paths_;
    Geometry geometry_;
    OpenOptions options_;
    std::vector<std::uint8_t> known_;
};

} // namespace

Sequence openFrameList(const std::vector<std::string>& paths, const OpenOptions& options) {
    Sequence sequence;
    for (const std::string& path : paths) {
        StoredImage image = readStoredImage(path, options);
        requireVolume(image);
        if (!sequence.source) {
            sequence = toSequence(std::move(image), options);
        } else if (!image.geometry.matches(sequence.geometry, sameWithinMillimeters)) {
            throw fileError(path, "its voxels ({}) are not those of the first frame {} ({})",
                            placeOf(image.geometry), sequence.name, placeOf(sequence.geometry));
        }
    }
    sequence.frames = static_cast<int>(paths.size());
    sequence.name = fmt::format("{} and {} more", sequence.name, paths.size() - 1);
    sequence.format += ", a file per frame";
    sequence.source = std::make_shared<FileFrames>(paths, sequence.geometry, options);
    sequence.notes.push_back("time unknown: single volumes state no time");
    applyFrameTime(sequence, options);
    return sequence;
}

} // namespace systole
