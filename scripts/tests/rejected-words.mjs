/**
 * node scripts/tests/rejected-words.mjs [PATH…] prints the rejected words of the files whose path starts so, with the
 * words to write instead. The exit code is 1 if there are any.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Metaphors and vague words, each with the words to write instead, and with phrases in which it is a term of the field.
 * A word is found in lower case, in identifiers too: `carryOut`, `carry_out` and "carry out" are the same.
 *
 * @type {readonly (readonly [word: string, instead: string, allowed?: string])[]}
 */
export const rejectedWords = [
  ['judg\\w+', 'resolve, check, evaluate'],
  ['(?:catch(?:es|ing)?|caught) up', 'revalidate'],
  ['forg[eo]t\\w*', 'delete, evict, invalidate'],
  ['remember\\w*', 'cache, store'],
  ['recall\\w*', 'get, restore'],
  ['tell(?:s|ing)?|told', 'report, record, notify'],
  ['(?:hold(?:s|ing)?|held) back', 'response gate'],
  ['substitut\\w*', 'fallback response'],
  ['stragglers?', 'unread body'],
  ['trails?', 'audit spool'],
  ['stretch\\w*', 'segment, time bucket'],
  ['lin(?:e|es|ed|ing) up', 'enqueue'],
  ['feeders?', 'backlog dispatcher'],
  ['lanes?', 'jitter bucket'],
  ['rooms?', 'capacity, folder'],
  ['slots?', 'permit'],
  ['lets? in', 'admit', 'let in flight'],
  ['verdicts?', 'disposition'],
  ['(?:go|goes|going|went) on', 'continue'],
  ['own faults?', 'local failure'],
  ['bur(?:y|ies|ied|ying|ial)', 'publish dead letter'],
  ['walk(?:s|ed|ing|er)?', 'browse, iterate'],
  ['(?:send|sends|sending|sent) back', 'requeue'],
  ['(?:give|gives|given|giving|gave) up', 'dead, stop'],
  ['begun', 'accepted, started'],
  ['prospects?', 'pending delivery'],
  ['sought', 'filtered, searched'],
  ['kept', 'retained, stored, reconnecting'],
  ['witness\\w*', 'marker queue'],
  ['tend(?:s|ed|ing)?', 'maintain'],
  ['homeless', 'unroutable'],
  ['spoil\\w*', 'invalid'],
  ['kick(?:s|ed|ing)?', 'notify, wake'],
  ['meter(?:s|ed)?', 'metrics'],
  ['rests', 'is stored'],
  ['shuts? out', 'locks out'],
  ['conclud\\w+|conclusions?', 'complete'],
  ['carr(?:y|ies|ied|ying) out', 'execute'],
  ['pursu\\w+', 'resume'],
  // `asked_at` and `answered_at` are columns.
  ['ask(?:s|ed|ing)?', 'request, call, query', 'asked at'],
  ['answer(?:s|ed|ing)?', 'response', '@map\\("answered at|received at, answered at'],
  ['(?:stands?|standing|stood) for', 'represent'],
  ['households?', 'process group'],
  ['refusals?', 'UserError, rejection'],
  ['constellations?', 'local stack'],
  ['mend(?:s|ed|ing)?', 'restore, fix'],
  ['crowd\\w*', 'background load'],
  ['scenes?', 'scenario'],
  ['waver(?:s|ed|ing)?', 'flaky'],
  ['doors?', 'entry point'],
  ['houses?', 'layout'],
  ['(?:some|no|any|every)body|whoever', 'the actor by name', '[\'"]nobody[\'"]'],
  ['anew', 'again'],
  ['former', 'previous'],
  ['of ours', 'our'],
]

/** Found in the text as it is. */
const rawPatterns = [
  { word: 'look-up', instead: 'index, query', find: /\blook-ups?\b/gi },
  { word: 'refuse… (function)', instead: 'reject…, require…', find: /\brefuse[A-Z]\w*/g },
  {
    word: 'a sentence that starts with who or what',
    instead: 'the noun that acts',
    find: /(?:^|[.:;*/|>] |'|`)(?:Who|What|Whatever|Whom)\b(?! it does)(?=[^?\n]*$)/gm,
  },
]

/** @param {string} pattern */
const whole = (pattern) => new RegExp(`(?<![a-z])(?:${pattern})(?![a-z])`, 'g')
const patterns = rejectedWords.map(([word, instead, allowed]) => {
  return { word, instead, find: whole(word), allowed: allowed === undefined ? undefined : whole(allowed) }
})
const any = new RegExp(patterns.map(({ find }) => find.source).join('|'))

/** @typedef {{ line: number, word: string, instead: string, text: string }} Finding */

/**
 * @param {string} text
 * @returns {Finding[]}
 */
export function findRejectedWords(text) {
  return text.split('\n').flatMap((line, index) => {
    const words = splitWords(line)
    const inWords = any.test(words) ? patterns : []
    const found = [
      ...inWords.flatMap(({ word, instead, find, allowed }) =>
        [...(allowed === undefined ? words : words.replaceAll(allowed, '·')).matchAll(find)].map(() => ({
          word,
          instead,
        })),
      ),
      ...rawPatterns.flatMap(({ word, instead, find }) => [...line.matchAll(find)].map(() => ({ word, instead }))),
    ]
    return found.map((one) => ({ line: index + 1, text: line.trim(), ...one }))
  })
}

/**
 * `carryOut`, `carry_out` and `carry-out` become `carry out`; other characters stay, so that a phrase ends at a full
 * stop.
 *
 * @param {string} line
 */
export function splitWords(line) {
  return line
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/ +/g, ' ')
    .toLowerCase()
}

/** The rules of the glossary and this check name the words; the change log names what was renamed. */
const exempt = ['docs/glossary.md', 'CHANGELOG.md', 'scripts/tests/rejected-words.mjs', 'test/tidy-words.test.ts']

/**
 * Whether the words of a file are checked: code, documents, configuration texts and schemas that we write by hand.
 *
 * @param {string} path
 */
export function isChecked(path) {
  return (
    /\.(?:tsx?|mjs|cjs|md)$|(?:^|\/)\.env\.example$|\/schema\.prisma$/.test(path) &&
    !/(?:^|\/)(?:generated|migrations)\//.test(path) &&
    !exempt.includes(path)
  )
}

/** The rejected words of every checked file that has some, by path. */
export function findAll() {
  const root = resolve(import.meta.dirname, '..', '..')
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  const paths = [...new Set(listed)].filter((path) => isChecked(path) && existsSync(join(root, path))).sort()
  const all = paths.map((path) => {
    return /** @type {const} */ ([path, findRejectedWords(readFileSync(join(root, path), 'utf8'))])
  })
  return new Map(all.filter(([, findings]) => findings.length > 0))
}

if (import.meta.main) {
  const prefixes = process.argv.slice(2)
  for (const [path, findings] of findAll()) {
    if (prefixes.length > 0 && !prefixes.some((prefix) => path.startsWith(prefix))) continue
    for (const { line, word, instead, text } of findings) console.log(`${path}:${line}: ${word} → ${instead}: ${text}`)
    process.exitCode = 1
  }
}
