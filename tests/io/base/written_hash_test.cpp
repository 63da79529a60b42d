// Hashes that are found while files are written, against those of the bytes that are read back.
#include "io/base/byte_source.h"
#include "io/base/output_file.h"
#include "io/base/sha256.h"
#include "io/base/written_hash.h"
#include "tests/io/io_support.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace systole::test {
namespace {

class WrittenHash : public ::testing::Test {
protected:
    std::string path(const char* name) const { return folder_ / name; }
    static std::string hashOfBytesIn(const std::string& path) {
        const InputFile file(path);
        const std::string bytes = file.text(0, file.size());
        Sha256 hash;
        hash.add(std::as_bytes(std::span(bytes)));
        return hash.hex();
    }
    static void write(const std::string& path, const std::string& text) {
        writeFileAtomically(path, [&](OutputFile& file) {
            for (int i = 0; i < 1000; ++i)
                file.write(text);
        });
    }
    TemporaryFolder folder_;
};

TEST_F(WrittenHash, IsThatOfTheFilesBytesPlainAndCompressed) {
    const WrittenHashes kept;
    for (const char* name : {"plain.bin", "packed.gz"}) {
        write(path(name), "some bytes, ");
        EXPECT_EQ(WrittenHashes::of(path(name)), hashOfBytesIn(path(name))) << name;
    }
}

TEST_F(WrittenHash, GoesWithTheFileToAnotherNameAndFolder) {
    const WrittenHashes kept;
    write(path("before"), "text");
    fs::create_directory(path("folder"));
    fs::rename(path("before"), path("folder/after"));
    EXPECT_EQ(WrittenHashes::of(path("folder/after")), hashOfBytesIn(path("folder/after")));
    EXPECT_EQ(WrittenHashes::of(path("before")), "");
}

TEST_F(WrittenHash, IsUnknownOfAFileThatWasChangedOrReplacedSince) {
    const WrittenHashes kept;
    write(path("longer"), "text");
    fs::resize_file(path("longer"), 5000);
    EXPECT_EQ(WrittenHashes::of(path("longer")), "");

    write(path("dated"), "text");
    fs::last_write_time(path("dated"), fs::last_write_time(path("dated")) + std::chrono::hours(1));
    EXPECT_EQ(WrittenHashes::of(path("dated")), "");

    write(path("replaced"), "text");
    fs::copy_file(path("replaced"), path("copy"));
    EXPECT_EQ(WrittenHashes::of(path("copy")), "") << "it isn't the file that was written";
}

TEST_F(WrittenHash, IsKeptAsLongAsSomebodyWantsIt) {
    write(path("early"), "text");
    std::optional<WrittenHashes> first(std::in_place), second(std::in_place);
    EXPECT_EQ(WrittenHashes::of(path("early")), "") << "nobody wanted it yet";
    write(path("late"), "text");
    first.reset();
    EXPECT_NE(WrittenHashes::of(path("late")), "");
    second.reset();
    EXPECT_EQ(WrittenHashes::of(path("late")), "");
    const WrittenHashes again;
    EXPECT_EQ(WrittenHashes::of(path("late")), "");
}

} // namespace
} // namespace systole::test
