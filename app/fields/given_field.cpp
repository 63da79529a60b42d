#include "app/fields/given_field.h"

#include "compute/core/error.h"
#include "compute/ops/invert_field.h"
#include "io/text.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace systole {
namespace {

/// A field that folds more is no way back.
constexpr double leastInverted = 0.9;

using Outcome = ConventionTrial::Outcome;

RawField ofVoxels(const std::string& path, BufferPool& pool) {
    RawField raw = readRawField(path, pool);
    requireVoxels(path, raw.stated.isSpline);
    return raw;
}

/// What all files say, and the convention that follows.
struct Said {
    StatedConvention stated;
    const FieldConvention* convention = nullptr;

    explicit Said(const RawField& raw) : stated(raw.stated), convention(statedConvention(raw)) {}
    bool operator==(const Said& other) const { return convention == other.convention; }
};

UnknownConvention unknown(const std::string& path, const std::string& reason) {
    return UnknownConvention(
        fileError(path, "doesn't say what its three numbers per voxel are: displacements or "
                        "positions, in which frame and unit" +
                            reason)
            .what());
}

/// A sentence where a file says another convention than the user names; else empty.
std::string contradiction(const std::string& path, const FieldConvention& named, const Said& said) {
    return said.stated.allows(named)
               ? ""
               : fmt::format("{}: the file says {}, but is read as {}, as named", path,
                             said.convention->name, named.name);
}

FieldReading judged(const std::string& path, const ConventionTrial& trial,
                    const FieldConvention* named, const Said& said) {
    const ConventionTrial::Verdict verdict = trial.judge(named, said.stated);
    FieldReading reading{verdict.convention, {}, {}, trial.scores(), {}};
    if (!named && !said.convention && verdict.outcome != Outcome::Proved)
        throw unknown(path, ", and " + verdict.reason);
    if (verdict.outcome == Outcome::Refused)
        throw fileError(path, fmt::format("isn't what {}: {}",
                                          named ? fmt::format("the convention {} says", named->name)
                                                : "its header says",
                                          verdict.reason));
    if (verdict.outcome == Outcome::Proved) {
        reading.basis = (named             ? "given, proved by the images; "
                         : said.convention ? "said by the file, proved by the images; "
                                           : "found by the images; ") +
                        verdict.reason;
        return reading;
    }
    reading.convention = named ? named : said.convention;
    reading.basis = named ? "given" : "said by the file";
    reading.warning =
        fmt::format("the convention {} isn't proved: {}", reading.convention->name, verdict.reason);
    return reading;
}

} // namespace

FieldReading readingOf(const std::vector<std::string>& files, const FieldConvention* named,
                       const FieldImagesOf& images, const ExecContext& ctx) {
    const std::string& first = files.front();
    std::optional<Said> said;
    ConventionTrial trial;
    std::vector<FrameGrids> grids;
    std::string contradicted;
    for (std::size_t i = 0; i < files.size(); ++i) {
        ctx.report("reading fields", static_cast<double>(i) / static_cast<double>(files.size()));
        const RawField raw = ofVoxels(files[i], *ctx.pool);
        const Said here(raw);
        if (said && !named && !(here == *said))
            throw fileError(files[i], "says another convention than " + inQuotes(first) +
                                          "; fields of one command are of one writer");
        if (named && contradicted.empty())
            contradicted = contradiction(files[i], *named, here);
        said = here;
        if (!images)
            continue;
        const FieldImages pair = images(i);
        grids.push_back({pair.fixed->geometry, pair.moving->geometry});
        trial.add(raw, *pair.fixed, *pair.moving, ctx);
    }
    FieldReading reading;
    if (images)
        reading = judged(first, trial, named, *said);
    else if (named)
        reading = {.convention = named, .basis = "given"};
    else if (said->convention)
        reading = {.convention = said->convention, .basis = "said by the file"};
    else
        throw unknown(first, "");
    reading.grids = std::move(grids);
    if (!contradicted.empty())
        reading.warning += (reading.warning.empty() ? "" : "; ") + contradicted;
    return reading;
}

MillimeterField readGivenField(const std::string& path, const FieldConvention& convention,
                               const FrameGrids* grids, const ExecContext& ctx) {
    RawField raw = ofVoxels(path, *ctx.pool);
    const FrameGrids both = grids ? *grids : FrameGrids{raw.geometry, raw.geometry};
    MillimeterField read = displacementsOf(path, std::move(raw), convention,
                                           convention.backward ? both.fixed : both.moving);
    if (!convention.backward)
        return read;
    try {
        InverseField inverse = invertField(toVoxels(read, *ctx.pool), both.fixed, {}, ctx);
        const InverseReport& report = inverse.report;
        const auto inside = static_cast<double>(report.inside);
        if (static_cast<double>(report.converged) < leastInverted * inside || report.inside == 0)
            throw fileError(path, fmt::format("leads from the moving to the fixed image, but has "
                                              "an inverse in {} of {} voxels alone",
                                              report.converged, both.fixed.voxels()));
        return std::move(inverse.field);
    } catch (const ComputeError& error) {
        throw fileError(path, error.what());
    }
}

} // namespace systole
