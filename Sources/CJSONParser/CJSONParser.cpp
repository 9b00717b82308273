#include "CJSONParser.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

namespace {

/// Forwards the events of nlohmann's parser to C callbacks.
class Events final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Events(const aasa_json_events &events, void *context) : events(events), context(context) {}

  bool null() override { return events.null(context); }
  bool boolean(bool value) override { return events.boolean(context, value); }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_unsigned(number_unsigned_t value) override { return integer(value); }
  bool number_float(number_float_t, const string_t &text) override {
    return events.number(context, text.data(), text.size());
  }
  bool string(string_t &text) override {
    return events.string(context, text.data(), text.size());
  }
  bool binary(binary_t &) override { return false; }  // not in JSON text
  bool start_object(std::size_t) override { return events.start_object(context); }
  bool key(string_t &text) override { return events.key(context, text.data(), text.size()); }
  bool end_object() override { return events.end_object(context); }
  bool start_array(std::size_t) override { return events.start_array(context); }
  bool end_array() override { return events.end_array(context); }
  bool parse_error(std::size_t offset, const std::string &text,
                   const nlohmann::detail::exception &error) override {
    events.failure(context, offset, size_of_last_token(text), error.what());
    return false;
  }

 private:
  /// The size of the last token. The library's text for it begins with the last string or number.
  static std::size_t size_of_last_token(const std::string &text) {
    for (const std::string word : {"true", "false", "null"}) {
      auto end = text.substr(text.size() - std::min(text.size(), word.size()));
      if (end == word) return word.size();
    }
    auto last = text.empty() ? ' ' : text.back();
    return last == '"' || (last >= '0' && last <= '9') ? text.size() : 1;
  }

  template <typename Integer>
  bool integer(Integer value) {
    char text[24];
    auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return events.number(context, text, static_cast<std::size_t>(end - text));
  }

  const aasa_json_events &events;
  void *context;
};

}  // namespace

bool aasa_json_parse(const char *bytes, size_t count, const aasa_json_events *events,
                     void *context) {
  try {
    Events handler(*events, context);
    return nlohmann::json::sax_parse(bytes, bytes + count, &handler);
  } catch (const std::exception &error) {  // out of memory
    events->failure(context, 0, 0, error.what());
    return false;
  }
}
