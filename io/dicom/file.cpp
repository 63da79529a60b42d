#include "io/dicom/file.h"

#include "io/base/messages.h"
#include "io/base/voxel_type.h"
#include "io/dicom/data_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace systole {
namespace {

constexpr std::uint32_t undefinedLength = 0xffffffff;
constexpr std::uint32_t itemTag = 0xfffee000, itemEnd = 0xfffee00d, sequenceEnd = 0xfffee0dd;
constexpr std::uint32_t pixelTag = 0x7fe00010;
constexpr int deepestNesting = 16;
constexpr std::size_t longestKeptValue = std::size_t{1} << 16;
constexpr std::size_t maxElements = 4'000'000;
constexpr std::size_t window = std::size_t{1} << 16;

constexpr DicomTag seriesUid{0x0020, 0x000e, "UI"};

constexpr std::pair<std::string_view, VoxelType> binaryRepresentations[] = {
    {"FD", VoxelType::Float64}, {"FL", VoxelType::Float32}, {"US", VoxelType::UInt16},
    {"SS", VoxelType::Int16},   {"UL", VoxelType::UInt32},  {"SL", VoxelType::Int32},
    {"AT", VoxelType::UInt16}}; // a tag: its group and element

/// The numbers of a value that is big endian, made little endian.
void swapBytes(DicomItem::Value& value) {
    for (const auto& [name, type] : binaryRepresentations)
        if (value.representation == name)
            for (std::size_t at = 0; at + bytesOf(type) <= value.bytes.size(); at += bytesOf(type))
                std::reverse(value.bytes.data() + at, value.bytes.data() + at + bytesOf(type));
}

/// Groups whose values are read; other groups are only skipped over.
bool isWanted(std::uint32_t tag) {
    const std::uint32_t group = tag >> 16;
    return group == 0x0002 || group == 0x0004 || group == 0x0008 || group == 0x0018 ||
           group == 0x0020 || group == 0x0028 || group == 0x0043 || group == 0x3001 ||
           group == 0x5200;
}

struct ElementHead {
    std::uint32_t tag = 0;
    std::string representation;
    std::uint32_t length = 0;
    std::uint64_t value = 0; ///< offset of the value
};

class Walker {
public:
    explicit Walker(const std::string& path) : file_(path) {}

    DicomFile walk() {
        result_.path = file_.path();
        const std::optional<std::uint64_t> first = firstElementOf(file_.file());
        if (!first)
            throw fileError(file_.path(), "is not a DICOM file");
        // The group of meta information is always explicit and little endian.
        std::uint64_t at = *first;
        while (at + 8 <= file_.size() && load<std::uint16_t>(at) == 0x0002)
            at = element(at, file_.size(), true, 0, result_.elements);
        result_.transferSyntax = result_.elements.text({0x0002, 0x0010, "UI"});
        std::string& syntax = result_.transferSyntax;
        if (syntax.empty() && at < file_.size()) {
            syntax = codingByLook(file_.file(), at);
            result_.withoutHeader = !syntax.empty();
        }
        if (syntax.empty())
            throw fileError(file_.path(), "does not state its transfer syntax");
        result_.bigEndian = syntax == transferSyntax::explicitBig;
        if (syntax == transferSyntax::deflated) {
            result_.deflatedFrom = at;
            file_.inflateFrom(at);
            buffer_.clear();
            at = 0;
        }
        result_.fileBytes = file_.size();
        bool isExplicit =
            syntax != transferSyntax::implicitLittle && syntax != transferSyntax::privateOfGe;
        result_.encapsulated = isExplicit && syntax != transferSyntax::explicitLittle &&
                               result_.deflatedFrom == 0 && !result_.bigEndian;
        // Some writers code the elements implicitly and state the syntax of the pixels alone.
        if (isExplicit && at > 0 &&
            codingByLook(file_.file(), at) == transferSyntax::implicitLittle)
            isExplicit = false;
        try {
            while (at < file_.size() && !result_.hasPixels)
                at = element(at, file_.size(), isExplicit, 0, result_.elements);
        } catch (const FileError& error) {
            if (result_.elements.text(seriesUid).empty())
                throw;
            result_.damage = error.what();
        }
        result_.bigEndian = result_.bigEndian || syntax == transferSyntax::privateOfGe;
        return std::move(result_);
    }

private:
    template <typename T>
    T load(std::uint64_t at) {
        if (at < windowStart_ || at + sizeof(T) > windowStart_ + buffer_.size()) {
            windowStart_ = at;
            buffer_.resize(window);
            buffer_.resize(file_.readSome(at, buffer_));
            if (buffer_.size() < sizeof(T))
                cutOff(at);
        }
        std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), buffer_.data() + (at - windowStart_), sizeof(T));
        if (result_.bigEndian)
            std::reverse(bytes.begin(), bytes.end());
        return std::bit_cast<T>(bytes); // the machines that this runs on are little endian
    }
    static_assert(std::endian::native == std::endian::little);

    [[noreturn]] void cutOff(std::uint64_t at) const {
        throw fileError(file_.path(), "this DICOM file is cut off or damaged at byte {} of {}", at,
                        file_.size());
    }

    std::uint32_t loadTag(std::uint64_t at) {
        return std::uint32_t{load<std::uint16_t>(at)} << 16 | load<std::uint16_t>(at + 2);
    }

    ElementHead head(std::uint64_t at, bool isExplicit) {
        ElementHead head;
        head.tag = loadTag(at);
        if (!isExplicit || (head.tag >> 16) == 0xfffe) {
            head.length = load<std::uint32_t>(at + 4);
            head.value = at + 8;
            return head;
        }
        for (const std::uint64_t letter : {at + 4, at + 5}) {
            const char c = static_cast<char>(load<std::uint8_t>(letter));
            if (c < 'A' || c > 'Z')
                cutOff(at);
            head.representation += c;
        }
        const bool isLong = hasLongLength(head.representation);
        head.length = isLong ? load<std::uint32_t>(at + 8) : load<std::uint16_t>(at + 6);
        head.value = at + (isLong ? 12 : 8);
        return head;
    }

    /// Reads one element and returns the offset of the next.
    std::uint64_t element(std::uint64_t at, std::uint64_t end, bool isExplicit, int depth,
                          DicomItem& into) {
        if (++elements_ > maxElements || depth > deepestNesting)
            throw fileError(file_.path(),
                            "this DICOM file has more elements than a header can have");
        const ElementHead found = head(at, isExplicit);
        if (found.tag == pixelTag && depth == 0) {
            result_.hasPixels = true;
            result_.pixelOffset = found.value;
            result_.pixelBytes = found.length;
            if (found.length == undefinedLength)
                walkFragments(found.value);
            return file_.size();
        }
        const bool isSequence = found.representation == "SQ" || found.length == undefinedLength ||
                                (!isExplicit && found.length >= 8 && found.value + 8 <= end &&
                                 loadTag(found.value) == itemTag);
        if (found.length != undefinedLength && found.length > end - std::min(end, found.value))
            throw fileError(file_.path(),
                            "this DICOM file is cut off or damaged: element ({:04x},{:04x}) "
                            "promises {} bytes, {} are left",
                            found.tag >> 16, found.tag & 0xffff, found.length,
                            end - std::min(end, found.value));
        if (isSequence)
            return sequence(found, end, isExplicit && found.representation != "UN", depth, into);
        if (isWanted(found.tag) && found.length <= longestKeptValue) {
            DicomItem::Value& value = into.values[found.tag];
            value.representation = found.representation == "UN" ? "" : found.representation;
            value.bytes = file_.text(found.value, found.length);
            if (result_.bigEndian)
                swapBytes(value);
        }
        return found.value + found.length;
    }

    std::uint64_t sequence(const ElementHead& head, std::uint64_t end, bool isExplicit, int depth,
                           DicomItem& into) {
        const bool open = head.length == undefinedLength;
        const std::uint64_t stop = open ? end : head.value + head.length;
        std::uint64_t at = head.value;
        std::vector<DicomItem> items;
        while (at < stop) {
            const std::uint32_t tag = loadTag(at);
            const auto length = load<std::uint32_t>(at + 4);
            at += 8;
            if (tag == sequenceEnd)
                break;
            if (tag != itemTag || (length != undefinedLength && length > stop - std::min(stop, at)))
                cutOff(at - 8);
            items.emplace_back();
            at = item(at, length == undefinedLength ? stop : at + length, length == undefinedLength,
                      isExplicit, depth + 1, items.back());
        }
        if (isWanted(head.tag))
            into.sequences[head.tag] = std::move(items);
        return open ? at : stop;
    }

    std::uint64_t item(std::uint64_t at, std::uint64_t end, bool open, bool isExplicit, int depth,
                       DicomItem& into) {
        while (at < end) {
            if (open && loadTag(at) == itemEnd)
                return at + 8;
            at = element(at, end, isExplicit, depth, into);
        }
        return at;
    }

    /// Compressed pixels: every fragment must lie within the file.
    void walkFragments(std::uint64_t at) {
        result_.encapsulated = true;
        bool inOffsetTable = true;
        while (loadTag(at) == itemTag) {
            const auto length = load<std::uint32_t>(at + 4);
            at += 8;
            if (length > file_.size() - std::min(file_.size(), at))
                cutOff(at - 8);
            if (!inOffsetTable)
                result_.fragments.emplace_back(at, length);
            inOffsetTable = false;
            at += length;
        }
        if (loadTag(at) != sequenceEnd)
            cutOff(at);
    }

    DataSetBytes file_;
    DicomFile result_;
    std::vector<std::byte> buffer_;
    std::uint64_t windowStart_ = 0;
    std::size_t elements_ = 0;
};

} // namespace

std::string DicomItem::text(DicomTag tag) const {
    const auto found = values.find(tag.code());
    return found == values.end() ? std::string() : std::string(trimmed(found->second.bytes));
}

std::vector<double> DicomItem::numbers(DicomTag tag) const {
    const auto found = values.find(tag.code());
    if (found == values.end())
        return {};
    const std::string& bytes = found->second.bytes;
    const std::string& stated = found->second.representation;
    const std::string representation = stated.empty() ? tag.representation : stated;
    std::vector<double> parsed;
    for (const auto& [name, type] : binaryRepresentations)
        if (representation == name) {
            const std::size_t width = bytesOf(type);
            for (std::size_t at = 0; at + width <= bytes.size(); at += width)
                parsed.push_back(numberAt(bytes.data() + at, type, false));
            return parsed;
        }
    for (const std::string& word : words(trimmed(bytes), "\\")) {
        const auto number = parseReal(word);
        if (!number)
            return {};
        parsed.push_back(*number);
    }
    return parsed;
}

std::optional<double> DicomItem::number(DicomTag tag) const {
    const std::vector<double> found = numbers(tag);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

const std::vector<DicomItem>& DicomItem::items(DicomTag tag) const {
    static const std::vector<DicomItem> none;
    const auto found = sequences.find(tag.code());
    return found == sequences.end() ? none : found->second;
}

std::vector<double> DicomItem::numbersAnywhere(DicomTag tag) const {
    std::vector<double> found = numbers(tag);
    for (auto sequence = sequences.begin(); sequence != sequences.end() && found.empty();
         ++sequence)
        for (const DicomItem& item : sequence->second)
            if (found.empty())
                found = item.numbersAnywhere(tag);
    return found;
}

std::string DicomItem::textAnywhere(DicomTag tag) const {
    std::string found = text(tag);
    for (auto sequence = sequences.begin(); sequence != sequences.end() && found.empty();
         ++sequence)
        for (const DicomItem& item : sequence->second)
            if (found.empty())
                found = item.textAnywhere(tag);
    return found;
}

bool isDicomFile(const std::string& path) { return firstElementOf(InputFile(path)).has_value(); }

DicomFile readDicomFile(const std::string& path) { return Walker(path).walk(); }

} // namespace systole
