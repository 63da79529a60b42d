// Judgement of the estimated motion: what makes it doubtful.
#pragma once

#include "app/features/motion/motion_record.h"
#include "compute/core/exec.h"

namespace systole {

/// Notes the residual warning and the doubts about a pair, if no earlier pair has any. `written`
/// holds the figures of the estimation and the determinants of `result`.
void judge(const FieldRecord& written, const FrameResult& result, const MotionJob& job,
           const ExecContext& ctx, MotionRecord& record);

} // namespace systole
