// A log of the program's messages, to read again those that bars and lines no longer show.
#pragma once

#include "compute/core/sequence.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace systole {

enum class Severity { Note, Warning, Error };
const char* name(Severity severity); ///< "note", "warning", "error"

struct Message {
    std::chrono::system_clock::time_point time{};
    Severity severity = Severity::Note;
    std::string text;
    std::string path{}; ///< a file that was written; empty: none
};

class MessageLog {
public:
    static constexpr std::size_t maxMessages = 1000; ///< the oldest are forgotten

    void add(Message message);
    const std::vector<Message>& messages() const { return messages_; }
    /// Number of messages added so far, including forgotten ones.
    std::size_t added() const { return added_; }
    /// A line per message: local time, severity, text, tab-separated.
    std::string text() const;

private:
    std::vector<Message> messages_;
    std::size_t added_ = 0;
};

std::string clockText(std::chrono::system_clock::time_point time); ///< local time, "14:03:59"

/// The text with every word of more than `maxCharacters`, such as a path, shortened in its middle.
std::string withShortWords(const std::string& text, std::size_t maxCharacters);

/// The notes about a file that a user must know to trust what is shown: doubts about lengths,
/// times, position, completeness; not those that only name a source.
std::vector<std::string> notesThatMatter(const Sequence& sequence);

} // namespace systole
