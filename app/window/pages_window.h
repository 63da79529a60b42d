// Pages of Markdown with their pictures: a list, and the selected page beside it.
#pragma once

#include <QDialog>
#include <QString>

#include <cstddef>
#include <functional>
#include <vector>

class QListWidget;
class QTextBrowser;
class QUrl;
class QVBoxLayout;

namespace systole {

class PagesWindow : public QDialog {
public:
    struct Page {
        QString title;
        /// Path of the page's file; throws FileError if there is none.
        std::function<QString()> path;
        QString tooltip{};
    };
    /// `pages`: at least one. A separate window, so that another one can be in front of it; it
    /// doesn't keep the program running. Its object name is the title in lower case.
    PagesWindow(const QString& title, std::vector<Page> pages);
    ~PagesWindow() override;

    /// Moves beside the other window if the screen has room, narrower if necessary; never larger
    /// than the screen.
    void placeBeside(const QWidget& other);

    void choose(std::size_t page);
    std::size_t current() const;
    QTextBrowser& page() { return *page_; }

protected:
    static constexpr int pageMargin = 26;
    static constexpr int minWidth = 560, minHeight = 190; ///< minimum for a readable page

    virtual void pageShown() {}
    void resizeEvent(QResizeEvent* event) override;
    QVBoxLayout& column() { return *column_; } ///< column of the page, for widgets below it

private:
    void showPage();
    void follow(const QUrl& link);

    std::vector<Page> pages_;
    QListWidget* list_;
    QTextBrowser* page_;
    QVBoxLayout* column_;
};

} // namespace systole
