#include "bench/goals.h"

#include "app/base/error.h"
#include "bench/benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace systole {
namespace {

/// The parts of a pointer, with their escapes resolved.
std::vector<std::string> partsOf(const std::string& pointer) {
    std::vector<std::string> parts;
    for (std::size_t begin = 1; begin <= pointer.size();) {
        const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
        std::string part = pointer.substr(begin, end - begin);
        for (const auto& [escape, character] : {std::pair("~1", "/"), std::pair("~0", "~")})
            for (std::size_t at = 0; (at = part.find(escape, at)) != std::string::npos; ++at)
                part.replace(at, 2, character);
        parts.push_back(part);
        begin = end + 1;
    }
    return parts;
}

/// All that a pointer with * leads to.
std::vector<const Json*> foundAt(const Json& record, const std::string& pointer) {
    std::vector<const Json*> found{&record};
    for (const std::string& part : partsOf(pointer)) {
        std::vector<const Json*> below;
        for (const Json* each : found) {
            if (!each->is_object())
                continue;
            for (const auto& [key, value] : each->items())
                if (part == "*" || part == key)
                    below.push_back(&value);
        }
        found = below;
    }
    return found;
}

std::optional<double> summaryOf(const Json& value, const FigurePlace& place) {
    std::vector<double> numbers;
    for (const Json& each : value.is_array() ? value : Json::array({value}))
        if (each.is_number())
            numbers.push_back(each.get<double>());
    const std::size_t n = numbers.size();
    if (n == 0 || (value.is_array() && (n < value.size() || n < place.count)))
        return {};
    switch (place.summary) {
    case Summary::Median:
        std::ranges::sort(numbers);
        return 0.5 * (numbers[(n - 1) / 2] + numbers[n / 2]);
    case Summary::Largest:
        for (double& number : numbers)
            number = std::abs(number);
        return std::ranges::max(numbers);
    default:
        double sum = 0;
        for (const double number : numbers)
            sum += number;
        return sum / static_cast<double>(n);
    }
}

std::string textOf(const Json& record, const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool hasValue(const Json& record, const std::string& where) {
    const std::size_t sign = where.rfind('=');
    if (sign == std::string::npos)
        return true;
    const std::string wanted = where.substr(sign + 1);
    return std::ranges::any_of(foundAt(record, where.substr(0, sign)), [&](const Json* value) {
        return value->is_string() ? value->get<std::string>() == wanted : value->dump() == wanted;
    });
}

/// True if the benchmark ran with other parameters than the defaults.
bool hasOtherParameters(const Json& record, const std::string& benchmark) {
    return std::ranges::any_of(foundAt(record, "/" + benchmark + "/set"),
                               [](const Json* set) { return !set->empty(); });
}

std::string benchmarkOf(const Goal& goal) { return partsOf(goal.place.at.front()).front(); }

MeasuredRun runOf(const Json& record, const std::string& benchmark) {
    MeasuredRun run{textOf(record, "date").substr(0, 10), textOf(record, "machine"),
                    textOf(record, "command"), textOf(record, "note")};
    if (run.machine.empty())
        run.machine = textOf(record, "processor");
    if (const auto of = record.find(benchmark); of != record.end() && of->is_object())
        if (const std::string device = textOf(*of, "device"); !device.empty())
            run.machine = run.machine.empty() ? device : device + ", " + run.machine;
    return run;
}

/// The records one by one.
std::vector<Json> flattened(const std::vector<NamedRecord>& records) {
    std::vector<Json> all;
    for (const auto& [name, record] : records) {
        const Json list = record.is_object() ? record.value("records", Json::array({record}))
                                             : Json::array({record});
        for (const Json& each : list) {
            if (!each.is_object())
                throw UsageError(fmt::format("{} isn't a record of `systole bench --json`", name));
            all.push_back(each);
        }
    }
    return all;
}

/// A whole number, or three digits that count.
std::string numberText(double value) {
    if (value == std::round(value))
        return fmt::format("{:.0f}", value);
    const int digits = 2 - static_cast<int>(std::floor(std::log10(std::abs(value))));
    return fmt::format("{:.{}f}", value, std::max(0, digits));
}

std::string barText(const Goal& goal) {
    return fmt::format("{} {:g}{}{}", goal.bound == Bound::AtMost ? "≤" : "≥", goal.bar,
                       goal.unit.empty() ? "" : " ", goal.unit);
}

std::string rowOf(const Goal& goal, const std::optional<GoalStanding>& standing,
                  std::vector<MeasuredRun>& runs) {
    if (!standing)
        return fmt::format("|{}|{}|not measured in a record (`{}`)|–|–|–|\n", goal.sentence,
                           barText(goal), goal.command);
    auto run = std::ranges::find(runs, standing->run);
    if (run == runs.end())
        run = runs.insert(runs.end(), standing->run);
    return fmt::format("|{}|{}|{}|{}|{}|{}|\n", goal.sentence, barText(goal),
                       numberText(standing->figure),
                       goal.bar == 0 ? "–" : fmt::format("{:.2f}", standing->figure / goal.bar),
                       standing->isMet() ? "yes" : "**no**", run - runs.begin() + 1);
}

std::string orDash(const std::string& text) { return text.empty() ? "–" : text; }

/// "43 goals are met, 12 aren't, 2 are not measured in a record".
std::string countsOf(const std::vector<std::optional<GoalStanding>>& standings) {
    std::size_t met = 0, measured = 0;
    for (const std::optional<GoalStanding>& each : standings) {
        measured += each.has_value() ? 1 : 0;
        met += each && each->isMet() ? 1 : 0;
    }
    return fmt::format("{} goals are met, {} aren't, {} are not measured in a record", met,
                       measured - met, standings.size() - measured);
}

} // namespace

bool GoalStanding::isMet() const {
    return goal->bound == Bound::AtMost ? figure <= goal->bar : figure >= goal->bar;
}

std::optional<double> figureOf(const Goal& goal, const Json& record) {
    const FigurePlace& place = goal.place;
    if (!hasValue(record, place.where) || hasOtherParameters(record, benchmarkOf(goal)))
        return {};
    std::optional<double> worst;
    for (std::size_t i = 0; i < place.at.size(); ++i) {
        const std::vector<const Json*> found = foundAt(record, place.at[i]);
        const std::vector<const Json*> below =
            place.over.empty() ? std::vector<const Json*>() : foundAt(record, place.over[i]);
        if (!place.over.empty() && below.size() != found.size())
            continue;
        for (std::size_t k = 0; k < found.size(); ++k) {
            std::optional<double> figure = summaryOf(*found[k], place);
            if (figure && !below.empty()) {
                const std::optional<double> divisor = summaryOf(*below[k], place);
                figure = divisor ? std::optional(*figure / *divisor) : std::nullopt;
            }
            if (!figure)
                continue;
            const double value = place.factor * *figure;
            worst = !worst                        ? value
                    : goal.bound == Bound::AtMost ? std::max(*worst, value)
                                                  : std::min(*worst, value);
        }
    }
    return worst;
}

std::vector<std::optional<GoalStanding>> standingsOf(const std::vector<Goal>& all,
                                                     const std::vector<NamedRecord>& records) {
    const std::vector<Json> flat = flattened(records);
    std::vector<std::optional<GoalStanding>> standings(all.size());
    for (std::size_t g = 0; g < all.size(); ++g)
        for (const Json& record : flat) {
            const std::optional<double> figure = figureOf(all[g], record);
            MeasuredRun run = runOf(record, benchmarkOf(all[g]));
            if (figure && run.machine.find(all[g].machine) != std::string::npos &&
                (!standings[g] || run.date >= standings[g]->run.date))
                standings[g] = GoalStanding{&all[g], *figure, std::move(run)};
        }
    return standings;
}

std::string resultsPage(const std::vector<Goal>& all,
                        const std::vector<std::optional<GoalStanding>>& standings) {
    std::string page =
        fmt::format("# Results\n\nThe goals of this program, and where they stand: {}.\n"
                    "Made by `systole bench goals` from records of runs; don't edit it "
                    "([how it is measured](measuring.md)).\n"
                    "*Ratio* is the figure over the bar. The last column is the number of the run "
                    "[below](#runs).\nOf several looks, sequences, sizes of tiles, or live views "
                    "with and without "
                    "surfaces, the figure that is farthest from the goal counts.\n",
                    countsOf(standings));
    std::vector<MeasuredRun> runs;
    for (std::size_t g = 0; g < all.size(); ++g) {
        if (g == 0 || all[g].group != all[g - 1].group)
            page += fmt::format("\n## {}\n\n|goal|bar|figure|ratio|met|run|\n"
                                "|---|---|---|---|---|---|\n",
                                all[g].group);
        page += rowOf(all[g], standings[g], runs);
    }
    page += "\n## Runs\n\n|run|date|machine|command|\n|---|---|---|---|\n";
    for (std::size_t r = 0; r < runs.size(); ++r)
        page += fmt::format("|{}|{}|{}|`{}`{}{}|\n", r + 1, orDash(runs[r].date),
                            orDash(runs[r].machine), orDash(runs[r].command),
                            runs[r].note.empty() ? "" : "; ", runs[r].note);
    return page;
}

void benchGoals(const BenchOptions& options, const ExecContext&, Json& record) {
    if (options.records.empty())
        throw UsageError("goals: name the records, files that `systole bench --json` has written");
    const std::vector<std::optional<GoalStanding>> standings =
        standingsOf(goals(), options.records);
    for (std::size_t g = 0; g < goals().size(); ++g) {
        const Goal& goal = goals()[g];
        const std::optional<GoalStanding>& standing = standings[g];
        fmt::print("  {:<28} {:>16}  {:>8}  {}\n", goal.id, barText(goal),
                   standing ? numberText(standing->figure) : "–",
                   !standing           ? "not measured in a record"
                   : standing->isMet() ? "met"
                                       : "not met");
        record[goal.id] = {{"bar", goal.bar},
                           {"figure", standing ? Json(standing->figure) : Json(nullptr)},
                           {"met", standing ? Json(standing->isMet()) : Json(nullptr)}};
    }
    fmt::print("  {}\n", countsOf(standings));
    if (options.takePage)
        options.takePage(resultsPage(goals(), standings));
}

} // namespace systole
