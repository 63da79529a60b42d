#include "io/output_file.h"

#include "io/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <vector>
#include <zlib.h>

namespace systole {
namespace {

constexpr int gzipFormat = 15 + 16;
/// Noise hardly shrinks at any level; low ones take a third of the time.
constexpr int fastLevel = 3;
constexpr std::size_t deflatedBlock = std::size_t{1} << 18;

} // namespace

struct OutputFile::Impl {
    std::string finalPath;
    int descriptor = -1;
    bool deflates = false;
    z_stream stream{};
    std::vector<std::byte> deflated;

    ~Impl() {
        if (descriptor >= 0)
            ::close(descriptor);
        if (deflates)
            deflateEnd(&stream);
    }

    [[noreturn]] void fail(int reason) const {
        throw fileError(finalPath, fmt::format("cannot be written: {}", std::strerror(reason)));
    }

    void writeOut(const std::byte* data, std::size_t bytes) const {
        while (bytes > 0) {
            const ssize_t done = ::write(descriptor, data, bytes);
            if (done < 0 && errno != EINTR)
                fail(errno);
            if (done > 0) {
                data += done;
                bytes -= static_cast<std::size_t>(done);
            }
        }
    }

    void deflateAll(int flush) {
        int code = Z_OK;
        do {
            stream.next_out = reinterpret_cast<Bytef*>(deflated.data());
            stream.avail_out = static_cast<uInt>(deflated.size());
            code = deflate(&stream, flush);
            writeOut(deflated.data(), deflated.size() - stream.avail_out);
        } while (stream.avail_out == 0 || (flush == Z_FINISH && code != Z_STREAM_END));
    }
};

OutputFile::OutputFile(const std::string& path, Compression compression,
                       const std::string& finalPath)
    : impl_(std::make_unique<Impl>()) {
    impl_->finalPath = finalPath;
    impl_->descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (impl_->descriptor < 0)
        impl_->fail(errno);
    if (compression == Compression::Gzip) {
        if (deflateInit2(&impl_->stream, fastLevel, Z_DEFLATED, gzipFormat, 8,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            impl_->fail(ENOMEM);
        impl_->deflates = true;
        impl_->deflated.resize(deflatedBlock);
    }
}

OutputFile::~OutputFile() = default;

void OutputFile::write(std::span<const std::byte> bytes) {
    Impl& my = *impl_;
    if (!my.deflates) {
        my.writeOut(bytes.data(), bytes.size());
        return;
    }
    while (!bytes.empty()) {
        const std::size_t step = std::min(bytes.size(), std::size_t{1} << 30);
        // zlib's interface predates const.
        my.stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
        my.stream.avail_in = static_cast<uInt>(step);
        my.deflateAll(Z_NO_FLUSH);
        bytes = bytes.subspan(step);
    }
}

void OutputFile::close() {
    Impl& my = *impl_;
    if (my.deflates) {
        my.stream.avail_in = 0;
        my.deflateAll(Z_FINISH);
    }
    const int failed = ::close(my.descriptor);
    my.descriptor = -1;
    if (failed != 0)
        my.fail(errno);
}

} // namespace systole
