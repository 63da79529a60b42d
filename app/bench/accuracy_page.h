// A page of pictures: the worst case of each program on each look, true against estimated motion.
#pragma once

#include "app/bench/phantom_case.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace systole {

class AccuracyPage {
public:
    /// Draws the field if its mean error is the largest so far of this program on this look: the
    /// plane of x and z in which the errors in the wall are largest, as the fixed image with
    /// arrows, and as maps of true motion, estimated motion and error.
    void add(const std::string& look, const std::string& program, const PhantomPair& pair,
             FieldView<const float> field);
    /// All that was drawn, in the order in which it was added first. Needs no other file.
    std::string html() const;

private:
    struct Worst {
        double error = -1; ///< mean in the wall, smallest spacings
        std::string drawn;
    };
    std::vector<std::pair<std::string, std::string>> order_; ///< look, program
    std::map<std::pair<std::string, std::string>, Worst> worst_;
};

} // namespace systole
