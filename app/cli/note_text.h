// Notes of a command, all in one form whoever has made them.
#pragma once

#include <string>

namespace systole {

/// What follows "note: ": a sentence begins with a small letter, unless its first word is an
/// abbreviation, and ends without a full stop if it is the only one.
std::string noteText(std::string text);

/// Prints a line with the note.
void printNote(const std::string& text);

} // namespace systole
