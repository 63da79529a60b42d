// The division of a text into pieces between which a page may end.
#pragma once

#include <cstddef>
#include <vector>

class QTextDocument;

namespace systole {

/// A part that stays on one page: a line, or a row of a table.
struct PagePiece {
    double top = 0, bottom = 0;
    std::size_t head = 0; ///< index of the piece with the first row of its table; its own: none
    double height() const { return bottom - top; }
};

/// The pieces of a text whose width is set, from top to bottom; together they are the whole text.
std::vector<PagePiece> pagePieces(const QTextDocument& text);

} // namespace systole
