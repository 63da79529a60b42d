#include "io/base/fingerprint.h"

#include <cerrno>
#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace systole {
namespace {

constexpr std::size_t blockBytes = std::size_t{1} << 18;

/// Adds the rest of the file. False if it can't be read to its end.
bool addAll(int file, FileFingerprint& sum) {
    std::vector<unsigned char> block(blockBytes);
    for (;;) {
        const ssize_t count = ::read(file, block.data(), block.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        sum.crc32 = libdeflate_crc32(sum.crc32, block.data(), static_cast<std::size_t>(count));
        sum.bytes += static_cast<std::uint64_t>(count);
    }
}

} // namespace

std::optional<FileFingerprint> fingerprintOf(const std::string& path) {
    // Opening a pipe of that name would wait for a writer without O_NONBLOCK.
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return std::nullopt;
    struct stat status {};
    FileFingerprint sum;
    const bool whole = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && addAll(file, sum);
    ::close(file);
    return whole ? std::optional(sum) : std::nullopt;
}

} // namespace systole
