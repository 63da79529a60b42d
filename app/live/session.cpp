#include "app/live/session.h"

#include <utility>

namespace systole {

void LabSession::ask(lab::LabQuestion question, int lessonNumber) {
    wanted.question = std::move(question);
    lesson = lessonNumber;
    opened = true;
    ++asked;
}

} // namespace systole
