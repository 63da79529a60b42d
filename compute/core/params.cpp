#include "compute/core/params.h"

#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace systole {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

void check(const ParamRow& row, const ParamValue& value) {
    if (row.type == ParamType::Choice) {
        const auto& text = std::get<std::string>(value);
        if (std::find(row.choices.begin(), row.choices.end(), text) == row.choices.end())
            throw ComputeError(
                fmt::format("{}: '{}' is not one of {}", row.id, text, joined(row.choices)));
        return;
    }
    if (row.type == ParamType::Switch)
        return;
    const double number =
        row.type == ParamType::Integer ? std::get<int>(value) : std::get<double>(value);
    if (!(number >= row.minimum && number <= row.maximum))
        throw ComputeError(fmt::format("{}: {} is outside {} to {}{}{}", row.id, number,
                                       row.minimum, row.maximum, row.unit.empty() ? "" : " ",
                                       row.unit));
}

/// Converts a value to the row's type where that is lossless (int to real).
ParamValue convert(const ParamRow& row, ParamValue value) {
    if (row.type == ParamType::Real && std::holds_alternative<int>(value))
        return static_cast<double>(std::get<int>(value));
    return value;
}

std::size_t typeIndex(ParamType type) { return static_cast<std::size_t>(type); }

template <typename Number>
bool parse(const std::string& text, Number& number) {
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    return result.ec == std::errc{} && result.ptr == end;
}

} // namespace

ParamRow& ParamRow::titled(std::string words) {
    title = std::move(words);
    return *this;
}

ParamRow& ParamRow::forCudaOnly() {
    cudaOnly = true;
    return *this;
}

ParamRow& ParamRow::usually(double low, double high) {
    usualMinimum = low;
    usualMaximum = high;
    return *this;
}

std::string plainNumber(double number) {
    const double size = std::abs(number);
    if (size >= 1000 || number == 0)
        return fmt::format("{:.0f}", number);
    if (size >= 1e-4)
        return fmt::format("{:.4g}", number);
    return fmt::format("{:.7f}", number);
}

ParamRow realParam(std::string id, double value, double minimum, double maximum, std::string unit,
                   std::string help) {
    return {std::move(id),   ParamType::Real, value, minimum, maximum, {},
            std::move(unit), std::move(help)};
}

ParamRow integerParam(std::string id, int value, int minimum, int maximum, std::string unit,
                      std::string help) {
    return {std::move(id),
            ParamType::Integer,
            value,
            static_cast<double>(minimum),
            static_cast<double>(maximum),
            {},
            std::move(unit),
            std::move(help)};
}

ParamRow switchParam(std::string id, bool value, std::string help) {
    return {std::move(id), ParamType::Switch, value, 0, 0, {}, {}, std::move(help)};
}

ParamRow choiceParam(std::string id, std::string value, std::vector<std::string> choices,
                     std::string help) {
    return {std::move(id),  ParamType::Choice, std::move(value), 0, 0, std::move(choices), {},
            std::move(help)};
}

void ParamTable::addPreset(std::string name, Preset preset) {
    for (const auto& [id, value] : preset)
        check(row(id), convert(row(id), value));
    presets_.emplace_back(std::move(name), std::move(preset));
}

const ParamRow& ParamTable::row(const std::string& id) const {
    for (const ParamRow& row : rows_)
        if (row.id == id)
            return row;
    std::vector<std::string> ids;
    for (const ParamRow& row : rows_)
        ids.push_back(row.id);
    throw ComputeError(fmt::format("no parameter '{}'; available: {}", id, joined(ids)));
}

std::vector<std::string> ParamTable::presets() const {
    std::vector<std::string> names;
    for (const auto& [name, preset] : presets_)
        names.push_back(name);
    return names;
}

const ParamTable::Preset& ParamTable::preset(const std::string& name) const {
    for (const auto& [known, preset] : presets_)
        if (known == name)
            return preset;
    throw ComputeError(fmt::format("no preset '{}'; available: {}", name, joined(presets())));
}

ParamSet::ParamSet(const ParamTable& table, const std::string& preset) : table_(&table) {
    for (const ParamRow& row : table.rows())
        values_[row.id] = row.defaultValue;
    if (!preset.empty())
        for (const auto& [id, value] : table.preset(preset))
            set(id, value);
}

void ParamSet::set(const std::string& id, ParamValue value) {
    const ParamRow& row = table_->row(id);
    value = convert(row, std::move(value));
    if (value.index() != typeIndex(row.type))
        throw ComputeError(fmt::format("{}: the value has the wrong type", id));
    check(row, value);
    values_[id] = std::move(value);
}

void ParamSet::setText(const std::string& id, const std::string& text) {
    const ParamRow& row = table_->row(id);
    switch (row.type) {
    case ParamType::Real: {
        double number = 0;
        if (!parse(text, number))
            throw ComputeError(fmt::format("{}: '{}' is not a number", id, text));
        set(id, number);
        return;
    }
    case ParamType::Integer: {
        int number = 0;
        if (!parse(text, number))
            throw ComputeError(fmt::format("{}: '{}' is not a whole number", id, text));
        set(id, number);
        return;
    }
    case ParamType::Switch:
        if (text != "on" && text != "off")
            throw ComputeError(fmt::format("{}: '{}' is neither on nor off", id, text));
        set(id, text == "on");
        return;
    case ParamType::Choice:
        set(id, text);
        return;
    }
}

const ParamValue& ParamSet::value(const std::string& id) const {
    table_->row(id);
    return values_.at(id);
}

double ParamSet::real(const std::string& id) const { return std::get<double>(value(id)); }
int ParamSet::integer(const std::string& id) const { return std::get<int>(value(id)); }
bool ParamSet::isOn(const std::string& id) const { return std::get<bool>(value(id)); }
std::string ParamSet::choice(const std::string& id) const {
    return std::get<std::string>(value(id));
}

std::string ParamSet::text(const std::string& id) const {
    switch (table_->row(id).type) {
    case ParamType::Real:
        return fmt::format("{}", real(id));
    case ParamType::Integer:
        return fmt::format("{}", integer(id));
    case ParamType::Switch:
        return isOn(id) ? "on" : "off";
    case ParamType::Choice:
        break;
    }
    return choice(id);
}

} // namespace systole
