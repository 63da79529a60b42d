// systole info: the content of a file, as the program interprets it.
#pragma once

#include "app/commands/command.h"
#include "compute/core/sequence.h"

#include <string>
#include <vector>

namespace systole {

class InfoCommand : public Command {
public:
    const char* name() const override { return "info"; }
    const char* summary() const override {
        return "Describe a file, a list of files or a DICOM folder";
    }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    Sequence open() const;

    std::vector<std::string> files_;
    std::string dirLabCase_;
    double frameTimeMilliseconds_ = 0;
    bool json_ = false;
    bool statistics_ = false;
};

} // namespace systole
