#include "app/commands/bids_app_options.h"

#include "app/error.h"

#include <fmt/format.h>

#include <string>

namespace systole {
namespace {

struct OtherOption {
    const char* name;
    const char* instead;
};

constexpr const char* memoryIs =
    "steps take the memory that the system, its control groups or Slurm leave; with --slurm "
    "--slurm-option=--mem=64G requests more";
constexpr const char* tableNames = "a table of cases (.csv) names the images to take";

constexpr OtherOption refused[] = {
    {"--mem-mb", memoryIs},
    {"--mem-gb", memoryIs},
    {"--mem", memoryIs},
    {"--work-dir", "the folder 'work' in OUTPUT is used"},
    {"--bids-filter-file", tableNames},
    {"--exclude-participant-label", "--participant-label names the participants to take"},
    {"--run-label", tableNames},
    {"--task-id", tableNames},
    {"--task-label", tableNames},
    {"--acquisition-label", tableNames},
    {"--analysis-level", "the level is the third argument: participant or group"},
    {"--dry-run", "--plan prints what would be done"},
};

/// No validator of BIDS is called, and the results are always those of OUTPUT.
constexpr const char* withoutEffect[] = {"--skip-bids-validator", "--skip-bids-validation",
                                         "--notrack"};

} // namespace

void addBidsAppOptions(CLI::App& app, int& jobs, int& threads) {
    const auto hidden = [](CLI::Option* option) { option->group(""); };
    for (const char* name : {"--n-cpus", "--ncpus", "--n-procs", "--nprocs", "--nproc"})
        hidden(app.add_option(name, jobs)->check(CLI::Range(1, 100000))->excludes("--jobs"));
    for (const char* name : {"--nthreads", "--n-threads", "--omp-nthreads"})
        hidden(app.add_option(name, threads)->check(CLI::Range(1, 1024))->excludes("--threads"));
    for (const char* name : withoutEffect)
        hidden(app.add_flag(name));
    for (const OtherOption& other : refused)
        hidden(app.add_option(other.name)->expected(0, 1)->each([&other](const std::string&) {
            throw UsageError(fmt::format("{} isn't an option of 'systole cohort': {}", other.name,
                                         other.instead));
        }));
}

} // namespace systole
