// systole spgemm: the product of two sparse matrices.
#pragma once

#include "app/commands/command.h"
#include "app/commands/overwrite.h"

#include <string>

namespace systole {

class SpgemmCommand : public Command {
public:
    const char* name() const override { return "spgemm"; }
    const char* summary() const override {
        return "Multiply two sparse matrices, with the figures of the product";
    }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    std::string left_, right_, output_, json_, backend_ = "auto", variant_ = "adaptive";
    bool chosenVariant_ = false;
    bool transposeLeft_ = false, transposeRight_ = false;
    int threads_ = 0;
    OverwriteOption overwrite_;
};

} // namespace systole
