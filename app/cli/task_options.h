// The options that every command of a task has, made from its table.
#pragma once

#include "app/cli/overwrite.h"
#include "app/task/backend.h"
#include "app/task/task.h"

#include <CLI/App.hpp>

#include <string>
#include <utility>
#include <vector>

namespace systole {

/// The parameters of a table as options, with `prefix` before their ids: --reach and so on; a
/// switch is a flag.
class TaskParameters {
public:
    explicit TaskParameters(const ParamTable& table) : values_(table) {}
    /// They need the option `of`, unless it is null.
    void addTo(CLI::App& app, CLI::Option* of = nullptr);
    const ParamSet& values() const { return values_; }
    /// `others`, of the same table, with what was given.
    ParamSet over(ParamSet others) const;

private:
    ParamSet values_;
    std::vector<std::string> given_; ///< ids
};

class TaskOptions {
public:
    std::string json; ///< file of the record; empty: none
    int threads = 0;  ///< 0: all hardware threads
    OverwriteOption overwrite;

    /// `task` has a table of parameters, and outlives this.
    explicit TaskOptions(const Task& task) : task_(task), parameters_(*task.parameters) {}

    /// --overwrite, --json unless `record` is false, --threads, --backend if the task has a choice,
    /// and its parameters.
    void addTo(CLI::App& app, bool record = true);
    const ParamSet& values() const { return parameters_.values(); }
    /// Throws ComputeError for a backend that isn't available.
    BackendChoice backend() const { return chooseBackend(backend_, task_.name, task_.backends); }

private:
    const Task& task_;
    std::string backend_ = "auto";
    TaskParameters parameters_;
};

} // namespace systole
