#include "io/base/inflate.h"

#include "compute/core/buffer.h"
#include "io/base/messages.h"

#include <algorithm>
#include <libdeflate.h>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#include <zlib.h>

namespace systole {
namespace {

constexpr std::size_t inputBlock = std::size_t{1} << 18;
constexpr std::size_t cacheBlock = std::size_t{1} << 22;
constexpr std::uint64_t largestCache = std::uint64_t{1} << 30;
/// Streams up to this size are inflated and checked completely when they are opened.
constexpr std::uint64_t checkedAtOnce = std::uint64_t{128} << 20;
/// The highest compression ratio of deflate.
constexpr std::uint64_t highestRatio = 1032;
/// Bytes that may follow the promised ones before the file is refused as a decompression bomb.
constexpr std::size_t tolerableSurplus = std::size_t{1} << 20;
constexpr int detectGzipOrZlib = 15 + 32, bareDeflate = -15;

} // namespace

struct Inflater::Impl {
    InputFile file;
    std::uint64_t start;
    int windowBits;
    std::uint64_t consumed = 0; ///< compressed bytes taken from the file
    std::uint64_t position = 0;
    std::vector<std::byte> input = std::vector<std::byte>(inputBlock);
    z_stream stream{};
    bool ended = false;

    Impl(const std::string& path, std::uint64_t from, int bits)
        : file(path), start(from), windowBits(bits) {
        if (inflateInit2(&stream, windowBits) != Z_OK)
            throw std::bad_alloc();
    }
    ~Impl() { inflateEnd(&stream); }

    void refill() {
        const std::size_t got = file.readSome(start + consumed, input);
        consumed += got;
        stream.next_in = reinterpret_cast<Bytef*>(input.data());
        stream.avail_in = static_cast<uInt>(got);
    }

    /// Whether another gzip member follows directly after the end of one.
    bool anotherMemberFollows() {
        if (stream.avail_in < 2) {
            const std::size_t left = stream.avail_in;
            consumed -= left;
            refill();
        }
        return stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b;
    }
};

Inflater::Inflater(const std::string& path, std::uint64_t start, Form form)
    : impl_(std::make_unique<Impl>(path, start,
                                   form == Form::Bare ? bareDeflate : detectGzipOrZlib)) {}
Inflater::~Inflater() = default;

std::uint64_t Inflater::position() const { return impl_->position; }

std::uint64_t Inflater::compressedBytes() const {
    return impl_->file.size() - std::min(impl_->start, impl_->file.size());
}

void Inflater::restart() {
    impl_->consumed = impl_->position = 0;
    impl_->stream.avail_in = 0;
    impl_->ended = false;
    inflateReset2(&impl_->stream, impl_->windowBits);
}

std::size_t Inflater::next(std::span<std::byte> out) {
    Impl& my = *impl_;
    std::size_t done = 0;
    while (done < out.size() && !my.ended) {
        if (my.stream.avail_in == 0)
            my.refill();
        if (my.stream.avail_in == 0)
            throw fileError(my.file.path(),
                            "the compressed data are cut off: the file ends after {} inflated "
                            "bytes in the middle of the stream",
                            my.position);
        const std::size_t step = std::min(out.size() - done, std::size_t{1} << 30);
        my.stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
        my.stream.avail_out = static_cast<uInt>(step);
        const int code = inflate(&my.stream, Z_NO_FLUSH);
        const std::size_t made = step - my.stream.avail_out;
        done += made;
        my.position += made;
        if (code == Z_STREAM_END) {
            if (my.windowBits != bareDeflate && my.anotherMemberFollows())
                inflateReset2(&my.stream, my.windowBits);
            else
                my.ended = true;
        } else if (code == Z_MEM_ERROR) { // its window is taken with the first bytes
            throw std::bad_alloc();
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            throw fileError(my.file.path(),
                            "the compressed data are damaged after {} inflated bytes ({})",
                            my.position, my.stream.msg ? my.stream.msg : "bad stream");
        }
    }
    return done;
}

namespace {

bool isGzip(const std::string& beginning) { return beginning == "\x1f\x8b"; }

/// Whether the first two bytes are a zlib header: method and check value (RFC 1950).
bool isZlib(const std::string& beginning) {
    if (beginning.size() < 2)
        return false;
    const unsigned first = static_cast<unsigned char>(beginning[0]),
                   second = static_cast<unsigned char>(beginning[1]);
    return (first & 15) == 8 && (256 * first + second) % 31 == 0;
}

/// The inflated bytes of a small gzip or zlib stream at once, which takes a third of zlib's time.
/// Empty where it isn't one whole stream of this size, up to the end of the file, with the right
/// checksum: zlib tells why.
std::vector<std::byte> inflateWhole(const std::string& path, std::uint64_t start,
                                    std::uint64_t promised) {
    const InputFile file(path);
    const std::uint64_t bytes = file.size() - std::min(start, file.size());
    const std::string beginning = file.text(start, 2);
    if (promised > checkedAtOnce || bytes > checkedAtOnce || bytes < promised / highestRatio ||
        !(isGzip(beginning) || isZlib(beginning)))
        return {};
    std::vector<std::byte> deflated(static_cast<std::size_t>(bytes)),
        inflated(static_cast<std::size_t>(promised));
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> with(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    std::size_t taken = 0;
    const auto inflateAll =
        isGzip(beginning) ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
    const bool whole = with && file.readSome(start, deflated) == deflated.size() &&
                       inflateAll(with.get(), deflated.data(), deflated.size(), inflated.data(),
                                  inflated.size(), &taken, nullptr) == LIBDEFLATE_SUCCESS &&
                       taken == deflated.size();
    return whole ? inflated : std::vector<std::byte>{};
}

/// Whether it is gzip, and the last four bytes are that size, as they are of one member.
bool endsWithSize(const std::string& path, std::uint64_t start, std::uint64_t size) {
    const InputFile file(path);
    if (!isGzip(file.text(start, 2)))
        return false;
    const std::string last = file.text(file.size() - 4, 4);
    std::uint64_t stated = 0;
    for (auto byte = last.rbegin(); byte != last.rend(); ++byte)
        stated = stated << 8 | static_cast<unsigned char>(*byte);
    return stated == (size & 0xffffffff);
}

class InflatedBytes final : public ByteSource {
public:
    InflatedBytes(const std::string& path, std::uint64_t start, std::uint64_t skip,
                  std::uint64_t promised, bool onDemand)
        : path_(path), inflater_(path, start), skip_(skip), promised_(skip + promised) {
        if (inflater_.compressedBytes() < promised_ / highestRatio)
            throw fileError(path,
                            "the header promises {}, but the {} compressed bytes of the file "
                            "cannot hold so much",
                            bytesText(promised_), inflater_.compressedBytes());
        keeps_ = promised_ <= largestCache;
        if (promised_ <= checkedAtOnce && !onDemand)
            keepUpTo(promised_);
    }

    void read(std::uint64_t offset, std::span<std::byte> out) override {
        offset += skip_;
        if (keeps_) {
            keepUpTo(offset + out.size());
            copyKept(offset, out);
            return;
        }
        if (offset != inflater_.position())
            goTo(offset);
        advance(out);
    }

private:
    void goTo(std::uint64_t offset) {
        if (offset < inflater_.position())
            inflater_.restart();
        scratch_.resize(cacheBlock);
        while (inflater_.position() < offset) {
            const std::uint64_t step =
                std::min<std::uint64_t>(offset - inflater_.position(), cacheBlock);
            advance(std::span(scratch_).first(static_cast<std::size_t>(step)));
        }
    }

    void advance(std::span<std::byte> out) {
        if (inflater_.next(out) != out.size())
            throw fileError(path_,
                            "the header promises {} bytes, but the compressed stream ends after "
                            "{}; it is incomplete or its header is wrong",
                            promised_, inflater_.position());
        if (inflater_.position() == promised_)
            checkEnd();
    }

    /// Going on to the end lets zlib compare its checksum.
    void checkEnd() {
        std::vector<std::byte> surplus(tolerableSurplus);
        if (inflater_.next(surplus) == surplus.size())
            throw fileError(path_,
                            "inflates to far more than the {} bytes that its header promises; it "
                            "is damaged or a trap",
                            promised_);
    }

    void keepUpTo(std::uint64_t end) {
        if (kept_ < end && inflater_.position() != kept_)
            goTo(kept_); // an earlier read failed midway
        while (kept_ < end) {
            const std::size_t step =
                static_cast<std::size_t>(std::min<std::uint64_t>(promised_ - kept_, cacheBlock));
            auto block = std::vector<std::byte>(step);
            advance(block);
            blocks_.push_back(std::move(block));
            kept_ += step;
        }
    }

    void copyKept(std::uint64_t offset, std::span<std::byte> out) const {
        std::size_t done = 0;
        while (done < out.size()) {
            const auto& block = blocks_[static_cast<std::size_t>((offset + done) / cacheBlock)];
            const auto within = static_cast<std::size_t>((offset + done) % cacheBlock);
            const std::size_t step = std::min(block.size() - within, out.size() - done);
            std::copy_n(block.data() + within, step, out.data() + done);
            done += step;
        }
    }

    std::string path_;
    Inflater inflater_;
    std::uint64_t skip_;
    std::uint64_t promised_; ///< including the skipped bytes
    bool keeps_ = false;
    std::uint64_t kept_ = 0;
    std::vector<std::vector<std::byte>> blocks_; ///< cacheBlock bytes each, the last possibly fewer
    std::vector<std::byte> scratch_;
};

} // namespace

std::unique_ptr<ByteSource> openInflatedBytes(const std::string& path, std::uint64_t start,
                                              std::uint64_t skip, std::uint64_t promised,
                                              bool trustsSize, std::uint64_t statedBytes) {
    if (trustsSize && (endsWithSize(path, start, skip + promised) ||
                       (statedBytes > 0 && InputFile(path).size() - start == statedBytes)))
        return std::make_unique<InflatedBytes>(path, start, skip, promised, true);
    if (std::vector<std::byte> whole = inflateWhole(path, start, skip + promised); !whole.empty()) {
        whole.erase(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(skip));
        return memoryBytes(std::move(whole));
    }
    return std::make_unique<InflatedBytes>(path, start, skip, promised, false);
}

} // namespace systole
