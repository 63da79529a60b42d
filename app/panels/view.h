// What the scene shows and how.
#pragma once

#include "app/panels/panel.h"

#include <memory>

namespace systole {

std::unique_ptr<Panel> makeViewPanel();

} // namespace systole
