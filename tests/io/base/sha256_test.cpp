// SHA-256 against the examples of FIPS 180-4 (NIST, "SHA Test Vectors").
#include "io/base/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace systole {
namespace {

std::string hashOf(std::string_view text, std::size_t piece = 1 << 20) {
    Sha256 hash;
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
        hash.add(std::as_bytes(std::span(text.substr(0, piece))));
    return hash.hex();
}

TEST(Sha256, IsThatOfTheStandardsExamples) {
    EXPECT_EQ(hashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hashOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hashOf(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, IsTheSameInPieces) {
    const std::string text(1000, 'x');
    for (const std::size_t piece : {1u, 7u, 63u, 64u})
        EXPECT_EQ(hashOf(text, piece), hashOf(text)) << piece;
}

} // namespace
} // namespace systole
