#pragma once

#include <cstddef>

namespace marchland::process {

/// Raises this process's own limit of open files as far as it may without rights, and returns it.
std::size_t raise_open_files_max();

}  // namespace marchland::process
