#include "app/bench/accuracy_comparison.h"

#include "app/bench/accuracy_figures.h"
#include "app/bench/real_tables.h"
#include "app/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// What is compared of a program on a look.
struct ComparedFigure {
    const char* name;
    double SeedFigures::*figure;
    double rounding; ///< a growth that counts for nothing; negative: the figure is never judged
};
constexpr ComparedFigure comparedFigures[] = {
    {"median", &SeedFigures::median, 0.002},   {"worst tenth", &SeedFigures::worst, 0.002},
    {"mean", &SeedFigures::mean, 0.002},       {"noise, mm", &SeedFigures::noise, 0.002},
    {"folded, %", &SeedFigures::folded, 0.01}, {"seconds", &SeedFigures::seconds, -1},
};

class Comparison {
public:
    explicit Comparison(double tolerance) : tolerance_(tolerance) {}

    void addSeeds(const std::string& title, SeedFigures now, SeedFigures before) {
        std::string line;
        for (const ComparedFigure& each : comparedFigures) {
            const double a = now.*each.figure, b = before.*each.figure;
            line += ratioText(a, b);
            const bool lost = std::isnan(a) && !std::isnan(b);
            if (each.rounding >= 0 && (lost || (a > b * (1 + tolerance_) && a - b > each.rounding)))
                worse_.push_back(sentence(title, each.name, b, a));
        }
        if (std::abs(now.amplitude - 1) > std::abs(before.amplitude - 1) + tolerance_)
            worse_.push_back(sentence(title, "amplitude", before.amplitude, now.amplitude));
        fmt::print("  {:<34}{} {:>11}\n", title, line,
                   fmt::format("{:.3f}, {:.3f}", before.amplitude, now.amplitude));
        ++compared_;
    }
    void addDice(const std::string& title, double now, double before) {
        fmt::print("  {:<34} Dice {:.3f}, {:.3f}\n", title, before, now);
        if (now < before - tolerance_)
            worse_.push_back(sentence(title, "Dice", before, now));
        ++compared_;
    }
    int compared() const { return compared_; }
    std::vector<std::string> worse() { return std::move(worse_); }

private:
    static std::string ratioText(double now, double before) {
        const double ratio = now / before;
        return fmt::format(" {:>11}", std::isfinite(ratio) ? fmt::format("{:.3f}×", ratio) : "–");
    }
    static std::string sentence(const std::string& title, const char* figure, double before,
                                double now) {
        return fmt::format("{}: {} {:.4g}, before {:.4g}", title, figure, now, before);
    }

    double tolerance_;
    int compared_ = 0;
    std::vector<std::string> worse_;
};

/// Those of the seeds that the others have as well.
std::vector<MemberFigures> common(const std::vector<MemberFigures>& members,
                                  const std::vector<MemberFigures>& others) {
    std::vector<MemberFigures> both;
    for (const MemberFigures& member : members)
        if (std::ranges::find(others, member.seed, &MemberFigures::seed) != others.end())
            both.push_back(member);
    return both;
}

const Json& partOf(const Json& record, const char* key) {
    static const Json none = Json::object();
    return record.is_object() && record.contains(key) && record[key].is_object() ? record[key]
                                                                                 : none;
}

void compareFamily(const Json& now, const Json& before, Comparison& comparison) {
    for (const auto& [look, programs] : partOf(now, "family").items())
        for (const auto& [program, record] : programs.items()) {
            const Json& earlier = partOf(partOf(before, "family"), look.c_str());
            if (!earlier.contains(program) || program == noMotionName)
                continue;
            const std::vector<MemberFigures> here = membersFrom(record),
                                             there = membersFrom(earlier[program]);
            const std::vector<MemberFigures> first = common(here, there),
                                             second = common(there, here);
            if (!first.empty())
                comparison.addSeeds(fmt::format("{}, {}", look, program), over(first),
                                    over(second));
        }
}

void compareReal(const Json& now, const Json& before, Comparison& comparison) {
    const auto diceOf = [](const Json& figures) {
        return figures.is_object() && figures.contains(RealTables::dice) &&
                       figures[RealTables::dice].is_number()
                   ? figures[RealTables::dice].get<double>()
                   : NAN;
    };
    for (const auto& [column, programs] : partOf(now, "real").items())
        for (const auto& [program, figures] : programs.items()) {
            const Json& earlier = partOf(partOf(before, "real"), column.c_str());
            const double a = diceOf(figures),
                         b = earlier.contains(program) ? diceOf(earlier[program]) : NAN;
            if (!std::isnan(a) && !std::isnan(b) && program != noMotionName)
                comparison.addDice(fmt::format("{}, {}", column, program), a, b);
        }
}

} // namespace

std::vector<std::string> worseThanBefore(const Json& now, const Json& before, double tolerance) {
    if (!before.is_object() || !before.contains("side"))
        throw UsageError("--against: the file isn't a record of `bench accuracy`");
    if (before["side"] != now["side"])
        throw UsageError(fmt::format("--against: the record is of phantoms of side {}, not {}",
                                     before["side"].dump(), now["side"].dump()));
    fmt::print("\n  against the record: figures now over before; amplitude before, now\n  {:<34}",
               "");
    for (const ComparedFigure& each : comparedFigures)
        fmt::print(" {:>11}", each.name);
    fmt::print(" {:>11}\n", "amplitude");
    Comparison comparison(tolerance);
    compareFamily(now, before, comparison);
    compareReal(now, before, comparison);
    if (comparison.compared() == 0)
        throw UsageError("--against: the record has no case, seed and program of this run");
    std::vector<std::string> worse = comparison.worse();
    for (const std::string& each : worse)
        fmt::print("  worse by more than {:g} %: {}\n", 100 * tolerance, each);
    return worse;
}

} // namespace systole
