#include "app/fields/field_order.h"

#include "app/base/run_record.h"
#include "io/base/error.h"
#include "io/base/natural_order.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace systole {
namespace {

namespace fs = std::filesystem;

using FieldsByName = std::map<std::string, RecordedField>;

FieldsByName fieldsIn(const fs::path& folder) {
    FieldsByName fields;
    for (const RecordedField& field : recordedFields(folder.string()))
        fields[field.file] = field;
    return fields;
}

/// None where there is no record of a run, or no whole one: files may lie beside anything. What a
/// whole one says of its fields counts.
FieldsByName fieldsBeside(const fs::path& folder) {
    try {
        return fieldsIn(folder);
    } catch (const UnknownMeaning&) {
        throw;
    } catch (const FileError&) {
        return {};
    }
}

} // namespace

OrderedFields inOrderOfFrames(const std::vector<std::string>& paths) {
    OrderedFields ordered;
    if (paths.empty())
        return ordered;
    std::error_code ignored;
    const bool isFolder = paths.size() == 1 && fs::is_directory(paths.front(), ignored);
    const fs::path folder =
        isFolder ? fs::path(paths.front()) : fs::path(paths.front()).parent_path();
    const FieldsByName fields = isFolder ? fieldsIn(folder) : fieldsBeside(folder);
    std::set<std::string> names;
    for (const fs::path path : paths)
        if (!isFolder &&
            (path.parent_path() != folder || !fields.contains(path.filename().string()))) {
            FilesInOrder files = frameFilesInOrder(paths);
            ordered.files = std::move(files.paths);
            ordered.note = std::move(files.note);
            return ordered;
        } else
            names.insert(path.filename().string());
    if (isFolder) {
        const bool since = std::ranges::any_of(
            fields, [](const auto& field) { return field.second.kind == "lagrangian"; });
        names.clear();
        for (const auto& [name, field] : fields)
            if (field.kind == (since ? "lagrangian" : "displacement"))
                names.insert(name);
    }
    std::map<int, std::string> byFrame;
    ordered.first = names.empty() ? 0 : fields.at(*names.begin()).fixed;
    for (const std::string& name : names) {
        const RecordedField& field = fields.at(name);
        if (field.fixed != ordered.first || field.kind == "standard_error")
            throw fileError((folder / name).string(),
                            "isn't the motion from the first frame, according to the run.json "
                            "beside it; 'systole motion --lagrangian' writes that");
        if (field.moving == ordered.first)
            ordered.around = (folder / name).string();
        else if (!byFrame.emplace(field.moving, (folder / name).string()).second)
            throw fileError((folder / name).string(),
                            fmt::format("leads to frame {}, as another one does", field.moving));
    }
    ordered.files.clear();
    for (const auto& [frame, path] : byFrame) {
        ordered.frames.push_back(frame);
        ordered.files.push_back(path);
    }
    return ordered;
}

} // namespace systole
