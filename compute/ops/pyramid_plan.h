// Common parts of the plans (compute/core/estimation_plan.h) of methods over a pyramid.
#pragma once

#include "compute/core/estimation_plan.h"
#include "compute/ops/pyramid.h"

namespace systole {

/// `On` is OnHost or gpu::OnDevice. The parameters have the number of `levels`, the report
/// `notFinite`.
template <typename On, typename MethodParameters, typename MethodReport>
class PyramidPlan {
public:
    using Parameters = MethodParameters;
    using Report = MethodReport;

    PyramidPlan(const PyramidPlan&) = delete; // the pyramid refers to the workspace
    PyramidPlan& operator=(const PyramidPlan&) = delete;

    std::size_t bytes() const { return space_.bytes() + On::scratchBytes(shape_.size); }
    void acquire(typename On::Memory& memory) { On::acquire(space_, memory); }
    const PlanShape& shape() const { return shape_; }
    Report* report() const { return space_.data(report_); }
    const int* notFinite() const { return report()->notFinite; }

protected:
    PyramidPlan(const Parameters& parameters, const PlanShape& shape, bool weighted)
        : p_(parameters)
        , shape_(shape)
        , pyramid_(pyramidLevels(shape.size, shape.spacing, parameters.levels), weighted, space_)
        , masks_(pyramid_.levels(), shape.fixedMask, shape.movingMask, space_)
        , report_(space_.add<Report>("report", 1)) {}

    const std::vector<PyramidLevel>& levels() const { return pyramid_.levels(); }
    Size3 sizeOf(std::size_t level) const { return levels()[level].size; }
    FieldView<float> field(Workspace::Block<float> block, Size3 size) const {
        return {space_.data(block), size};
    }

    Parameters p_;
    PlanShape shape_;
    Workspace space_;
    typename On::Pyramid pyramid_;
    typename On::Masks masks_;

private:
    Workspace::Block<Report> report_;
};

} // namespace systole
