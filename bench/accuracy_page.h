// A page of pictures: the worst tenth of each program's cases on each look, true against estimated
// motion.
#pragma once

#include "bench/phantom_case.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace systole {

class AccuracyPage {
public:
    /// Draws the plane of x and z in which the field's errors in the wall are largest, as the fixed
    /// image with arrows, and as maps of true motion, estimated motion and error.
    void add(const std::string& look, const std::string& program, const PhantomPair& pair,
             FieldView<const float> field);
    /// The worst tenth of the members of each look by mean error, at least one of each program, the
    /// worst first; looks and programs in the order in which they were added. Needs no other file.
    std::string html() const;

private:
    struct Drawn {
        double error = 0; ///< mean in the wall, smallest spacings
        std::string text;
    };
    std::vector<std::pair<std::string, std::string>> order_; ///< look, program
    std::map<std::pair<std::string, std::string>, std::vector<Drawn>> drawn_;
};

} // namespace systole
