/**
 * node scripts/rejected-words.mjs [PATH…] prints the rejected words of the files whose path starts so, with the words
 * to write instead. The exit code is 1 if there are any.
 */
import { findAll } from './words/files.mjs'

const prefixes = process.argv.slice(2)
for (const [path, findings] of findAll()) {
  if (prefixes.length > 0 && !prefixes.some((prefix) => path.startsWith(prefix))) continue
  for (const { line, word, instead, text } of findings) console.log(`${path}:${line}: ${word} → ${instead}: ${text}`)
  process.exitCode = 1
}
