#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <atomic>

#include "engine/expression/compiled_text.h"
#include "engine/expression/functions.h"
#include "engine/expression/machine_properties.h"
#include "engine/expression/parameter_text.h"
#include "engine/text/digest.h"
#include "engine/text/java_number.h"
#include "engine/text/url.h"

// Functions that stand first in an expression, and evaluateELString.
namespace weir::expression {
namespace {

// Texts that evaluate texts that evaluate texts.
constexpr int most_evaluations_within = 16;

Value now(const Call&, Evaluation& evaluation) {
  return Value::of_date(evaluation.environment().clock.now_ms());
}

Value random(const Call&, Evaluation& evaluation) {
  return Value::of_whole(static_cast<std::int64_t>(evaluation.environment().random.next() >> 1));
}

Value uuid(const Call&, Evaluation& evaluation) {
  text::UuidBytes bytes{};
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint64_t random_bits = evaluation.environment().random.next();
    for (std::size_t i = 0; i < 8; ++i) {
      bytes[half * 8 + i] = static_cast<std::uint8_t>(random_bits >> (8 * i));
    }
  }
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  return evaluation.text(text::uuid_text(bytes));
}

// One sequence for the whole process, as NiFi has it.
Value next_int(const Call&, Evaluation&) {
  static std::atomic<std::int64_t> next{0};
  return Value::of_whole(next.fetch_add(1, std::memory_order_relaxed));
}

Value ip(const Call&, Evaluation&) {
  return Value::of_text(host_address());
}

Value hostname(const Call& call, Evaluation& evaluation) {
  const bool qualified = call.argument_count() > 0 && call.argument_value(0, evaluation).boolean();
  return Value::of_text(qualified ? qualified_host_name() : host_name());
}

Value thread(const Call&, Evaluation& evaluation) {
  std::array<char, 16> name{};
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) != 0) return {};
  return evaluation.text(name.data());
}

Value literal(const Call& call, Evaluation& evaluation) {
  const Value value = call.argument_value(0, evaluation);
  return Value::of_text(value.is_null() ? "null" : evaluation.text_of(value));
}

Value get_state_value(const Call& call, Evaluation& evaluation) {
  const auto key = call.argument_text(0, evaluation);
  if (!key) return {};
  const auto* state = evaluation.inputs().state;
  if (!state) call.fail("this component has no state");
  const auto found = state->find(std::string(*key));
  return found == state->end() ? Value() : Value::of_text(found->second);
}

// A null part is left away with its mark.
Value get_uri(const Call& call, Evaluation& evaluation) {
  std::array<std::optional<std::string_view>, 7> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = call.argument_text(i, evaluation);
  if (!parts[3]) call.fail("the port is no number");
  const auto port = text::parse_int(*parts[3]);
  if (!port) call.fail(fmt::format("the port is no number: {}", port.error().message));
  const auto uri = text::build_uri({.scheme = parts[0],
                                    .user_info = parts[1],
                                    .host = parts[2],
                                    .port = *port,
                                    .path = parts[4],
                                    .query = parts[5],
                                    .fragment = parts[6]});
  if (!uri) call.fail(uri.error().message);
  return evaluation.text(*uri);
}

// Parameters cannot be reached from a text that came with the data.
Value evaluate_text(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  if (evaluation.depth() >= most_evaluations_within) {
    call.fail("the text evaluates itself again and again");
  }
  Environment environment = evaluation.environment();
  environment.parameters = nullptr;
  environment.lenient_parameters = true;
  const auto compiled =
      CompiledText::compile(without_parameters(*subject, environment), environment);
  if (!compiled) call.fail(compiled.error().message);
  ExpressionInputs inputs = evaluation.inputs();
  inputs.decorate = nullptr;
  std::string out;
  (*compiled)->evaluate(inputs, evaluation.depth() + 1, out);
  return evaluation.text(out);
}

Function alone(std::string_view name, Type result, Value (*run)(const Call&, Evaluation&),
               std::size_t least = 0, std::size_t most = 0, As argument = As::text) {
  Function function{.name = name,
                    .result = result,
                    .run = run,
                    .least = least,
                    .most = most,
                    .place = Place::alone};
  function.arguments.fill(argument);
  return function;
}

const std::array all = {
    alone("UUID", Type::string, uuid),
    Function{"evaluateELString", Type::string, evaluate_text},
    alone("getStateValue", Type::string, get_state_value, 1, 1),
    alone("getUri", Type::string, get_uri, 7, 7),
    alone("hostname", Type::string, hostname, 0, 1, As::boolean),
    alone("ip", Type::string, ip),
    alone("literal", Type::string, literal, 1, 1, As::any),
    alone("nextInt", Type::whole_number, next_int),
    alone("now", Type::date, now),
    alone("random", Type::whole_number, random),
    alone("thread", Type::string, thread),
};

}  // namespace

std::span<const Function> standalone_functions() {
  return all;
}

}  // namespace weir::expression
