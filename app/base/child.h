// A program started by this one, which ends when this one does.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace systole {

struct ChildCommand {
    std::vector<std::string> arguments; ///< the program first, by its path or found on PATH
    std::string folder;                 ///< to work in
    std::string log;                    ///< file that gets what it prints, behind what is there
    std::vector<std::pair<std::string, std::string>> environment; ///< changes
    /// Open files that it gets, and no other; empty: those that aren't closed when a program
    /// starts.
    std::vector<int> files{};
    int niceness = 0; ///< more than this process has
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

/// From now on this process ends when the one that started it does, as a Child.
void endWithParent();

/// True if a program of this name is on PATH.
bool isOnPath(const std::string& program);

/// The last line of a file that begins with `start`, without it; empty: none.
std::string lastLineWith(const std::string& path, const std::string& start);

} // namespace systole
