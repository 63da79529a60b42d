#include "io/data_file.h"

#include "io/messages.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t textBlock = std::size_t{1} << 18;
constexpr std::size_t longestNumber = 64;

class ConcatenatedBytes final : public ByteSource {
public:
    ConcatenatedBytes(const std::vector<std::string>& paths, std::uint64_t bytesEach)
        : paths_(paths), bytesEach_(bytesEach) {
        for (const std::string& path : paths_)
            openPlainBytes(path, 0, bytesEach);
    }

    void read(std::uint64_t offset, std::span<std::byte> out) override {
        while (!out.empty()) {
            const std::uint64_t within = offset % bytesEach_;
            const auto step =
                static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), bytesEach_ - within));
            // Reopened for each block: a list may name more files than a process may hold open.
            openPlainBytes(paths_[static_cast<std::size_t>(offset / bytesEach_)], 0, bytesEach_)
                ->read(within, out.first(step));
            out = out.subspan(step);
            offset += step;
        }
    }

private:
    std::vector<std::string> paths_;
    std::uint64_t bytesEach_;
};

/// `count` numbers in plain text from byte `start` on, as float32 in memory order of this machine.
std::unique_ptr<ByteSource> openTextVoxels(const std::string& path, std::uint64_t start,
                                           std::uint64_t count) {
    const InputFile file(path);
    // A number takes at least one digit and one separator.
    if (start > file.size() || (file.size() - start + 1) / 2 < count)
        throw fileError(
            path, "the header promises {} numbers, which the {} bytes of the file cannot hold",
            count, file.size());
    std::vector<std::byte> values(static_cast<std::size_t>(count) * sizeof(float));
    std::size_t found = 0;
    std::string text;
    bool atEnd = false;
    while (found < count && !(atEnd && text.empty())) {
        const std::size_t kept = text.size();
        text.resize(kept + textBlock);
        const std::size_t got =
            file.readSome(start, std::as_writable_bytes(std::span(text.data() + kept, textBlock)));
        start += got;
        atEnd = got < textBlock;
        text.resize(kept + got);
        // The last word of a block may continue in the next.
        const std::size_t whole = atEnd ? text.size() : text.find_last_of(" \t\r\n,") + 1;
        for (const std::string& word : words(std::string_view(text).substr(0, whole), " \t\r\n,")) {
            const auto number = parseReal(word);
            if (!number)
                throw fileError(path, "a number was expected among the voxels, but {} was found",
                                inQuotes(word));
            const auto value = static_cast<float>(*number);
            if (found < count)
                std::memcpy(values.data() + sizeof(float) * found++, &value, sizeof value);
        }
        text.erase(0, whole);
        if (text.size() > longestNumber)
            throw fileError(path, "a number was expected among the voxels, but {} was found",
                            inQuotes(text));
    }
    if (found < count)
        throw fileError(path, "the header promises {} numbers, but the file holds {}", count,
                        found);
    return memoryBytes(std::move(values));
}

/// The factor of the row that has the unit among its words; 0: none has.
double factorOf(const std::string& unit,
                std::initializer_list<std::pair<std::string_view, double>> rows) {
    const std::string wanted = lowerCase(trimmed(unit));
    for (const auto& [names, factor] : rows)
        if (std::ranges::count(words(names), wanted) > 0)
            return factor;
    return 0;
}

} // namespace

std::string besideHeader(const std::string& headerPath, const std::string& named) {
    const fs::path file(named);
    if (named.empty() || file.has_parent_path() || named == ".." || named == ".")
        throw fileError(
            headerPath,
            "names {} as the file of its voxels; it must be a file in the folder of the header",
            inQuotes(named));
    const fs::path found = fs::path(headerPath).parent_path() / file;
    std::error_code ignored;
    if (!fs::exists(found, ignored))
        throw fileError(headerPath,
                        "its voxels should be in the file {} beside it, which is not there",
                        inQuotes(named));
    return found.string();
}

void openVoxels(StoredImage& image, const VoxelPlace& place, const OpenOptions& options) {
    const auto& [file, start, coding, skip, deflatedBytes] = place;
    if (coding == VoxelPlace::Coding::Text) {
        image.bytes = openTextVoxels(file, start, image.storedNumbers());
        image.type = VoxelType::Float32;
        image.bigEndian = std::endian::native == std::endian::big;
        return;
    }
    const std::uint64_t bytes = image.storedBytes();
    if (coding == VoxelPlace::Coding::Deflated) {
        image.bytes = openInflatedBytes(file, start, static_cast<std::uint64_t>(skip), bytes,
                                        options.headerAlone, deflatedBytes);
        return;
    }
    const std::uint64_t size = InputFile(file).size();
    const std::uint64_t begin = skip >= 0      ? start + static_cast<std::uint64_t>(skip)
                                : size > bytes ? size - bytes
                                               : 0;
    image.bytes = openPlainBytes(file, begin, bytes);
}

std::unique_ptr<ByteSource> openConcatenatedBytes(const std::vector<std::string>& paths,
                                                  std::uint64_t bytesEach) {
    return std::make_unique<ConcatenatedBytes>(paths, bytesEach);
}

double secondsPerUnit(const std::string& unit) {
    return factorOf(unit, {{"s sec second seconds", 1},
                           {"ms msec millisecond milliseconds", 1e-3},
                           {"us usec microsecond microseconds", 1e-6}});
}

double millimetersPerUnit(const std::string& unit) {
    return factorOf(unit, {{"mm millimeter", 1},
                           {"cm centimeter", 10},
                           {"m meter", 1000},
                           {"um micron micrometer", 1e-3}});
}

} // namespace systole
