// The tools: one object each, in the order of the features (app/features/list.cpp).
#pragma once

#include "app/feature/tool.h"

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace systole {

/// State of a tool that undo restores.
struct ToolSnapshot {
    std::vector<SettingValue> settings;
    std::shared_ptr<const ToolState> own; ///< maybe null
    std::vector<NamedChange> changesTo(const ToolSnapshot& after) const;
};

class Tools {
public:
    explicit Tools(Session& session); ///< must outlive this
    ~Tools();

    auto begin() const { return tools_.begin(); }
    auto end() const { return tools_.end(); }

    /// The first that is one of these, a tool or what tools offer each other (sources.h); null:
    /// none.
    template <typename Wanted>
    Wanted* find() const {
        for (const auto& tool : tools_)
            if (auto* found = dynamic_cast<Wanted*>(tool.get()))
                return found;
        return nullptr;
    }
    template <typename Wanted>
    Wanted& get() const {
        if (Wanted* found = find<Wanted>())
            return *found;
        throw std::logic_error("there is no such tool");
    }

    /// The tool with this Tool::name().id. Throws std::logic_error.
    Tool& named(const std::string& id) const;

    Session& session() const { return session_; }
    /// Sets the host of the tools; the default one ignores all requests. `host` must outlive this
    /// object, or be replaced before.
    void setHost(ToolHost& host) { host_ = &host; }
    ToolHost& host() const { return *host_; }
    /// Called on other threads when a tick is due, and never again once another is set; empty:
    /// nothing is called.
    void setNotify(std::function<void()> notify);
    /// The function that requests a tick; see setNotify().
    const std::function<void()>& notify() const { return notify_; }

    // --- one loop over the list each
    void opened(const OpenedSequence& sequence);
    void follow(ToolContext& context);
    double secondsToNextTick() const;
    ToolNeeds needs() const;
    SceneContribution contribution() const;
    /// The first in the list that holds the pointer gets it; null: none does.
    Tool* pointerHolder() const;
    void takePointer(const Tool& tool);
    bool unfinished() const;
    std::vector<ToolMessage> messages() const;
    /// The first failure, one sentence; empty: none.
    std::string failure() const;
    std::vector<UnsavedWork> unsaved() const;
    std::vector<ToolSnapshot> states() const; ///< one per tool, in the order of the list
    void restore(std::span<const ToolSnapshot> states);
    void reset();

private:
    Session& session_;
    ToolHost nobody_;
    ToolHost* host_ = &nobody_;
    struct Notified;
    std::shared_ptr<Notified> notified_;
    std::function<void()> notify_;
    std::vector<std::unique_ptr<Tool>> tools_; ///< last: their threads notify
};

/// Tool::startChosen() of each; `panels`: titles of those that the user asked for. Throws
/// UsageError.
void startChosen(const Tools& tools, const std::vector<std::string>& panels);

/// Each tool once, in the order in which they follow, show and get the pointer.
std::vector<std::unique_ptr<Tool>> makeTools(Tools& tools);

} // namespace systole
