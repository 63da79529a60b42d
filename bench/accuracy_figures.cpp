#include "bench/accuracy_figures.h"

#include "app/base/error.h"
#include "app/features/bias/null_registration.h"
#include "bench/real_measures.h"
#include "compute/ops/jacobian.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace systole {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// The figures of a record: one row per figure, one column per seed.
struct RecordedFigure {
    const char* key;
    double MemberFigures::*figure;
};
constexpr RecordedFigure recordedFigures[] = {
    {"error", &MemberFigures::error},     {"amplitude", &MemberFigures::amplitude},
    {"noise_mm", &MemberFigures::noise},  {"folded_percent", &MemberFigures::folded},
    {"seconds", &MemberFigures::seconds},
};

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Records are kept: what is beyond the fifth digit isn't.
double rounded(double value) { return std::stod(fmt::format("{:.5g}", value)); }

} // namespace

MemberFigures memberFigures(std::uint64_t seed, const PhantomPair& pair,
                            FieldView<const float> field, const ExecContext& ctx) {
    const WallError wall = wallError(pair, field);
    return {seed, wall.mean, wall.amplitude, missing, percentThatMayFold(field, ctx), missing};
}

double motionOfNoise(const MotionProgram& program, const PhantomPair& pair,
                     const ExecContext& ctx) {
    const NoisyCopies copies(pair.fixed, noiseDeviation(usualNoiseShare, pair.scale),
                             pair.phantom.options().seed, ctx);
    const ProgramRun run = program.run({copies.fixed, copies.moving, pair.scale}, ctx);
    return run.field ? meanMillimeters(*run.field, pair.measured) : missing;
}

SeedFigures over(const std::vector<MemberFigures>& members) {
    const auto all = [&](double MemberFigures::*figure) {
        std::vector<double> values;
        for (const MemberFigures& member : members)
            values.push_back(member.*figure);
        return values;
    };
    std::vector<double> errors = all(&MemberFigures::error);
    if (errors.empty() || std::ranges::any_of(errors, [](double e) { return std::isnan(e); }))
        return {missing, missing, missing, missing, missing, missing, missing};
    std::ranges::sort(errors);
    const std::size_t n = errors.size(), tenth = (n + 9) / 10;
    return {0.5 * (errors[(n - 1) / 2] + errors[n / 2]),
            mean({errors.end() - static_cast<std::ptrdiff_t>(tenth), errors.end()}),
            mean(errors),
            mean(all(&MemberFigures::amplitude)),
            mean(all(&MemberFigures::noise)),
            mean(all(&MemberFigures::folded)),
            mean(all(&MemberFigures::seconds))};
}

Json recordOf(const std::vector<MemberFigures>& members) {
    Json record;
    for (const MemberFigures& member : members) {
        record["seeds"].push_back(member.seed);
        for (const RecordedFigure& each : recordedFigures) {
            const double value = member.*each.figure;
            record[each.key].push_back(std::isnan(value) ? Json(nullptr) : Json(rounded(value)));
        }
    }
    return record;
}

std::vector<MemberFigures> membersFrom(const Json& record) {
    std::vector<MemberFigures> members;
    try {
        for (std::size_t i = 0; i < record.at("seeds").size(); ++i) {
            MemberFigures& member = members.emplace_back();
            member.seed = record.at("seeds").at(i).get<std::uint64_t>();
            for (const RecordedFigure& each : recordedFigures) {
                if (each.figure == &MemberFigures::seconds && !record.contains(each.key))
                    continue;
                const Json& value = record.at(each.key).at(i);
                member.*each.figure = value.is_null() ? missing : value.get<double>();
            }
        }
    } catch (const nlohmann::json::exception&) {
        throw UsageError("--against: the file isn't a record of `bench accuracy`");
    }
    return members;
}

} // namespace systole
