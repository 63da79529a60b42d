#include "app/commands/phantom_lungs_options.h"

#include "app/error.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace systole {
namespace {

/// Whether an option is meant for --lungs, too.
bool lungsTake(const std::string& option) {
    constexpr std::string_view taken[] = {"--output", "--overwrite", "--size",    "--frames",
                                          "--noise",  "--seed",      "--threads", "--help"};
    return std::ranges::find(taken, option) != std::end(taken);
}

} // namespace

void LungArguments::addTo(CLI::App& app) {
    const std::vector<CLI::Option*> others = app.get_options();
    CLI::Option* const lungs = app.add_flag(
        "--lungs", lungs_,
        "Not a heart: a chest that breathes, written as DIR-Lab hands out its cases: "
        "caseN_T00.img to T90 (raw int16, Hounsfield units; --frames 2: T00 and T50), "
        "caseN_300_T00_xyz.txt and T50 with up to 300 landmarks in whole voxels, and the same "
        "landmarks to rounding in all phases, caseN_tracks.csv. The lungs slide along the wall. "
        "With --size other voxels for the same chest, and a header .mhd beside each image");
    for (CLI::Option* const other : others)
        if (!lungsTake(other->get_name()))
            lungs->excludes(other);
    app.add_option("--dirlab-case", case_,
                   "With --lungs: the case whose name, size and spacing are taken, case1 to case10")
        ->capture_default_str()
        ->needs(lungs);
    app.add_option("--breath", breathMillimeters_,
                   "With --lungs: largest motion of the lungs from T00 to T50, mm")
        ->check(CLI::Range(0.0, 60.0))
        ->capture_default_str()
        ->needs(lungs);
    app.add_flag("--truth-field", truthField_,
                 "With --lungs: also write the true displacement from T00 to T50 as "
                 "caseN_T00_T50_displacement.mha, LPS mm")
        ->needs(lungs);
}

LungJob LungArguments::makeJob() const {
    const std::optional<DirLabCase> of = parseDirLabCase(case_);
    if (!of || of->set != DirLabSet::FourDCt)
        throw UsageError(fmt::format("--dirlab-case: '{}' is none of case1 to case10", case_));
    LungJob job;
    job.of = *of;
    job.truthField = truthField_;
    job.options.breathMillimeters = breathMillimeters_;
    return job;
}

} // namespace systole
