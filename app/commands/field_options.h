// The options by which a command takes displacement fields of any program.
#pragma once

#include "app/fields/given_field.h"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace systole {

class FieldOptions {
public:
    /// --field-convention, --images, --fixed, --moving.
    void addTo(CLI::App& app);

    struct Fields {
        std::vector<std::string> files;
        int reference = 0;
        std::vector<int> frames; ///< to which they lead
    };
    /// How they are read. Throws what readingOf() throws; UsageError for another number of images
    /// than fields, and for frames that the sequence doesn't have.
    FieldReading reading(const Fields& fields, const ExecContext& ctx) const;

private:
    bool hasImages() const { return !images_.empty() || !fixed_.empty(); }
    FieldImagesOf imagesOf(const Fields& fields, const ExecContext& ctx) const;

    std::string convention_ = "auto";
    std::string images_, fixed_;
    std::vector<std::string> moving_;
};

} // namespace systole
