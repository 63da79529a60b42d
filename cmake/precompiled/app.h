// Precompiled for app: the library of records besides. The one of command lines stays out: each
// file that sees it compiles a second longer, used or not.
#include "cmake/precompiled/base.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <condition_variable>
#include <deque>
#include <fstream>
#include <set>
#include <thread>
