// systole phantom: a synthetic beating heart with its true motion, a breathing chest with its true
// motion, or a pair of shapes that differ by a large deformation, written to a folder.
#pragma once

#include "app/commands/command.h"
#include "app/commands/overwrite.h"
#include "app/commands/phantom_lungs_options.h"
#include "io/phantom/phantom.h"

#include <string>

namespace systole {

class PhantomCommand : public Command {
public:
    const char* name() const override { return "phantom"; }
    const char* summary() const override {
        return "Make a synthetic beating heart or breathing chest with its true motion, or a "
               "letter C "
               "and a ball";
    }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    PhantomOptions makeOptions() const;
    int runLetter();
    int runLungs();

    OverwriteOption overwrite_;
    std::string folder_, size_ = "128", look_ = "echo";
    int frames_ = 20, threads_ = 0;
    double fieldOfViewMillimeters_ = 128, cycleMilliseconds_ = 800;
    int planesPerSlice_ = 1;
    double motionScale_ = 1, correlation_ = 1, noise_ = -1;
    double gainDrift_ = 1, bias_ = 0, sectorDegrees_ = 0, dropout_ = 0;
    bool sliding_ = false, letter_ = false;
    LungArguments lungs_;
    CLI::Option *sizeOption_ = nullptr, *framesOption_ = nullptr; ///< owned by the parser
    std::uint64_t seed_ = 1;
};

} // namespace systole
