// The goals of the program, and where they stand by the records that runs of benchmarks have left:
// the page docs/results.md.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// A record by its name for messages: what `systole bench --json` wrote, or {"records": [...]} of
/// such, each perhaps with "date" (ISO 8601), "machine", "command" and "note" of its own.
using NamedRecord = std::pair<std::string, nlohmann::ordered_json>;

enum class Summary {
    Mean,
    Median,
    Largest ///< magnitude
};
enum class Bound { AtMost, AtLeast };

/// The place of a goal's figure in a record.
struct FigurePlace {
    /// Pointers (RFC 6901) to numbers, or to lists of one number a heart or run, of which the
    /// summary is taken; a part of a pointer that is * means every key. Of several places the
    /// figure that is farthest from the goal counts.
    std::vector<std::string> at;
    Summary summary = Summary::Mean;
    double factor = 1; ///< the goal's unit per unit of the record
    /// The figure of each of `at` is divided by that of the same place here. Empty: it isn't.
    std::vector<std::string> over = {};
    /// POINTER=VALUE: only records that have this value there. Empty: all.
    std::string where = {};
    std::size_t count = 0; ///< a list needs as many numbers
};

struct Goal {
    std::string id;
    std::string group;
    std::string sentence;
    std::string command; ///< command that measures it
    FigurePlace place;
    std::string unit = {}; ///< empty: a ratio or a count
    Bound bound = Bound::AtMost;
    double bar = 0;
    std::string machine = {}; ///< part of the machine's name that the bar is for; empty: any
};

/// Ordered by group.
const std::vector<Goal>& goals();

/// A run that a record describes.
struct MeasuredRun {
    std::string date, machine, command, note; ///< empty: the record doesn't say
    friend bool operator==(const MeasuredRun&, const MeasuredRun&) = default;
};

struct GoalStanding {
    const Goal* goal = nullptr;
    double figure = 0;
    MeasuredRun run;

    bool isMet() const;
};

/// The figure of a goal in one record; empty if it isn't there.
std::optional<double> figureOf(const Goal& goal, const nlohmann::ordered_json& record);

/// The standing of every goal, in the same order, from the record with the latest date that has its
/// figure, the later in the list of two with the same date; empty if none has. Throws UsageError
/// for a record that is no object.
std::vector<std::optional<GoalStanding>> standingsOf(const std::vector<Goal>& all,
                                                     const std::vector<NamedRecord>& records);

/// The page in Markdown: a table a group, and the runs that the figures are of.
std::string resultsPage(const std::vector<Goal>& all,
                        const std::vector<std::optional<GoalStanding>>& standings);

} // namespace systole
