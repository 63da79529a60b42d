// The parameters of a method, each stated once: its row for people, and the member of a struct that
// takes its value.
#pragma once

#include "compute/core/params.h"

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace systole {

/// A table and where the values of its rows go. A `member` is a pointer to a member of Parameters,
/// or a function that returns a reference to a part of it. It takes values of the row's type; of a
/// choice an int, bool or enumeration takes the index.
template <typename Parameters>
class BoundTable {
public:
    /// The row can be changed until the next one is added.
    template <typename Member>
    ParamRow& add(Member member, ParamRow row) {
        takes_.push_back([member, like = row](Parameters& p, const ParamSet& set) {
            auto& to = std::invoke(member, p);
            using Value = std::remove_reference_t<decltype(to)>;
            if (like.type == ParamType::Choice) {
                const auto at =
                    std::find(like.choices.begin(), like.choices.end(), set.choice(like.id));
                to = static_cast<Value>(at - like.choices.begin());
            } else if constexpr (!std::is_enum_v<Value>) {
                to = std::get<Value>(set.value(like.id));
            }
        });
        gives_.push_back([member, like = row](Parameters& p, ParamSet& set) {
            const auto& from = std::invoke(member, p);
            using Value = std::remove_cvref_t<decltype(from)>;
            if (like.type == ParamType::Choice)
                set.set(like.id, like.choices.at(static_cast<std::size_t>(from)));
            else if constexpr (!std::is_enum_v<Value>)
                set.set(like.id, from);
        });
        return add(std::move(row));
    }
    /// A row whose value goes nowhere by itself.
    ParamRow& add(ParamRow row) { return rows_.emplace_back(std::move(row)); }

    // The arguments are those of realParam() and the others.
    template <typename Member, typename... Arguments>
    ParamRow& real(Member member, Arguments&&... arguments) {
        return add(member, realParam(std::forward<Arguments>(arguments)...));
    }
    template <typename Member, typename... Arguments>
    ParamRow& integer(Member member, Arguments&&... arguments) {
        return add(member, integerParam(std::forward<Arguments>(arguments)...));
    }
    template <typename Member>
    ParamRow& onOff(Member member, std::string id, bool value, std::string help) {
        return add(member, switchParam(std::move(id), value, std::move(help)));
    }
    template <typename Member>
    ParamRow& choice(Member member, std::string id, std::string value,
                     std::vector<std::string> choices, std::string help) {
        return add(member, choiceParam(std::move(id), std::move(value), std::move(choices),
                                       std::move(help)));
    }

    /// Adds a preset. Call it at least once, when all rows have been added.
    void addPreset(std::string name, ParamTable::Preset preset) {
        if (table_.rows().empty())
            table_ = ParamTable(std::move(rows_));
        table_.addPreset(std::move(name), std::move(preset));
    }

    const ParamTable& table() const { return table_; }
    /// The values of a set of the table.
    Parameters from(const ParamSet& values) const {
        Parameters parameters;
        into(parameters, values);
        return parameters;
    }
    void into(Parameters& parameters, const ParamSet& values) const {
        for (const auto& take : takes_)
            take(parameters, values);
    }
    /// The set that would give these parameters. Throws ComputeError for one outside its range.
    ParamSet valuesOf(Parameters parameters) const {
        ParamSet values(table_);
        for (const auto& give : gives_)
            give(parameters, values);
        return values;
    }

private:
    /// Rows that have been added; moved into `table_` by the first preset.
    std::vector<ParamRow> rows_;
    ParamTable table_{{}};
    std::vector<std::function<void(Parameters&, const ParamSet&)>> takes_;
    std::vector<std::function<void(Parameters&, ParamSet&)>> gives_;
};

} // namespace systole
