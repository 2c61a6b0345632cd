#include "processors/content/xml_root.h"

#include <expat.h>

#include <memory>
#include <new>

namespace weir::processors {
namespace {

constexpr char separator = '\n';  // no part of a name or namespace

struct Search {
  XML_Parser parser;
  std::optional<XmlRoot> root;
};

void on_element(void* data, const XML_Char* name, const XML_Char**) {
  Search& search = *static_cast<Search*>(data);
  if (search.root) return;
  const std::string_view text = name;
  const std::size_t at = text.rfind(separator);
  search.root.emplace();
  if (at == std::string_view::npos) {
    search.root->local_name = text;
  } else {
    search.root->name_space = text.substr(0, at);
    search.root->local_name = text.substr(at + 1);
  }
  XML_StopParser(search.parser, XML_FALSE);
}

}  // namespace

std::optional<XmlRoot> find_xml_root(std::string_view prefix) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreateNS(nullptr, separator), XML_ParserFree);
  if (!parser) throw std::bad_alloc();
  Search search{parser.get(), std::nullopt};
  XML_SetUserData(parser.get(), &search);
  XML_SetStartElementHandler(parser.get(), on_element);
  XML_Parse(parser.get(), prefix.data(), static_cast<int>(prefix.size()), XML_FALSE);
  return search.root;
}

}  // namespace weir::processors
