#include "app/study/bids_app_options.h"

#include "app/base/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <string>

namespace systole {
namespace {

struct OtherOption {
    const char* name;
    const char* instead;
};

constexpr long long maxCores = 1000;

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
};

/// No validator of BIDS is called, and the results are always those of OUTPUT.
constexpr const char* withoutEffect[] = {"--skip-bids-validator", "--skip-bids-validation",
                                         "--notrack"};

} // namespace

void addBidsAppOptions(CLI::App& app, int& jobs, int& threads) {
    // The library doesn't name hidden options in its messages.
    const auto means = [&app](const char* name, const char* own, int& value) {
        const auto set = [&app, &value, name, own](const std::string& text) {
            const auto number = parseInteger(text);
            if (!number || *number < 1 || *number > maxCores)
                throw UsageError(
                    fmt::format("{}: '{}' isn't a number from 1 to {}", name, text, maxCores));
            if (app.get_option(own)->count() > 0)
                throw UsageError(fmt::format("{} means {}, which is given, too", name, own));
            value = static_cast<int>(*number);
        };
        app.add_option_function<std::string>(name, set)->group("");
    };
    for (const char* name : {"--n-cpus", "--ncpus", "--n-procs", "--nprocs", "--nproc"})
        means(name, "--jobs", jobs);
    for (const char* name : {"--nthreads", "--n-threads", "--omp-nthreads"})
        means(name, "--threads", threads);
    for (const char* name : withoutEffect)
        app.add_flag(name)->group("");
    const auto refuse = [](const char* name, const char* instead) {
        throw UsageError(fmt::format("{} isn't an option of 'systole cohort': {}", name, instead));
    };
    for (const OtherOption& other : refused)
        app.add_option_function<std::string>(
               other.name,
               [refuse, &other](const std::string&) { refuse(other.name, other.instead); })
            ->group("");
    app.add_flag_callback("--dry-run",
                          [refuse] { refuse("--dry-run", "--plan prints what would be done"); })
        ->group("");
}

} // namespace systole
