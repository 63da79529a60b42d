// Resources and results that a tool needs from the rest of the program.
#pragma once

namespace systole {

struct ToolNeeds {
    bool device = false;     ///< the device for itself: playback and estimation rest
    bool processor = false;  ///< the processor for itself: estimation rests
    bool frames = false;     ///< many frames, one after the other
    bool hostFields = false; ///< the motion, on the host
    bool sinceFirst = false; ///< the motion from the first frame into every other one

    friend ToolNeeds operator|(const ToolNeeds& a, const ToolNeeds& b) {
        return {a.device || b.device, a.processor || b.processor, a.frames || b.frames,
                a.hostFields || b.hostFields, a.sinceFirst || b.sinceFirst};
    }
};

} // namespace systole
