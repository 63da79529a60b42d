// A feature: a folder below app/features/ with all that a user gets of it. The list is
// app/features/list.cpp.
#pragma once

#include <memory>
#include <vector>

namespace systole {

class Command;
class Tool;
class Tools;
struct Task;
struct ToolOptionGroup;

/// The parts of a feature, as functions that make them.
struct Feature {
    std::vector<const Task& (*)()> tasks{};
    std::vector<std::unique_ptr<Command> (*)()> commands{};
    std::vector<std::unique_ptr<Tool> (*)(Tools&)> tools{};
    std::vector<ToolOptionGroup> (*options)() = nullptr; ///< null: the tools have none
};

/// All of them, in the order in which their tools follow, show and get the pointer, and their
/// commands stand in the help.
const std::vector<const Feature*>& features();

/// The options of all tools.
const std::vector<ToolOptionGroup>& toolOptions();

} // namespace systole
