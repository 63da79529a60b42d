#include "app/cli/run_folder.h"

#include "app/base/json_file.h"
#include "app/base/plural.h"
#include "app/base/version.h"
#include "io/base/on_disk.h"
#include "io/base/partial_file.h"
#include "io/base/text.h"
#include "io/formats/writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

/// True for anything by that name, also a link that leads nowhere.
bool isThere(const std::string& path) {
    std::error_code failure;
    return fs::exists(fs::symlink_status(path, failure));
}

std::string checksumText(std::uint32_t crc32) { return fmt::format("{:08x}", crc32); }

std::optional<std::uint32_t> parseChecksum(const std::string& text) {
    std::uint32_t value = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value, 16);
    return parsed.ec == std::errc{} && parsed.ptr == end && text.size() == 8 ? std::optional(value)
                                                                             : std::nullopt;
}

bool isText(const Json& object, const char* key) {
    return object.contains(key) && object[key].is_string();
}

} // namespace

std::string RunFolderKind::unfinishedName() const {
    return fs::path(recordName).stem().string() + ".unfinished.json";
}

RunFolder::RunFolder(std::string folder, const RunFolderKind& kind, std::vector<std::string> files,
                     bool overwrite)
    : folder_(std::move(folder)), kind_(kind), planned_(std::move(files)), overwrite_(overwrite) {
    for (const std::string& name : planned_)
        if (!isUtf8(name))
            throw fileError(pathOf(name),
                            "the record of the results can't hold this name, which isn't UTF-8; "
                            "rename the file that it is made of");
    std::error_code unknown;
    // A trailing slash is dropped: the parent path of "new/a/" is "new/a".
    const fs::path whole = fs::absolute(folder_, unknown).lexically_normal();
    for (fs::path folder = whole.has_filename() ? whole : whole.parent_path();
         folder.has_relative_path() && !fs::exists(folder, unknown); folder = folder.parent_path())
        created_.folders.push_back(folder.string());
    ensureFolder(folder_);
    survey();
}

RunFolder::Created::~Created() {
    for (const std::string& folder : folders)
        if (::rmdir(folder.c_str()) != 0 && errno != ENOENT)
            return; // it isn't empty, nor are those around it
}

std::string RunFolder::pathOf(const std::string& file) const {
    return (fs::path(folder_) / file).string();
}

std::vector<std::string> RunFolder::existingRecords() const {
    std::vector<std::string> records{kind_.recordName, kind_.unfinishedName()};
    std::erase_if(records, [&](const std::string& name) { return !isThere(pathOf(name)); });
    return records;
}

/// A record is taken as a whole or not at all: one entry that this program can't have written, such
/// as a path that leads out of the folder, means that the record was edited.
std::vector<RunFolder::Written> RunFolder::filesListedIn(const std::string& record) const {
    const auto refuse = [&](const std::string& why) {
        return fileError(pathOf(record),
                         fmt::format("isn't a record as 'systole {}' writes it ({}), so nothing in "
                                     "this folder is replaced; choose another folder",
                                     kind_.command, why));
    };
    const std::optional<Json> json = readJson(pathOf(record));
    if (!json)
        throw refuse("not a JSON object in a regular file");
    if (!isText(*json, "command") || (*json)["command"] != kind_.command)
        throw refuse("it doesn't name this command");
    if (!json->contains("files") || !(*json)["files"].is_array())
        throw refuse("it has no list of files");
    std::vector<Written> listed;
    for (const Json& entry : (*json)["files"]) {
        if (!entry.is_object() || !isText(entry, "file"))
            throw refuse("a file without a name");
        Written written{entry["file"].get<std::string>(), {}};
        if (!kind_.writes(written.file))
            throw refuse(fmt::format("it lists {}", inQuotes(written.file)));
        const auto checksum = isText(entry, "crc32")
                                  ? parseChecksum(entry["crc32"].get<std::string>())
                                  : std::nullopt;
        if (!checksum || !entry.contains("bytes") || !entry["bytes"].is_number_unsigned())
            throw refuse(fmt::format("{} has no size and checksum", inQuotes(written.file)));
        written.fingerprint = {entry["bytes"].get<std::uint64_t>(), *checksum};
        listed.push_back(std::move(written));
    }
    return listed;
}

/// Sorts what is in the folder into files of an earlier run and others.
void RunFolder::survey() {
    earlier_.clear();
    kept_.clear();
    const std::vector<std::string> records = existingRecords();
    std::vector<Written> listed;
    for (const std::string& record : records)
        for (Written& file : filesListedIn(record))
            listed.push_back(std::move(file));
    if (!records.empty() && !overwrite_)
        throw fileError(folder_,
                        fmt::format("has the results of {} of 'systole {}' ({}); "
                                    "--overwrite replaces them",
                                    records.front() == kind_.recordName ? "an earlier run"
                                                                        : "an unfinished run",
                                    kind_.command, plural(std::ssize(listed), "file")));
    const auto isEarlier = [&](const std::string& name) {
        return std::ranges::find(earlier_, name, &Written::file) != earlier_.end();
    };
    for (Written& file : listed) {
        if (isEarlier(file.file) || !isThere(pathOf(file.file)))
            continue;
        if (fingerprintOf(pathOf(file.file)) == file.fingerprint)
            earlier_.push_back(std::move(file));
        else
            kept_.push_back(file.file);
    }
    for (const std::string& name : planned_) {
        if (isEarlier(name) || !isThere(pathOf(name)))
            continue;
        const bool changed = std::ranges::find(kept_, name) != kept_.end();
        throw fileError(
            pathOf(name),
            changed ? fmt::format("has changed since 'systole {}' wrote it, so it is left alone; "
                                  "choose another folder",
                                  kind_.command)
                    : fmt::format("exists already and isn't a result of 'systole {}', so it is "
                                  "left alone; choose another folder",
                                  kind_.command));
    }
    // Listed twice, once before and once after a kill: what counts is the entry that still fits.
    std::erase_if(kept_, isEarlier);
}

void RunFolder::removeEarlierRun() {
    survey(); // again: much time may have passed
    removeDeadPartialFiles(folder_);
    const std::vector<std::string> records = existingRecords();
    // The earlier files are listed as unfinished before any is removed, so that a killed run leaves
    // none unlisted.
    if (!records.empty())
        saveUnfinished(earlier_);
    const auto remove = [&](const std::string& name) {
        std::error_code failure;
        fs::remove(pathOf(name), failure);
        if (failure)
            throw fileError(pathOf(name), fmt::format("can't be removed: {}", failure.message()));
    };
    remove(kind_.recordName); // nothing to do for one that isn't there
    for (const Written& file : earlier_)
        remove(file.file);
    replaced_ = static_cast<int>(earlier_.size() + records.size());
    begun_ = true;
}

void RunFolder::write(const std::string& file,
                      const std::function<void(const std::string& path)>& writer) {
    if (!begun_)
        removeEarlierRun();
    const std::string target = pathOf(file);
    if (isThere(target))
        throw fileError(target, "has appeared during the run and is left alone");
    const std::size_t before = written_.size();
    try {
        writeAtomically(
            target,
            [&](const std::string& temporary) {
                writer(temporary);
                const auto fingerprint = fingerprintOf(temporary);
                if (!fingerprint)
                    throw fileError(target, "can't be read back");
                written_.push_back({file, *fingerprint});
                saveUnfinished(written_);
            },
            Existing::Kept, OnDisk::Bytes);
    } catch (...) {
        if (written_.size() > before) // a file that appeared has the name now
            withdrawLast();
        throw;
    }
}

void RunFolder::withdrawLast() {
    written_.pop_back();
    if (!written_.empty()) {
        saveUnfinished(written_);
        return;
    }
    // Another run was faster. Its record of this name stays: that of this run has other bytes.
    const std::string path = pathOf(kind_.unfinishedName());
    std::ifstream file(path, std::ios::binary);
    std::string now(unfinished_.size() + 1, '\0');
    file.read(now.data(), static_cast<std::streamsize>(now.size()));
    now.resize(static_cast<std::size_t>(file.gcount()));
    std::error_code ignored;
    if (now == unfinished_)
        fs::remove(path, ignored);
}

void RunFolder::finish(nlohmann::ordered_json record) {
    if (!begun_)
        removeEarlierRun();
    const std::string target = pathOf(kind_.recordName);
    if (isThere(target))
        throw fileError(target, "has appeared during the run and is left alone");
    record["command"] = kind_.command;
    record["files"] = listOf(written_);
    // The record proves the others: their names are on the disk before it is there.
    waitForNames(folder_);
    for (const std::string& folder : created_.folders)
        waitForNames(fs::path(folder).parent_path());
    writeTextAtomically(target, jsonText(record), Existing::Kept);
    std::error_code ignored; // next to a complete record it does no harm
    fs::remove(pathOf(kind_.unfinishedName()), ignored);
}

void RunFolder::saveUnfinished(const std::vector<Written>& files) {
    const Json record{{"program", {{"name", "systole"}, {"version", programVersion()}}},
                      {"command", kind_.command},
                      {"files", listOf(files)}};
    unfinished_ = record.dump(2) + "\n";
    writeTextAtomically(pathOf(kind_.unfinishedName()), unfinished_, Existing::Replaced,
                        OnDisk::Nothing);
}

nlohmann::ordered_json RunFolder::listOf(const std::vector<Written>& files) const {
    Json list = Json::array();
    for (const Written& file : files)
        list.push_back({{"file", file.file},
                        {"bytes", file.fingerprint.bytes},
                        {"crc32", checksumText(file.fingerprint.crc32)}});
    return list;
}

void printReplaced(const RunFolder& folder) {
    if (folder.replaced() > 0)
        fmt::print("replaced {} of an earlier run\n", plural(folder.replaced(), "file"));
    if (!folder.keptFiles().empty())
        fmt::print("note: left alone, changed since the earlier run: {}\n",
                   fmt::join(folder.keptFiles(), ", "));
}

} // namespace systole
