// Services of the window for tools: files, the clipboard, panels, pictures.
#include "app/report/report_pdf.h"
#include "app/window/window.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QRegularExpression>

#include <chrono>
#include <exception>
#include <utility>

namespace systole {
namespace {

/// A name without a suffix gets the first one of the kind chosen, such as "PDF (*.pdf)", before the
/// dialog asks whether a file of that name may be replaced.
QString chosenToSave(QWidget* parent, const QString& title, const QString& folder,
                     const QString& name, const QString& kinds) {
    QFileDialog dialog(parent, title, folder, kinds);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.selectFile(name);
    const auto take = [&dialog](const QString& kind) {
        dialog.setDefaultSuffix(kind.section("(*.", 1).section(QRegularExpression("[ )]"), 0, 0));
    };
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog, take);
    take(dialog.selectedNameFilter());
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

} // namespace

void Window::chooseOpen(const FileQuestion& question, Use use) {
    choose(question, false, std::move(use));
}

void Window::chooseSave(const FileQuestion& question, Use use) {
    choose(question, true, std::move(use));
}

/// Queued: the panels may be drawing, and a dialog runs an event loop of its own.
void Window::choose(FileQuestion question, bool toSave, Use use) {
    if (std::exchange(asking_, true))
        return;
    question.folder = lastFolder();
    const auto ask = [this, question = std::move(question), toSave, use = std::move(use)] {
        const QString title = QString::fromStdString(question.title),
                      types = QString::fromStdString(question.types);
        const QString folder = QString::fromStdString(question.folder),
                      name = QString::fromStdString(question.name);
        const std::string path =
            answer   ? answer(question)
            : toSave ? chosenToSave(this, title, folder, name, types).toStdString()
                     : QFileDialog::getOpenFileName(this, title, folder, types).toStdString();
        asking_ = false;
        sinceTick_.restart(); // the time of asking doesn't count as playback time
        const auto goOnWithout = toSave ? std::exchange(noFileChosen_, {}) : nullptr;
        try {
            if (!path.empty()) {
                rememberFolderOf(path);
                use(path);
            } else if (goOnWithout) {
                goOnWithout();
            }
        } catch (const std::exception& error) {
            fail(error.what());
        }
        tick();
    };
    QMetaObject::invokeMethod(this, ask, Qt::QueuedConnection);
}

void Window::inBackground(std::function<std::function<void()>()> work) {
    std::erase_if(saves_, [](const std::future<void>& save) {
        return save.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    saves_.push_back(std::async(std::launch::async, [this, work = std::move(work)] {
        std::function<void()> then;
        try {
            then = work();
        } catch (const std::exception& error) {
            then = [this, what = std::string(error.what())] { fail(what); };
        }
        QMetaObject::invokeMethod(this, std::move(then), Qt::QueuedConnection);
    }));
}

void Window::write(const std::string& what, const std::string& path, std::function<void()> write,
                   std::function<void()> then) {
    inBackground([this, what, path, write = std::move(write), then = std::move(then)] {
        write();
        return [this, what, path, then] {
            if (then)
                then();
            saved(what, path);
        };
    });
}

void Window::copy(const std::string& text) {
    QGuiApplication::clipboard()->setText(QString::fromStdString(text));
}

void Window::openPanel(const std::string& title) {
    openPanels(panels_, {title});
    viewport_->arrange();
}

std::string Window::pdf(const ReportContent& content) { return reportPdf(content); }

RgbaImage Window::picture(const std::function<RgbaImage(double pixelRatio)>& draw) {
    return viewport_->drawn(draw);
}

} // namespace systole
