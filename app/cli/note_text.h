// Notes of a command, all in one form whoever has made them.
#pragma once

#include <string>

namespace systole {

/// The text as it is printed after "note: ": beginning with a small letter, unless its first word
/// is an abbreviation, and without the full stop if it is a single sentence.
std::string noteText(std::string text);

/// Prints a line with the note.
void printNote(const std::string& text);

} // namespace systole
