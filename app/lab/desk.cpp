// The laboratory's desk in the viewer: the record or data sheet asked last stays read, this
// machine's device is taken for each answer.
#include "app/lab/worker.h"

#include <chrono>
#include <thread>

namespace systole {
namespace {

class LibraryDesk : public LabDesk {
public:
    LibraryDesk() : first_(defaultLabChoice()), gpus_(labChoices()) {}

    const std::vector<LabChoice>& gpus() const override { return gpus_; }
    const LabChoice& first() const override { return first_; }

    lab::LabAnswer answer(const LabRequest& request,
                          const std::function<void(double)>& progress) override {
        const LabChoice& choice = request.gpu ? *request.gpu : first_;
        if (choice.origin == LabOrigin::Device) {
            // An estimation that was told to rest does so within 0.2 s.
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            // Taken for one answer alone: what it holds, the estimation hasn't.
            CudaContext cuda(CudaContext::Options{.share = share});
            const std::unique_ptr<lab::LabSource> source = openLabSource(choice, &cuda);
            return lab::ask(request.question, *source, progress);
        }
        if (!source_ || !(open_ == choice)) {
            source_.reset();
            source_ = openLabSource(choice, nullptr);
            open_ = choice;
        }
        return lab::ask(request.question, *source_, progress);
    }

private:
    /// Of the device memory that is free: the frames and fields of the viewer keep theirs.
    static constexpr double share = 0.6;

    LabChoice first_;
    std::vector<LabChoice> gpus_;
    std::unique_ptr<lab::LabSource> source_;
    LabChoice open_;
};

} // namespace

std::unique_ptr<LabDesk> makeLabDesk() { return std::make_unique<LibraryDesk>(); }

} // namespace systole
