// libFuzzer's target for every reader: the bytes become a file, which is read or refused in one
// sentence that names it. Anything else is found.
//
//   fuzz_readers --list                  the names of the readers, a line each
//   fuzz_readers --prepare=FOLDER        seeds as FOLDER/NAME/*, dictionaries as FOLDER/NAME.dict
//   fuzz_readers --reader=NAME OPTIONS   libFuzzer for that reader
#include "io/base/error.h"
#include "tests/fuzz/readers.h"
#include "tests/io/library_leaks.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace systole::fuzz {
namespace {

namespace fs = std::filesystem;

const Reader* chosen = nullptr;
std::string folder, path;

[[noreturn]] void fail(const std::string& what) {
    fmt::print(stderr, "fuzz_readers: {}\n", what);
    std::abort();
}

void prepare(const fs::path& to) {
    for (const Reader& reader : readers()) {
        fs::create_directories(to / reader.name);
        int count = 0;
        reader.seeds([&] {
            return (to / reader.name / fmt::format("{}{}", count++, reader.file)).string();
        });
        std::FILE* const dictionary =
            std::fopen((to / fmt::format("{}.dict", reader.name)).c_str(), "w");
        std::istringstream words(reader.words);
        for (std::string word; words >> word;) {
            std::string quoted;
            for (const char c : word)
                quoted += c == '"' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
            fmt::print(dictionary, "\"{}\"\n", quoted);
        }
        std::fclose(dictionary);
    }
}

void choose(std::string_view name) {
    for (const Reader& reader : readers())
        if (reader.name == name)
            chosen = &reader;
    if (!chosen)
        fail(fmt::format("there is no reader '{}'", name));
    // A folder in memory, where there is one: a file is written for every execution.
    std::string pattern =
        (fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
        "systole-fuzz-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    path = folder + "/" + chosen->file;
    if (chosen->beside)
        chosen->beside(folder);
    std::atexit([] { fs::remove_all(folder); });
}

void write(const std::uint8_t* data, std::size_t size) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size))
        fail("can't write " + path);
    ::close(file);
}

} // namespace
} // namespace systole::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    using namespace systole::fuzz;
    int kept = 0;
    for (int i = 0; i < *count; ++i) {
        const std::string_view argument = (*arguments)[i];
        if (argument == "--list") {
            for (const Reader& reader : readers())
                fmt::print("{}\n", reader.name);
            std::exit(0);
        } else if (argument.starts_with("--prepare=")) {
            prepare(argument.substr(argument.find('=') + 1));
            std::exit(0);
        } else if (argument.starts_with("--reader=")) {
            choose(argument.substr(argument.find('=') + 1));
        } else {
            (*arguments)[kept++] = (*arguments)[i];
        }
    }
    *count = kept;
    if (!chosen)
        fail("expected --list, --prepare=FOLDER or --reader=NAME");
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace systole::fuzz;
    write(data, size);
    try {
        chosen->read(path);
    } catch (const systole::FileError& error) {
        const std::string_view sentence = error.what();
        if (sentence.find(folder) == sentence.npos || sentence.find('\n') != sentence.npos)
            fail(fmt::format("a refusal that isn't one sentence with the file's name: {}",
                             sentence));
    }
    return 0;
}
