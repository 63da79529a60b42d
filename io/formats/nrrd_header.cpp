#include "io/formats/nrrd_header.h"

#include "io/base/messages.h"

#include <algorithm>
#include <cmath>

namespace systole {

namespace {

std::string plainName(std::string_view name) {
    std::string plain = lowerCase(trimmed(name));
    std::erase_if(plain, [](char c) { return c == ' ' || c == '\t'; });
    return plain == "centerings" ? "centers" : plain;
}

void put(const std::string& path, std::map<std::string, std::string>& into, std::string name,
         std::string_view shownName, std::string_view value) {
    const auto [found, isNew] = into.try_emplace(std::move(name), value);
    if (!isNew && found->second != value)
        throw fileError(path, "the header gives {} twice, as {} and as {}", inQuotes(shownName),
                        inQuotes(found->second), inQuotes(value));
}

} // namespace

std::string NrrdHeader::field(const std::string& name) const {
    const auto found = fields.find(plainName(name));
    return found == fields.end() ? std::string() : found->second;
}

std::string NrrdHeader::key(const std::string& name) const {
    const auto found = keys.find(name);
    return found == keys.end() ? std::string() : found->second;
}

NrrdHeader parseNrrdHeader(const std::string& path, const std::string& text) {
    NrrdHeader header;
    std::string_view rest = text;
    const char lineEnd = lineEndOf(text);
    if (!nextLine(rest, lineEnd).starts_with("NRRD000") || text.find(lineEnd) == std::string::npos)
        throw fileError(path, "is named like a NRRD file but does not begin with NRRD000");
    while (!rest.empty()) {
        const std::string_view line = trimmed(nextLine(rest, lineEnd));
        if (line.empty()) {
            header.end = text.size() - rest.size();
            break;
        }
        if (line.front() == '#')
            continue;
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos)
            throw fileError(path, "the header line {} is neither a field, a key nor a comment",
                            inQuotes(line));
        const std::string_view name = line.substr(0, colon), value = line.substr(colon + 1);
        if (value.starts_with('=')) {
            put(path, header.keys, std::string(name), name, trimmed(value.substr(1)));
            continue;
        }
        put(path, header.fields, plainName(name), name, trimmed(value));
        if (plainName(name) == "datafile" && trimmed(value).starts_with("LIST")) {
            while (!rest.empty())
                if (const std::string_view file = trimmed(nextLine(rest, lineEnd)); !file.empty())
                    header.listed.emplace_back(file);
            break;
        }
    }
    // A detached header may lack the empty line.
    if (header.end == 0 && header.field("data file").empty())
        throw fileError(path, "the header is not ended by an empty line");
    return header;
}

NrrdVectors parseNrrdVectors(const std::string& path, const std::string& text) {
    NrrdVectors vectors;
    for (std::size_t at = text.find_first_not_of(" \t"); at < text.size();
         at = text.find_first_not_of(" \t", at)) {
        if (text.compare(at, 4, "none") == 0) {
            vectors.emplace_back();
            at += 4;
            continue;
        }
        const std::size_t close = text.find(')', at);
        if (text[at] != '(' || close == std::string::npos)
            throw fileError(path,
                            "a vector such as (1,0,0) was expected in the header, but {} was found",
                            inQuotes(text.substr(at)));
        std::vector<double> vector;
        for (const std::string& word : words(text.substr(at + 1, close - at - 1), ", \t")) {
            const auto number = parseReal(word);
            if (!number)
                throw fileError(path,
                                "a number was expected in a vector of the header, but {} was found",
                                inQuotes(word));
            vector.push_back(*number);
        }
        if (std::ranges::all_of(vector, [](double number) { return std::isnan(number); }))
            vectors.emplace_back();
        else
            vectors.emplace_back(std::move(vector));
        at = close + 1;
    }
    return vectors;
}

std::vector<double> nrrdNumbersOfAxes(const std::string& path, const NrrdHeader& header,
                                      const std::string& name, std::size_t axes) {
    std::vector<double> numbers;
    for (const std::string& word : words(header.field(name))) {
        const auto number = parseReal(word);
        if (!number)
            throw fileError(path, "the header gives {} in {}; a number for each axis is expected",
                            inQuotes(word), inQuotes(name));
        numbers.push_back(*number);
    }
    if (!numbers.empty() && numbers.size() != axes)
        throw fileError(path, "the header gives {} {} for {} dimensions", numbers.size(), name,
                        axes);
    return numbers;
}

std::vector<std::string> parseNrrdStrings(const std::string& text) {
    std::vector<std::string> strings;
    for (std::size_t at = text.find_first_not_of(" \t"); at < text.size();
         at = text.find_first_not_of(" \t", at)) {
        const bool marked = text[at] == '"';
        const std::size_t begin = marked ? at + 1 : at;
        std::size_t end = text.find_first_of(marked ? "\"" : " \t", begin);
        if (end == std::string::npos)
            end = text.size();
        strings.push_back(text.substr(begin, end - begin));
        at = marked ? end + 1 : end;
    }
    return strings;
}

} // namespace systole
