#pragma once

#include <string>

namespace marchland::tests {

/// A key and a certificate that it signed itself, for "localhost", as PEM.
struct Certificate {
    std::string certificate_pem;
    std::string key_pem;
    std::string locked_key_pem;  ///< the same, behind a passphrase
};

enum class KeyKind { ec, rsa };

Certificate make_certificate(const std::string& common_name = "localhost",
                             KeyKind kind = KeyKind::ec);

}  // namespace marchland::tests
