#include "app/study/case_checks.h"

#include "app/anatomy/label_grid.h"
#include "app/base/frame_range.h"
#include "app/base/seed_points.h"
#include "compute/surface/segment_seeds.h"
#include "io/base/absent_content.h"
#include "io/base/text.h"
#include "io/source.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

void requireSeedsOf(const CohortCase& entry, const Geometry& grid) {
    SegmentSeeds seeds;
    if (!entry.points.empty()) {
        const auto [apex, mitral, insertion] = parseVentriclePoints(entry.points, "points");
        seeds.points = VentriclePoints{apex, mitral, insertion};
    } else if (!entry.seed.empty()) {
        seeds.click = parsePoint(entry.seed, "seed");
    }
    if (seeds.points || seeds.click) {
        requireSegmentGrid(grid);
        requireSeeds(grid, seeds);
    }
}

} // namespace

std::string labelsFor(const CohortCase& entry, const Sequence& sequence) {
    const int first = parseRange("frames", entry.frames, "motion", sequence).first;
    if (entry.labels.empty()) {
        requireSeedsOf(entry, sequence.geometry);
        return {};
    }
    if (!entry.points.empty())
        parseVentriclePoints(entry.points, "points");
    std::error_code failure;
    if (const std::string why = whyAbsent(entry.labels); !why.empty())
        throw fileError(entry.labels, why);
    if (!fs::is_regular_file(entry.labels, failure))
        throw fileError(entry.labels, "the label map isn't a file" +
                                          (failure ? ": " + failure.message() : std::string()));
    const Sequence map = openSequence({entry.labels}, {.headerAlone = true});
    requirePlacement(entry.labels, map.geometry, sequence.geometry);
    if (!sequence.geometry.isOrthonormal())
        throw fileError(entry.image, "its axes aren't at right angles, so strain can't be "
                                     "measured; resample the image first");
    if (map.frames == 1)
        return entry.labels;
    if (map.frames != sequence.frames)
        throw fileError(entry.labels,
                        fmt::format("the label map has {} frames and the images {}; one frame, "
                                    "or as many, are expected",
                                    map.frames, sequence.frames));
    return fmt::format("{}@{}", entry.labels, first);
}

} // namespace systole
