#include "io/dicom/data_set.h"

#include "io/base/inflate.h"
#include "io/base/messages.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace systole {
namespace {

constexpr std::uint64_t preamble = 128;
constexpr std::string_view prefix = "DICM";
/// Number of elements in a row that must look like those of a data set without a header.
constexpr int lookedAt = 4;
/// A data set begins with names, numbers and dates, which are short.
constexpr std::uint32_t longestBeginning = 1024;
constexpr std::uint32_t undefinedLength = 0xffffffff;
constexpr std::uint64_t maxInflated = std::uint64_t{1} << 30;

constexpr std::array<std::string_view, 13> longRepresentations{
    "OB", "OW", "OF", "OD", "OL", "OV", "SQ", "UT", "UN", "UC", "UR", "SV", "UV"};
constexpr std::array<std::string_view, 21> shortRepresentations{
    "AE", "AS", "AT", "CS", "DA", "DS", "DT", "FL", "FD", "IS", "LO",
    "LT", "PN", "SH", "SL", "SS", "ST", "TM", "UI", "UL", "US"};

bool isAmong(std::string_view word, std::span<const std::string_view> list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Reads the elements of a data set without believing that they are any.
class Look {
public:
    Look(const InputFile& file, std::uint64_t at) : bytes_(file.text(at, 1 << 13)) {}

    std::string coding() const {
        for (const char* syntax : {transferSyntax::explicitLittle, transferSyntax::implicitLittle,
                                   transferSyntax::explicitBig})
            if (isCoded(syntax))
                return syntax;
        return {};
    }

private:
    std::uint32_t number(std::size_t at, int bytes, bool big) const {
        std::uint32_t value = 0;
        for (int i = 0; i < bytes; ++i) {
            const std::size_t from = at + static_cast<std::size_t>(big ? i : bytes - 1 - i);
            value = value << 8 | static_cast<unsigned char>(bytes_[from]);
        }
        return value;
    }

    /// A chain of elements whose tags ascend, from the groups that a data set begins with.
    bool isCoded(std::string_view syntax) const {
        const bool big = syntax == transferSyntax::explicitBig;
        const bool isExplicit = syntax != transferSyntax::implicitLittle;
        std::uint32_t last = 0;
        std::size_t at = 0;
        for (int seen = 0; seen < lookedAt; ++seen) {
            if (at + 12 > bytes_.size())
                return false;
            const std::uint32_t tag = number(at, 2, big) << 16 | number(at + 2, 2, big);
            const std::uint32_t group = tag >> 16;
            const bool begins = group == 0x0002 || group == 0x0008;
            if (seen == 0 ? !begins : group > 0x0028 || group % 2 != 0 || tag <= last)
                return false;
            std::uint32_t length = number(at + 4, 4, big);
            std::size_t value = at + 8;
            const std::string_view representation = std::string_view(bytes_).substr(at + 4, 2);
            if (isExplicit && isAmong(representation, longRepresentations)) {
                length = number(at + 8, 4, big);
                value = at + 12;
            } else if (isExplicit && isAmong(representation, shortRepresentations)) {
                length = number(at + 6, 2, big);
            } else if (isExplicit) {
                return false;
            }
            if (length == undefinedLength || (seen > 1 && length > longestBeginning))
                return seen > 1; // a sequence; what came before speaks for itself
            if (length > longestBeginning || length % 2 != 0)
                return false;
            last = tag;
            at = value + length;
        }
        return true;
    }

    std::string bytes_;
};

/// Some writers put zlib's header before the stream. Read as bare deflate its first byte begins a
/// stored block, whose length is followed by its complement.
bool hasZlibHeader(const InputFile& file, std::uint64_t start) {
    const std::string head = file.text(start, 5);
    if (head.size() < 5)
        return false;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(head[i]); };
    const bool isStored = (byte(1) ^ byte(3)) == 0xff && (byte(2) ^ byte(4)) == 0xff;
    return byte(0) == 0x78 && (256 * byte(0) + byte(1)) % 31 == 0 && !isStored;
}

} // namespace

bool hasLongLength(const std::string& representation) {
    return isAmong(representation, longRepresentations);
}

std::optional<std::uint64_t> firstElementOf(const InputFile& file) {
    for (const std::uint64_t before : {preamble, std::uint64_t{0}})
        if (file.text(before, prefix.size()) == prefix)
            return before + prefix.size();
    if (!Look(file, 0).coding().empty())
        return 0;
    return std::nullopt;
}

std::string codingByLook(const InputFile& file, std::uint64_t at) {
    return Look(file, at).coding();
}

std::vector<std::byte> inflatedDataSet(const std::string& path, std::uint64_t start) {
    constexpr std::size_t step = std::size_t{1} << 20;
    const Inflater::Form form =
        hasZlibHeader(InputFile(path), start) ? Inflater::Form::GzipOrZlib : Inflater::Form::Bare;
    Inflater stream(path, start, form);
    std::vector<std::byte> bytes;
    for (std::size_t made = step; made == step;) {
        const std::size_t held = bytes.size();
        if (held > maxInflated)
            throw fileError(path,
                            "this DICOM file is deflated and holds more than the {} MiB that "
                            "are read here",
                            maxInflated >> 20);
        bytes.resize(held + step);
        made = stream.next(std::span(bytes).subspan(held));
        bytes.resize(held + made);
    }
    return bytes;
}

std::size_t DataSetBytes::readSome(std::uint64_t offset, std::span<std::byte> out) const {
    if (!inflated_)
        return file_.readSome(offset, out);
    const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, inflated_->size()));
    const std::size_t count = std::min(out.size(), inflated_->size() - from);
    std::copy_n(inflated_->begin() + static_cast<std::ptrdiff_t>(from), count, out.begin());
    return count;
}

std::string DataSetBytes::text(std::uint64_t offset, std::uint64_t maxBytes) const {
    std::string text(
        static_cast<std::size_t>(std::min(maxBytes, size() - std::min(size(), offset))), '\0');
    text.resize(readSome(offset, std::as_writable_bytes(std::span(text))));
    return text;
}

} // namespace systole
