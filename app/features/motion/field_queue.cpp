#include "app/features/motion/field_queue.h"

#include "compute/core/elapsed.h"

#include <chrono>
#include <utility>

namespace systole {

FieldQueue::FieldQueue(RunFolder& folder, FieldFormat format)
    : folder_(folder)
    , format_(format)
    , thread_({.run = [this](Job& job, const CancelToken&) { write(job); },
               .taken = [this](Job&) { thread_.wake(); }}) {}

FieldQueue::~FieldQueue() {
    Thread::Lock held = thread_.lock();
    drain(held);
}

void FieldQueue::put(std::string file, SharedField field) {
    Thread::Lock held = thread_.lock();
    thread_.wait(held, [this] { return !thread_.waiting(); }); // it would lose its place
    if (failure_)
        std::rethrow_exception(failure_);
    ++unwritten_;
    thread_.put({std::move(file), std::move(field)});
}

std::vector<double> FieldQueue::finish() {
    Thread::Lock held = thread_.lock();
    drain(held);
    if (failure_)
        std::rethrow_exception(failure_);
    return seconds_;
}

void FieldQueue::drain(Thread::Lock& held) {
    thread_.wait(held, [this] { return unwritten_ == 0; });
}

void FieldQueue::write(Job& job) {
    const auto start = std::chrono::steady_clock::now();
    std::exception_ptr failure = failure_; // this thread alone sets it
    try {
        if (!failure)
            folder_.write(job.file,
                          [&](const std::string& path) { writeField(path, *job.field, format_); });
    } catch (...) {
        failure = std::current_exception();
    }
    job.field.reset(); // frees the memory before another field may come
    const Thread::Lock held = thread_.lock();
    failure_ = failure;
    seconds_.push_back(secondsSince(start));
    --unwritten_;
    thread_.wake();
}

} // namespace systole
