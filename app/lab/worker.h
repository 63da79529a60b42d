// Answers questions to the laboratory on a thread of its own, so that the window never waits: the
// newest question wins, one under way is given up for it.
#pragma once

#include "app/lab/library.h"
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
    std::optional<LabChoice> gpu; ///< nothing: the one that a library begins with
};

/// Who can answer; made and used on the worker's thread alone.
class LibrarySession {
public:
    virtual ~LibrarySession() = default;
    /// Those that can be asked, and the one to begin with.
    virtual const std::vector<LabChoice>& gpus() const = 0;
    virtual const LabChoice& first() const = 0;
    /// progress: the part done, 0–1; it throws Cancelled. Throws ComputeError and FileError.
    virtual lab::LabAnswer answer(const LabRequest& request,
                                  const std::function<void(double)>& progress) = 0;
};

/// Catalogue, records and this machine's device.
std::unique_ptr<LibrarySession> openLibrarySession();

struct LabStatus {
    std::vector<LabChoice> gpus; ///< empty until the library was made
    LabChoice first;             ///< of them, that answers where none is named
    bool busy = false;           ///< a question waits or is being answered,
    bool measuring = false;      ///< on this machine's device, which is to have nothing else to do
    double fraction = 0;         ///< of the question under way
    std::uint64_t answered = 0;  ///< number of the last question that came to an end
    std::shared_ptr<const lab::LabAnswer> answer; ///< the last good one; null: there is none
    LabChoice gpu;                                ///< that it is of
    std::string failure; ///< of the last question, one sentence; empty: it was answered
};

class LabWorker {
public:
    using MakeLibrary = std::function<std::unique_ptr<LibrarySession>()>;
    /// `notify` is called on the worker's thread when the status changed; it must not wait.
    LabWorker(MakeLibrary makeLibrary, std::function<void()> notify);
    ~LabWorker(); ///< cancels and joins
    LabWorker(const LabWorker&) = delete;
    LabWorker& operator=(const LabWorker&) = delete;

    /// Returns at once. `number` comes back in the status.
    void ask(LabRequest request, std::uint64_t number);
    /// Gives up what waits or is under way; the last answer stays.
    void cancel();
    LabStatus status() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
