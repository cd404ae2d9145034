/**
 * node scripts/rejected-words.mjs              lowers the counts in test/rejected-words.json; fails where one would grow
 * node scripts/rejected-words.mjs --list PATH… prints the rejected words of files, with the words to write instead
 * node scripts/rejected-words.mjs --reset      writes the counts as they are, for a change of the list of words
 */
import { writeFileSync } from 'node:fs'
import { compare, findAll, readRecord, recordPath } from './words/ratchet.mjs'

const [mode, ...prefixes] = process.argv.slice(2)
const found = findAll()
if (mode === '--list') {
  for (const [path, findings] of found) {
    if (prefixes.length > 0 && !prefixes.some((prefix) => path.startsWith(prefix))) continue
    for (const { line, word, instead, text } of findings) console.log(`${path}:${line}: ${word} → ${instead}: ${text}`)
  }
} else {
  const { grown } = mode === '--reset' ? { grown: [] } : compare(readRecord(), found)
  for (const { path, was, is } of grown) console.error(`${path}: ${is} rejected words, ${was} recorded`)
  if (grown.length > 0) process.exitCode = 1
  else {
    const counts = Object.fromEntries([...found].map(([path, { length }]) => [path, length]))
    writeFileSync(recordPath, `${JSON.stringify(counts, null, 2)}\n`)
    const sum = Object.values(counts).reduce((total, count) => total + count, 0)
    console.log(`${sum} rejected words in ${found.size} files`)
  }
}
