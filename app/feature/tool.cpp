#include "app/feature/tool.h"

#include "app/feature/panel.h"
#include "app/feature/tools.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace systole {

Tool::~Tool() = default;

std::unique_ptr<Panel> Tool::panel() { return nullptr; }

double Tool::due() const {
    double seconds = never;
    for (const Followed* part : followed_)
        seconds = std::min(seconds, part->due());
    return seconds;
}

ToolNeeds Tool::needs() const {
    ToolNeeds all;
    for (const Followed* part : followed_)
        all = all | part->needs();
    return all;
}

bool Tool::unfinished() const {
    return std::ranges::any_of(followed_, [](const Followed* part) { return part->unfinished(); });
}

Followed::Followed(Tool& tool) : tool_(tool) { tool.followed_.push_back(this); }
int Followed::threads() const { return tool_.session().estimationThreads; }
const std::function<void()>& Followed::notify() const { return tool_.notify(); }

Session& Tool::session() const { return tools_.session(); }
ToolHost& Tool::host() const { return tools_.host(); }
const std::function<void()>& Tool::notify() const { return tools_.notify(); }
void Tool::takePointer() { tools_.takePointer(*this); }

/// Shared with the threads of the tools, which outlive those whom they notify.
struct Tools::Notified {
    std::mutex mutex;
    std::function<void()> call;
};

Tools::Tools(Session& session)
    : session_(session)
    , notified_(std::make_shared<Notified>())
    , notify_([notified = notified_] {
        const std::lock_guard lock(notified->mutex);
        if (notified->call)
            notified->call();
    })
    , tools_(makeTools(*this)) {}
Tools::~Tools() = default;

void Tools::setNotify(std::function<void()> notify) {
    const std::lock_guard lock(notified_->mutex);
    notified_->call = std::move(notify);
}

void Tools::opened(const OpenedSequence& sequence) {
    for (const auto& tool : tools_)
        tool->opened(sequence);
}

void Tools::follow(ToolContext& context) {
    for (const auto& tool : tools_)
        if (session_.opened || !tool->needsSequence())
            tool->follow(context);
}

double Tools::secondsToNextTick() const {
    double seconds = Tool::never;
    for (const auto& tool : tools_)
        if (session_.opened || !tool->needsSequence())
            seconds = std::min(seconds, tool->due());
    return seconds;
}

ToolNeeds Tools::needs() const {
    ToolNeeds all;
    for (const auto& tool : tools_)
        all = all | tool->needs();
    return all;
}

SceneContribution Tools::contribution() const {
    SceneContribution all;
    for (const auto& tool : tools_)
        tool->show(all);
    if (!all.picture)
        return all;
    SceneContribution alone;
    alone.picture = std::move(all.picture);
    return alone;
}

Tool* Tools::pointerHolder() const {
    const auto holder =
        std::ranges::find_if(tools_, [](const auto& tool) { return tool->holdsPointer(); });
    return holder == tools_.end() ? nullptr : holder->get();
}

void Tools::takePointer(const Tool& tool) {
    for (const auto& other : tools_)
        if (other.get() != &tool)
            other->dropPointer();
}

bool Tools::unfinished() const {
    return std::ranges::any_of(tools_, [](const auto& tool) { return tool->unfinished(); });
}

std::vector<ToolMessage> Tools::messages() const {
    std::vector<ToolMessage> messages;
    for (const auto& tool : tools_)
        tool->tell(messages);
    return messages;
}

std::string Tools::failure() const {
    for (const ToolMessage& message : messages())
        if (message.failure && !message.text.empty())
            return message.text;
    return {};
}

std::vector<UnsavedWork> Tools::unsaved() const {
    std::vector<UnsavedWork> all;
    for (const auto& tool : tools_)
        std::ranges::move(tool->unsaved(), std::back_inserter(all));
    return all;
}

std::vector<NamedChange> ToolSnapshot::changesTo(const ToolSnapshot& after) const {
    std::vector<NamedChange> changes = changesBetween(settings, after.settings);
    if (own && after.own)
        std::ranges::move(own->changesTo(*after.own), std::back_inserter(changes));
    return changes;
}

std::vector<ToolSnapshot> Tools::states() const {
    std::vector<ToolSnapshot> states;
    for (const auto& tool : tools_)
        states.push_back({valuesOf(tool->settings()), tool->state()});
    return states;
}

void Tools::restore(std::span<const ToolSnapshot> states) {
    for (std::size_t i = 0; i < std::min(states.size(), tools_.size()); ++i) {
        // One that decides changes the settings after it, even which there are.
        for (const SettingValue& wanted : states[i].settings)
            for (const ToolSetting& setting : tools_[i]->settings())
                if (setting.name == wanted.name && setting.get() != wanted.value)
                    setting.set(wanted.value);
        if (states[i].own)
            tools_[i]->restore(*states[i].own);
    }
}

void Tools::reset() {
    for (const auto& tool : tools_)
        tool->reset();
}

Tool& Tools::named(const std::string& id) const {
    for (const auto& tool : tools_)
        if (tool->name().id == id)
            return *tool;
    throw std::logic_error("there is no tool " + id);
}

void startChosen(const Tools& tools, const std::vector<std::string>& panels) {
    for (const auto& tool : tools)
        tool->startChosen(std::ranges::find(panels, tool->name().title) != panels.end());
}

} // namespace systole
