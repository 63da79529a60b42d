#include "io/base/stored_image.h"

#include "compute/core/affine_map.h"
#include "compute/core/error.h"
#include "io/base/bounds.h"
#include "io/base/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace systole {
namespace {

constexpr std::size_t readBlockBytes = std::size_t{1} << 20;
constexpr std::int64_t maxSamples = 1'000'000;
constexpr double shearWorthANote = 1e-3;

} // namespace

Size3 checkedSize(const std::string& path, const DeclaredSizes& sizes, std::size_t bytesPerVoxel,
                  const OpenOptions& options) {
    const auto& grid = sizes.grid;
    if (*std::min_element(grid.begin(), grid.end()) < 1)
        throw fileError(
            path, "the header gives a grid of {} × {} × {} voxels; each size must be at least 1",
            grid[0], grid[1], grid[2]);
    if (sizes.samples < 1)
        throw fileError(path, "the header gives {} {}; at least 1 is needed", sizes.samples,
                        sizes.sampleWord);
    std::uint64_t voxels = 1;
    bool tooLarge = sizes.samples > maxSamples;
    for (const std::int64_t extent : grid) {
        tooLarge |= extent > std::numeric_limits<int>::max();
        tooLarge |= __builtin_mul_overflow(voxels, static_cast<std::uint64_t>(extent), &voxels);
    }
    if (tooLarge || voxels > options.maximumFrameBytes / sizeof(float))
        throw fileError(
            path, "the header gives {} × {} × {} voxels and {} {}; a frame may take at most {}",
            grid[0], grid[1], grid[2], sizes.samples, sizes.sampleWord,
            bytesText(options.maximumFrameBytes));
    std::uint64_t stored = voxels * bytesPerVoxel;
    if (__builtin_mul_overflow(stored, static_cast<std::uint64_t>(sizes.samples), &stored) ||
        stored > options.maximumFileBytes)
        throw fileError(path,
                        "the header gives {} × {} × {} voxels and {} {}, which is more than the {} "
                        "that a file may hold",
                        grid[0], grid[1], grid[2], sizes.samples, sizes.sampleWord,
                        bytesText(options.maximumFileBytes));
    return {static_cast<int>(grid[0]), static_cast<int>(grid[1]), static_cast<int>(grid[2])};
}

Geometry checkedGeometry(const std::string& path, Size3 size, Vec3 spacing, Vec3 origin,
                         const Matrix3& columns, std::vector<std::string>& notes) {
    for (int axis = 0; axis < 3; ++axis) {
        requireWithin(spacingBounds, path, spacing[axis], "the voxel spacing along axis {}",
                      axis + 1);
        requireWithin(coordinateBounds, path, origin[axis], "a coordinate of the first voxel");
    }
    Matrix3 direction{};
    for (std::size_t column = 0; column < 3; ++column) {
        const double norm = std::hypot(columns[0][column], columns[1][column], columns[2][column]);
        if (!std::isfinite(norm) || norm == 0)
            throw fileError(path, "the direction of axis {} ({}, {}, {}) is not usable", column + 1,
                            columns[0][column], columns[1][column], columns[2][column]);
        for (std::size_t row = 0; row < 3; ++row)
            direction[row][column] = columns[row][column] / norm;
    }
    if (std::abs(determinant(direction)) < smallestGridDeterminant)
        throw fileError(path, "the direction matrix is singular: two axes of the grid point the "
                              "same way, so voxels have no position of their own");
    double shear = 0;
    for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 2}, {1, 2}})
        shear = std::max(shear, std::abs(direction[0][a] * direction[0][b] +
                                         direction[1][a] * direction[1][b] +
                                         direction[2][a] * direction[2][b]));
    if (shear > shearWorthANote)
        addNote(notes,
                "the axes of the grid are not perpendicular (off by up to {:.2g} degrees); the "
                "shear is kept as the file states it",
                std::asin(std::min(shear, 1.0)) * 180 / M_PI);
    try {
        return Geometry(size, spacing, origin, direction);
    } catch (const ComputeError& error) {
        throw fileError(path, error.what());
    }
}

void setUniformTimes(StoredImage& image, double frameSeconds, const std::string& why) {
    image.timesSeconds.clear();
    if (image.frames < 2)
        return;
    if (!std::isfinite(frameSeconds) || frameSeconds <= 0) {
        addNote(image.notes, "time unknown: {}", why);
        return;
    }
    for (int frame = 0; frame < image.frames; ++frame)
        image.timesSeconds.push_back(frame * frameSeconds);
}

void setListedTimes(StoredImage& image, std::vector<double> seconds) {
    image.timesSeconds.clear();
    if (image.frames < 2)
        return;
    if (seconds.size() != static_cast<std::size_t>(image.frames)) {
        addNote(image.notes, "time unknown: the header lists {} times for {} frames",
                seconds.size(), image.frames);
        return;
    }
    const double first = seconds.front();
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        if (!std::isfinite(seconds[i]) || (i > 0 && seconds[i] <= seconds[i - 1])) {
            image.notes.push_back(
                "time unknown: the listed times do not ascend from frame to frame");
            return;
        }
    }
    for (double& time : seconds)
        time -= first;
    image.timesSeconds = std::move(seconds);
}

void SampleReader::read(int sample, VolumeView<float> voxels) {
    const std::size_t grid = image_.geometry.voxels();
    const std::size_t run = image_.interleaving;
    const auto samples = static_cast<std::size_t>(image_.samples());
    const std::size_t width = bytesOf(image_.type);
    const std::span<float> out = voxels.span();

    if (run == 1 && samples > 1) {
        // Voxel by voxel: contiguous blocks are read and one value of each group is taken.
        const std::size_t groups = std::max<std::size_t>(1, readBlockBytes / (samples * width));
        for (std::size_t done = 0; done < grid; done += groups) {
            const std::size_t count = std::min(groups, grid - done);
            block_.resize(count * samples * width);
            image_.bytes->read(std::uint64_t{done} * samples * width, block_);
            convertVoxels(std::span(block_).subspan(static_cast<std::size_t>(sample) * width),
                          image_.type, image_.bigEndian, samples, image_.rescale,
                          out.subspan(done, count));
        }
    } else {
        const std::size_t maxCount = std::max<std::size_t>(1, readBlockBytes / width);
        for (std::size_t done = 0; done < grid;) {
            const std::size_t within = done % run;
            const std::size_t count = std::min(run - within, maxCount);
            const std::size_t stored =
                ((done / run) * samples + static_cast<std::size_t>(sample)) * run + within;
            block_.resize(count * width);
            image_.bytes->read(std::uint64_t{stored} * width, block_);
            convertVoxels(block_, image_.type, image_.bigEndian, 1, image_.rescale,
                          out.subspan(done, count));
            done += count;
        }
    }
    unknown_.replace(image_.path, sample, voxels);
}

void UnknownVoxels::replace(const std::string& path, int index, VolumeView<float> voxels) {
    const auto bad = [](float v) { return !std::isfinite(v); };
    const auto all = voxels.span();
    known_.clear();
    const auto first = std::find_if(all.begin(), all.end(), bad);
    if (first == all.end())
        return;
    const auto at = static_cast<std::size_t>(first - all.begin());
    const auto [nx, ny] =
        std::pair(static_cast<std::size_t>(voxels.size.x), static_cast<std::size_t>(voxels.size.y));
    if (!accepted_)
        throw fileError(path,
                        "frame {} holds {} voxels that are not finite numbers (NaN or infinite), "
                        "the first at ({}, {}, {})",
                        index, std::count_if(first, all.end(), bad), at % nx, at / nx % ny,
                        at / (nx * ny));
    float smallest = std::numeric_limits<float>::infinity();
    known_.assign(all.size(), 1);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (bad(all[i]))
            known_[i] = 0;
        else
            smallest = std::min(smallest, all[i]);
    if (bad(smallest))
        throw fileError(path, "frame {} holds no finite number at all, only NaN or infinity",
                        index);
    for (std::size_t i = at; i < all.size(); ++i)
        if (known_[i] == 0)
            all[i] = smallest;
}

std::string fileNameOf(const std::string& path) {
    const std::filesystem::path named(path);
    return (named.has_filename() ? named : named.parent_path()).filename().string();
}

void applyFrameTime(Sequence& sequence, const OpenOptions& options) {
    const double given = options.frameTimeMilliseconds;
    if (given == 0 || sequence.frames < 2)
        return;
    if (!std::isfinite(given) || given < 0)
        throw FileError(fmt::format(
            "the frame time must be a number of milliseconds greater than 0, not {}", given));
    sequence.timesSeconds.clear();
    sequence.closingSeconds = 0;
    for (int frame = 0; frame < sequence.frames; ++frame)
        sequence.timesSeconds.push_back(frame * given / 1000);
    std::erase_if(sequence.notes,
                  [](const std::string& note) { return note.starts_with("time unknown"); });
    addNote(sequence.notes, "time: {} ms a frame, as given by the user", given);
}

Sequence toSequence(StoredImage image, const OpenOptions& options) {
    if (image.components > 1)
        throw fileError(image.path,
                        "holds {} numbers per voxel (a vector or color image); a sequence needs "
                        "one gray value per voxel",
                        image.components);
    const Size3 size = image.geometry.size();
    if (size.x < 2 || size.y < 2 || size.z < 2)
        throw fileError(image.path,
                        "is a two-dimensional image ({} × {} × {} voxels); volumes are needed",
                        size.x, size.y, size.z);
    Sequence sequence;
    sequence.geometry = image.geometry;
    sequence.frames = image.frames;
    sequence.timesSeconds = image.timesSeconds;
    sequence.closingSeconds = image.closingSeconds;
    sequence.name = fileNameOf(image.path);
    sequence.format = image.format;
    sequence.modality = image.modality;
    sequence.voxelType = name(image.type);
    sequence.notes = image.notes;
    sequence.source = std::make_shared<SampleReader>(std::move(image), options);
    applyFrameTime(sequence, options);
    return sequence;
}

} // namespace systole
