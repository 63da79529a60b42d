#include "app/window/window_host.h"

#include "app/report/report_pdf.h"
#include "app/window/viewport.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMainWindow>
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

WindowHost::WindowHost(WindowLinks links, RecentFiles& recent)
    : links_(std::move(links)), recent_(recent) {}

void WindowHost::attach(Panels& panels, Viewport& viewport) {
    panels_ = &panels;
    viewport_ = &viewport;
}

void WindowHost::chooseOpen(const FileQuestion& question, Use use) {
    choose(question, false, std::move(use));
}

void WindowHost::chooseSave(const FileQuestion& question, Use use) {
    choose(question, true, std::move(use));
}

/// Queued: the panels may be drawing, and a dialog runs an event loop of its own.
void WindowHost::choose(FileQuestion question, bool toSave, Use use) {
    if (std::exchange(asking_, true))
        return;
    question.folder = recent_.lastFolder();
    const auto ask = [this, question = std::move(question), toSave, use = std::move(use)] {
        const QString title = QString::fromStdString(question.title),
                      types = QString::fromStdString(question.types);
        const QString folder = QString::fromStdString(question.folder),
                      name = QString::fromStdString(question.name);
        const std::string path =
            answer ? answer(question)
            : toSave
                ? chosenToSave(links_.window, title, folder, name, types).toStdString()
                : QFileDialog::getOpenFileName(links_.window, title, folder, types).toStdString();
        asking_ = false;
        links_.skipTime(); // the time of asking doesn't count as playback time
        const auto goOnWithout = toSave ? std::exchange(noFileChosen_, {}) : nullptr;
        try {
            if (!path.empty()) {
                recent_.rememberFolderOf(path);
                use(path);
            } else if (goOnWithout) {
                goOnWithout();
            }
        } catch (const std::exception& error) {
            fail(error.what());
        }
        links_.tick();
    };
    QMetaObject::invokeMethod(links_.window, ask, Qt::QueuedConnection);
}

void WindowHost::inBackground(std::function<std::function<void()>()> work) {
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
        QMetaObject::invokeMethod(links_.window, std::move(then), Qt::QueuedConnection);
    }));
}

void WindowHost::write(const std::string& what, const std::string& path,
                       std::function<void()> write, std::function<void()> then) {
    inBackground([this, what, path, write = std::move(write), then = std::move(then)] {
        write();
        return [this, what, path, then] {
            if (then)
                then();
            links_.saved(what, path);
        };
    });
}

void WindowHost::copy(const std::string& text) {
    QGuiApplication::clipboard()->setText(QString::fromStdString(text));
}

void WindowHost::openPanel(const std::string& title) {
    openPanels(*panels_, {title});
    viewport_->arrange();
}

std::string WindowHost::pdf(const ReportContent& content) { return reportPdf(content); }

RgbaImage WindowHost::picture(const std::function<RgbaImage(double pixelRatio)>& draw) {
    return viewport_->drawn(draw);
}

} // namespace systole
