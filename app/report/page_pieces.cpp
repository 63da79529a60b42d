#include "app/report/page_pieces.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>
#include <QTextTable>

#include <algorithm>

namespace systole {

std::vector<PagePiece> pagePieces(const QTextDocument& text) {
    std::vector<PagePiece> pieces;
    const QTextTable* table = nullptr;
    int row = 0;
    std::size_t head = 0;
    for (QTextBlock block = text.begin(); block.isValid(); block = block.next()) {
        const QRectF box = text.documentLayout()->blockBoundingRect(block);
        const QTextTable* const itsTable = QTextCursor(block).currentTable();
        if (!itsTable) {
            table = nullptr;
            if (block.length() == 1) // an empty one beside a table
                continue;
            const QTextLayout& layout = *block.layout();
            const double above = box.top() - layout.boundingRect().top();
            for (int i = 0; i < layout.lineCount(); ++i) {
                const QRectF line = layout.lineAt(i).rect();
                pieces.push_back({above + line.top(), above + line.bottom(), pieces.size()});
            }
            continue;
        }
        const int itsRow = itsTable->cellAt(block.position()).row();
        if (itsTable == table && itsRow == row) {
            pieces.back().top = std::min(pieces.back().top, box.top());
            pieces.back().bottom = std::max(pieces.back().bottom, box.bottom());
        } else {
            if (itsTable != table)
                head = pieces.size();
            pieces.push_back({box.top(), box.bottom(), head});
        }
        table = itsTable;
        row = itsRow;
    }
    if (pieces.empty())
        return pieces;
    // The gap between two pieces is divided in its middle.
    for (std::size_t i = 1; i < pieces.size(); ++i)
        pieces[i].top = pieces[i - 1].bottom = (pieces[i - 1].bottom + pieces[i].top) / 2;
    pieces.front().top = 0;
    pieces.back().bottom = std::max(pieces.back().bottom, text.size().height());
    return pieces;
}

} // namespace systole
