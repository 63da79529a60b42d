// The exceptions that leave compute/. Every message is one sentence for the user: what, where, and
// what was expected. Other layers have their own type: io/error.h, render/error.h.
#pragma once

#include <stdexcept>
#include <string>

namespace systole {

class ComputeError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A request beyond a pool's budget; the message says what was asked, what is free and who holds
/// the rest.
class OutOfMemory : public ComputeError {
public:
    using ComputeError::ComputeError;
};

/// The caller's CancelToken was set; whatever was being written is to be thrown away.
class Cancelled : public ComputeError {
public:
    Cancelled() : ComputeError("cancelled") {}
};

} // namespace systole
