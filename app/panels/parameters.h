// The method of estimation and every row of its parameter table, changed while it runs.
#pragma once

#include "app/panels/panel.h"

#include <memory>

namespace systole {

std::unique_ptr<Panel> makeParametersPanel();

} // namespace systole
