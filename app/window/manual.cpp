#include "app/window/manual.h"

#include "app/base/assets.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

namespace systole {

std::vector<PagesWindow::Page> manualPages() {
    const QFileInfo index(QString::fromStdString(manualPagePath("README.md").string()));
    const auto pathOf = [folder = index.dir()](const QString& name) {
        return [folder, name] { return folder.filePath(name); };
    };
    std::vector<PagesWindow::Page> pages{{QStringLiteral("Contents"), pathOf(index.fileName())}};
    QFile file(index.filePath());
    if (!file.open(QIODevice::ReadOnly))
        return pages; // its page says why
    static const QRegularExpression link(QStringLiteral(R"(\[([^\]]+)\]\(([\w-]+\.md)\))"));
    QStringList seen{index.fileName()};
    for (auto links = link.globalMatch(QString::fromUtf8(file.readAll())); links.hasNext();) {
        const QRegularExpressionMatch match = links.next();
        const QString name = match.captured(2);
        if (seen.contains(name))
            continue;
        seen << name;
        pages.push_back({match.captured(1), pathOf(name)});
    }
    return pages;
}

} // namespace systole
