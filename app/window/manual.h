// The pages of the manual.
#pragma once

#include "app/window/pages_window.h"

#include <vector>

namespace systole {

/// Its index, then the pages that the index names, in that order. Throws FileError when there is
/// no manual.
std::vector<PagesWindow::Page> manualPages();

} // namespace systole
