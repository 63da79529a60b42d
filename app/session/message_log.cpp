#include "app/session/message_log.h"

#include "compute/core/enum_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <utility>

namespace systole {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// Offsets of the first byte of each UTF-8 character, then the size of the text.
std::vector<std::size_t> characterStarts(const std::string& text) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (!continues(text[i]))
            starts.push_back(i);
    starts.push_back(text.size());
    return starts;
}

/// The end of a path says more than its beginning: it gets two thirds.
std::string shortWord(const std::string& word, std::size_t maxCharacters) {
    const std::vector<std::size_t> starts = characterStarts(word);
    const std::size_t count = starts.size() - 1;
    if (count <= maxCharacters || maxCharacters < 3)
        return word;
    const std::size_t head = (maxCharacters - 1) / 3, tail = maxCharacters - 1 - head;
    return word.substr(0, starts[head]) + "…" + word.substr(starts[count - tail]);
}

} // namespace

const char* name(Severity severity) { return enumText(severity, {"note", "warning", "error"}); }

void MessageLog::add(Message message) {
    messages_.push_back(std::move(message));
    if (messages_.size() > maxMessages)
        messages_.erase(messages_.begin());
    ++added_;
}

std::string MessageLog::text() const {
    std::string text;
    for (const Message& message : messages_)
        text += fmt::format("{}\t{}\t{}\n", clockText(message.time), name(message.severity),
                            message.text);
    return text;
}

std::string clockText(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm local{};
    localtime_r(&seconds, &local);
    return fmt::format("{:%H:%M:%S}", local);
}

std::string withShortWords(const std::string& text, std::size_t maxCharacters) {
    std::string result, word;
    for (const char letter : text) {
        if (letter == ' ' || letter == '\n') {
            result += shortWord(std::exchange(word, {}), maxCharacters) + letter;
        } else {
            word += letter;
        }
    }
    return result + shortWord(word, maxCharacters);
}

std::vector<std::string> notesThatMatter(const Sequence& sequence) {
    std::vector<std::string> notes = sequence.notes;
    std::erase_if(notes, [&](const std::string& note) {
        return note.starts_with("times are from") || note.starts_with("time:") ||
               (note.starts_with("time unknown") && sequence.timeKnown());
    });
    return notes;
}

} // namespace systole
