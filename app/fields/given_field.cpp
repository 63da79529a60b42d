#include "app/fields/given_field.h"

#include "app/fields/field_sanity.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace systole {
namespace {

using Outcome = ConventionTrial::Outcome;

RawField ofVoxels(const std::string& path, BufferPool& pool) {
    RawField raw = readRawField(path, pool);
    requireVoxels(path, raw.stated.isSpline);
    return raw;
}

UnknownConvention unknown(const std::string& path, const StatedConvention& stated,
                          const std::string& reason) {
    return UnknownConvention(fileNote(path, unsaidConvention(stated) + reason));
}

/// A sentence where a file says another convention than the user names; else empty.
std::string contradiction(const std::string& path, const FieldConvention& named,
                          const SaidConvention& said) {
    return said.stated.allows(named)
               ? ""
               : fmt::format("{}: the file says {}, but is read as {}, as named", path,
                             said.convention->name, named.name);
}

FieldReading judged(const std::string& path, const ConventionTrial& trial,
                    const FieldConvention* named, const SaidConvention& said) {
    const ConventionTrial::Verdict verdict = trial.judge(named, said.stated);
    FieldReading reading{verdict.convention, {}, {}, {}, trial.scores(), {}};
    if (!named && !said.convention && verdict.outcome != Outcome::Proved)
        throw unknown(path, said.stated, ", and " + verdict.reason);
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

/// Files of one command are of one writer. One that says another convention than the user names is
/// taken: the first such file is told of in `contradicted`.
void requireAgreement(const std::vector<std::string>& files, std::size_t field,
                      const FieldConvention* named, const SaidConvention& first,
                      const SaidConvention& here, std::string& contradicted) {
    if (!named && here.convention != first.convention)
        throw fileError(files[field], "says another convention than " + inQuotes(files.front()) +
                                          "; fields of one command are of one writer");
    if (named && contradicted.empty())
        contradicted = contradiction(files[field], *named, here);
}

MillimeterField fieldOf(const std::string& path, RawField raw, const FieldConvention& convention,
                        const FrameGrids* grids, const ExecContext& ctx) {
    const FrameGrids both = grids ? *grids : FrameGrids{raw.geometry, raw.geometry};
    requireAxesOf(convention.backward ? both.moving : both.fixed, path, raw.geometry,
                  raw.assumedOrientation);
    MillimeterField read = displacementsOf(path, std::move(raw), convention,
                                           convention.backward ? both.fixed : both.moving);
    if (convention.backward)
        read = invertedField(path, read, both.fixed, ctx);
    requireMotion(path, read, both.moving, ctx);
    return read;
}

} // namespace

FieldReading readingOf(const std::vector<std::string>& files, const FieldConvention* named,
                       const FieldImagesOf& images, const ExecContext& ctx) {
    if (!images)
        return GivenFieldFiles(files, named, images, ctx).reading();
    std::optional<SaidConvention> first;
    ConventionTrial trial;
    std::vector<FrameGrids> grids;
    Geometry grid;
    std::string contradicted;
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < files.size(); ++i) {
        ctx.report("reading fields", static_cast<double>(i) / static_cast<double>(files.size()));
        const RawField raw = ofVoxels(files[i], *ctx.pool);
        const SaidConvention here(raw);
        if (!first) {
            first = here;
            grid = raw.geometry;
            notes = fileNotes(files[i], raw.notes);
        }
        requireAgreement(files, i, named, *first, here, contradicted);
        const FieldImages pair = images(i);
        grids.push_back({pair.fixed->geometry, pair.moving->geometry});
        trial.add(raw, *pair.fixed, *pair.moving, ctx);
    }
    FieldReading reading = judged(files.front(), trial, named, *first);
    reading.grid = grid;
    reading.notes = std::move(notes);
    reading.grids = std::move(grids);
    if (!contradicted.empty())
        reading.warning += (reading.warning.empty() ? "" : "; ") + contradicted;
    return reading;
}

MillimeterField readGivenField(const std::string& path, const FieldConvention& convention,
                               const FrameGrids* grids, const ExecContext& ctx) {
    return fieldOf(path, ofVoxels(path, *ctx.pool), convention, grids, ctx);
}

GivenFieldFiles::GivenFieldFiles(std::vector<std::string> files, const FieldConvention* named,
                                 const FieldImagesOf& images, const ExecContext& ctx)
    : files_(std::move(files)), named_(named), ctx_(ctx) {
    if (images) {
        reading_ = readingOf(files_, named, images, ctx);
        return;
    }
    first_ = ofVoxels(files_.front(), *ctx.pool);
    said_.emplace(*first_);
    reading_.grid = first_->geometry;
    reading_.notes = fileNotes(files_.front(), first_->notes);
    if (!named && !said_->convention)
        throw unknown(files_.front(), said_->stated, "");
    reading_.convention = named ? named : said_->convention;
    reading_.basis = named ? "given" : "said by the file";
    requireAgreement(files_, 0, named, *said_, *said_, reading_.warning);
}

MillimeterField GivenFieldFiles::read(std::size_t field) {
    RawField raw = field == 0 && first_ ? std::move(*first_) : ofVoxels(files_[field], *ctx_.pool);
    if (field == 0)
        first_.reset();
    if (said_)
        requireAgreement(files_, field, named_, *said_, SaidConvention(raw), reading_.warning);
    return fieldOf(files_[field], std::move(raw), *reading_.convention,
                   reading_.grids.empty() ? nullptr : &reading_.grids[field], ctx_);
}

} // namespace systole
