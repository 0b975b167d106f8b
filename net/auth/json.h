#pragma once

#include <jansson.h>
#include <memory>

namespace marchland::net {

struct JsonRelease {
    void operator()(json_t* value) const { json_decref(value); }
};
using Json = std::unique_ptr<json_t, JsonRelease>;

}  // namespace marchland::net
