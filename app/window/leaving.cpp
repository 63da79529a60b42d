#include "app/window/leaving.h"

#include <QMainWindow>
#include <QMessageBox>
#include <QPushButton>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

std::string stillUnsavedText(const std::vector<UnsavedWork>& work) {
    std::string text = "Not saved yet:";
    for (const UnsavedWork& one : work)
        text += (&one == &work.front() ? " " : "; ") + one.name;
    return text;
}

} // namespace

std::string leavingText(const std::vector<UnsavedWork>& work) {
    std::string text = "What isn't saved would be lost:\n";
    for (const UnsavedWork& one : work)
        text +=
            fmt::format("\n•  {}{}", one.name, one.save ? "" : ", which can't be saved in a file");
    return text;
}

LeavingCheck::LeavingCheck(WindowLinks links, WindowHost& host, Exports& exports,
                           const Session& session, const Tools& tools, bool remembers)
    : links_(std::move(links))
    , host_(host)
    , exports_(exports)
    , session_(session)
    , tools_(tools)
    , remembers_(remembers) {}

std::vector<UnsavedWork> LeavingCheck::unsaved() {
    std::vector<UnsavedWork> work = tools_.unsaved();
    if (auto motion = exports_.unsavedMotion(); !motion.name.empty())
        work.push_back(std::move(motion));
    const bool kept = remembers_; // marks stay with the recent files
    if (!kept && (session_.marks.endDiastole || session_.marks.endSystole))
        work.push_back({"marks of end diastole and end systole"});
    return work;
}

Leaving LeavingCheck::ask(const std::vector<UnsavedWork>& work) {
    if (work.empty())
        return Leaving::Discard;
    if (answer)
        return answer(work);
    if (!remembers_)
        return Leaving::Discard;
    QMessageBox box(QMessageBox::Question, QStringLiteral("Unsaved work"),
                    QString::fromStdString(leavingText(work)),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, links_.window);
    box.button(QMessageBox::Save)->setEnabled(std::ranges::any_of(work, [](const auto& one) {
        return bool(one.save);
    }));
    box.setDefaultButton(QMessageBox::Cancel);
    const int chosen = box.exec();
    links_.skipTime();
    return chosen == QMessageBox::Save      ? Leaving::Save
           : chosen == QMessageBox::Discard ? Leaving::Discard
                                            : Leaving::Cancel;
}

/// Work for which the user chose no file is passed over: what comes after it may matter more.
void LeavingCheck::saveInTurn(std::vector<UnsavedWork> work, bool all,
                              const std::function<void(bool all)>& then) {
    host_.setNoFileChosen({});
    if (work.empty())
        return then(all);
    const auto save = std::move(work.front().save);
    work.erase(work.begin());
    const auto goOn = [this, work = std::move(work), then](bool allSoFar) {
        saveInTurn(work, allSoFar, then);
    };
    host_.setNoFileChosen([goOn] { goOn(false); });
    save([goOn, all] { goOn(all); });
}

bool LeavingCheck::mayLeave(std::function<void()> afterSaving) {
    std::vector<UnsavedWork> work = unsaved();
    const Leaving leaving = ask(work);
    if (leaving == Leaving::Save) {
        const auto cannotBeSaved = [](const UnsavedWork& one) { return !one.save; };
        std::erase_if(work, cannotBeSaved);
        saveInTurn(std::move(work), true, [=, this, go = std::move(afterSaving)](bool all) {
            // Queued: what was saved is told first. Meanwhile the user may have gone on.
            const auto lookAgain = [=, this] {
                std::vector<UnsavedWork> left = unsaved();
                std::erase_if(left, cannotBeSaved);
                if (!all && !left.empty())
                    return links_.report(
                        {.severity = Severity::Warning, .text = stillUnsavedText(left)});
                if (left.empty() || mayLeave(go))
                    go();
            };
            QMetaObject::invokeMethod(links_.window, lookAgain, Qt::QueuedConnection);
        });
    }
    return leaving == Leaving::Discard;
}

} // namespace systole
