// Parts of a tool that need ticks. Each says itself when the next one is due, so that no tool has
// to: a course of work (course.h), a request of the user, and whatever else changes with time.
#pragma once

#include "app/feature/tool_needs.h"

#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

namespace systole {

class Tool;

inline constexpr double neverDue = std::numeric_limits<double>::infinity();
inline constexpr double retrySeconds = 0.01; ///< time to the next tick while a frame is decoded

/// Make it a member of its tool, with which it registers itself.
class Followed {
public:
    explicit Followed(Tool& tool);
    virtual ~Followed() = default;
    Followed(const Followed&) = delete;
    Followed& operator=(const Followed&) = delete;

    /// Time until the tool's next follow() is due, as things are now.
    virtual double due() const = 0;
    /// Work is under way or waiting for what it needs.
    virtual bool unfinished() const { return false; }
    virtual ToolNeeds needs() const { return {}; }

protected:
    int threads() const; ///< number of threads for work
    const std::function<void()>& notify() const;

private:
    Tool& tool_;
};

/// Something that was asked for, until the tool's follow() takes it.
template <typename Value = std::monostate>
class Request final : public Followed {
public:
    /// It can be taken when ready() says so; empty: always. `waitSeconds`: time between two looks
    /// at that; neverDue: a tick is due anyway once it is ready.
    explicit Request(Tool& tool, std::function<bool()> ready = {}, double waitSeconds = neverDue)
        : Followed(tool), ready_(std::move(ready)), waitSeconds_(waitSeconds) {}

    void put(Value value = {}) { value_ = std::move(value); }
    void drop() { value_.reset(); }
    bool waits() const { return value_.has_value(); }
    /// The value, once; none: nothing was asked for, or it isn't ready.
    std::optional<Value> take() {
        return isReady() ? std::exchange(value_, std::nullopt) : std::nullopt;
    }

    double due() const override { return !value_ ? neverDue : isReady() ? 0 : waitSeconds_; }
    bool unfinished() const override { return waits(); }

private:
    bool isReady() const { return !ready_ || ready_(); }

    const std::function<bool()> ready_;
    const double waitSeconds_;
    std::optional<Value> value_;
};

/// State outside the tool's courses that changes with time, or that the user changes.
class FollowedState final : public Followed {
public:
    FollowedState(Tool& tool, std::function<double()> due) : Followed(tool), due_(std::move(due)) {}
    double due() const override { return due_(); }

private:
    const std::function<double()> due_;
};

} // namespace systole
