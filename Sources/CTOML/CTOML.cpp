#include "CTOML.h"

#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <toml++/toml.h>

namespace {

/// The elements, separated by commas.
std::string joined(const toml::array &array) {
  std::string text;
  for (auto &&element : array) {
    if (!text.empty()) text += ',';
    text += element.as_string()->get();
  }
  return text;
}

std::string source(const toml::node &node) {
  std::ostringstream text;
  node.visit([&](auto &&value) { text << value; });
  return text.str();
}

}  // namespace

void aasa_toml_parse(const char *bytes, size_t count, const aasa_toml_events *events,
                     void *context) {
  try {
    for (auto &&[key, node] : toml::parse(std::string_view(bytes, count))) {
      auto kind = AASA_TOML_OTHER;
      std::string text;
      if (node.is_string()) {
        kind = AASA_TOML_TEXT;
        text = node.as_string()->get();
      } else if (node.is_array() && (node.as_array()->empty() ||
                                     node.as_array()->is_homogeneous(toml::node_type::string))) {
        kind = AASA_TOML_STRINGS;
        text = joined(*node.as_array());
      } else if (node.is_integer()) {
        kind = AASA_TOML_NUMBER;
        text = std::to_string(node.as_integer()->get());
      } else {
        if (node.is_boolean()) kind = AASA_TOML_BOOLEAN;
        text = source(node);
      }
      const std::string_view name(key.str());
      events->member(context, name.data(), name.size(), kind, text.data(), text.size(),
                     key.source().begin.line);
    }
  } catch (const toml::parse_error &error) {
    const std::string message(error.description());
    events->failure(context, message.c_str(), error.source().begin.line);
  } catch (const std::exception &error) {  // out of memory
    events->failure(context, error.what(), 0);
  }
}
