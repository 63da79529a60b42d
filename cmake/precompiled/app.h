// Precompiled for app: the libraries of command lines and records besides.
#include "cmake/precompiled/base.h"

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <condition_variable>
#include <deque>
#include <fstream>
#include <set>
#include <thread>
