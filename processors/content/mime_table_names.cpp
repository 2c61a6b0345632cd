#include "processors/content/mime_table.h"

namespace weir::processors {
namespace {

constexpr MimeRootRow roots[] = {
    {"application/atom+xml", "http://purl.org/atom/ns#", "feed"},
    {"application/atom+xml", "http://www.w3.org/2005/Atom", "feed"},
    {"application/rdf+xml", "", "RDF"},
    {"application/rdf+xml", "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "RDF"},
    {"application/rss+xml", "", "rss"},
    {"application/rss+xml", "http://purl.org/rss/1.0/", ""},
    {"application/smil+xml", "", "smil"},
    {"application/ttml+xml", "http://www.w3.org/ns/ttml", "tt"},
    {"application/vnd.adobe.xfdf", "http://ns.adobe.com/xfdf/", "xfdf"},
    {"application/vnd.apple.keynote", "http://developer.apple.com/namespaces/keynote2",
     "presentation"},
    {"application/vnd.apple.numbers", "http://developer.apple.com/namespaces/ls", "document"},
    {"application/vnd.apple.pages", "http://developer.apple.com/namespaces/sl", "document"},
    {"application/vnd.google-earth.kml+xml", "", "kml"},
    {"application/vnd.google-earth.kml+xml", "http://www.opengis.net/kml/2.2", "kml"},
    {"application/vnd.google-earth.kml+xml", "http://earth.google.com/kml/2.0", "kml"},
    {"application/vnd.google-earth.kml+xml", "http://earth.google.com/kml/2.1", "kml"},
    {"application/vnd.google-earth.kml+xml", "http://earth.google.com/kml/2.2", "kml"},
    {"application/x-stata-dta", "", "stata_dta"},
    {"application/x-xliff+xml", "urn:oasis:names:tc:xliff:document:1.2", "xliff"},
    {"application/xhtml+xml", "http://www.w3.org/1999/xhtml", "html"},
    {"application/xslfo+xml", "http://www.w3.org/1999/XSL/Format", "root"},
    {"application/xslt+xml", "http://www.w3.org/1999/XSL/Transform", "stylesheet"},
    {"application/xspf+xml", "http://xspf.org/ns/0/", "playlist"},
    {"image/svg+xml", "http://www.w3.org/2000/svg", "svg"},
    {"text/html", "", "html"},
    {"text/html", "", "HTML"},
    {"text/html", "", "link"},
    {"text/html", "", "LINK"},
    {"text/html", "", "body"},
    {"text/html", "", "BODY"},
    {"text/html", "", "p"},
    {"text/html", "", "P"},
    {"text/html", "", "script"},
    {"text/html", "", "SCRIPT"},
    {"text/html", "", "frameset"},
    {"text/html", "", "FRAMESET"},
    {"text/html", "", "iframe"},
    {"text/html", "", "IFRAME"},
};

constexpr MimeNameRow names[] = {
    {"INSTALL", "text/plain"},       {"KEYS", "text/plain"},
    {"LICENSE", "text/plain"},       {"NOTICE", "text/plain"},
    {"README", "text/plain"},        {"abs-linkmap", "text/plain"},
    {"abs-menulinks", "text/plain"}, {".htaccess", "text/plain"},
    {"Makefile", "text/x-makefile"}, {"GNUMakefile", "text/x-makefile"},
};

}  // namespace

std::span<const MimeRootRow> mime_roots() {
  return roots;
}
std::span<const MimeNameRow> mime_names() {
  return names;
}

}  // namespace weir::processors
