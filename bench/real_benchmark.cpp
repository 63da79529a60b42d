#include "bench/benchmarks.h"
#include "bench/chosen_cases.h"
#include "bench/programs.h"
#include "bench/real_cases.h"
#include "bench/real_measures.h"
#include "bench/real_tables.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace systole {
namespace {

void runCycle(RealTables& tables, const std::string& folder, const RealCase& which,
              const std::vector<MotionProgram>& programs, const ExecContext& ctx) {
    const std::vector<Volume> frames = readFrames(folder, which, ctx);
    for (const MotionProgram& program : programs) {
        if (!program.installed)
            continue;
        const CycleMeasures measures = measureCycle(frames, program, ctx);
        if (measures.failed) {
            fmt::print("  {}: {} failed\n", which.name, program.name);
            continue;
        }
        tables.set(RealTables::seconds, program.name, which.name, measures.seconds);
        tables.set("drift after one cycle, mm", program.name, which.name, measures.drift);
        tables.set("largest mean motion since the first frame, mm", program.name, which.name,
                   measures.largest);
    }
}

} // namespace

void benchReal(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    if (options.dataFolder.empty()) {
        fmt::print("real: skipped, --data gives no folder\n");
        record["skipped"] = "no --data";
        return;
    }
    const std::vector<RealCase> cases = chosenCases(realCases(), options.cases);
    const std::vector<MotionProgram> programs = motionPrograms(options.method, options.peers);
    fmt::print("real: default presets, {} threads; gray values mapped to 0–255\n",
               ctx.threads->threads());
    record["threads"] = ctx.threads->threads();
    for (const MotionProgram& program : programs)
        if (!program.installed)
            fmt::print("  {}: not installed\n", program.name);
    RealTables tables;
    for (const RealCase& which : cases) {
        const std::string missing = missingFile(options.dataFolder, which);
        if (!missing.empty()) {
            fmt::print("  {:<10} skipped, {} isn't there\n", which.name, missing);
            record["skipped"][which.name] = missing;
            continue;
        }
        fmt::print("  {:<10} {}\n", which.name, which.title);
        std::fflush(stdout);
        (which.isCycle() ? runCycle : measureRealPair)(tables, options.dataFolder, which, programs,
                                                       ctx);
    }
    tables.print();
    record["cases"] = tables.record();
}

} // namespace systole
