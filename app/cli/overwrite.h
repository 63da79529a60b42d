// The option --overwrite of commands that write single files, and the only functions by which they
// write them: nothing is replaced without the user's request.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace systole {

class OverwriteOption {
public:
    void addTo(CLI::App& app);
    /// Overload for a command that says more: `more` follows the beginning of the help.
    void addTo(CLI::App& app, const std::string& more);
    bool given() const { return given_; }
    /// All files that a command writes, except those of a RunFolder; empty paths are none. Throws
    /// UsageError if two are the same file, FileError if a folder is missing or can't be written
    /// to, or if a file exists that may not be replaced: without --overwrite, none; with it, none
    /// that is one of `inputs` or lies in an input folder. Removes what killed runs have left
    /// beside them. Call it before the work, and again before writing.
    void checkAll(const std::vector<std::string>& paths,
                  const std::vector<std::string>& inputs) const;

    /// Writes one of these files; nothing if the path is empty. `writer` gets a path to write the
    /// content to. Throws FileError, also for a file that has appeared since checkAll() and may not
    /// be replaced.
    void write(const std::string& path,
               const std::function<void(const std::string& path)>& writer) const;
    void writeText(const std::string& path, const std::string& text) const;

private:
    void check(const std::string& path, const std::vector<std::string>& inputs) const;

    bool given_ = false;
};

} // namespace systole
