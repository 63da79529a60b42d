// systole info: the content of a file, as the program interprets it.
#include "app/base/error.h"
#include "app/base/plural.h"
#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/option_forms.h"
#include "app/cli/record_parts.h"
#include "compute/core/exec.h"
#include "io/base/error.h"
#include "io/dirlab/image.h"
#include "io/source.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace systole {
namespace {

struct ValueStatistics {
    double minimum = 0, maximum = 0, mean = 0; ///< values of every known voxel of every frame
    double percentile1 = 0, median = 0, percentile99 = 0;
    std::size_t sampledVoxels = 0; ///< number of voxels behind the percentiles, evenly spread
    /// Voxels without a finite number; they aren't in the other figures.
    std::size_t unknownVoxels = 0;
};

constexpr std::size_t sampleLimit = std::size_t{4} << 20;

double percentile(std::vector<float>& values, double part) {
    const auto rank = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return static_cast<double>(values[static_cast<std::size_t>(rank)]);
}

std::size_t unknownVoxels(const FrameSource& source) {
    return static_cast<std::size_t>(std::ranges::count(source.known(), 0));
}

/// A note on the voxels of the first frame that hold no number; empty: they all do. Only files of
/// floating-point numbers are looked at.
std::string unknownNote(const Sequence& sequence) {
    if (!sequence.voxelType.starts_with("float"))
        return {};
    try {
        BufferPool pool;
        Volume frame(sequence.geometry, pool, "first frame");
        sequence.source->read(0, frame.view());
    } catch (const FileError& error) {
        return error.what();
    }
    const std::size_t unknown = unknownVoxels(*sequence.source);
    if (unknown == 0)
        return {};
    return fmt::format("{} of {} voxels of frame 0 ({:.1f} %) hold no number (NaN or infinite): "
                       "motion and register leave them out, as outside a mask",
                       unknown, sequence.geometry.voxels(),
                       100 * static_cast<double>(unknown) /
                           static_cast<double>(sequence.geometry.voxels()));
}

/// Range and sum of the known values of a part of a frame.
struct PartValues {
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();
    double sum = 0;
};

constexpr std::size_t voxelsPerPart = std::size_t{1} << 16;

/// `known`: 0 for voxels without a number; empty: all have one. Parts are of a fixed size and are
/// returned in order, so that the figures don't depend on the number of threads.
std::vector<PartValues> partsOf(std::span<const float> values, std::span<const std::uint8_t> known,
                                ThreadTeam& threads) {
    std::vector<PartValues> parts((values.size() + voxelsPerPart - 1) / voxelsPerPart);
    threads.run(static_cast<int>(parts.size()), [&](int chunk) {
        const auto number = static_cast<std::size_t>(chunk);
        PartValues part;
        const std::size_t end = std::min(values.size(), (number + 1) * voxelsPerPart);
        for (std::size_t i = number * voxelsPerPart; i < end; ++i) {
            if (!known.empty() && known[i] == 0)
                continue;
            const auto value = static_cast<double>(values[i]);
            part.minimum = std::min(part.minimum, value);
            part.maximum = std::max(part.maximum, value);
            part.sum += value;
        }
        parts[number] = part;
    });
    return parts;
}

/// Decodes every frame once, one at a time.
ValueStatistics valueStatistics(const Sequence& sequence, BufferPool& pool, ThreadTeam& threads) {
    ValueStatistics result;
    result.minimum = std::numeric_limits<double>::infinity();
    result.maximum = -result.minimum;
    Volume frame(sequence.geometry, pool, "statistics");
    const std::size_t all = frame.voxels.size() * static_cast<std::size_t>(sequence.frames);
    const std::size_t step = 1 + all / sampleLimit;
    std::vector<float> sample;
    sample.reserve(all / step + static_cast<std::size_t>(sequence.frames));
    double sum = 0;
    std::size_t next = 0; // index of the next voxel of the sequence to be sampled
    std::size_t seen = 0;
    for (int index = 0; index < sequence.frames; ++index) {
        sequence.source->read(index, frame.view());
        const auto known = sequence.source->known();
        result.unknownVoxels += unknownVoxels(*sequence.source);
        const std::span<const float> values(frame.voxels.data(), frame.voxels.size());
        for (const PartValues& part : partsOf(values, known, threads)) {
            result.minimum = std::min(result.minimum, part.minimum);
            result.maximum = std::max(result.maximum, part.maximum);
            sum += part.sum;
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            if ((known.empty() || known[i] != 0) && seen++ == next) {
                sample.push_back(values[i]);
                next += step;
            }
    }
    result.mean = sum / static_cast<double>(all - result.unknownVoxels);
    result.percentile1 = percentile(sample, 0.01);
    result.median = percentile(sample, 0.5);
    result.percentile99 = percentile(sample, 0.99);
    result.sampledVoxels = sample.size();
    return result;
}

std::string timeText(const Sequence& sequence) {
    if (sequence.frames == 1)
        return "one frame";
    if (!sequence.timeKnown())
        return "time unknown";
    const std::vector<double>& times = sequence.timesSeconds;
    const double mean = (times.back() - times.front()) / (sequence.frames - 1);
    bool regular = true;
    std::string list;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const double expected = times.front() + mean * static_cast<double>(i);
        regular = regular && std::abs(times[i] - expected) <= 0.005 * mean;
        list += fmt::format("{}{:.4g}", i ? ", " : "", 1000 * times[i]);
    }
    // Only some files state how long the last frame lasts.
    const std::string cycle =
        sequence.closingSeconds > 0
            ? fmt::format("cycle {:.4g} ms", 1000 * sequence.cycleSeconds())
            : fmt::format("{:.4g} ms from first to last, length of the cycle not said",
                          1000 * (sequence.timesSeconds.back() - sequence.timesSeconds.front()));
    return regular ? fmt::format("{:.4g} ms a frame, {}", 1000 * mean, cycle)
                   : fmt::format("irregular: {} ms; {}", list, cycle);
}

void printLine(const char* label, const std::string& text) {
    fmt::print("  {:<13}{}\n", label, text);
}

void printText(const Sequence& sequence, const std::optional<ValueStatistics>& statistics) {
    const Geometry& grid = sequence.geometry;
    const auto [x, y, z] = grid.size();
    const Vec3 spacing = grid.spacing();
    const Vec3 origin = grid.origin();
    const Matrix3& d = grid.direction();
    fmt::print("{}\n", sequence.title());
    printLine("format", fmt::format("{}, {}", sequence.format, sequence.voxelType));
    printLine("size",
              fmt::format("{} x {} x {} voxels, {}", x, y, z, plural(sequence.frames, "frame")));
    printLine("spacing",
              fmt::format("{:.6g} x {:.6g} x {:.6g} mm", spacing.x, spacing.y, spacing.z));
    printLine("orientation",
              fmt::format("{} (where x, y and z grow to){}", grid.orientationLetters(),
                          grid.isOrthonormal() ? "" : ", axes not at right angles"));
    printLine("origin", fmt::format("{:.6g}, {:.6g}, {:.6g} ({})", origin.x, origin.y, origin.z,
                                    sequence.frameOfReference));
    for (std::size_t row = 0; row < 3; ++row)
        // Adding zero turns a negative zero into a plain one.
        printLine(row == 0 ? "direction" : "",
                  fmt::format("{:8.5f} {:8.5f} {:8.5f}", d[row][0] + 0.0, d[row][1] + 0.0,
                              d[row][2] + 0.0));
    printLine("time", timeText(sequence));
    printLine("modality", sequence.modality.empty() ? "not said" : sequence.modality);
    if (statistics) {
        const ValueStatistics& s = *statistics;
        printLine("values",
                  fmt::format("{:.6g} to {:.6g}, mean {:.6g}{}", s.minimum, s.maximum, s.mean,
                              s.unknownVoxels == 0
                                  ? std::string()
                                  : fmt::format(", without {} voxels of all frames that hold none",
                                                s.unknownVoxels)));
        printLine("percentiles",
                  fmt::format("1 %: {:.6g}, 50 %: {:.6g}, 99 %: {:.6g}, of {} voxels",
                              s.percentile1, s.median, s.percentile99, s.sampledVoxels));
    }
    for (const std::string& note : sequence.notes)
        printLine("note", note);
}

Json asJson(const Sequence& sequence, const std::optional<ValueStatistics>& statistics) {
    const Geometry& grid = sequence.geometry;
    Json json{{"name", sequence.name},
              {"format", sequence.format},
              {"voxel_type", sequence.voxelType},
              {"size", grid.size()},
              {"frames", sequence.frames},
              {"spacing_mm", grid.spacing()},
              {"frame_of_reference", sequence.frameOfReference},
              {"orientation", grid.orientationLetters()},
              {"origin_mm", grid.origin()},
              {"direction", grid.direction()},
              {"times_ms", nullptr},
              {"cycle_ms", nullptr},
              {"modality", nullptr},
              {"notes", sequence.notes}};
    if (sequence.timeKnown()) {
        json["times_ms"] = Json::array();
        for (const double seconds : sequence.timesSeconds)
            json["times_ms"].push_back(1000 * seconds);
        if (sequence.closingSeconds > 0)
            json["cycle_ms"] = 1000 * sequence.cycleSeconds();
    }
    if (!sequence.modality.empty())
        json["modality"] = sequence.modality;
    if (statistics)
        json["values"] = {{"minimum", statistics->minimum},
                          {"maximum", statistics->maximum},
                          {"mean", statistics->mean},
                          {"percentile_1", statistics->percentile1},
                          {"median", statistics->median},
                          {"percentile_99", statistics->percentile99},
                          {"voxels_sampled", statistics->sampledVoxels},
                          {"voxels_unknown", statistics->unknownVoxels}};
    return json;
}

class InfoCommand : public Command {
public:
    InfoCommand() : Command("info", "Describe a file, a list of files or a DICOM folder") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    Sequence open() const;

    std::vector<std::string> files_;
    std::string dirLabCase_;
    double frameTimeMilliseconds_ = 0;
    int threads_ = 0;
    bool json_ = false;
    bool statistics_ = false;
};

void InfoCommand::addOptions(CLI::App& app) {
    app.add_option("FILE", files_,
                   "One 3D or 4D file, one 3D file per frame in their order, a DICOM folder, or a "
                   "folder with the phases of one DIR-Lab case")
        ->required();
    addFrameTime(app, frameTimeMilliseconds_);
    app.add_option("--dirlab-case", dirLabCase_,
                   "FILE is a raw image of this case of DIR-Lab, case1 to case10 or copd1 to "
                   "copd10, whatever its name");
    addJsonFlag(app, json_);
    app.add_flag("--statistics", statistics_,
                 "Decode every frame and report the range and percentiles of its values");
    addThreads(app, threads_);
}

Sequence InfoCommand::open() const {
    const OpenOptions options{.frameTimeMilliseconds = frameTimeMilliseconds_,
                              .acceptUnknown = true};
    if (dirLabCase_.empty())
        return openSequence(files_, options);
    const std::optional<DirLabCase> of = parseDirLabCase(dirLabCase_);
    if (!of)
        throw UsageError(fmt::format("--dirlab-case: '{}' is none of case1 to case10 and copd1 to "
                                     "copd10",
                                     dirLabCase_));
    if (files_.size() != 1)
        throw UsageError("--dirlab-case: name one raw image");
    return toSequence(readDirLabImageAs(*of, files_.front(), options), options);
}

int InfoCommand::run() {
    Sequence sequence = open();
    if (const std::string note = unknownNote(sequence); !note.empty())
        sequence.notes.push_back(note);
    std::optional<ValueStatistics> statistics;
    if (statistics_) {
        BufferPool pool;
        ThreadTeam threads(threads_);
        statistics = valueStatistics(sequence, pool, threads);
    }
    if (json_)
        // Names in files can contain any bytes; JSON is UTF-8.
        fmt::print(
            "{}\n",
            asJson(sequence, statistics).dump(2, ' ', false, Json::error_handler_t::replace));
    else
        printText(sequence, statistics);
    return 0;
}

} // namespace

std::unique_ptr<Command> makeInfoCommand() { return std::make_unique<InfoCommand>(); }

} // namespace systole
