#include "app/commands/bench.h"

#include "app/commands/interrupt.h"
#include "app/error.h"
#include "app/version.h"
#include "compute/core/machine.h"
#include "compute/motion/methods.h"
#include "io/writer.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace systole {

void BenchCommand::addOptions(CLI::App& app) {
    std::string list;
    for (const Benchmark& benchmark : benchmarks())
        list += fmt::format("\n{}: {}", benchmark.name, benchmark.summary);
    app.add_option("name", names_, "Benchmarks to run; default: all:" + list);
    app.add_option("--size", options_.size, "Voxels along each side of the phantom")
        ->check(CLI::Range(32, 512))
        ->capture_default_str();
    options_.method = motionMethods().front().name;
    app.add_option("--method", options_.method,
                   "Motion method that motion, pairs, floors and parity measure")
        ->check(CLI::IsMember(motionMethodNames()))
        ->capture_default_str();
    app.add_option(
           "--repeat", options_.repeats,
           "Number of runs; timings are medians. The tables of motion and real run each program "
           "once per pair")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seed", options_.seed, "Seed of the phantom's scatterers and noise")
        ->capture_default_str();
    app.add_option("--seeds", options_.seeds,
                   "motion: number of phantoms per case, with the seeds from --seed on")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--peer-seeds", options_.peerSeeds,
                   "motion: of these phantoms, the number that other programs get")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option(
           "--cases", options_.cases,
           "motion, real, registration, weights, bias: only these cases, separated by commas; a "
           "wrong name lists all")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--data", options_.dataFolder,
                   "real, registration: the folder of real images; cases whose files are missing "
                   "are skipped")
        ->check(CLI::ExistingDirectory);
    app.add_option("--threads", threads_, "Number of threads; 0: all hardware threads")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    app.add_option("--file", options_.files,
                   "An additional sequence, for benchmarks that support it; repeatable");
    app.add_option("--sides", options_.sides,
                   "Sides of the cubes to measure on, separated by commas, where a benchmark goes "
                   "through several; its own when not given")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(16, 1024));
    app.add_option("--cpu-seconds", options_.cpuSeconds,
                   "Go to larger cubes on the CPU until one run would take longer than this")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--play-seconds", options_.playSeconds,
                   "Duration of each playback measurement, seconds")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    app.add_flag("--no-peers", noPeers_, "Don't run other installed programs");
    app.add_option("--json", json_, "Also write the figures to this file");
    overwrite_.addTo(app);
}

int BenchCommand::run() {
    options_.peers = !noPeers_;
    overwrite_.check(json_, options_.files);
    std::vector<const Benchmark*> chosen;
    for (const std::string& name : names_) {
        const auto found = std::find_if(benchmarks().begin(), benchmarks().end(),
                                        [&](const Benchmark& b) { return b.name == name; });
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
    const InterruptWatch watch([&] { cancel.cancel(); }, [] {});
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
    overwrite_.check(json_, options_.files);
    if (!json_.empty())
        writeTextAtomically(json_, record.dump(2) + "\n");
    return 0;
}

} // namespace systole
