#include "tests/support/virtual_display.h"

#include <cstdlib>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace systole::testing {
namespace {

[[noreturn]] void becomeServer(int readyPipe) {
    // It goes when the test goes, however that ends.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::string ready = std::to_string(readyPipe);
    execlp("Xvfb", "Xvfb", "-displayfd", ready.c_str(), "-screen", "0", "1600x1200x24", "-noreset",
           "-nolisten", "tcp", static_cast<char*>(nullptr));
    _exit(127);
}

} // namespace

VirtualDisplay::VirtualDisplay() {
    int ends[2];
    if (pipe(ends) != 0) {
        problem_ = "no pipe available";
        return;
    }
    server_ = fork();
    if (server_ == 0) {
        close(ends[0]);
        becomeServer(ends[1]);
    }
    close(ends[1]);
    // The server writes its number when it is ready, and nothing when it can't be.
    std::string number;
    char letter = 0;
    while (server_ > 0 && read(ends[0], &letter, 1) == 1 && letter != '\n')
        number += letter;
    close(ends[0]);
    if (number.empty())
        problem_ = "Xvfb isn't installed or doesn't start";
    else
        setenv("DISPLAY", (":" + number).c_str(), 1);
}

VirtualDisplay::~VirtualDisplay() {
    if (server_ <= 0)
        return;
    kill(server_, SIGTERM);
    waitpid(server_, nullptr, 0);
}

} // namespace systole::testing
