#include "app/window/manual.h"

#include "app/assets.h"

#include <QFile>
#include <QRegularExpression>
#include <QStringList>

namespace systole {

std::vector<PagesWindow::Page> manualPages() {
    const auto path = [](const QString& name) {
        return QString::fromStdString(manualPagePath(name.toStdString()).string());
    };
    const QString index = QStringLiteral("README.md");
    std::vector<PagesWindow::Page> pages{
        {QStringLiteral("Contents"), [path, index] { return path(index); }}};
    QFile file(path(index));
    if (!file.open(QIODevice::ReadOnly))
        return pages; // its page says why
    static const QRegularExpression link(QStringLiteral(R"(\[([^\]]+)\]\(([\w-]+\.md)\))"));
    QStringList seen{index};
    for (auto links = link.globalMatch(QString::fromUtf8(file.readAll())); links.hasNext();) {
        const QRegularExpressionMatch match = links.next();
        const QString name = match.captured(2);
        if (seen.contains(name))
            continue;
        seen << name;
        pages.push_back({match.captured(1), [path, name] { return path(name); }});
    }
    return pages;
}

} // namespace systole
