#include "app/base/child.h"

#include "io/base/text.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace systole {
namespace {

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> changedEnvironment(const ChildCommand& command) {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        bool changed = false;
        for (const auto& [name, value] : command.environment)
            changed = changed || text.starts_with(name + "=");
        if (!changed)
            entries.push_back(text);
    }
    for (const auto& [name, value] : command.environment)
        entries.push_back(name + "=" + value);
    return entries;
}

/// Closes all others when a program starts. Where that isn't known (Linux before 5.11, some
/// containers) locks of this process may hold until the program ends, and nothing else is lost.
bool keepOnly(const std::vector<int>& files) {
    (void)::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    bool kept = true;
    for (const int file : files)
        kept = kept && ::fcntl(file, F_SETFD, 0) == 0;
    return kept;
}

/// Replaces the forked process by the program. Makes only calls that are safe between fork and
/// exec.
[[noreturn]] void become(char* const* arguments, char* const* environment,
                         const ChildCommand& command, pid_t parent) {
    endWithParent();
    (void)::nice(command.niceness); // a failure leaves the priority unchanged
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int file = ::open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (::getppid() == parent && file >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 &&
        ::dup2(file, STDOUT_FILENO) >= 0 && ::dup2(file, STDERR_FILENO) >= 0 &&
        ::chdir(command.folder.c_str()) == 0 && (command.files.empty() || keepOnly(command.files)))
        ::execvpe(arguments[0], arguments, environment);
    ::_exit(127);
}

} // namespace

Child::Child(const ChildCommand& command) {
    std::vector<std::string> arguments = command.arguments;
    std::vector<std::string> environment = changedEnvironment(command);
    const std::vector<char*> argv = pointersTo(arguments), envp = pointersTo(environment);
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0)
        throw fileError(command.arguments.front(),
                        std::string("can't be started: ") + std::strerror(errno));
    if (process_ == 0)
        become(argv.data(), envp.data(), command, parent);
}

Child::~Child() {
    if (!ended_) {
        signal(SIGKILL);
        wait();
    }
}

void Child::look(int options) {
    int status = 0;
    rusage usage{};
    const pid_t found = ::wait4(process_, &status, options, &usage);
    if (found == process_) {
        outcome_.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        outcome_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        outcome_.peakBytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    }
    ended_ = found == process_ || (found < 0 && errno != EINTR);
}

bool Child::running() {
    if (!ended_)
        look(WNOHANG);
    return !ended_;
}

ChildOutcome Child::wait() {
    while (!ended_)
        look(0);
    return outcome_;
}

void Child::signal(int number) const { ::kill(process_, number); }

void endWithParent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

bool isOnPath(const std::string& program) {
    const char* const path = std::getenv("PATH");
    for (const std::string& folder : words(path ? path : "", ":"))
        if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0)
            return true;
    return false;
}

std::string lastLineWith(const std::string& path, const std::string& start) {
    std::ifstream file(path, std::ios::binary);
    std::string line, last;
    while (std::getline(file, line))
        if (line.starts_with(start))
            last = line.substr(start.size());
    return last;
}

} // namespace systole
