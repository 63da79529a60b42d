// Precompiled for app. The libraries of records and of command lines stay out: what a precompiled
// header leaves to instantiate is instantiated in every file, half a second and a second each, used
// or not.
#include "cmake/precompiled/base.h"

#include <fmt/ranges.h>

#include <condition_variable>
#include <deque>
#include <fstream>
#include <set>
#include <thread>
