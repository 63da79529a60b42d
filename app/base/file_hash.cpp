#include "app/base/file_hash.h"

#include "io/base/byte_source.h"
#include "io/base/sha256.h"
#include "io/base/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace systole {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> filesOf(const std::vector<std::string>& paths) {
    std::vector<fs::path> files;
    for (const std::string& path : paths) {
        if (!fs::is_directory(path)) {
            files.emplace_back(path);
            continue;
        }
        std::vector<fs::path> inside;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path))
            if (entry.is_regular_file())
                inside.push_back(entry.path());
        std::ranges::sort(inside);
        files.insert(files.end(), inside.begin(), inside.end());
    }
    return files;
}

std::string hashOf(const std::vector<fs::path>& files) {
    Sha256 hash;
    std::vector<std::byte> bytes(std::size_t{1} << 20);
    for (const fs::path& path : files) {
        const InputFile file(path.string());
        std::uint64_t at = 0;
        while (const std::size_t count = file.readSome(at, bytes)) {
            hash.add(std::span(bytes).first(count));
            at += count;
        }
    }
    return hash.hex();
}

} // namespace

std::string sha256Of(const std::vector<std::string>& paths) { return FileHash().of(paths); }

std::string FileHash::of(const std::vector<std::string>& paths) {
    const std::lock_guard lock(mutex_);
    try {
        const std::vector<fs::path> files = filesOf(paths);
        std::string stamp;
        for (const fs::path& file : files)
            stamp += file.string() + '\n' + std::to_string(fs::file_size(file)) + '\n' +
                     std::to_string(fs::last_write_time(file).time_since_epoch().count()) + '\n';
        if (stamp != stamp_ || hash_.empty()) {
            hash_ = hashOf(files);
            stamp_ = stamp;
        }
        return hash_;
    } catch (const fs::filesystem_error& error) {
        throw fileError(error.path1().string(), error.code().message());
    }
}

} // namespace systole
