#include "app/cli/opened_images.h"

#include "app/base/file_state.h"
#include "io/base/error.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

/// Number of cached images: pictures and films of two cases may be drawn alternately.
constexpr std::size_t maxKept = 2;
/// Bytes of voxels up to which an image is cached: it also keeps its inflated content, which the
/// memory planned for steps doesn't include.
constexpr std::size_t largestKept = std::size_t{256} << 20;

/// Empty: a file can't be found.
std::string stampOf(const std::vector<std::string>& files, double frameTimeMilliseconds) try {
    std::string stamp = fmt::format("{}\n", frameTimeMilliseconds);
    for (const std::string& image : files)
        for (const FileState& file : stampsOf("", filesOfImage(image)))
            stamp += file.file + "\n" + file.stamp + "\n";
    return stamp;
} catch (const FileError&) { // whoever opens it says why
    return {};
}

} // namespace

std::shared_ptr<OpenedImage> OpenedImages::open(const std::vector<std::string>& files,
                                                double frameTimeMilliseconds) {
    const std::string stamp = stampOf(files, frameTimeMilliseconds);
    const auto found =
        std::ranges::find(last_, stamp, [](const auto& each) { return each->stamp; });
    if (found != last_.end() && !stamp.empty())
        return *found;
    auto made = std::make_shared<OpenedImage>();
    made->stamp = stamp;
    made->sequence = openSequence(
        files, {.frameTimeMilliseconds = frameTimeMilliseconds, .acceptUnknown = true});
    const auto frames = static_cast<std::size_t>(made->sequence.frames);
    if (frames * made->sequence.geometry.voxels() * sizeof(float) > largestKept)
        return made;
    last_.push_front(made);
    if (last_.size() > maxKept)
        last_.pop_back();
    return made;
}

} // namespace systole
