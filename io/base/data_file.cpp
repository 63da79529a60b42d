#include "io/base/data_file.h"

#include "io/base/messages.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

namespace systole {
namespace {

constexpr std::size_t textBlock = std::size_t{1} << 18;
constexpr std::size_t longestNumber = 64;

/// Opens the voxels of one file.
using OpenFile = std::function<std::unique_ptr<ByteSource>(const std::string& path)>;

/// Files of `bytesEach` bytes, concatenated. One is open at a time: a list may name more files than
/// a process may hold open, and inflated bytes would stay in memory.
class ConcatenatedBytes final : public ByteSource {
public:
    ConcatenatedBytes(std::vector<std::string> paths, std::uint64_t bytesEach, OpenFile open)
        : paths_(std::move(paths)), bytesEach_(bytesEach), open_(std::move(open)) {
        for (const std::string& path : paths_)
            open_(path);
    }

    void read(std::uint64_t offset, std::span<std::byte> out) override {
        while (!out.empty()) {
            const std::uint64_t within = offset % bytesEach_;
            const auto step =
                static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), bytesEach_ - within));
            const auto wanted = static_cast<std::size_t>(offset / bytesEach_);
            if (!current_ || at_ != wanted) {
                current_.reset();
                current_ = open_(paths_.at(wanted));
                at_ = wanted;
            }
            current_->read(within, out.first(step));
            out = out.subspan(step);
            offset += step;
        }
    }

private:
    std::vector<std::string> paths_;
    std::uint64_t bytesEach_;
    OpenFile open_;
    std::unique_ptr<ByteSource> current_;
    std::size_t at_ = 0;
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

/// The byte behind the first `lines` lines.
std::uint64_t behindLines(const std::string& path, std::uint64_t start, std::uint64_t lines) {
    const InputFile file(path);
    std::vector<char> block(textBlock);
    while (lines > 0) {
        const std::size_t got = file.readSome(start, std::as_writable_bytes(std::span(block)));
        if (got == 0)
            throw fileError(path, "ends within the lines that its header leaves out");
        for (std::size_t i = 0; i < got && lines > 0; ++i, ++start)
            lines -= block[i] == '\n' ? 1 : 0;
    }
    return start;
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

void openVoxels(StoredImage& image, const VoxelPlace& place, const OpenOptions& options) {
    const std::uint64_t shares = std::max<std::uint64_t>(place.files.size(), 1);
    const std::uint64_t numbers = image.storedNumbers() / shares;
    if (numbers * shares != image.storedNumbers())
        throw fileError(image.path, "names {} data files, which don't share its {} numbers evenly",
                        shares, image.storedNumbers());
    const bool asText = place.coding == VoxelPlace::Coding::Text;
    const std::uint64_t bytes = numbers * (asText ? sizeof(float) : bytesOf(image.type));
    const OpenFile open = [place, numbers, bytes,
                           options](const std::string& path) -> std::unique_ptr<ByteSource> {
        const std::uint64_t start = behindLines(path, place.start, place.skipLines);
        const auto skip = static_cast<std::uint64_t>(std::max(place.skip, 0LL));
        if (place.coding == VoxelPlace::Coding::Text)
            return openTextVoxels(path, start, numbers);
        if (place.coding == VoxelPlace::Coding::Deflated)
            return openInflatedBytes(path, start, skip, bytes, options.headerAlone,
                                     place.deflatedBytes);
        const std::uint64_t size = InputFile(path).size();
        return openPlainBytes(path,
                              place.skip >= 0 ? start + skip
                              : size > bytes  ? size - bytes
                                              : 0,
                              bytes);
    };
    image.bytes = place.files.size() == 1
                      ? open(place.files.front())
                      : std::make_unique<ConcatenatedBytes>(place.files, bytes, open);
    if (asText) {
        image.type = VoxelType::Float32;
        image.bigEndian = std::endian::native == std::endian::big;
    }
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
