// The option --overwrite of commands that write single files: nothing is replaced unasked.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace systole {

class OverwriteOption {
public:
    void addTo(CLI::App& app);
    /// For a command that describes it in its own words.
    void addTo(CLI::App& app, const std::string& help);
    bool given() const { return given_; }

    /// Throws FileError if a file of that name exists and may not be replaced: without --overwrite,
    /// none; with it, none that is one of `inputs` or lies in an input folder. Nothing to check if
    /// the path is empty. Call it before the work, and again before writing.
    void check(const std::string& path, const std::vector<std::string>& inputs = {}) const;
    /// The same for several.
    void checkAll(const std::vector<std::string>& paths,
                  const std::vector<std::string>& inputs) const {
        for (const std::string& path : paths)
            check(path, inputs);
    }

private:
    bool given_ = false;
};

} // namespace systole
