// The parameters of a method as data: one row each, which feeds command line, panel, presets, run
// record and documentation.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace systole {

enum class ParamType { Real, Integer, Switch, Choice };

using ParamValue = std::variant<double, int, bool, std::string>;

struct ParamRow {
    std::string id; ///< also the command-line option: "alpha" is --alpha
    ParamType type = ParamType::Real;
    ParamValue defaultValue;
    double minimum = 0, maximum = 0; ///< range of numbers, inclusive
    std::vector<std::string> choices;
    std::string unit;      ///< "voxel", "mm"; "" for none
    std::string help;      ///< one sentence
    std::string title{};   ///< title in the interface: "smoothness"; empty: the id is a word
    bool cudaOnly = false; ///< only the CUDA backend uses it
    /// The part of the range that changes results sensibly, for sliders; equal: the whole range.
    double usualMinimum = 0, usualMaximum = 0;

    const std::string& label() const { return title.empty() ? id : title; }
    /// "smoothness (alpha)", or the id if it is a word itself.
    std::string labelWithId() const { return title.empty() ? id : title + " (" + id + ")"; }
    ParamRow& titled(std::string words);
    ParamRow& forCudaOnly();
    ParamRow& usually(double low, double high);
    double sliderMinimum() const { return usualMinimum < usualMaximum ? usualMinimum : minimum; }
    double sliderMaximum() const { return usualMinimum < usualMaximum ? usualMaximum : maximum; }
};

/// Number as text for people: four significant digits, never with an exponent.
std::string plainNumber(double number);

ParamRow realParam(std::string id, double value, double minimum, double maximum, std::string unit,
                   std::string help);
ParamRow integerParam(std::string id, int value, int minimum, int maximum, std::string unit,
                      std::string help);
ParamRow switchParam(std::string id, bool value, std::string help);
ParamRow choiceParam(std::string id, std::string value, std::vector<std::string> choices,
                     std::string help);

class ParamTable {
public:
    using Preset = std::map<std::string, ParamValue>; ///< values that differ from the defaults

    explicit ParamTable(std::vector<ParamRow> rows) : rows_(std::move(rows)) {}
    void addPreset(std::string name, Preset preset);

    const std::vector<ParamRow>& rows() const { return rows_; }
    /// Throws ComputeError naming the nearest known ids.
    const ParamRow& row(const std::string& id) const;
    std::vector<std::string> presets() const;
    const Preset& preset(const std::string& name) const;

private:
    std::vector<ParamRow> rows_;
    std::vector<std::pair<std::string, Preset>> presets_;
};

/// Values of one table. Every set() is checked against the row's type and range.
class ParamSet {
public:
    /// The defaults, overridden by the preset unless its name is empty.
    explicit ParamSet(const ParamTable& table, const std::string& preset = {});

    const ParamTable& table() const { return *table_; }
    void set(const std::string& id, ParamValue value);
    void setText(const std::string& id, const std::string& text); ///< text typed by a user
    const ParamValue& value(const std::string& id) const;

    double real(const std::string& id) const;
    int integer(const std::string& id) const;
    bool isOn(const std::string& id) const;
    std::string choice(const std::string& id) const;
    std::string text(const std::string& id) const;

private:
    const ParamTable* table_; ///< tables are static data of their method
    std::map<std::string, ParamValue> values_;
};

} // namespace systole
