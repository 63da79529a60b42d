// The hash SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace systole {

class Sha256 {
public:
    /// May be called again and again; what was given is hashed as if it were one piece.
    void add(std::span<const std::byte> bytes);
    /// 64 hexadecimal digits, lower case, of all that was added. Called once, last.
    std::string hex();

private:
    void addBlock(const std::byte* block);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> rest_{}; ///< of a block that isn't full
    std::uint64_t bytes_ = 0;
};

} // namespace systole
