// Words and numbers of text headers, parsed strictly, and the form of all messages of io/.
#pragma once

#include "io/base/error.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// "path: sentence", on one line whatever the path or the sentence holds.
FileError fileError(const std::string& path, const std::string& sentence);
/// The text of that error, for notes and warnings.
std::string fileNote(const std::string& path, const std::string& sentence);
/// fileNote() of each sentence.
std::vector<std::string> fileNotes(const std::string& path,
                                   const std::vector<std::string>& sentences);

/// Wording of all messages about a path that doesn't exist.
inline constexpr const char* noSuchPath = "there is no such file or folder";

/// Text found in a file, made suitable for a message: one line, printable, short.
std::string inQuotes(std::string_view text);
/// A path on the disk the same way, but whole: its end is what tells files apart.
std::string pathInQuotes(std::string_view path);

std::string_view trimmed(std::string_view text);
std::string lowerCase(std::string_view text);
std::vector<std::string> words(std::string_view text, std::string_view separators = " \t\r");
/// The parts between the separators, empty parts too.
std::vector<std::string_view> partsOf(std::string_view text, char separator);

/// The cells of a line of a table (CSV), without blanks around them. A cell may be in double
/// quotes: then separators in it are text, and two quotes are one; elsewhere in a cell a quote is a
/// character, as it is everywhere unless `mayQuote`. Splits off no more than maxCells + 1 cells.
/// Nothing: a quote isn't closed.
std::optional<std::vector<std::string>> tableCells(std::string_view line, char separator,
                                                   std::size_t maxCells = std::string::npos,
                                                   bool mayQuote = true);
/// True if a spreadsheet takes a cell with this text for a formula, which it would run: the text
/// begins, after spaces, with = + - @ or one of their full-width forms. A number may, too.
bool beginsFormula(std::string_view text);

/// The character that ends the lines of a text: '\r' where the first line ends with it alone, as on
/// a Mac of before 2001, else '\n'.
char lineEndOf(std::string_view text);
/// The text's next line without its end (`end`, or "\r\n"), which is cut off.
std::string_view nextLine(std::string_view& text, char end = '\n');

/// The text's next word, without the blanks around it, which is cut off; empty at the end.
std::string_view nextWord(std::string_view& text);

/// The whole text as a number, with at most one sign; nullopt when it contains anything else.
/// Numbers may be NaN or infinite where the text says so.
std::optional<double> parseReal(std::string_view text);
std::optional<long long> parseInteger(std::string_view text);

/// "MR", "CT" or "US" when one of them, or its usual long form, is a word of the text.
std::string modalityNamedIn(std::string_view text);

} // namespace systole
