#include "engine/expression/value.h"

#include "engine/text/java_number.h"

namespace weir::expression {

void Value::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::null:
      return;
    case Kind::text:
      out += text_;
      return;
    case Kind::whole:
      text::append_whole(out, whole_);
      return;
    case Kind::decimal:
      text::append_double(out, decimal_);
      return;
    case Kind::boolean:
      out += boolean_ ? "true" : "false";
      return;
    case Kind::date:
      out += text::date_text(whole_, text::Zone::machine());
      return;
    case Kind::instant:
      out += text::instant_text(instant_);
      return;
  }
}

}  // namespace weir::expression
