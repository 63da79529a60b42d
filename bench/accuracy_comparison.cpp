#include "bench/accuracy_comparison.h"

#include "app/base/error.h"
#include "bench/accuracy_figures.h"
#include "bench/real_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// A figure of a program on a look that is compared with the earlier record.
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
        if (std::isnan(now) || now < before - tolerance_)
            worse_.push_back(sentence(title, "Dice", before, now));
        ++compared_;
    }
    void addUnmeasured(std::string title) { unmeasured_.push_back(std::move(title)); }
    /// Prints and returns the sentences on figures that got worse, after those not measured.
    std::vector<std::string> finish() {
        if (!unmeasured_.empty())
            fmt::print("  in the record, but not measured: {}\n", fmt::join(unmeasured_, "; "));
        for (const std::string& each : worse_)
            fmt::print("  worse by more than {:g} %: {}\n", 100 * tolerance_, each);
        if (compared_ == 0)
            worse_.emplace_back("the record has no case, seed and program of this run");
        return std::move(worse_);
    }

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
    std::vector<std::string> worse_, unmeasured_;
};

/// The members whose seeds `others` have, too.
std::vector<MemberFigures> common(std::vector<MemberFigures> members,
                                  const std::vector<MemberFigures>& others) {
    std::erase_if(members, [&](const MemberFigures& member) {
        return std::ranges::find(others, member.seed, &MemberFigures::seed) == others.end();
    });
    return members;
}

const Json& partOf(const Json& record, const char* key) {
    static const Json none = Json::object();
    return record.is_object() && record.contains(key) && record[key].is_object() ? record[key]
                                                                                 : none;
}

/// Calls compare(title, figures now, figures before) for every group and program of the earlier
/// part of that name; what this run hasn't is named.
void forEachProgram(const Json& now, const Json& before, const char* part, Comparison& comparison,
                    const auto& compare) {
    for (const auto& [group, programs] : partOf(before, part).items())
        for (const auto& [program, earlier] : programs.items()) {
            const std::string title = fmt::format("{}, {}", group, program);
            const Json& here = partOf(partOf(now, part), group.c_str());
            if (program == noMotionName)
                continue;
            if (here.contains(program))
                compare(title, here[program], earlier);
            else
                comparison.addUnmeasured(title);
        }
}

void compareMembers(const std::string& title, const Json& now, const Json& before,
                    Comparison& comparison) {
    std::vector<MemberFigures> there = membersFrom(before);
    std::erase_if(there, [](const MemberFigures& member) { return std::isnan(member.error); });
    const std::vector<MemberFigures> here = common(membersFrom(now), there);
    if (here.empty())
        comparison.addUnmeasured(title);
    else
        comparison.addSeeds(title, over(here), over(common(there, here)));
}

double diceOf(const Json& figures) {
    const Json& dice = figures.is_object() ? figures.value(RealTables::dice, Json()) : Json();
    return dice.is_number() ? dice.get<double>() : NAN;
}

} // namespace

void checkRecord(const Json& record, int side) {
    if (!record.is_object() || !record.contains("side"))
        throw UsageError("--against: the file isn't a record of `bench accuracy`");
    if (record["side"] != side)
        throw UsageError(fmt::format("--against: the record is of phantoms of side {}, not {}",
                                     record["side"].dump(), side));
    for (const auto& [look, programs] : partOf(record, "family").items())
        for (const auto& [program, members] : programs.items())
            membersFrom(members);
}

std::vector<std::string> worseThanBefore(const Json& now, const Json& before, double tolerance) {
    fmt::print("\n  against the record: figures now over before; amplitude before, now\n  {:<34}",
               "");
    for (const ComparedFigure& each : comparedFigures)
        fmt::print(" {:>11}", each.name);
    fmt::print(" {:>11}\n", "amplitude");
    Comparison comparison(tolerance);
    forEachProgram(now, before, "family", comparison,
                   [&](const auto&... found) { compareMembers(found..., comparison); });
    forEachProgram(now, before, "real", comparison,
                   [&](const std::string& title, const Json& a, const Json& b) {
                       if (!std::isnan(diceOf(b)))
                           comparison.addDice(title, diceOf(a), diceOf(b));
                   });
    return comparison.finish();
}

} // namespace systole
