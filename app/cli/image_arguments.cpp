#include "app/cli/image_arguments.h"

#include "app/anatomy/label_grid.h"
#include "app/base/error.h"
#include "io/base/text.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace systole {
namespace {

RegisterImage readNumbers(const FrameOfFile& named, const std::string& option,
                          const OpenOptions& options, const ExecContext& ctx) {
    RegisterImage image{
        named.path, named.frame.value_or(0), openSequence({named.path}, options), {}};
    const int frames = image.sequence.frames;
    if (!named.frame && frames > 1)
        throw UsageError(fmt::format("{}: {} has {} frames; name one as {}@FRAME, from 0 to {}",
                                     option, image.sequence.name, frames, image.sequence.name,
                                     frames - 1));
    if (image.frame >= frames)
        throw UsageError(fmt::format("{}: {} has no frame {}; its frames are 0 to {}", option,
                                     image.sequence.name, image.frame, frames - 1));
    image.volume = decodeFrame(image.sequence, image.frame, *ctx.pool, option);
    return image;
}

} // namespace

FrameOfFile parseFrameOfFile(const std::string& text) {
    std::error_code ignored;
    const std::size_t at = text.rfind('@');
    if (at == std::string::npos || std::filesystem::exists(text, ignored))
        return {text, {}};
    const std::optional<long long> frame = parseInteger(text.substr(at + 1));
    constexpr long long maxFrame = 1'000'000;
    if (!frame || *frame < 0 || *frame > maxFrame)
        return {text, {}};
    return {text.substr(0, at), static_cast<int>(*frame)};
}

RegisterImage readImage(const FrameOfFile& named, const std::string& option,
                        const ExecContext& ctx) {
    return readNumbers(named, option, {.acceptUnknown = true}, ctx);
}

Volume readMask(const std::string& path, const RegisterImage& image, const ExecContext& ctx,
                std::vector<std::string>* notes) {
    RegisterImage mask = readNumbers(parseFrameOfFile(path), "the mask", {}, ctx);
    std::vector<std::string> unasked;
    mask.volume = labelsOnGrid(std::move(mask.volume), path, image.volume.geometry,
                               notes ? *notes : unasked, ctx, "the mask lies");
    double inside = 0;
    for (float& value : mask.volume.view().span()) {
        value = value > 0 ? 1.0f : 0.0f;
        inside += static_cast<double>(value);
    }
    if (inside == 0)
        throw fileError(path, "the mask is empty: none of its voxels is greater than 0");
    return std::move(mask.volume);
}

double litersOf(const Volume& mask) {
    constexpr double perLiter = 1e6; // mm^3
    const Vec3 spacing = mask.geometry.spacing();
    const auto voxels = static_cast<double>(std::ranges::count(mask.view().span(), 1.0f));
    return voxels * spacing.x * spacing.y * spacing.z / perLiter;
}

Volume readLabelMap(const std::string& path, const RegisterImage* image, const ExecContext& ctx,
                    std::vector<std::string>* notes) {
    RegisterImage labels = readNumbers(parseFrameOfFile(path), "the label map", {}, ctx);
    roundToLabels(labels.volume.view().span(), path);
    std::vector<std::string> unasked;
    return image ? labelsOnGrid(std::move(labels.volume), path, image->volume.geometry,
                                notes ? *notes : unasked, ctx)
                 : std::move(labels.volume);
}

} // namespace systole
