// `systole bench [NAME...]`: the benchmarks, with floors and peers measured in the same run.
#include "app/bench/benchmark.h"
#include "app/commands/command.h"
#include "app/commands/interrupt.h"
#include "app/commands/option_forms.h"
#include "app/commands/overwrite.h"
#include "app/error.h"
#include "app/version.h"
#include "compute/core/machine.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace systole {

namespace {

class BenchCommand : public Command {
public:
    BenchCommand() : Command("bench", "Measure speed and accuracy on this machine") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    std::vector<std::string> names_;
    BenchOptions options_;
    int threads_ = 0;
    bool noPeers_ = false;
    std::string json_;
    OverwriteOption overwrite_;
};

void BenchCommand::addOptions(CLI::App& app) {
    std::string list, names;
    for (const Benchmark& benchmark : benchmarks()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", benchmark.name);
        list += fmt::format("\n{}: {}", benchmark.name, benchmark.summary);
    }
    app.add_option("name", names_, "Benchmarks to run; default: all. They are:" + list);
    app.footer("Benchmarks: " + names + ".");
    addNumber(app, "--size", options_.size, 32, 512, "Voxels along each side of the phantom");
    options_.method = motionMethods().front().name;
    addChoice(app, "--method", options_.method, motionMethodNames(),
              "Motion method that motion, pairs, floors and parity measure");
    addNumber(app, "--repeat", options_.repeats, 1, 1000,
              "Number of runs; timings are medians. The tables of motion and real run each program "
              "once per pair");
    app.add_option("--seed", options_.seed, "Seed of the phantom's scatterers and noise")
        ->capture_default_str();
    addNumber(app, "--seeds", options_.seeds, 1, 100,
              "motion: number of phantoms per case, with the seeds from --seed on");
    addNumber(app, "--peer-seeds", options_.peerSeeds, 1, 100,
              "motion: of these phantoms, the number that other programs get");
    addList(app, "--cases", options_.cases,
            "motion, real, registration, weights, bias: only these cases, separated by commas; a "
            "wrong name lists all");
    app.add_option("--data", options_.dataFolder,
                   "real, registration: the folder of real images; cases whose files are missing "
                   "are skipped")
        ->check(CLI::ExistingDirectory);
    addThreads(app, threads_);
    app.add_option("--file", options_.files,
                   "An additional sequence, for benchmarks that support it; repeatable");
    addList(app, "--sides", options_.sides,
            "Sides of the cubes to measure on, separated by commas, where a benchmark goes through "
            "several; its own when not given")
        ->check(CLI::Range(16, 1024));
    app.add_option("--cpu-seconds", options_.cpuSeconds,
                   "Go to larger cubes on the CPU until one run would take longer than this")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    addNumber(app, "--play-seconds", options_.playSeconds, 0.1, 3600,
              "Duration of each playback measurement, seconds");
    app.add_flag("--no-peers", noPeers_, "Don't run other installed programs");
    app.add_option("--json", json_, "Also write the figures to this file");
    overwrite_.addTo(app);
}

int BenchCommand::run() {
    options_.peers = !noPeers_;
    overwrite_.checkAll({json_}, options_.files);
    std::vector<const Benchmark*> chosen;
    for (const std::string& name : names_) {
        const auto found = std::ranges::find(benchmarks(), name, &Benchmark::name);
        if (found == benchmarks().end())
            throw UsageError(fmt::format("no benchmark '{}'; see systole bench --help", name));
        chosen.push_back(&*found);
    }
    if (names_.empty())
        for (const Benchmark& benchmark : benchmarks())
            chosen.push_back(&benchmark);

    const Machine machine = describeMachine();
    fmt::print("{}, {} hardware threads, SIMD {}\n", machine.processor, machine.cores,
               machine.simdTarget);
    CancelToken cancel;
    const InterruptWatch watch([&] { cancel.cancel(); });
    ExecResources resources(threads_);
    ExecContext ctx = resources.context();
    ctx.cancel = cancel;
    nlohmann::ordered_json record;
    record["version"] = programVersion();
    record["processor"] = machine.processor;
    record["simd"] = machine.simdTarget;
    for (const Benchmark* benchmark : chosen) {
        ctx.throwIfCancelled();
        benchmark->run(options_, ctx, record[benchmark->name]);
    }
    overwrite_.checkAll({json_}, options_.files);
    overwrite_.writeText(json_, record.dump(2) + "\n");
    return 0;
}

} // namespace

std::unique_ptr<Command> makeBenchCommand() { return std::make_unique<BenchCommand>(); }

} // namespace systole
