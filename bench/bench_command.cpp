#include "bench/bench_command.h"

// `systole bench [NAME...]`: the benchmarks, with floors and peers measured in the same run.
#include "app/base/error.h"
#include "app/base/given_parameters.h"
#include "app/base/version.h"
#include "app/cli/common_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/option_forms.h"
#include "app/cli/overwrite.h"
#include "app/cli/record_parts.h"
#include "bench/accuracy_comparison.h"
#include "bench/benchmark.h"
#include "compute/core/error.h"
#include "compute/core/machine.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace systole {

namespace {

/// Throws UsageError for an unknown name.
std::vector<const Benchmark*> benchmarksNamed(const std::vector<std::string>& names) {
    std::vector<const Benchmark*> named;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(benchmarks(), name, &Benchmark::name);
        if (found == benchmarks().end())
            throw UsageError(fmt::format("no benchmark '{}'; see systole bench --help", name));
        named.push_back(&*found);
    }
    return named;
}

/// True if a name on the command line is that of a file, not of a benchmark.
bool isRecord(const std::string& name) { return name.ends_with(".json"); }

/// The long name of the option without its dashes.
std::string nameOf(const CLI::Option& option) {
    return option.get_lnames().empty() ? std::string() : option.get_lnames().front();
}

/// An object, or what is no JSON as a discarded value.
Json readJson(const std::string& path) {
    std::ifstream file(path);
    return Json::parse(file, nullptr, false);
}

bool anyTakes(const std::vector<const Benchmark*>& chosen, const std::string& option) {
    return std::ranges::any_of(chosen, [&](const Benchmark* each) { return takes(*each, option); });
}

class BenchCommand : public Command {
public:
    BenchCommand() : Command("bench", "Measure speed and accuracy on this machine") {}
    void addOptions(CLI::App& app) override;
    void prepareHelp(CLI::App& app) override;
    int run() override;

private:
    void readRecord(int side);
    void takeRecords();
    std::string commandLine() const;
    int sizeOf(const Benchmark& benchmark) const {
        return size_->count() > 0 ? options_.size : benchmark.size;
    }

    CLI::App* app_ = nullptr;
    std::vector<std::string> names_;
    BenchOptions options_;
    int threads_ = 0;
    bool noPeers_ = false;
    std::string json_, against_, page_;
    CLI::Option *size_ = nullptr, *seeds_ = nullptr, *method_ = nullptr; ///< owned by the parser
    OverwriteOption overwrite_;
};

void BenchCommand::addOptions(CLI::App& app) {
    app_ = &app;
    std::string list, names;
    for (const Benchmark& benchmark : benchmarks()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", benchmark.name);
        list += fmt::format("\n{}: {}", benchmark.name, benchmark.summary);
    }
    app.add_option("name", names_,
                   "Benchmarks to run; default: all that measure. After `goals` also the records, "
                   "RECORD.json. They are:" +
                       list);
    app.footer("Benchmarks: " + names + ".");
    size_ = addNumber(app, "--size", options_.size, 32, 512,
                      "Voxels along each side of the phantom; accuracy: 64 unless given");
    options_.method = motionMethods().front().name;
    method_ = addChoice(app, "--method", options_.method, motionMethodNames(),
                        "Motion method to measure; accuracy, lungs, certainty and strain: only "
                        "this one");
    addRepeatable(app, "--set", options_.set,
                  "ID=VALUE: a parameter of --method instead of its default; only this method is "
                  "measured; repeatable");
    addNumber(app, "--repeat", options_.repeats, 1, 1000,
              "Number of runs; timings are medians. The tables of motion and real run each program "
              "once per pair");
    app.add_option("--seed", options_.seed, "Seed of the phantom's scatterers and noise")
        ->capture_default_str();
    seeds_ = addNumber(
        app, "--seeds", options_.seeds, 1, 100,
        "Number of phantoms per case, with the seeds from --seed on; accuracy: 20 unless given");
    addNumber(app, "--peer-seeds", options_.peerSeeds, 1, 100,
              "Number of these phantoms on which other programs are run");
    addList(app, "--cases", options_.cases,
            "Only these cases, separated by commas; a wrong name lists all");
    app.add_option("--data", options_.dataFolder,
                   "The folder of real images; cases whose files are missing are skipped")
        ->check(CLI::ExistingDirectory);
    addThreads(app, threads_);
    app.add_option("--file", options_.files, "An additional sequence; repeatable");
    addList(app, "--sides", options_.sides,
            "Sides of the cubes to measure on, separated by commas; --size if that is given, else "
            "the benchmark's own")
        ->check(inRange(16, 1024));
    app.add_option("--cpu-seconds", options_.cpuSeconds,
                   "Go to larger cubes on the CPU until one run would take longer than this")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    addNumber(app, "--play-seconds", options_.playSeconds, 0.1, 3600,
              "Duration of each playback measurement, seconds");
    app.add_flag("--no-peers", noPeers_, "Don't run other installed programs");
    addJsonFile(app, json_, ", which holds the figures");
    app.add_option("--against", against_,
                   "pairs: an earlier program, accuracy: an earlier --json, to compare with, and "
                   "fail if a figure is worse by more than 3 %. pairs runs both programs in turn, "
                   "--repeat times, and prints the ratio of every stage; accuracy that of every "
                   "figure of phantoms, and the Dice of real images before and now")
        ->check(CLI::ExistingFile);
    app.add_option("--page", page_,
                   "Also write a page; accuracy: HTML with the worst tenth of each look, true "
                   "against estimated motion and error map; goals: Markdown with every goal");
    overwrite_.addTo(app);
    for (CLI::Option* option : app.get_options())
        if (const std::string takers = takersOf(nameOf(*option)); !takers.empty())
            option->description(fmt::format("{} ({})", option->get_description(), takers));
}

/// Restricts the help to the named benchmarks: their descriptions and options.
void BenchCommand::prepareHelp(CLI::App& app) {
    std::vector<std::string> names = app.get_option("name")->results();
    std::erase_if(names, isRecord);
    const std::vector<const Benchmark*> named = benchmarksNamed(names);
    if (named.empty())
        return;
    std::string text;
    for (const Benchmark* benchmark : named)
        text += fmt::format("{}: {}.\n", benchmark->name, benchmark->summary);
    app.footer(text);
    for (CLI::Option* option : app.get_options())
        if (!takersOf(nameOf(*option)).empty() && !anyTakes(named, nameOf(*option)))
            option->group("");
}

void BenchCommand::readRecord(int side) {
    if (against_.empty())
        return;
    const Json all = readJson(against_);
    if (all.is_discarded())
        throw UsageError(fmt::format("--against: {} isn't JSON", against_));
    options_.before = all.is_object() ? all.value("accuracy", Json()) : Json();
    checkRecord(options_.before, side);
}

/// The names that end as files of records do are these.
void BenchCommand::takeRecords() {
    for (const std::string& name : names_)
        if (isRecord(name)) {
            Json record = readJson(name);
            if (record.is_discarded())
                throw UsageError(fmt::format("{} isn't JSON, or isn't there", name));
            options_.records.emplace_back(name, std::move(record));
        }
    std::erase_if(names_, isRecord);
    const bool goals = std::ranges::count(names_, "goals") > 0;
    if (goals && names_.size() > 1)
        throw UsageError("goals: no other benchmark beside it");
    if (!goals && !options_.records.empty())
        throw UsageError(fmt::format("{}: records are read by `systole bench goals`",
                                     options_.records.front().first));
}

/// The command line for the record, without the options for output files.
std::string BenchCommand::commandLine() const {
    std::string line = fmt::format("systole bench {}", fmt::join(names_, " "));
    for (const CLI::Option* option : app_->get_options()) {
        const std::string name = nameOf(*option);
        if (option->count() == 0 || name.empty() || name == "json" || name == "page" ||
            name == "overwrite")
            continue;
        if (option->get_expected_max() == 0)
            line += fmt::format(" --{}", name);
        else if (option->get_delimiter() != '\0')
            line += fmt::format(" --{} {}", name, fmt::join(option->results(), ","));
        else
            for (const std::string& value : option->results())
                line += fmt::format(" --{} {}", name, value);
    }
    return line;
}

int BenchCommand::run() {
    takeRecords();
    options_.peers = !noPeers_;
    options_.onlyMethod = method_->count() > 0 || !options_.set.empty();
    // Throws for a wrong parameter before minutes of measurements.
    givenParameters(*motionMethod(options_.method).parameters, options_.set);
    if (size_->count() > 0 && options_.sides.empty())
        options_.sides = {options_.size};
    std::vector<std::string> read = options_.files;
    for (const auto& [name, record] : options_.records)
        read.push_back(name);
    overwrite_.checkAll({json_, page_}, read);
    std::string page;
    if (!page_.empty())
        options_.takePage = [&page](const std::string& text) { page = text; };
    std::vector<const Benchmark*> chosen = benchmarksNamed(names_);
    if (names_.empty())
        for (const Benchmark& benchmark : benchmarks())
            if (benchmark.runsUnasked)
                chosen.push_back(&benchmark);
    for (const CLI::Option* option : app_->get_options())
        if (const std::string takers = takersOf(nameOf(*option));
            option->count() > 0 && !takers.empty() && !anyTakes(chosen, nameOf(*option)))
            throw UsageError(
                fmt::format("--{} is an option of the benchmarks {}", nameOf(*option), takers));
    const auto accuracy = std::ranges::find(chosen, "accuracy", &Benchmark::name);
    const bool pairs = chosen.size() == 1 && chosen.front()->name == "pairs";
    if (accuracy != chosen.end())
        readRecord(sizeOf(**accuracy));
    else if (pairs)
        options_.program = against_;
    else if (!against_.empty())
        throw UsageError("--against compares pairs only where no other benchmark is named");

    const Machine machine = describeMachine();
    fmt::print("{}, {} hardware threads, SIMD {}\n", machine.processor, machine.cores,
               machine.simdTarget);
    CancelToken cancel;
    const InterruptWatch watch([&] { cancel.cancel(); });
    ExecResources resources(threads_);
    ExecContext ctx = resources.context();
    ctx.cancel = cancel;
    Json record;
    std::size_t worse = 0;
    record["version"] = programVersion();
    record["date"] = timeNow();
    record["command"] = commandLine();
    record["processor"] = machine.processor;
    record["simd"] = machine.simdTarget;
    for (const Benchmark* benchmark : chosen) {
        ctx.throwIfCancelled();
        BenchOptions options = options_;
        options.size = sizeOf(*benchmark);
        options.seeds = seeds_->count() > 0 ? options.seeds : benchmark->seeds;
        benchmark->run(options, ctx, record[benchmark->name]);
        worse += record[benchmark->name].value("worse", Json::array()).size();
    }
    overwrite_.checkAll({json_, page_}, read);
    overwrite_.writeText(json_, record.dump(2) + "\n");
    overwrite_.writeText(page_, page);
    if (worse > 0)
        throw ComputeError(fmt::format("{} figures are worse than those of {}, or there are none "
                                       "to compare",
                                       worse, against_));
    return 0;
}

} // namespace

std::unique_ptr<Command> makeBenchCommand() { return std::make_unique<BenchCommand>(); }

} // namespace systole
