#include "app/base/file_stem.h"
#include "app/study/case_quality.h"
#include "app/study/cell_table.h"
#include "app/study/cohort_case.h"
#include "app/study/some_of.h"
#include "io/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::array caseColumns{"file",   "id",   "session", "labels",
                                 "frames", "seed", "points",  "group"};
constexpr std::string_view referencePrefix = "reference_";

std::vector<std::pair<std::string, double>> referencesOf(const CellTable& table,
                                                         const TableRow& row) {
    std::vector<std::pair<std::string, double>> references;
    for (const std::string& column : table.columns()) {
        if (!column.starts_with(referencePrefix))
            continue;
        const std::string text = table.cell(row, column);
        if (text.empty())
            continue;
        const auto value = table.number(text);
        if (!value || !std::isfinite(*value))
            throw table.error(row.line,
                              fmt::format("{} is {}, which is no number{}", column, inQuotes(text),
                                          text.find(',') == std::string::npos
                                              ? ""
                                              : "; write it with a decimal point"));
        references.emplace_back(column.substr(referencePrefix.size()), *value);
    }
    return references;
}

bool isCaseColumn(const std::string& column) {
    return std::ranges::find(caseColumns, column) != caseColumns.end();
}

bool isReference(const std::string& column) { return column.starts_with(referencePrefix); }

bool isReferenceOfMeasure(const std::string& column) {
    return isReference(column) &&
           std::ranges::any_of(qualityMeasures(), [&](const QualityMeasure& measure) {
               return column.substr(referencePrefix.size()) == measure.id;
           });
}

/// Otherwise nobody would notice a misspelt column.
void noteColumns(const CellTable& table, bool (*isRead)(const std::string&),
                 std::vector<std::string>& notes) {
    constexpr std::size_t most = 10;
    std::vector<std::string> names;
    std::size_t others = 0;
    for (const std::string& column : table.columns())
        if (!isRead(column)) {
            if (names.size() < most)
                names.push_back(inQuotes(column));
            else
                ++others;
        }
    if (names.empty())
        return;
    const bool one = names.size() + others == 1;
    notes.push_back(fmt::format("{}: unknown {} {}{} {} ignored", table.path(),
                                one ? "column" : "columns", fmt::join(names, ", "),
                                others > 0 ? fmt::format(" and {} more", others) : "",
                                one ? "is" : "are"));
}

/// Rows by subject. An id without "sub-" is read as if it had it. Throws FileError for two rows of
/// one subject.
std::map<std::string, const TableRow*> rowsOfParticipants(const CellTable& table,
                                                          std::vector<std::string>& notes) {
    std::map<std::string, const TableRow*> rows;
    std::vector<std::string> bare;
    for (const TableRow& row : table.rows()) {
        const std::string id = table.cell(row, "participant_id");
        const bool isBare = !id.starts_with("sub-");
        const std::string subject = bidsLabel(isBare ? id : id.substr(4));
        if (subject.empty())
            throw table.error(row.line, "names no participant");
        if (const auto [other, isNew] = rows.emplace(subject, &row); !isNew)
            throw table.error(row.line, fmt::format("participant sub-{} has line {}, too", subject,
                                                    other->second->line));
        if (isBare)
            bare.push_back(id);
    }
    if (!bare.empty())
        notes.push_back(fmt::format("{}: ids without sub- are read as if they had it: {}",
                                    table.path(), someOf(bare)));
    return rows;
}

} // namespace

CohortCases casesOfTable(const std::string& path) {
    const CellTable table(path, "file");
    if (!table.has("file"))
        throw fileError(path,
                        fmt::format("has no column 'file'; a table of cases names the image of a "
                                    "case there, and may have id, session, labels, frames, seed, "
                                    "points, group and reference_MEASURE. Its head is {}",
                                    inQuotes(table.head())));
    if (table.rows().empty())
        throw fileError(path, "has the names of its columns, but no rows; each row is a case");
    const fs::path folder = fs::absolute(path).parent_path();
    const auto whole = [&](const std::string& file) {
        return file.empty() ? file : (folder / file).lexically_normal().string();
    };
    CohortCases found;
    found.notes = table.notes();
    noteColumns(
        table,
        [](const std::string& column) {
            return isCaseColumn(column) || isReferenceOfMeasure(column);
        },
        found.notes);
    for (const TableRow& row : table.rows()) {
        CohortCase made;
        const std::string file = table.cell(row, "file"), id = table.cell(row, "id");
        if (file.empty())
            throw table.error(row.line, "names no file");
        made.image = whole(file);
        made.labels = whole(table.cell(row, "labels"));
        made.frames = table.cell(row, "frames");
        made.seed = table.cell(row, "seed");
        made.points = table.cell(row, "points");
        made.group = table.cell(row, "group");
        made.session = bidsLabel(table.cell(row, "session"));
        const std::string name = fs::path(file).filename().string();
        made.subject = bidsLabel(id.empty()               ? fileStem(name)
                                 : id.starts_with("sub-") ? id.substr(4)
                                                          : id);
        made.id = "sub-" + made.subject + (made.session.empty() ? "" : "_ses-" + made.session);
        made.references = referencesOf(table, row);
        found.cases.push_back(std::move(made));
    }
    return found;
}

void addParticipants(const std::string& path, CohortCases& found) {
    const CellTable table(path, "participant_id");
    if (!table.has("participant_id"))
        throw fileError(path, fmt::format("has no column 'participant_id', as BIDS requires. Its "
                                          "head is {}",
                                          inQuotes(table.head())));
    found.notes.insert(found.notes.end(), table.notes().begin(), table.notes().end());
    noteColumns(
        table,
        [](const std::string& column) {
            return !isReference(column) || isReferenceOfMeasure(column);
        },
        found.notes);
    const auto rows = rowsOfParticipants(table, found.notes);
    std::set<std::string> subjects, without;
    for (CohortCase& each : found.cases) {
        subjects.insert(each.subject);
        const auto row = rows.find(each.subject);
        if (row == rows.end()) {
            without.insert("sub-" + each.subject);
            continue;
        }
        each.group = table.cell(*row->second, "group");
        each.references = referencesOf(table, *row->second);
    }
    std::vector<std::string> others;
    for (const auto& [subject, row] : rows)
        if (!subjects.contains(subject))
            others.push_back("sub-" + subject);
    const auto note = [&](const std::vector<std::string>& names, const char* what) {
        if (!names.empty())
            found.notes.push_back(fmt::format("{}: {}: {}", path, what, someOf(names)));
    };
    note(others, "no image is found of");
    note({without.begin(), without.end()}, "has no row of");
}

} // namespace systole
