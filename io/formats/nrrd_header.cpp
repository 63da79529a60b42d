#include "io/formats/nrrd_header.h"

#include "io/messages.h"

namespace systole {

std::string NrrdHeader::field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
}

std::string NrrdHeader::key(const std::string& name) const {
    const auto found = keys.find(name);
    return found == keys.end() ? std::string() : found->second;
}

NrrdHeader parseNrrdHeader(const std::string& path, const std::string& text) {
    NrrdHeader header;
    std::string_view rest = text;
    if (!nextLine(rest).starts_with("NRRD000") || text.find('\n') == std::string::npos)
        throw fileError(path, "is named like a NRRD file but does not begin with NRRD000");
    while (!rest.empty()) {
        const std::string_view line = trimmed(nextLine(rest));
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
        const std::string_view value = line.substr(colon + 1);
        if (value.starts_with('='))
            header.keys[std::string(line.substr(0, colon))] = trimmed(value.substr(1));
        else
            header.fields[lowerCase(trimmed(line.substr(0, colon)))] = trimmed(value);
    }
    // A detached header may lack the empty line.
    if (header.end == 0 && header.field("data file").empty() && header.field("datafile").empty())
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
        vectors.emplace_back(std::move(vector));
        at = close + 1;
    }
    return vectors;
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
