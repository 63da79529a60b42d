#include "app/base/file_state.h"

#include "app/base/file_hash.h"
#include "app/base/path_kind.h"
#include "io/base/text.h"
#include "io/base/written_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longestHeader = 65536;

std::string stampOf(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        throw fileError(path.string(), std::strerror(errno));
    return fmt::format("{} {} {}.{:09} {}.{:09}", status.st_size, status.st_ino,
                       status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                       status.st_ctim.tv_nsec);
}

} // namespace

std::vector<FileState> stampsOf(const std::string& output, const std::vector<std::string>& paths) {
    std::vector<FileState> files;
    const auto add = [&](const fs::path& name) {
        files.push_back({name.string(), stampOf(fs::path(output) / name), {}});
    };
    for (const std::string& path : paths) {
        const fs::path whole = fs::path(output) / path; // an absolute one stays as it is
        if (kindOf(whole.string()) != fs::file_type::directory) {
            add(path);
            continue;
        }
        try {
            for (const fs::directory_entry& entry : fs::recursive_directory_iterator(whole))
                if (entry.is_regular_file())
                    add(path / entry.path().lexically_relative(whole));
        } catch (const fs::filesystem_error& error) {
            throw fileError(error.path1().string(), error.code().message());
        }
    }
    std::ranges::sort(files, {}, &FileState::file);
    return files;
}

std::string hashOf(const std::string& output, const FileState& file) {
    const std::string path = (fs::path(output) / file.file).string();
    const std::string known = WrittenHashes::of(path);
    return known.empty() ? sha256Of({path}) : known;
}

FileState ownProgram() {
    constexpr const char* self = "/proc/self/exe";
    std::error_code failure;
    const fs::path file = fs::read_symlink(self, failure);
    if (failure)
        throw fileError(self, failure.message());
    FileState program = stampsOf("", {file.string()}).front();
    program.sha256 = hashOf("", program);
    return program;
}

std::vector<std::string> filesOfImage(const std::string& image) {
    std::vector<std::string> files{image};
    const fs::path path(image);
    const std::string ending = lowerCase(path.extension().string());
    std::error_code failure;
    const auto add = [&](const fs::path& name) {
        if (const fs::path other = path.parent_path() / name;
            other != path && fs::is_regular_file(other, failure))
            files.push_back(other.string());
    };
    const std::string lower = lowerCase(path.filename().string());
    for (const std::string_view header : {".hdr", ".hdr.gz"})
        if (lower.ends_with(header)) {
            const std::string name = path.filename().string();
            const std::string stem = name.substr(0, name.size() - header.size());
            add(stem + ".img");
            add(stem + ".img.gz");
        }
    if (ending != ".mhd" && ending != ".nhdr")
        return files;
    std::ifstream file(image, std::ios::binary);
    std::string text(longestHeader, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = nextLine(rest);
        for (const std::string_view key : {"ElementDataFile", "data file", "datafile"})
            if (const std::size_t at = line.find_first_of("=:");
                line.starts_with(key) && at != std::string_view::npos)
                add(std::string(trimmed(line.substr(at + 1))));
    }
    return files;
}

} // namespace systole
