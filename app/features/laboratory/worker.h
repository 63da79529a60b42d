// Answers laboratory questions on a worker thread, so that the window never waits. The newest
// question wins: one in progress is cancelled for it.
#pragma once

#include "app/base/lab_library.h"
#include "compute/lab/laboratory.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct LabRequest {
    lab::LabQuestion question;
    std::optional<LabChoice> gpu; ///< empty: LibrarySession::first()
};

/// Answers questions from the sources of the library. Created and used only on the worker thread.
class LibrarySession {
public:
    virtual ~LibrarySession() = default;
    /// The available sources, and the default one.
    virtual const std::vector<LabChoice>& gpus() const = 0;
    virtual const LabChoice& first() const = 0;
    /// progress: fraction done, 0–1; it may throw Cancelled. Throws ComputeError and FileError.
    virtual lab::LabAnswer answer(const LabRequest& request,
                                  const std::function<void(double)>& progress) = 0;
};

/// A session over catalogue, records and this machine's device.
std::unique_ptr<LibrarySession> openLibrarySession();

struct LabStatus {
    std::vector<LabChoice> gpus; ///< empty until the library session is open
    LabChoice first;             ///< default source
    bool busy = false;           ///< a question is waiting or being answered
    /// A measurement is using this machine's device, which should be idle otherwise.
    bool measuring = false;
    double fraction = 0;                          ///< progress of the current question, 0–1
    std::uint64_t answered = 0;                   ///< number of the last finished question
    std::shared_ptr<const lab::LabAnswer> answer; ///< the last successful one; null: none yet
    LabChoice gpu;                                ///< source of `answer`
    std::string failure; ///< why the last question failed, one sentence; empty: it didn't
};

class LabWorker {
public:
    using MakeLibrary = std::function<std::unique_ptr<LibrarySession>()>;
    /// `notify` is called on the worker thread when the status changed; it must not block.
    LabWorker(MakeLibrary makeLibrary, std::function<void()> notify);
    ~LabWorker(); ///< cancels and joins
    LabWorker(const LabWorker&) = delete;
    LabWorker& operator=(const LabWorker&) = delete;

    /// Returns at once. `number` is returned in the status.
    void ask(LabRequest request, std::uint64_t number);
    /// Cancels the waiting or current question; the last answer stays.
    void cancel();
    LabStatus status() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
