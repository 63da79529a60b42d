// The exceptions of compute/. Every message is one sentence for the user: what, where, and what was
// expected. Other layers have their own types: io/base/error.h, render/base/error.h.
#pragma once

#include <stdexcept>
#include <string>

namespace systole {

class ComputeError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A request beyond a pool's budget; the message gives the requested and free bytes and the holders
/// of the rest.
class OutOfMemory : public ComputeError {
public:
    using ComputeError::ComputeError;
};

/// The caller's CancelToken was set; discard unfinished output.
class Cancelled : public ComputeError {
public:
    Cancelled() : ComputeError("cancelled") {}
};

} // namespace systole
