#include "app/cli/overwrite.h"

#include "app/base/error.h"
#include "app/cli/common_options.h"
#include "io/base/error.h"
#include "io/base/output_file.h"
#include "io/base/partial_file.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

/// True if both are the same file, or the file lies in the folder.
bool isPartOf(const fs::path& file, const fs::path& input) {
    std::error_code failure;
    const fs::path target = fs::canonical(file, failure), source = fs::canonical(input, failure);
    if (failure)
        return false;
    const auto [end, rest] =
        std::mismatch(source.begin(), source.end(), target.begin(), target.end());
    return end == source.end() || fs::equivalent(target, source, failure);
}

} // namespace

void OverwriteOption::addTo(CLI::App& app) { addTo(app, "; without it they are an error"); }

void OverwriteOption::addTo(CLI::App& app, const std::string& more) {
    app.add_flag("--overwrite", given_, overwriteHelp + more);
}

void OverwriteOption::checkAll(const std::vector<std::string>& paths,
                               const std::vector<std::string>& inputs) const {
    std::map<fs::path, std::string> outputs; // resolved path, and the path that the user gave
    for (const std::string& path : paths) {
        if (path.empty())
            continue;
        const auto [other, added] = outputs.emplace(targetOf(path), path);
        if (!added)
            throw UsageError(
                path == other->second
                    ? fmt::format("two outputs have the name {}", path)
                    : fmt::format("the outputs {} and {} are the same file", other->second, path));
    }
    std::set<fs::path> folders;
    for (const std::string& path : paths) {
        if (path.empty())
            continue;
        check(path, inputs);
        const fs::path folder = targetOf(path).parent_path();
        if (!folders.insert(folder).second)
            continue;
        requireWritableFolder(path);
        removeDeadPartialFiles(folder);
    }
}

void OverwriteOption::write(const std::string& path,
                            const std::function<void(const std::string&)>& writer) const {
    if (!path.empty())
        writeAtomically(path, writer, given_ ? Existing::Replaced : Existing::Kept);
}

void OverwriteOption::writeText(const std::string& path, const std::string& text) const {
    write(path, [&](const std::string& temporary) { writeTextAtomically(temporary, text); });
}

void OverwriteOption::check(const std::string& path, const std::vector<std::string>& inputs) const {
    std::error_code failure;
    if (!fs::exists(path, failure))
        return;
    if (!fs::is_regular_file(path, failure))
        throw FileError(
            fmt::format("{}: can't be written: it exists and isn't a regular file", path));
    for (const std::string& input : inputs)
        if (isPartOf(path, input))
            throw FileError(
                fmt::format("{}: is an input of this command and isn't replaced", path));
    if (!given_)
        throw FileError(fmt::format("{}: exists already; --overwrite replaces it", path));
}

} // namespace systole
