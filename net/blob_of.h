#pragma once

#include "engine/entity.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace marchland::net {

/// No bytes, no Blob.
inline engine::Blob blob_of(const std::vector<std::byte>& bytes) {
    return bytes.empty() ? nullptr : std::make_shared<const std::vector<std::byte>>(bytes);
}

}  // namespace marchland::net
