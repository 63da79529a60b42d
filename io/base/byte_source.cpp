#include "io/base/byte_source.h"

#include "io/base/inflate.h"
#include "io/base/messages.h"
#include "io/base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace systole {
namespace {

class PlainBytes final : public ByteSource {
public:
    PlainBytes(const std::string& path, std::uint64_t start, std::uint64_t promised)
        : file_(path), start_(start) {
        const std::uint64_t held = file_.size() > start ? file_.size() - start : 0;
        if (held < promised)
            throw fileError(path,
                            "the header promises {} bytes of voxels, but the file holds {}; it is "
                            "incomplete or its header is wrong",
                            promised, held);
    }

    void read(std::uint64_t offset, std::span<std::byte> out) override {
        if (file_.readSome(start_ + offset, out) != out.size())
            throw fileError(file_.path(), "the file became shorter while it was being read");
    }

private:
    InputFile file_;
    std::uint64_t start_;
};

class MemoryBytes final : public ByteSource {
public:
    explicit MemoryBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
    void read(std::uint64_t offset, std::span<std::byte> out) override {
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    }

private:
    std::vector<std::byte> bytes_;
};

} // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
    // Opening a pipe without O_NONBLOCK would wait for a writer that may never come.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const int failure = errno;
    struct stat status {};
    if (descriptor_ < 0 && failure == ENOENT && ::lstat(path.c_str(), &status) != 0)
        throw fileError(path, noSuchPath); // nor a link that leads nowhere
    if (descriptor_ < 0)
        throw fileError(path, "cannot be opened: {}", std::strerror(failure));
    if (::fstat(descriptor_, &status) != 0) {
        const int reason = errno;
        ::close(descriptor_);
        throw fileError(path, "cannot be read: {}", std::strerror(reason));
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(descriptor_);
        throw fileError(path, S_ISDIR(status.st_mode) ? "is a folder where a file was expected"
                                                      : "is not a regular file");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::readSome(std::uint64_t offset, std::span<std::byte> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = ::pread(descriptor_, out.data() + done, out.size() - done,
                                    static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw fileError(path_, "cannot be read: {}", std::strerror(errno));
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::unique_ptr<ByteSource> openPlainBytes(const std::string& path, std::uint64_t start,
                                           std::uint64_t promised) {
    return std::make_unique<PlainBytes>(path, start, promised);
}

std::unique_ptr<ByteSource> memoryBytes(std::vector<std::byte> bytes) {
    return std::make_unique<MemoryBytes>(std::move(bytes));
}

std::string InputFile::text(std::uint64_t offset, std::uint64_t maxBytes) const {
    std::string text(static_cast<std::size_t>(std::min(maxBytes, size_ - std::min(size_, offset))),
                     '\0');
    text.resize(readSome(offset, std::as_writable_bytes(std::span(text))));
    return text;
}

bool InputFile::isGzip() const { return text(0, 2) == "\x1f\x8b"; }

std::string wholeText(const std::string& path) {
    const InputFile file(path);
    return file.text(0, file.size());
}

std::string readBeginning(const std::string& path, std::size_t bytes) {
    const InputFile file(path);
    if (!file.isGzip())
        return file.text(0, bytes);
    std::string beginning(bytes, '\0');
    beginning.resize(Inflater(path, 0).next(std::as_writable_bytes(std::span(beginning))));
    return beginning;
}

} // namespace systole
