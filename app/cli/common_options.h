// Options that mean the same in every command: one form, one default and one beginning of the help.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace systole {

/// Beginnings of the options' help; a command may add what is special in it.
inline constexpr const char* threadsHelp = "Number of CPU threads";
inline constexpr const char* backendHelp = "Backend";
inline constexpr const char* jsonFlagHelp = "Print JSON instead of text";
inline constexpr const char* jsonFileHelp = "Also write a record of the run to this file";
inline constexpr const char* overwriteHelp = "Replace output files that exist already";

/// --threads; 0, its default, takes all threads of the hardware.
CLI::Option* addThreads(CLI::App& app, int& threads);

/// Whether --backend takes cuda:N, the device with this number. Not where the device is given
/// otherwise: pictures are made on the device that draws, a cohort shares out all devices.
enum class DeviceNumbers { Taken, Refused };
/// --backend, by default auto; an empty `backend` is auto, too. `more` follows its help.
CLI::Option* addBackend(CLI::App& app, std::string& backend,
                        DeviceNumbers numbers = DeviceNumbers::Taken, const std::string& more = {});

/// --json without a value, for commands whose result is what they print.
CLI::Option* addJsonFlag(CLI::App& app, bool& json);
/// --json FILE, for commands that compute. `more` follows its help.
CLI::Option* addJsonFile(CLI::App& app, std::string& file, const std::string& more = {});

} // namespace systole
