// Accuracy on a family of phantoms whose motion is known, and on real images with labels: what
// nobody moved, every method, every program that is installed.
#include "bench/accuracy_comparison.h"
#include "bench/accuracy_figures.h"
#ifdef SYSTOLE_VIEWER
#include "bench/accuracy_page.h"
#endif
#include "app/base/given_parameters.h"
#include "bench/benchmarks.h"
#include "bench/chosen_cases.h"
#include "bench/device_bench.h"
#include "bench/figure_table.h"
#include "bench/real_tables.h"
#include "compute/core/motion_start.h"
#include "compute/motion/methods.h"
#include "io/phantom/family.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <functional>

namespace systole {
namespace {

/// A look of the family, or a real case.
struct AccuracyCase {
    std::string name;
    const PhantomLookRow* look = nullptr; ///< null: a real case
};

std::vector<AccuracyCase> accuracyCases() {
    std::vector<AccuracyCase> cases;
    for (const PhantomLookRow& look : phantomLooks())
        cases.push_back({look.name, &look});
    for (const RealCase& real : realCases())
        if (!real.structures.empty())
            cases.push_back({real.name});
    return cases;
}

/// Our methods on the CPU and, if there is one, on the device; then the others.
std::vector<MotionProgram> programsOf(const BenchOptions& options, BenchDevice* device) {
    std::vector<MotionProgram> programs;
    if (options.onlyMethod) {
        const MotionMethod& method = motionMethod(options.method);
        programs.push_back(methodProgram(fmt::format("Systole {}", method.name), method,
                                         givenParameters(*method.parameters, options.set)));
    } else {
        programs = motionPrograms(options.method, options.peers);
    }
    std::vector<MotionProgram> all;
    for (const MotionProgram& program : programs) {
        all.push_back(program);
        if (device && !program.isPeer)
            all.push_back({program.name + ", CUDA", false, true,
                           [program, device](const ImagePair& pair, const ExecContext& ctx) {
                               return program.run(pair, contextOn(*device, ctx));
                           }});
    }
    return all;
}

/// Draws a program's field on a member of a look; empty: nothing is drawn.
using Draw = std::function<void(const std::string& look, const std::string& program,
                                const PhantomPair& pair, FieldView<const float> field)>;

/// Every program on the members of a look.
class LookFigures {
public:
    LookFigures(const PhantomLookRow& look, const std::vector<MotionProgram>& programs,
                const Draw& draw)
        : look_(look), programs_(programs), members_(programs.size() + 1), draw_(draw) {}

    void measure(const BenchOptions& options, const ExecContext& ctx) {
        for (int n = 0; n < options.seeds; ++n) {
            const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(n);
            const PhantomPair pair(
                {look_.name, look_.title, familyMember(look_.name, options.size, seed)}, ctx);
            const VectorField none = fieldAtRest(pair.fixed.geometry, *ctx.pool, noMotionName);
            members_.front().push_back(memberFigures(seed, pair, none.view(), ctx));
            members_.front().back().noise = members_.front().back().seconds = 0;
            for (std::size_t p = 0; p < programs_.size(); ++p)
                if (programs_[p].installed && (!programs_[p].isPeer || n < options.peerSeeds))
                    members_[p + 1].push_back(run(programs_[p], seed, pair, ctx));
        }
    }
    void print(int seeds) const {
        std::vector<FigureRow> rows;
        for (std::size_t p = 0; p < members_.size(); ++p) {
            rows.push_back({nameOf(p), {}});
            if (p > 0 && !programs_[p - 1].installed) {
                rows.back().instead = "not installed";
                continue;
            }
            const SeedFigures f = over(members_[p]);
            rows.back().figures = {f.median, f.worst,  f.mean,   p > 0 ? f.amplitude : NAN,
                                   f.noise,  f.folded, f.seconds};
        }
        printFigures(
            fmt::format("{}: {} seeds", look_.title, seeds),
            {"median", "worst tenth", "mean", "amplitude", "noise, mm", "folded, %", "seconds"},
            rows, 3);
        std::fflush(stdout);
    }
    Json record() const {
        Json record;
        for (std::size_t p = 0; p < members_.size(); ++p)
            if (!members_[p].empty())
                record[nameOf(p)] = recordOf(members_[p]);
        return record;
    }

private:
    std::string nameOf(std::size_t p) const {
        return p == 0 ? noMotionName : programs_[p - 1].name;
    }
    MemberFigures run(const MotionProgram& program, std::uint64_t seed, const PhantomPair& pair,
                      const ExecContext& ctx) {
        ctx.throwIfCancelled();
        const ProgramRun found = program.run({pair.fixed, pair.moving, pair.scale}, ctx);
        MemberFigures figures;
        figures.seed = seed;
        if (found.field) {
            figures = memberFigures(seed, pair, found.field->view(), ctx);
            if (draw_)
                draw_(look_.title, program.name, pair, found.field->view());
            figures.noise = motionOfNoise(program, pair, ctx);
        }
        figures.seconds = found.seconds;
        return figures;
    }

    const PhantomLookRow& look_;
    const std::vector<MotionProgram>& programs_;
    std::vector<std::vector<MemberFigures>> members_; ///< first those of no motion
    const Draw& draw_;
};

void measureReal(const BenchOptions& options, const std::vector<AccuracyCase>& cases,
                 const std::vector<MotionProgram>& programs, const ExecContext& ctx, Json& record) {
    RealTables tables;
    for (const AccuracyCase& each : cases) {
        if (each.look)
            continue;
        const RealCase which = chosenCases(realCases(), {each.name}).front();
        if (const std::string missing = missingFile(options.dataFolder, which); !missing.empty()) {
            if (!options.dataFolder.empty())
                fmt::print("  {:<10} skipped, {} isn't there\n", which.name, missing);
            record["skipped"][which.name] = missing;
            continue;
        }
        measureRealPair(tables, options.dataFolder, which, programs, ctx);
    }
    tables.print();
    record["real"] = tables.record();
}

} // namespace

void benchAccuracy(const BenchOptions& options, const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    const std::vector<AccuracyCase> cases = chosenCases(accuracyCases(), options.cases);
    const auto device = openBenchDevice("accuracy", motionMethod(options.method), record);
    const std::vector<MotionProgram> programs = programsOf(options, device.get());
    fmt::print("accuracy: the family of phantoms, {0}×{0}×{0}, seeds from {1} on, {2} "
               "threads. Endpoint error in the wall, smallest spacings: median, mean of the worst "
               "tenth, and mean over the seeds; slope of the estimated on the true motion; mean "
               "motion there that noise alone makes, voxels that fold, seconds. Other programs on "
               "{3} seeds\n",
               options.size, options.seed, ctx.threads->threads(), options.peerSeeds);
    record["side"] = options.size;
    record["threads"] = ctx.threads->threads();
    record["set"] = options.set;
    Draw draw;
#ifdef SYSTOLE_VIEWER
    AccuracyPage page;
    if (options.takePage)
        draw = [&](const auto&... drawn) { page.add(drawn...); };
#endif
    for (const AccuracyCase& each : cases)
        if (each.look) {
            LookFigures look(*each.look, programs, draw);
            look.measure(options, ctx);
            look.print(options.seeds);
            record["family"][each.name] = look.record();
        }
    measureReal(options, cases, programs, ctx, record);
#ifdef SYSTOLE_VIEWER
    if (options.takePage)
        options.takePage(page.html());
#endif
    if (!options.before.is_null())
        record["worse"] = worseThanBefore(record, options.before, allowedLoss);
}

} // namespace systole
