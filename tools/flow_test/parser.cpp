#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/api/units.h"
#include "repositories/provenance/event.h"
#include "tools/common/text.h"
#include "tools/flow_test/flow_file_lines.h"
#include "tools/flow_test/json_content.h"
#include "tools/flow_test/text_syntax.h"

namespace weir::flow_test {
namespace {

using provenance::EventType;

constexpr std::size_t kMostMistakes = 20;
constexpr std::string_view kSource = " source", kSink = " sink";

// Statements, and what people write instead of them.
const std::vector<std::pair<std::string, std::string>>& statement_words() {
  static const std::vector<std::pair<std::string, std::string>> kWords = {
      {"flow", "flow"},
      {"only", "only"},
      {"mock", "mock"},
      {"real", "real"},
      {"parameter", "parameter"},
      {"property", "property"},
      {"clock", "clock"},
      {"steps", "steps"},
      {"test", "test"},
      {"send", "send"},
      {"run", "run"},
      {"restart", "restart"},
      {"start", "start"},
      {"stop", "stop"},
      {"file", "file"},
      {"expect", "expect"},
      {"advance", "run"},
      {"wait", "run"},
      {"sleep", "run"},
      {"input", "send"},
      {"output", "expect"},
      {"assert", "expect"},
      {"time", "clock"},
      {"case", "test"}};
  return kWords;
}

std::string nearest_statement(const std::string& word) {
  std::vector<std::string> written;
  for (const auto& [from, to] : statement_words()) written.push_back(from);
  const std::string nearest = nearest_name(word, written);
  for (const auto& [from, to] : statement_words()) {
    if (from == nearest) return to;
  }
  return "";
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& file)
      : rest_(text), file_(file), lines_(std::filesystem::path(file).parent_path()) {
    test_.file = file;
  }

  std::expected<std::vector<FlowTest>, std::vector<Mistake>> run() {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    while (next_line() && mistakes_.size() < kMostMistakes) {
      const auto line = trim(line_text_);
      if (line.empty() || line.front() == '#') continue;
      guarded([&] {
        if (line_text_.front() == ' ' || line_text_.front() == '\t') {
          lines_.add(line_text_, line_);
        } else {
          lines_.end();
          statement(line);
        }
      });
    }
    guarded([&] { finish_test(); });
    std::ranges::stable_sort(mistakes_, {}, &Mistake::line);
    if (!mistakes_.empty()) return std::unexpected(std::move(mistakes_));
    return std::move(tests_);
  }

 private:
  template <typename Action>
  void guarded(const Action& action) {
    try {
      action();
    } catch (const SyntaxError& error) {
      mistakes_.push_back({file_, line_, error.what, error.nearest});
    }
  }
  void mistake(int line, std::string what) {
    mistakes_.push_back({file_, line, std::move(what), {}});
  }

  bool next_line() {
    if (rest_.empty()) return false;
    const auto end = std::min(rest_.find('\n'), rest_.size());
    line_text_ = rest_.substr(0, end);
    rest_ = rest_.substr(std::min(end + 1, rest_.size()));
    ++line_;
    return true;
  }

  Step& add(Step::Kind kind, std::string_view target = {}) {
    Step step;
    step.kind = kind;
    step.line = line_;
    step.target = target;
    test_.steps.push_back(std::move(step));
    return test_.steps.back();
  }

  std::string required(std::string_view text, const char* what) {
    if (text.empty()) throw SyntaxError{fmt::format("{} is missing", what)};
    return std::string(text);
  }
  // One name, in quotes or as it stands up to the end of the line.
  std::string name(std::string_view text, const char* what) {
    required(text, what);
    if (text.front() != '"') return std::string(text);
    const Word word = take_word(text);
    if (!text.empty()) throw SyntaxError{fmt::format("'{}' after the name is too much", text)};
    return word.text;
  }

  // Within {{dir}}.
  static std::string file_name(std::string_view& text) {
    const std::filesystem::path name = take_word(text).text;
    if (name.empty()) throw SyntaxError{"a file's name is missing"};
    const bool leaves = std::ranges::find(name, "..") != name.end() || name.is_absolute();
    if (leaves) throw SyntaxError{"a file of a test lies within {{dir}}"};
    return name.string();
  }

  void statement(std::string_view text) {
    const Word word = take_word(text);
    if (word.text.starts_with('-') || word.text.starts_with('|')) {
      throw SyntaxError{"lines that tell of FlowFiles stand indented"};
    }
    if (!set_up(word, text) && !step(word, text)) {
      throw SyntaxError{fmt::format("'{}' is no statement", word.text),
                        nearest_statement(word.text)};
    }
  }

  bool set_up(const Word& word, std::string_view text) {
    if (word.is("test")) {
      begin_test(required(text, "the test's name"));
    } else if (word.is("flow")) {
      flow(text);
    } else if (word.is("only")) {
      test_.only.push_back({line_, name(text, "a group or component")});
    } else if (word.is("real")) {
      test_.real.push_back({line_, name(text, "a processor")});
    } else if (word.is("mock")) {
      mock(text);
    } else if (word.is("parameter")) {
      parameter(text);
    } else if (word.is("property")) {
      test_.properties += std::string(text) + "\n";
      test_.property_lines.push_back(line_);
    } else if (word.is("clock")) {
      const std::string time(required(text, "a time"));
      const auto parsed = tools::parse_time(time.ends_with('Z') ? time : time + "Z", 0);
      if (!parsed) throw SyntaxError{parsed.error()};
      test_.start_ms = *parsed;
    } else if (word.is("steps")) {
      test_.most_steps = whole_number(text);
    } else {
      return false;
    }
    if (!word.is("test") && steps_begun()) {
      throw SyntaxError{fmt::format("'{}' stands before the first step of a test", word.text)};
    }
    return true;
  }

  // Steps that all tests begin with, and files that are there at the start, do not count.
  bool steps_begun() const {
    const std::size_t common = common_ ? common_->steps.size() : 0;
    return std::any_of(test_.steps.begin() + static_cast<std::ptrdiff_t>(common), test_.steps.end(),
                       [](const Step& step) { return step.kind != Step::Kind::write_file; });
  }

  void flow(std::string_view text) {
    if (test_.flow_line != 0) throw SyntaxError{"a test has one flow"};
    if (!text.empty()) {
      test_.flow_line = line_;
      test_.flow_file = std::filesystem::path(file_).parent_path() / name(text, "a file");
      return;
    }
    test_.flow_line = line_ + 1;
    while (next_line()) {
      if (trim(line_text_) == "end") return;
      test_.flow += std::string(line_text_) + "\n";
    }
    throw SyntaxError{"the flow has no 'end'"};
  }

  // mock NAME source|sink [to RELATIONSHIP]; the name may hold blanks.
  void mock(std::string_view text) {
    Mock mock;
    mock.line = line_;
    const auto [at, length] = mock_kind(text);
    mock.source = length == kSource.size();
    mock.name = name(trim(text.substr(0, at)), "the processor's name");
    text = trim(text.substr(at + length));
    if (!text.empty()) mock.relationship = name(trim(text.substr(2)), "a relationship");
    std::erase_if(test_.mocks, [&](const Mock& before) { return before.name == mock.name; });
    test_.mocks.push_back(std::move(mock));
    lines_.begin(
        test_.mocks.back().source ? FlowFileLines::Use::sent : FlowFileLines::Use::sent_on_by_sink,
        test_.mocks.back().flow_files);
  }

  // The last " source" or " sink" that is followed by nothing, or by "to".
  static std::pair<std::size_t, std::size_t> mock_kind(std::string_view text) {
    for (std::size_t at = text.size(); at-- > 0;) {
      for (const std::string_view kind : {kSource, kSink}) {
        if (!text.substr(at).starts_with(kind)) continue;
        const std::string_view rest = text.substr(at + kind.size());
        const bool more = rest.starts_with(' ') && trim(rest).starts_with("to ");
        if (rest.empty() || more) return {at, kind.size()};
      }
    }
    throw SyntaxError{
        "mock NAME source, or mock NAME sink; either may go on with: to RELATIONSHIP"};
  }

  void parameter(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) throw SyntaxError{"parameter NAME = VALUE"};
    Parameter parameter{line_, name(trim(text.substr(0, equals)), "the parameter's name"),
                        unescape(trim(text.substr(equals + 1)))};
    std::erase_if(test_.parameters,
                  [&](const Parameter& before) { return before.name == parameter.name; });
    test_.parameters.push_back(std::move(parameter));
  }

  bool step(const Word& word, std::string_view text) {
    if (word.is("send")) {
      Step& step = add(Step::Kind::send, required(text, "where to"));
      lines_.begin(FlowFileLines::Use::sent, step.flow_files);
    } else if (word.is("run")) {
      run_step(text);
    } else if (word.is("restart")) {
      add(Step::Kind::restart);
    } else if (word.is("start")) {
      add(Step::Kind::start, name(text, "a component"));
    } else if (word.is("stop")) {
      add(Step::Kind::stop, name(text, "a component"));
    } else if (word.is("file")) {
      const auto file = file_name(text);
      add(Step::Kind::write_file, file).text = unescape(text);
    } else if (word.is("expect")) {
      expectation(text);
    } else {
      return false;
    }
    return true;
  }

  // run [DURATION], run until idle [within DURATION]
  void run_step(std::string_view text) {
    constexpr std::string_view kUntilIdle = "until idle", kWithin = "within ";
    Step::Kind kind = Step::Kind::run;
    std::string_view time = text.empty() ? "1 sec" : text;
    if (text.starts_with(kUntilIdle)) {
      kind = Step::Kind::run_until_idle;
      time = trim(text.substr(kUntilIdle.size()));
      if (time.empty()) time = "within 1 hour";
      if (!time.starts_with(kWithin)) throw SyntaxError{"run until idle [within DURATION]"};
      time = trim(time.substr(kWithin.size()));
    }
    const auto duration = parse_duration(time);
    if (!duration) throw SyntaxError{duration.error() + "; also: run until idle"};
    add(kind).duration = *duration;
  }

  void expectation(std::string_view text) {
    std::string_view rest = text;
    const Word word = take_word(rest);
    if (word.is("count")) {
      const auto at = rest.find_last_of(" \t");
      if (at == std::string_view::npos) throw SyntaxError{"expect count WHERE NUMBER"};
      const auto count = whole_number(rest.substr(at + 1));
      add(Step::Kind::expect_count, trim(rest.substr(0, at))).count = count;
    } else if (word.is("queued")) {
      add(Step::Kind::expect_queued).count = whole_number(rest);
    } else if (word.is("nothing")) {
      add(Step::Kind::expect_flow_files, required(rest, "where"));
    } else if (word.is("any") && rest.starts_with("order ")) {
      flow_files(trim(rest.substr(6))).any_order = true;
    } else if (word.is("bulletin")) {
      const auto slash = rest.find('/');
      const auto pattern = slash == std::string_view::npos ? rest : rest.substr(slash);
      const auto from = slash == std::string_view::npos ? rest : trim(rest.substr(0, slash));
      const std::string compiled = compiled_pattern(pattern);
      Step& step = add(Step::Kind::expect_bulletin, from.empty() ? "" : name(from, "a component"));
      step.text = compiled;
    } else if (word.is("provenance")) {
      events(rest);
    } else if (word.is("file")) {
      const auto file = file_name(rest);
      add(Step::Kind::expect_file, file).text = unescape(rest);
    } else if (word.is("no")) {
      const Word what = take_word(rest);
      if (!what.is("bulletin") && !what.is("file")) {
        throw SyntaxError{"expect no bulletin, expect no file NAME, or expect nothing WHERE"};
      }
      if (what.is("file")) {
        add(Step::Kind::expect_no_file, file_name(rest));
      } else {
        add(Step::Kind::expect_no_bulletin);
      }
    } else {
      flow_files(required(text, "what is expected"));
    }
  }

  Step& flow_files(std::string_view target) {
    Step& step = add(Step::Kind::expect_flow_files, target);
    lines_.begin(FlowFileLines::Use::expected, step.flow_files);
    return step;
  }

  void events(std::string_view rest) {
    Step step;
    while (!rest.empty()) {
      const Word word = take_word(rest);
      std::string_view type = word.text;
      std::uint64_t count = 1;
      if (const auto star = type.find('*'); star != std::string_view::npos) {
        count = whole_number(type.substr(star + 1));
        type = type.substr(0, star);
      }
      if (!provenance::parse_event_type(type)) {
        throw SyntaxError{fmt::format("'{}' is no type of event", type), nearest_event_type(type)};
      }
      step.events.emplace_back(type, count);
    }
    add(Step::Kind::expect_provenance).events = std::move(step.events);
  }

  static std::string nearest_event_type(std::string_view type) {
    std::vector<std::string> names;
    for (int i = int(EventType::create); i <= int(EventType::replay); ++i) {
      names.emplace_back(provenance::to_string(EventType(i)));
    }
    return nearest_name(type, names);
  }

  void begin_test(std::string test_name) {
    if (!common_) {
      common_ = test_;
    } else {
      finish_test();
      test_ = *common_;
    }
    const auto same = [&](const FlowTest& one) { return one.name == test_name; };
    if (std::ranges::any_of(tests_, same)) {
      throw SyntaxError{fmt::format("there is a test '{}' already", test_name)};
    }
    test_.name = std::move(test_name);
    test_.line = line_;
  }

  void finish_test() {
    if (test_.flow_line == 0) {
      if (!flow_missing_) mistake(test_.line, "there is no flow: flow FILE, or flow ... end");
      flow_missing_ = true;
    }
    if (!common_) test_.name = std::filesystem::path(file_).stem().string();
    const auto expects = [](const Step& step) { return step.expects(); };
    if (std::ranges::none_of(test_.steps, expects)) {
      mistake(test_.line, fmt::format("the test '{}' expects nothing", test_.name));
    }
    for (const Step& one : test_.steps) {
      if (one.kind == Step::Kind::expect_flow_files) check_json(one);
    }
    tests_.push_back(test_);
  }

  void check_json(const Step& step) {
    for (const FlowFileText& flow_file : step.flow_files) {
      if (!flow_file.json) continue;
      const auto parsed = parse_json(*flow_file.numbered(1).content);
      if (!parsed) mistake(flow_file.line, "the expected JSON is none: " + parsed.error());
    }
  }

  std::string_view rest_;
  std::string_view line_text_;
  int line_ = 0;
  const std::string file_;
  FlowFileLines lines_;
  FlowTest test_;                   // the one at hand
  std::optional<FlowTest> common_;  // what stands above the first `test`
  std::vector<FlowTest> tests_;
  std::vector<Mistake> mistakes_;
  bool flow_missing_ = false;
};

}  // namespace

FlowFileText FlowFileText::numbered(std::uint64_t number) const {
  FlowFileText made = *this;
  const std::string text = std::to_string(number);
  if (made.content) replace_all(*made.content, "{{n}}", text);
  if (made.content_pattern) replace_all(*made.content_pattern, "{{n}}", text);
  for (auto& piece : made.contained) replace_all(piece, "{{n}}", text);
  for (auto& [name, value] : made.attributes) replace_all(value.text, "{{n}}", text);
  return made;
}

std::string Mistake::to_string() const {
  return fmt::format("{}:{}: {}{}", file, line, what,
                     nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest));
}

std::expected<std::vector<FlowTest>, std::vector<Mistake>> parse_flow_tests(
    std::string_view text, const std::string& file) {
  return Parser(text, file).run();
}

}  // namespace weir::flow_test
