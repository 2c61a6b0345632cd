#include <array>

#include "engine/expression/functions.h"
#include "engine/text/base64.h"
#include "engine/text/character_set.h"
#include "engine/text/digest.h"
#include "engine/text/escape.h"
#include "engine/text/url.h"

// Functions that write a text in another form, or read it back, and hashes.
namespace weir::expression {
namespace {

using Escape = void (*)(std::string_view text, std::string& out);
using Unescape = std::expected<void, text::Error> (*)(std::string_view text, std::string& out);

// No value becomes an empty text.
template <Escape Do>
Value escape(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  std::string& out = evaluation.buffer();
  Do(subject.value_or(""), out);
  return evaluation.text(out);
}

template <Unescape Do>
Value unescape(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  std::string& out = evaluation.buffer();
  const auto done = Do(subject.value_or(""), out);
  if (!done) call.fail(done.error().message);
  return evaluation.text(out);
}

Value url_encode(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  return subject ? evaluation.text(text::url_encode(*subject)) : Value();
}

Value url_decode(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  const auto decoded = text::url_decode(*subject);
  if (!decoded) call.fail(decoded.error().message);
  return evaluation.text(*decoded);
}

Value base64_encode(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  return subject ? evaluation.text(text::base64_encode(*subject)) : Value();
}

Value base64_decode(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  const auto decoded = text::base64_decode(*subject);
  if (!decoded) call.fail(decoded.error().message);
  return evaluation.text(text::repair_utf8(*decoded));
}

Value hash(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  const std::string_view algorithm = call.required_text(0, evaluation);
  const auto digest = text::hash_hex(algorithm, *subject);
  if (!digest) call.fail("there is no such algorithm");
  return evaluation.text(*digest);
}

using NameUuid = text::UuidBytes (*)(const text::UuidBytes& name_space, std::string_view name);

// Without a namespace the nil identifier takes its place.
template <NameUuid Make>
Value name_uuid(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  text::UuidBytes name_space{};
  if (const auto given = call.argument_text(0, evaluation)) {
    const auto parsed = text::parse_uuid(*given);
    if (!parsed) call.fail(parsed.error().message);
    name_space = *parsed;
  }
  return evaluation.text(text::uuid_text(Make(name_space, *subject)));
}

const std::array all = {
    Function{"UUID3", Type::string, name_uuid<text::uuid3>, 1, 1},
    Function{"UUID5", Type::string, name_uuid<text::uuid5>, 1, 1},
    Function{"base64Decode", Type::string, base64_decode},
    Function{"base64Encode", Type::string, base64_encode},
    Function{"escapeCsv", Type::string, escape<text::escape_csv>},
    Function{"escapeHtml3", Type::string, escape<text::escape_html3>},
    Function{"escapeHtml4", Type::string, escape<text::escape_html4>},
    Function{"escapeJson", Type::string, escape<text::escape_json>},
    Function{"escapeXml", Type::string, escape<text::escape_xml>},
    Function{"hash", Type::string, hash, 1, 1},
    Function{"unescapeCsv", Type::string, unescape<text::unescape_csv>},
    Function{"unescapeHtml3", Type::string, unescape<text::unescape_html3>},
    Function{"unescapeHtml4", Type::string, unescape<text::unescape_html4>},
    Function{"unescapeJson", Type::string, unescape<text::unescape_json>},
    Function{"unescapeXml", Type::string, unescape<text::unescape_xml>},
    Function{"urlDecode", Type::string, url_decode},
    Function{"urlEncode", Type::string, url_encode},
};

}  // namespace

std::span<const Function> encode_functions() {
  return all;
}

}  // namespace weir::expression
