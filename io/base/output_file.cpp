#include "io/base/output_file.h"

#include "io/base/messages.h"
#include "io/base/on_disk.h"
#include "io/base/partial_file.h"
#include "io/base/sha256.h"
#include "io/base/written_hash.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <unistd.h>
#include <vector>
#include <zlib.h>

namespace systole {
namespace {

namespace fs = std::filesystem;

/// The end of a chain of links, whether or not there is a file yet.
fs::path followLinks(const std::string& path) {
    constexpr int longestChain = 40;
    fs::path target(path);
    std::error_code ignored;
    for (int links = 0; fs::is_symlink(target, ignored); ++links) {
        if (links == longestChain)
            throw fileError(path, "cannot be written: its links lead round in a circle");
        target = target.parent_path() / fs::read_symlink(target, ignored);
    }
    return target;
}

/// Only a trial write is reliable: permissions do not show a read-only file system.
void tryToWriteInto(const fs::path& folder, const std::string& path) {
    const PartialFile probe(folder / "probe");
    const int descriptor = ::open(probe.path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0)
        throw fileError(path, "the folder cannot be written to: {}", std::strerror(errno));
    ::close(descriptor);
}

/// The folder that is there and nearest above a path.
fs::path existingParent(const std::string& path) {
    std::error_code ignored;
    fs::path at = fs::absolute(path, ignored).lexically_normal();
    do {
        at = at.parent_path();
    } while (at != at.parent_path() && !fs::exists(at, ignored));
    return at;
}

constexpr int gzipFormat = 15 + 16;
/// Noise hardly shrinks at any level; low ones take a third of the time.
constexpr int fastLevel = 3;
constexpr std::size_t deflatedBlock = std::size_t{1} << 18;
constexpr std::size_t collectedBytes = std::size_t{1} << 20;
/// Files that are larger begin to go to the disk when they are closed.
constexpr std::size_t beginsAtBytes = std::size_t{1} << 20;

} // namespace

struct OutputFile::Impl {
    std::string finalPath;
    int descriptor = -1;
    bool deflates = false;
    z_stream stream{};
    std::vector<std::byte> deflated, collected;
    std::size_t written = 0;
    std::optional<Sha256> hash; ///< checksum of the file's content

    ~Impl() {
        if (descriptor >= 0)
            ::close(descriptor);
        if (deflates)
            deflateEnd(&stream);
    }

    [[noreturn]] void fail(int reason) const {
        throw fileError(finalPath, "cannot be written: {}", std::strerror(reason));
    }

    void writeOut(const std::byte* data, std::size_t bytes) {
        written += bytes;
        if (hash)
            hash->add({data, bytes});
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

    void put(std::span<const std::byte> bytes) {
        if (!deflates)
            return writeOut(bytes.data(), bytes.size());
        while (!bytes.empty()) {
            const std::size_t step = std::min(bytes.size(), std::size_t{1} << 30);
            // zlib's interface predates const.
            stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
            stream.avail_in = static_cast<uInt>(step);
            deflateAll(Z_NO_FLUSH);
            bytes = bytes.subspan(step);
        }
    }
    void putCollected() {
        put(collected);
        collected.clear();
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
    if (WrittenHashes::wanted())
        impl_->hash.emplace();
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
    if (my.collected.size() + bytes.size() > collectedBytes)
        my.putCollected();
    if (bytes.size() > collectedBytes)
        my.put(bytes);
    else
        my.collected.insert(my.collected.end(), bytes.begin(), bytes.end());
}

void OutputFile::close() {
    Impl& my = *impl_;
    my.putCollected();
    if (my.deflates) {
        my.stream.avail_in = 0;
        my.deflateAll(Z_FINISH);
    }
    if (my.hash)
        WrittenHashes::add(my.descriptor, my.hash->hex());
    // Start writeback now. Otherwise Linux collects dirty pages up to a tenth of its memory and
    // then blocks the writers. A failure is harmless.
    if (my.written > beginsAtBytes)
        ::sync_file_range(my.descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
    const int failed = ::close(my.descriptor);
    my.descriptor = -1;
    if (failed != 0 && errno != EINTR) // Linux has closed it even so
        my.fail(errno);
}

void writeAtomically(const std::string& path, const std::function<void(const std::string&)>& write,
                     Existing existing, OnDisk onDisk) {
    if (PartialFile::isOne(path)) // a writer within a writer, which renames the file
        return write(path);
    std::error_code ignored;
    // The target of a link is replaced, not the link; a device or a pipe must never be replaced.
    const fs::path target = followLinks(path);
    if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored))
        throw fileError(path, "cannot be written: it is there already and is no regular file");
    const PartialFile partial(target);
    try {
        write(partial.path());
    } catch (const FileError& error) { // the user knows the final name only
        std::string sentence = error.what();
        if (const auto at = sentence.find(partial.path()); at != std::string::npos)
            sentence.replace(at, partial.path().size(), path);
        throw FileError(sentence);
    }
    if (onDisk != OnDisk::Nothing)
        waitForFile(partial.path(), path);
    const int failure = partial.rename(target.string(), existing == Existing::Replaced);
    if (failure == EEXIST)
        throw fileError(path, "has appeared in the meantime and is left alone");
    if (failure != 0)
        throw fileError(path, "cannot be written: {}", std::strerror(failure));
    if (onDisk == OnDisk::Named)
        waitForNames(target.parent_path());
}

void writeFileAtomically(const std::string& path, const std::function<void(OutputFile&)>& write) {
    writeAtomically(path, [&](const std::string& temporary) {
        const bool gzip = lowerCase(path).ends_with(".gz");
        OutputFile file(temporary,
                        gzip ? OutputFile::Compression::Gzip : OutputFile::Compression::None, path);
        write(file);
        file.close();
    });
}

void writeTextAtomically(const std::string& path, const std::string& text, Existing existing,
                         OnDisk onDisk) {
    writeAtomically(
        path,
        [&](const std::string& temporary) {
            OutputFile file(temporary, OutputFile::Compression::None, path);
            file.write(text);
            file.close();
        },
        existing, onDisk);
}

fs::path targetOf(const std::string& path) {
    std::error_code unknown;
    return fs::weakly_canonical(fs::absolute(followLinks(path), unknown), unknown);
}

void requireWritableFolder(const std::string& path) {
    const fs::path folder = fs::absolute(followLinks(path)).parent_path();
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        throw fileError(path, "cannot be written: there is no folder {}", folder.string());
    tryToWriteInto(folder, path);
}

void refuseInputs(const std::string& path, const std::vector<std::string>& inputs) {
    for (const std::string& input : inputs) {
        std::error_code failure;
        if (fs::equivalent(path, input, failure))
            throw FileError(path + ": is the open image and isn't replaced");
    }
}

void ensureFolder(const std::string& path) {
    std::error_code failure;
    fs::create_directories(path, failure);
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
        if (!failure || fs::exists(path, ignored))
            throw fileError(path, "cannot be made a folder: it is a file");
        const std::string parent = existingParent(path).string();
        if (!fs::is_directory(parent, ignored))
            throw fileError(path, "cannot be made a folder: {} is a file", parent);
        const bool says = failure != std::errc::no_such_file_or_directory; // as /proc does
        throw fileError(path, "cannot be made a folder: {} takes no new folder{}", parent,
                        says ? ": " + failure.message() : std::string());
    }
    tryToWriteInto(path, path);
}

} // namespace systole
