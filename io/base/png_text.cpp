#include "io/base/png_text.h"

#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/base/png_chunk.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <zlib.h>

namespace systole {
namespace {

constexpr std::size_t headerBytes = 13;                    ///< bytes of the header chunk's content
constexpr std::size_t maxTextBytes = std::size_t{1} << 20; ///< per file, inflated
constexpr std::size_t maxChunks = 1 << 20;

std::string chunkOf(const PngText& text) {
    const bool ascii =
        std::ranges::all_of(text.text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); });
    if (ascii)
        return pngChunk("tEXt", text.keyword + '\0' + text.text);
    // Not compressed, no language, no translated keyword.
    return pngChunk("iTXt", text.keyword + std::string(5, '\0') + text.text);
}

std::string fromLatin1(std::string_view text) {
    std::string utf8;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x80) {
            utf8 += c;
        } else {
            utf8 += static_cast<char>(0xc0 | code >> 6);
            utf8 += static_cast<char>(0x80 | (code & 0x3f));
        }
    }
    return utf8;
}

/// Walks along the chunks of a file.
class ChunkReader {
public:
    explicit ChunkReader(const std::string& path) : file_(path) {
        if (file_.text(0, pngSignature.size()) != pngSignature)
            throw fileError(path, "this is no PNG file");
        at_ = pngSignature.size();
    }

    struct Chunk {
        std::string type;
        std::uint64_t start = 0; ///< byte of the file where its content begins
        std::size_t length = 0;
    };

    Chunk next() {
        if (at_ + pngChunkFrame > file_.size() || ++count_ > maxChunks)
            throw damaged("it ends before its last chunk");
        const std::string head = file_.text(at_, 8);
        Chunk chunk{head.substr(4), at_ + 8, bigEndian(std::string_view(head))};
        if (chunk.length > file_.size() - at_ - pngChunkFrame)
            throw damaged("a chunk is longer than the file");
        at_ += pngChunkFrame + chunk.length;
        return chunk;
    }

    /// The content, checked against its check sum.
    std::string content(const Chunk& chunk) const {
        std::string all = file_.text(chunk.start - 4, chunk.length + 8); // type, content, check sum
        const std::string_view summed = std::string_view(all).substr(0, chunk.length + 4);
        if (bigEndian(std::string_view(all).substr(chunk.length + 4)) != pngCheckSum(summed))
            throw damaged("the check sum of a chunk is wrong");
        return all.substr(4, chunk.length);
    }

    FileError damaged(const std::string& how) const {
        return fileError(file_.path(), "the PNG file is damaged, " + how);
    }

private:
    InputFile file_;
    std::uint64_t at_ = 0;
    std::size_t count_ = 0;
};

/// Nothing if it is damaged or larger than `maxBytes`.
std::optional<std::string> inflated(std::string_view packed, std::size_t maxBytes) {
    std::string text(maxBytes, '\0');
    uLongf size = static_cast<uLongf>(maxBytes);
    if (uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                   reinterpret_cast<const Bytef*>(packed.data()),
                   static_cast<uLong>(packed.size())) != Z_OK)
        return std::nullopt;
    text.resize(size);
    return text;
}

/// The text of a chunk; nothing if its structure is wrong.
std::optional<PngText> textOf(const std::string& type, std::string_view content) {
    const auto take = [&]() -> std::optional<std::string> {
        const std::size_t end = content.find('\0');
        if (end == std::string_view::npos)
            return std::nullopt;
        std::string word(content.substr(0, end));
        content.remove_prefix(end + 1);
        return word;
    };
    const std::optional<std::string> keyword = take();
    if (!keyword || keyword->empty() || keyword->size() > 79)
        return std::nullopt;
    if (type == "tEXt")
        return PngText{*keyword, fromLatin1(content)};
    bool packed = true;
    if (type == "iTXt") {
        if (content.size() < 2)
            return std::nullopt;
        packed = content[0] != '\0';
        content.remove_prefix(1);
    }
    if (content.empty() || (packed && content[0] != '\0')) // the only method of compression
        return std::nullopt;
    content.remove_prefix(1);
    if (type == "iTXt" && !(take() && take())) // language, translated keyword
        return std::nullopt;
    if (!packed)
        return PngText{*keyword, std::string(content)};
    const std::optional<std::string> text = inflated(content, maxTextBytes);
    if (!text)
        return std::nullopt;
    return PngText{*keyword, type == "iTXt" ? *text : fromLatin1(*text)};
}

} // namespace

std::string withPngTexts(const std::string& png, const std::vector<PngText>& texts) {
    const std::size_t afterHeader = pngSignature.size() + pngChunkFrame + headerBytes;
    std::string result = png.substr(0, afterHeader);
    for (const PngText& text : texts)
        result += chunkOf(text);
    return result + png.substr(afterHeader);
}

std::vector<PngText> readPngTexts(const std::string& path) {
    ChunkReader reader(path);
    std::vector<PngText> texts;
    std::size_t bytes = 0;
    for (bool first = true;; first = false) {
        const ChunkReader::Chunk chunk = reader.next();
        if (first != (chunk.type == "IHDR"))
            throw reader.damaged("its header isn't its first chunk");
        if (chunk.type == "IEND")
            return texts;
        if (chunk.type != "tEXt" && chunk.type != "zTXt" && chunk.type != "iTXt")
            continue;
        if (chunk.length > maxTextBytes)
            throw fileError(path, "the PNG file has more text than a picture of ours");
        std::optional<PngText> text = textOf(chunk.type, reader.content(chunk));
        if (!text)
            throw reader.damaged("one of its texts (" + chunk.type + ") is broken");
        bytes += text->text.size();
        if (bytes > maxTextBytes)
            throw fileError(path, "the PNG file has more text than a picture of ours");
        texts.push_back(std::move(*text));
    }
}

} // namespace systole
