// How a reader refuses a file.
#pragma once

#include "io/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace systole::test {

/// The sentence with which `read` refuses the file, one line that begins with its name, without the
/// name.
template <typename Read>
std::string refusalSentence(const std::string& path, const Read& read) {
    try {
        read(path);
    } catch (const FileError& error) {
        const std::string sentence = error.what();
        EXPECT_THAT(sentence, ::testing::StartsWith(path + ": "));
        EXPECT_EQ(sentence.find('\n'), std::string::npos);
        return sentence.substr(path.size() + 2);
    }
    ADD_FAILURE() << "read: " << path;
    return {};
}

} // namespace systole::test
