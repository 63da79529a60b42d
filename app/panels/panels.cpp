#include "app/panels/parameters.h"
#include "app/panels/timing.h"
#include "app/panels/view.h"

namespace systole {

Panels makePanels() {
    Panels panels;
    panels.push_back(makeTimingPanel());
    panels.push_back(makeParametersPanel());
    panels.push_back(makeViewPanel());
    return panels;
}

} // namespace systole
