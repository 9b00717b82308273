#include "CTOML.h"

#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

// toml++ 3.3 fails an assertion on some malformed files, such as "[ = 1". That must not end the
// program, and the parser must not continue either.
#undef NDEBUG
#define TOML_ASSERT(condition) \
  ((condition) ? void() : throw std::runtime_error("a key or a value is malformed"))
#include <toml++/toml.h>

namespace {

using nlohmann::json;

/// The elements, separated by commas.
std::string joined(const toml::array &array) {
  std::string text;
  for (auto &&element : array) {
    if (!text.empty()) text += ',';
    text += element.as_string()->get();
  }
  return text;
}

/// The type and the text of a value.
std::pair<const char *, std::string> described(const toml::node &node) {
  if (node.is_string()) return {"text", node.as_string()->get()};
  if (node.is_integer()) return {"number", std::to_string(node.as_integer()->get())};
  const auto *array = node.as_array();
  if (array && (array->empty() || array->is_homogeneous(toml::node_type::string)))
    return {"list", joined(*array)};
  std::ostringstream source;
  node.visit([&](auto &&value) { source << value; });
  return {node.is_boolean() ? "flag" : "other", source.str()};
}

json described(std::string_view bytes) {
  try {
    json members = json::array();
    for (auto &&[key, node] : toml::parse(bytes)) {
      const auto [type, text] = described(node);
      members.push_back({{"name", key.str()},
                         {"type", type},
                         {"text", text},
                         {"line", key.source().begin.line}});
    }
    return {{"members", members}};
  } catch (const toml::parse_error &error) {
    return {{"error", error.description()}, {"line", error.source().begin.line}};
  } catch (const std::runtime_error &error) {  // a failed assertion
    return {{"error", error.what()}, {"line", 0}};
  }
}

}  // namespace

char *aasa_toml_describe(const char *bytes, size_t count) {
  try {
    return strdup(described({bytes, count}).dump().c_str());
  } catch (const std::exception &) {  // out of memory
    return nullptr;
  }
}
