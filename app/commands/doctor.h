// systole doctor: what this machine offers, what is missing and how to get it.
#pragma once

#include "app/commands/command.h"

namespace systole {

class DoctorCommand : public Command {
public:
    const char* name() const override { return "doctor"; }
    const char* summary() const override {
        return "Report the capabilities of this machine, what is missing and how to get it";
    }
    void addOptions(CLI::App& app) override;
    int run() override;
};

} // namespace systole
