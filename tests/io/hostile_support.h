// Helpers for tests of damaged and hostile files: making such a file, and requirements of its
// refusal.
#pragma once

#include "tests/io/io_support.h"

#include <functional>
#include <sys/resource.h>

namespace systole::test {

struct Hostile {
    const char* name;
    /// Makes the file and gives the paths to open, the one to blame first.
    std::function<std::vector<std::string>(const TemporaryFolder&)> make;
    const char* says; ///< a part of the sentence
};

using Make = std::function<std::vector<std::string>(const TemporaryFolder&)>;

inline Make content(const std::string& file, const std::string& text) {
    return [=](const TemporaryFolder& folder) {
        writeBytes(folder / file, text);
        return std::vector{folder / file};
    };
}

inline Make bytes(const std::string& file, const Bytes& data) {
    return [=](const TemporaryFolder& folder) {
        writeBytes(folder / file, data);
        return std::vector{folder / file};
    };
}

inline Bytes flipped(Bytes data, std::size_t at) {
    data[at] ^= std::byte{0xff};
    return data;
}

/// A sound MetaImage of 4 × 4 × 4 voxels of int16, with a part of its text replaced.
inline std::string meta(const std::string& replaced = "", const std::string& by = "") {
    std::string text = "ObjectType = Image\nNDims = 3\nBinaryData = True\nCompressedData = False\n"
                       "TransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = 0 0 0\n"
                       "ElementSpacing = 1 1 1\nDimSize = 4 4 4\nElementType = MET_SHORT\n"
                       "ElementDataFile = LOCAL\n" +
                       std::string(128, 'v');
    if (!replaced.empty())
        text.replace(text.find(replaced), replaced.size(), by);
    return text;
}

inline Bytes noise(std::size_t count) {
    Bytes data(count);
    unsigned state = 1;
    for (std::byte& b : data)
        b = static_cast<std::byte>((state = state * 1664525U + 1013904223U) >> 24);
    return data;
}

/// A gzip file that goes on with zeros for 400 MiB behind the sound file.
inline Bytes bomb(const Bytes& sound) {
    Bytes file = gzipped(sound);
    const Bytes zeros = gzipped(Bytes(std::size_t{8} << 20));
    for (int i = 0; i < 50; ++i)
        file.insert(file.end(), zeros.begin(), zeros.end());
    return file;
}

/// Empty when the file was read.
inline std::string refusalOf(const std::vector<std::string>& paths) {
    try {
        const Sequence sequence = openSequence(paths);
        for (int frame = 0; frame < sequence.frames; ++frame)
            readFrame(sequence, frame);
    } catch (const FileError& error) {
        return error.what();
    }
    return {};
}

inline std::size_t peakBytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

inline void expectRefusal(const Hostile& file) {
    const TemporaryFolder folder;
    const std::vector<std::string> paths = file.make(folder);
    const std::size_t before = peakBytes();
    const std::string message = refusalOf(paths);
    const std::size_t grown = peakBytes() - before;

    ASSERT_FALSE(message.empty()) << "was read without complaint";
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_NE(message.find(folder.path().string()), std::string::npos) << message;
    EXPECT_NE(message.find(file.says), std::string::npos) << message;
    EXPECT_LT(message.size(), 500U) << message;
    EXPECT_LT(grown, std::size_t{64} << 20) << "bytes of memory were touched";
}

} // namespace systole::test
