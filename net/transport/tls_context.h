#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

struct ssl_ctx_st;

namespace marchland::net {

/// Where certificate and key are, as PEM. Both empty: no entrance uses TLS.
struct TlsOptions {
    std::string certificate;  ///< with the chain up to, but without, what clients trust
    std::string key;

    friend bool operator==(const TlsOptions&, const TlsOptions&) = default;
};

/// The certificate that new connections are shown. It may be read again while clients come and go;
/// who is in goes on with what it began with.
///
/// Threads  Any. The mutex guards one pointer: a new connection takes it, a reload exchanges it.
class TlsContext {
public:
    /// `others_can_connect`: the key must not be readable by everybody (read_private_file()).
    TlsContext(TlsOptions options, bool others_can_connect);

    /// Reads both files. What is wrong, one line each; then what was in use stays in use.
    [[nodiscard]] std::vector<std::string> reload();

    /// After a reload() that found nothing wrong.
    [[nodiscard]] std::shared_ptr<ssl_ctx_st> current() const;

private:
    const TlsOptions options_;
    const bool others_can_connect_;
    mutable std::mutex mutex_;
    std::shared_ptr<ssl_ctx_st> current_;
};

}  // namespace marchland::net
