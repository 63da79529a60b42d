#include "io/base/absent_content.h"

#include "io/base/text.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

/// git-annex looks for its pointers in files of at most 32 kB; Git LFS writes less than 1 kB.
constexpr std::uintmax_t maxPointerBytes = 32 << 10;
constexpr std::streamsize enoughOfPointer = 512;

constexpr const char* annexHelp = "'datalad get' or 'git annex get' fetches it";

std::string whyLinkLeadsNowhere(const fs::path& link) {
    std::error_code failure;
    const fs::file_status target = fs::status(link, failure);
    if (failure == std::errc::too_many_symbolic_link_levels)
        return "is a link that leads round in a circle";
    if (target.type() != fs::file_type::not_found)
        return {};
    const std::string to = fs::read_symlink(link, failure).string();
    return to.find("annex/objects/") != std::string::npos
               ? fmt::format("is a link of git-annex to content that isn't here; {}", annexHelp)
               : fmt::format("is a link to content that isn't here ({}); in a data set of DataLad "
                             "or git-annex {}",
                             to, annexHelp);
}

std::string whyPointer(const fs::path& file) {
    std::error_code failure;
    if (const std::uintmax_t bytes = fs::file_size(file, failure);
        failure || bytes == 0 || bytes > maxPointerBytes)
        return {};
    std::string text(static_cast<std::size_t>(enoughOfPointer), '\0');
    std::ifstream stream(file, std::ios::binary);
    stream.read(text.data(), enoughOfPointer);
    text.resize(static_cast<std::size_t>(stream.gcount()));
    const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    if (line.starts_with("version https://git-lfs"))
        return "is a pointer of Git LFS to content that isn't here; 'git lfs pull' fetches it";
    // A file system without symbolic links stores the target of the link as the file's text.
    if (line.starts_with("/annex/objects/") || line.find(".git/annex/objects/") != line.npos)
        return fmt::format("is a pointer of git-annex to content that isn't here; {}", annexHelp);
    return {};
}

} // namespace

std::string whyAbsent(const fs::path& path) {
    std::error_code failure;
    if (fs::is_symlink(fs::symlink_status(path, failure)))
        if (std::string why = whyLinkLeadsNowhere(path); !why.empty())
            return why;
    return fs::is_regular_file(path, failure) ? whyPointer(path) : std::string();
}

} // namespace systole
