#include "io/rockfall/json_reader.h"

#include <charconv>

namespace carom {

namespace {

constexpr int kDeepest = 64;

void append_utf8(std::string& out, std::uint32_t c) {
  const auto byte = [&](std::uint32_t b) { out.push_back(static_cast<char>(b)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F));
  }
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  JsonValue whole() {
    JsonValue value = parse(0);
    skip();
    if (at_ < text_.size()) fail("text after the end of the JSON value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError({file_, line_, 0, ""}, "not JSON: " + problem);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r'))
      line_ += text_[at_++] == '\n';
  }
  bool take(char c) {
    skip();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c))
      fail(std::string("expected '") + c + "'" +
           (at_ < text_.size() ? std::string(", found '") + peek() + "'" : ", found the end"));
  }
  bool word(std::string_view w) {
    if (text_.compare(at_, w.size(), w) != 0) return false;
    at_ += w.size();
    return true;
  }

  JsonValue parse(int depth) {
    if (depth > kDeepest) fail("nests too deeply");
    skip();
    JsonValue v;
    v.line = line_;
    if (take('{')) {
      JsonValue::Fields fields;
      if (!take('}')) {
        do {
          skip();
          std::string key = parse_text();
          expect(':');
          fields.emplace_back(std::move(key), parse(depth + 1));
        } while (take(','));
        expect('}');
      }
      v.value = std::move(fields);
    } else if (take('[')) {
      JsonValue::List items;
      if (!take(']')) {
        do items.push_back(parse(depth + 1));
        while (take(','));
        expect(']');
      }
      v.value = std::move(items);
    } else if (peek() == '"') {
      v.value = parse_text();
    } else if (word("true")) {
      v.value = true;
    } else if (word("false")) {
      v.value = false;
    } else if (!word("null")) {
      double number = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
      if (error != std::errc() || (peek() != '-' && (peek() < '0' || peek() > '9')))
        fail(at_ < text_.size() ? std::string("a value is due, found '") + peek() + "'" : "the text ends early");
      at_ = static_cast<std::size_t>(end - text_.data());
      v.value = number;
    }
    return v;
  }

  std::uint32_t hex4() {
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + std::min(at_ + 4, text_.size()), code, 16);
    if (error != std::errc() || end != text_.data() + at_ + 4) fail("\\u needs four hexadecimal digits");
    at_ += 4;
    return code;
  }

  std::string parse_text() {
    if (peek() != '"') fail("a text in double quotes is due");
    ++at_;
    std::string out;
    while (peek() != '"') {
      if (at_ >= text_.size() || static_cast<unsigned char>(peek()) < 0x20) fail("a text does not end");
      const char c = text_[at_++];
      if (c != '\\') {
        out.push_back(c);
        continue;
      }
      const char escape = peek();
      ++at_;
      switch (escape) {
        case 'n':
          out.push_back('\n');
          break;
        case 't':
          out.push_back('\t');
          break;
        case 'r':
          out.push_back('\r');
          break;
        case 'b':
          out.push_back('\b');
          break;
        case 'f':
          out.push_back('\f');
          break;
        case '"':
        case '\\':
        case '/':
          out.push_back(escape);
          break;
        case 'u': {
          std::uint32_t code = hex4();
          if (code >= 0xD800 && code < 0xDC00 && word("\\u"))
            code = 0x10000 + ((code - 0xD800) << 10) + (hex4() - 0xDC00);
          append_utf8(out, code);
          break;
        }
        default:
          fail("unknown escape in a text");
      }
    }
    ++at_;
    return out;
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

const JsonValue* JsonValue::find(const std::string& key) const {
  const auto* fields = std::get_if<Fields>(&value);
  if (fields == nullptr) return nullptr;
  for (const auto& [name, field] : *fields)
    if (name == key) return &field;
  return nullptr;
}

JsonValue parse_json(const std::string& text, const std::string& file) { return Parser(text, file).whole(); }

}  // namespace carom
