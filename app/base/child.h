// A program started by this one, which ends when this one does.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace systole {

struct ChildCommand {
    std::vector<std::string> arguments; ///< the program first: its path, or a name on PATH
    std::string folder;                 ///< working folder of the program
    std::string log;                    ///< file to which its output is appended
    std::vector<std::pair<std::string, std::string>> environment; ///< variables to set
    /// The only open files that it inherits; empty: all without close-on-exec.
    std::vector<int> files{};
    int niceness = 0; ///< added to the niceness of this process
};

struct ChildOutcome {
    int exitCode = -1; ///< -1: a signal ended it, or nobody knows how it ended
    int signal = 0;
    std::uint64_t peakBytes = 0; ///< largest resident memory of it and what it started
    bool succeeded() const { return exitCode == 0; }
};

class Child {
public:
    /// Throws FileError if it can't be started. Files of this process that aren't closed when a
    /// program starts stay open in it: locks held by them hold until it ends, too. It also ends
    /// with the thread that starts it.
    explicit Child(const ChildCommand& command);
    /// Kills it if it still runs.
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    bool running();
    ChildOutcome wait();
    void signal(int number) const;

private:
    ChildOutcome outcome_;
    pid_t process_ = -1;
    bool ended_ = false;
    void look(int options);
};

/// This process ends from now on when its parent does, as a Child does.
void endWithParent();

/// True if a program of this name is on PATH.
bool isOnPath(const std::string& program);

/// The last line of a file that begins with `start`, without it; empty: none.
std::string lastLineWith(const std::string& path, const std::string& start);

} // namespace systole
