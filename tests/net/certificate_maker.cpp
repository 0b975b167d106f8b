#include "tests/net/certificate_maker.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <stdexcept>

namespace marchland::tests {

namespace {

void require(bool is_done) {
    if (!is_done) {
        throw std::runtime_error("OpenSSL");
    }
}

template <typename Write>
std::string pem(Write&& write) {
    const std::unique_ptr<BIO, int (*)(BIO*)> text(BIO_new(BIO_s_mem()), BIO_free);
    require(write(text.get()) == 1);
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(text.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

Certificate make_certificate(const std::string& common_name, KeyKind kind) {
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
        kind == KeyKind::ec ? EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")
                            : EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048}),
        EVP_PKEY_free);
    const std::unique_ptr<X509, void (*)(X509*)> certificate(X509_new(), X509_free);
    X509* const it = certificate.get();
    require(key && it != nullptr);
    ASN1_INTEGER_set(X509_get_serialNumber(it), 1);
    X509_gmtime_adj(X509_getm_notBefore(it), -3'600);
    X509_gmtime_adj(X509_getm_notAfter(it), 3'600);
    X509_NAME* const name = X509_get_subject_name(it);
    require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                       reinterpret_cast<const unsigned char*>(common_name.c_str()),
                                       -1, -1, 0) == 1);
    require(X509_set_issuer_name(it, name) == 1 && X509_set_pubkey(it, key.get()) == 1 &&
            X509_sign(it, key.get(), EVP_sha256()) > 0);
    const auto key_behind = [&](const EVP_CIPHER* cipher, std::string passphrase) {
        return pem([&](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key.get(), cipher, nullptr, 0, nullptr,
                                            passphrase.data());
        });
    };
    return {pem([&](BIO* out) { return PEM_write_bio_X509(out, it); }), key_behind(nullptr, ""),
            key_behind(EVP_aes_128_cbc(), "open")};
}

}  // namespace marchland::tests
