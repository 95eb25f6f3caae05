# Comments as people write them in our headers become Doxygen's: lines above what they explain, words behind members, and
# the words at the top of a file. Characters that Doxygen would take for commands or tags are escaped.
function safe(text) {
  gsub(/\\/, "\\\\\\\\", text)
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  gsub(/@/, "\\\\@", text)
  gsub(/#/, "\\\\#", text)
  gsub(/\*/, "\\\\*", text)
  gsub(/"/, "\\\\\"", text)
  gsub(/\[/, "\\&#91;", text)
  gsub(/~/, "\\\\~", text)
  gsub(/%/, "%%", text)
  gsub(/`/, "", text)
  gsub(/::/, "\\::", text)
  return text
}
FNR == 1 && /^\/\// { print "/// \\file" }
/^[ \t]*\/\/( clang-format|$)/ { print ($0 ~ /clang/ ? "" : "///"); next }
/^[ \t]*\/\/ ----/ { print ""; next }
/^[ \t]*\/\/ / {
  at = index($0, "//")
  print substr($0, 1, at - 1) "/// " safe(substr($0, at + 3))
  next
}
/^#pragma once/ { print ""; print; next }
{
  at = index($0, "  // ")
  if (at > 0 && substr($0, 1, at) ~ /[;,]$/) print substr($0, 1, at) " ///< " safe(substr($0, at + 5))
  else if (at > 0) print substr($0, 1, at - 1)
  else print
}
