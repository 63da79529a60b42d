// Messages to be read again, and texts that fit their place.
#include "app/session/message_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST(MessageLog, KeepsTheLastMessagesInOrder) {
    MessageLog log;
    for (std::size_t i = 0; i < MessageLog::maxMessages + 3; ++i)
        log.add({std::chrono::system_clock::now(), Severity::Note, std::to_string(i)});
    EXPECT_EQ(log.messages().size(), MessageLog::maxMessages);
    EXPECT_EQ(log.messages().front().text, "3");
    EXPECT_EQ(log.added(), MessageLog::maxMessages + 3);
    MessageLog one;
    one.add({std::chrono::system_clock::now(), Severity::Error, "it broke"});
    EXPECT_THAT(one.text(), MatchesRegex("[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\terror\tit broke\n"));
}

TEST(ShortWords, PathsKeepTheirBeginningAndTheirName) {
    const std::string path = "/home/somebody/a/very/long/way/to/the/heart_of_a_mouse.nii.gz";
    EXPECT_EQ(withShortWords("no such file", 12), "no such file");
    EXPECT_EQ(withShortWords(path, path.size()), path);
    const std::string text = withShortWords("can't open " + path + ": gone", 31);
    EXPECT_THAT(text, StartsWith("can't open /home/some"));
    EXPECT_THAT(text, EndsWith("…t_of_a_mouse.nii.gz: gone"));
}

TEST(ShortWords, CharactersAreNotCutApart) {
    EXPECT_EQ(withShortWords("äöüßäöüßäöüß", 7), "äö…äöüß");
}

TEST(FileNotes, DoubtsMatterAndSourcesDoNot) {
    Sequence sequence;
    sequence.frames = 2;
    sequence.notes = {"times are from the trigger time", "time unknown: no unit",
                      "the unit of length is not stated; millimeters are assumed"};
    EXPECT_THAT(notesThatMatter(sequence), ElementsAre(sequence.notes[1], sequence.notes[2]));
    sequence.timesSeconds = {0, 0.05}; // given by the user since
    EXPECT_THAT(notesThatMatter(sequence), ElementsAre(sequence.notes[2]));
}

} // namespace
} // namespace systole
