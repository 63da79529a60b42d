// Numbers and blocks of an HDF5 file, taken one after the other.
#pragma once

#include "io/base/messages.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace systole::transforms {

/// HDF5's address of nothing.
inline constexpr std::uint64_t undefinedAddress = std::numeric_limits<std::uint64_t>::max();

/// Takes numbers of the format, which are little-endian, from the front.
class Hdf5Cursor {
public:
    Hdf5Cursor(const std::string& path, std::string_view bytes) : path_(path), rest_(bytes) {}

    std::uint64_t number(std::size_t bytes) {
        std::uint64_t value = 0;
        const std::string_view taken = take(bytes);
        for (std::size_t i = 0; i < bytes; ++i)
            value |= std::uint64_t{static_cast<unsigned char>(taken[i])} << (8 * i);
        return value;
    }
    std::string_view take(std::uint64_t bytes) {
        if (bytes > rest_.size())
            throw fileError(path_, "an HDF5 structure of it ends early");
        const std::string_view taken = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        return taken;
    }
    void skip(std::uint64_t bytes) { take(bytes); }
    std::size_t left() const { return rest_.size(); }

private:
    const std::string& path_;
    std::string_view rest_;
};

inline FileError unknownHdf5(const std::string& path, const char* what) {
    return fileError(path,
                     "stores {} in a way of HDF5 that isn't read here; ITK's and ANTs' programs "
                     "write the transform as .tfm or as a displacement field",
                     what);
}

} // namespace systole::transforms
