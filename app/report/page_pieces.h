// Where a text may be divided over pages.
#pragma once

#include <cstddef>
#include <vector>

class QTextDocument;

namespace systole {

/// A part that stays on one page: a line, or a row of a table.
struct PagePiece {
    double top = 0, bottom = 0;
    std::size_t head = 0; ///< the piece with the first row of its table; itself: it has none before
    double height() const { return bottom - top; }
};

/// Those of a text whose width is set, from top to bottom; together they are all of it.
std::vector<PagePiece> pagePieces(const QTextDocument& text);

} // namespace systole
