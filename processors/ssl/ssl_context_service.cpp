#include "processors/ssl/ssl_context_service.h"

#include <fmt/format.h>

#include "processors/ssl/key_store.h"
#include "processors/ssl/ssl_context.h"

namespace weir::processors::ssl {
namespace {

std::vector<AllowableValue> store_types() {
  return {{"BCFKS", "", "Not supported: convert it to PKCS12."},
          {"PKCS12"},
          {"JKS", "", "Not supported: convert it to PKCS12 with keytool -importkeystore."}};
}

const PropertyDescriptor keystore_file{
    .name = "Keystore Filename",
    .description = "The file with the own private key and certificate.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor keystore_password{.name = "Keystore Password",
                                           .description = "That file's password.",
                                           .sensitive = true,
                                           .validator = validators::non_empty()};
const PropertyDescriptor key_password{
    .name = "key-password",
    .display_name = "Key Password",
    .description =
        "The password of the key; in a PKCS12 file it is the file's, so that it must be the same.",
    .sensitive = true,
    .validator = validators::non_empty()};
const PropertyDescriptor keystore_type{.name = "Keystore Type",
                                       .description = "That file's format.",
                                       .allowable_values = store_types()};
const PropertyDescriptor truststore_file{
    .name = "Truststore Filename",
    .description = "The file with the certificates of the authorities that are trusted.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor truststore_password{.name = "Truststore Password",
                                             .description = "That file's password.",
                                             .sensitive = true,
                                             .validator = validators::non_empty()};
const PropertyDescriptor truststore_type{.name = "Truststore Type",
                                         .description = "That file's format.",
                                         .allowable_values = store_types()};

PropertyDescriptor protocol(std::vector<AllowableValue> values) {
  return {.name = "SSL Protocol",
          .display_name = "TLS Protocol",
          .description = "The protocol's version; TLS is the best that both sides know.",
          .default_value = "TLS",
          .allowable_values = std::move(values)};
}

struct StoreProperties {
  const char* what;
  const PropertyDescriptor& file;
  const PropertyDescriptor& password;
  const PropertyDescriptor& type;
};
const StoreProperties keystore{"Keystore", keystore_file, keystore_password, keystore_type};
const StoreProperties truststore{"Truststore", truststore_file, truststore_password,
                                 truststore_type};

void check(const PropertyContext& context, const StoreProperties& store,
           std::vector<ValidationProblem>& problems) {
  const PropertyValue type = context.property(store.type);
  const bool has_file = context.property(store.file).is_set();
  const bool has_password = context.property(store.password).is_set();
  if (has_file != type.is_set() || has_file != has_password) {
    problems.push_back({store.file.name, fmt::format("{0} Filename, {0} Password and {0} Type go "
                                                     "together: all three or none",
                                                     store.what)});
    return;
  }
  if (type.is_set() && type.text() != "PKCS12") {
    problems.push_back({store.type.name,
                        fmt::format("{} files are not read; convert it: keytool -importkeystore "
                                    "-srckeystore OLD -destkeystore NEW.p12 -deststoretype PKCS12",
                                    type.text())});
  }
}

KeyStore read(const PropertyContext& context, const StoreProperties& store) {
  return read_pkcs12(context.property(store.file).evaluate(),
                     context.property(store.password).text());
}

class StandardSslContext : public SslContext {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    std::vector<ValidationProblem> problems;
    check(context, keystore, problems);
    check(context, truststore, problems);
    if (!context.property(keystore_file).is_set() && !context.property(truststore_file).is_set()) {
      problems.push_back({"", "neither a keystore nor a truststore is named"});
    }
    const PropertyValue own = context.property(key_password);
    if (own.is_set() && own.text() != context.property(keystore_password).text()) {
      problems.push_back({key_password.name,
                          "differs from Keystore Password, which a PKCS12 file "
                          "does not allow"});
    }
    return problems;
  }

  void on_enabled(ComponentContext& context) override {
    TlsMaterial material;
    material.protocol = context.property("SSL Protocol").text();
    if (context.property(keystore_file).is_set()) {
      KeyStore own = read(context, keystore);
      if (own.private_key.empty()) {
        throw ProcessException(
            fmt::format("{}: holds no private key", context.property(keystore_file).evaluate()));
      }
      material.private_key = std::move(own.private_key);
      material.certificate_chain = std::move(own.certificate_chain);
    }
    if (context.property(truststore_file).is_set()) {
      const KeyStore trusted = read(context, truststore);
      material.trusted =
          trusted.private_key.empty() ? trusted.certificates : trusted.certificate_chain;
      if (material.trusted.empty()) {
        throw ProcessException(
            fmt::format("{}: holds no certificate", context.property(truststore_file).evaluate()));
      }
    }
    material_ = std::move(material);
  }

  const TlsMaterial& material() const override { return material_; }

 private:
  TlsMaterial material_;  // set when enabled, then constant
};

ControllerServiceDefinition declare(const char* type, std::vector<std::string> interfaces,
                                    std::vector<AllowableValue> protocols) {
  ControllerServiceDefinition definition;
  definition.type = type;
  definition.summary =
      "The key, the certificate and the trusted authorities of TLS connections, from PKCS12 "
      "files. Files of other formats are refused with the command that converts them.";
  definition.tags = {"tls", "ssl", "secure", "certificate", "keystore", "truststore"};
  definition.properties = {
      keystore_file,   keystore_password,   key_password,    keystore_type,
      truststore_file, truststore_password, truststore_type, protocol(std::move(protocols))};
  definition.interfaces = std::move(interfaces);
  definition.make = [] { return std::make_unique<StandardSslContext>(); };
  return definition;
}

}  // namespace

const ControllerServiceDefinition& standard_ssl_context_service() {
  static const ControllerServiceDefinition definition =
      declare("org.apache.nifi.ssl.StandardSSLContextService", {kSslContextInterface},
              {{"SSL"}, {"TLS"}, {"TLSv1.3"}, {"TLSv1.2"}, {"TLSv1.1"}, {"TLSv1"}});
  return definition;
}

const ControllerServiceDefinition& standard_restricted_ssl_context_service() {
  static const ControllerServiceDefinition definition = declare(
      "org.apache.nifi.ssl.StandardRestrictedSSLContextService",
      {kRestrictedSslContextInterface, kSslContextInterface}, {{"TLS"}, {"TLSv1.3"}, {"TLSv1.2"}});
  return definition;
}

}  // namespace weir::processors::ssl
