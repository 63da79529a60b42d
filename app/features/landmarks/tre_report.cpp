#include "app/features/landmarks/tre_report.h"

#include "app/base/error.h"
#include "app/cli/record_parts.h"
#include "io/base/text.h"
#include "io/formats/writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace systole {
namespace {

bool allNamed(const LandmarkSet& set) {
    return std::ranges::none_of(set.points, [](const Landmark& p) { return p.name.empty(); });
}

std::map<std::string, Vec3> byName(const LandmarkSet& set) {
    std::map<std::string, Vec3> points;
    for (const Landmark& p : set.points)
        points.emplace(p.name, p.position);
    return points;
}

/// The measures of a case that are there, in their order.
struct Measure {
    const char* id;
    const char* title;
    const PointErrors* errors;
};
std::vector<Measure> measuresOf(const CaseErrors& errors) {
    std::vector<Measure> measures{{"before", "before", &errors.initial}};
    if (errors.after)
        measures.push_back({"after", "after", &*errors.after});
    if (errors.snapped)
        measures.push_back({"after_snapped", "after, at voxels", &*errors.snapped});
    return measures;
}

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{:.2f}", value) : "–";
}

/// "3.89 (2.78)", right-aligned; the dash of nothing is one column wide.
std::string meanText(const ErrorFigures& f) {
    return f.count == 0 ? "–" : fmt::format("{:.2f} ({:.2f})", f.mean, f.deviation);
}

/// Name of the point with the largest error.
std::string largestPoint(const CaseErrors& errors, const PointErrors& of, const ErrorFigures& f) {
    std::size_t there = 0;
    for (std::size_t i = 0; i < of.size(); ++i)
        if (of[i] && there++ == f.largestAt)
            return errors.points[i];
    return {};
}

Json figuresOf(const CaseErrors& errors, const Measure& measure) {
    const ErrorFigures f = errorFigures(known(*measure.errors));
    Json points = Json::array();
    for (const std::optional<double>& error : *measure.errors)
        points.push_back(error ? Json(*error) : Json(nullptr));
    return {{"points", f.count},
            {"mean_mm", numberOrNull(f.mean)},
            {"sd_mm", numberOrNull(f.deviation)},
            {"quartile_mm", numberOrNull(f.quartile)},
            {"median_mm", numberOrNull(f.median)},
            {"upper_quartile_mm", numberOrNull(f.upperQuartile)},
            {"percentile_95_mm", numberOrNull(f.percentile95)},
            {"largest_mm", numberOrNull(f.largest)},
            {"largest_point", largestPoint(errors, *measure.errors, f)},
            {"errors_mm", std::move(points)}};
}

std::string jsonOf(const std::vector<CaseErrors>& cases, const std::vector<std::string>& skipped) {
    Json list = Json::array();
    for (const CaseErrors& errors : cases) {
        Json json{{"name", errors.name},
                  {"fixed", errors.fixedFile},
                  {"moving", errors.movingFile},
                  {"motion", errors.motion.empty() ? Json(nullptr) : Json(errors.motion)},
                  {"pairs", errors.points.size()},
                  {"outside", pointsOutside(errors)},
                  {"names", errors.points}};
        for (const Measure& measure : measuresOf(errors))
            json[measure.id] = figuresOf(errors, measure);
        if (errors.seconds > 0)
            json["registration_seconds"] = errors.seconds;
        json["notes"] = errors.notes;
        list.push_back(std::move(json));
    }
    const Json record{{"program", programOf()},      {"date", timeNow()},
                      {"frame_of_reference", "LPS"}, {"units", "mm"},
                      {"cases", std::move(list)},    {"skipped", skipped}};
    return record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos)
        return text;
    std::string field;
    for (const char c : text)
        field += c == '"' ? "\"\"" : std::string(1, c);
    return "\"" + field + "\"";
}

std::string csvOf(const std::vector<CaseErrors>& cases) {
    std::string text = "case,measure,points,outside,mean_mm,sd_mm,quartile_mm,median_mm,"
                       "upper_quartile_mm,percentile_95_mm,largest_mm,largest_point\n";
    const auto cell = [](double value) {
        return std::isfinite(value) ? fmt::format("{:.9g}", value) : std::string();
    };
    for (const CaseErrors& errors : cases)
        for (const Measure& measure : measuresOf(errors)) {
            const ErrorFigures f = errorFigures(known(*measure.errors));
            text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(errors.name),
                                measure.id, f.count, measure.errors->size() - f.count, cell(f.mean),
                                cell(f.deviation), cell(f.quartile), cell(f.median),
                                cell(f.upperQuartile), cell(f.percentile95), cell(f.largest),
                                quoted(largestPoint(errors, *measure.errors, f)));
        }
    return text;
}

double meanOf(const std::vector<double>& values) { return errorFigures(values).mean; }

} // namespace

NamedPairs pairUp(const std::string& fixedPath, const LandmarkSet& fixed,
                  const std::string& movingPath, const LandmarkSet& moving) {
    NamedPairs named;
    if (allNamed(fixed) && allNamed(moving)) {
        const std::map<std::string, Vec3> partners = byName(moving), own = byName(fixed);
        const auto shares = [](const LandmarkSet& set, const std::map<std::string, Vec3>& other) {
            return std::ranges::any_of(set.points,
                                       [&](const Landmark& p) { return other.contains(p.name); });
        };
        if (shares(fixed, partners)) {
            for (const Landmark& p : moving.points)
                if (!own.contains(p.name))
                    throw fileError(fixedPath, fmt::format("has no point {}, which {} has",
                                                           inQuotes(p.name), movingPath));
            for (const Landmark& p : fixed.points) {
                const auto partner = partners.find(p.name);
                if (partner == partners.end())
                    throw fileError(movingPath, fmt::format("has no point {}, which {} has",
                                                            inQuotes(p.name), fixedPath));
                named.pairs.fixed.push_back(p.position);
                named.pairs.moving.push_back(partner->second);
                named.names.push_back(p.name);
            }
            return named;
        }
    }
    if (fixed.points.size() != moving.points.size())
        throw fileError(movingPath,
                        fmt::format("has {} points, but {} has {}; pairs need as many",
                                    moving.points.size(), fixedPath, fixed.points.size()));
    for (std::size_t i = 0; i < fixed.points.size(); ++i) {
        named.pairs.fixed.push_back(fixed.points[i].position);
        named.pairs.moving.push_back(moving.points[i].position);
        named.names.push_back(fixed.points[i].name.empty() ? fmt::to_string(i + 1)
                                                           : fixed.points[i].name);
    }
    return named;
}

std::vector<std::string> pointsOutside(const CaseErrors& errors) {
    std::vector<std::string> names;
    if (errors.after)
        for (std::size_t i = 0; i < errors.points.size(); ++i)
            if (!(*errors.after)[i])
                names.push_back(errors.points[i]);
    return names;
}

void printCase(const CaseErrors& errors) {
    fmt::print("{} pairs of points, {} to {}{}\n", errors.points.size(), errors.fixedFile,
               errors.movingFile, errors.motion.empty() ? "" : ", moved by: " + errors.motion);
    fmt::print("{:<17}{:>7}{:>7}{:>8}{:>8}{:>8}{:>8}{:>9}  {}\n", "error, mm", "mean", "sd", "25 %",
               "median", "75 %", "95 %", "largest", "at point");
    for (const Measure& measure : measuresOf(errors)) {
        const ErrorFigures f = errorFigures(known(*measure.errors));
        fmt::print("{:<17}{:>7}{:>7}{:>8}{:>8}{:>8}{:>8}{:>9}  {}\n", measure.title, number(f.mean),
                   number(f.deviation), number(f.quartile), number(f.median),
                   number(f.upperQuartile), number(f.percentile95), number(f.largest),
                   largestPoint(errors, *measure.errors, f));
    }
    if (const std::vector<std::string> outside = pointsOutside(errors); !outside.empty()) {
        constexpr std::size_t shown = 12;
        const std::vector<std::string> first(
            outside.begin(),
            outside.begin() + static_cast<std::ptrdiff_t>(std::min(shown, outside.size())));
        fmt::print("{} of {} points lie outside the motion and are left out: {}{}\n",
                   outside.size(), errors.points.size(), fmt::join(first, ", "),
                   outside.size() > shown ? ", ..." : "");
    }
    for (const std::string& note : errors.notes)
        fmt::print("note: {}\n", note);
}

void printCases(const std::vector<CaseErrors>& cases) {
    fmt::print("{:<10}{:>7}{:>16}{:>16}{:>16}{:>8}{:>9}{:>9}{:>8}\n", "case", "points",
               "before, mm (sd)", "after, mm (sd)", "at voxels (sd)", "95 %", "largest", "outside",
               "s");
    struct Means {
        std::vector<double> before, after, snapped;
    };
    std::map<std::string, Means> sets; // figures by the names of the cases without the number
    for (const CaseErrors& errors : cases) {
        const ErrorFigures start = errorFigures(known(errors.initial));
        const ErrorFigures end = errorFigures(known(errors.after.value_or(PointErrors{})));
        const ErrorFigures voxels = errorFigures(known(errors.snapped.value_or(PointErrors{})));
        Means& means = sets[errors.name.substr(0, errors.name.find_first_of("0123456789"))];
        means.before.push_back(start.mean);
        if (end.count > 0)
            means.after.push_back(end.mean);
        if (voxels.count > 0)
            means.snapped.push_back(voxels.mean);
        fmt::print("{:<10}{:>7}{:>16}{:>16}{:>16}{:>8}{:>9}{:>9}{:>8}\n", errors.name,
                   errors.points.size(), meanText(start), meanText(end), meanText(voxels),
                   number(end.percentile95), number(end.largest),
                   errors.after ? fmt::to_string(pointsOutside(errors).size()) : "–",
                   errors.seconds > 0 ? fmt::format("{:.1f}", errors.seconds) : "–");
    }
    for (const auto& [set, means] : sets)
        if (means.before.size() > 1)
            fmt::print("{:<10}{:>7}{:>16}{:>16}{:>16}\n",
                       sets.size() > 1 ? fmt::format("mean {}", set) : "mean", "",
                       number(meanOf(means.before)), number(meanOf(means.after)),
                       number(meanOf(means.snapped)));
    for (const CaseErrors& errors : cases)
        for (const std::string& note : errors.notes)
            fmt::print("note: {}: {}\n", errors.name, note);
}

void requireTableName(const std::string& path) {
    const std::string lower = lowerCase(path);
    if (!lower.ends_with(".csv") && !lower.ends_with(".json"))
        throw UsageError(fmt::format("{}: errors are written as .csv or .json", path));
}

void writeErrors(const OverwriteOption& overwrite, const std::string& path,
                 const std::vector<CaseErrors>& cases, const std::vector<std::string>& skipped) {
    overwrite.writeText(path,
                        lowerCase(path).ends_with(".csv") ? csvOf(cases) : jsonOf(cases, skipped));
}

} // namespace systole
