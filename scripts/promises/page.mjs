/** Promises as text for a terminal of 80 columns. */

/**
 * @typedef {import('./titles.mjs').Part} Part
 * @typedef {import('./files.mjs').TestFile} TestFile
 */

const columns = 80
const casesMax = 8

/** @param {readonly TestFile[]} files */
export function pageOf(files) {
  const lines = []
  for (const [component, ofComponent] of grouped(files, ({ component }) => component)) {
    lines.push(component.toUpperCase(), '')
    for (const [noun, ofNoun] of grouped(ofComponent, ({ noun }) => noun)) {
      lines.push(`  ${noun}`)
      for (const { path, parts } of ofNoun) lines.push(`    ${path}`, ...linesOf(parts, 6))
      lines.push('')
    }
  }
  return lines.join('\n')
}

/** @param {readonly Part[]} parts */
export function countOf(parts) {
  return parts.reduce((sum, part) => sum + (part.isBlock ? countOf(part.parts) : 1), 0)
}

function linesOf(parts, indent) {
  return parts.flatMap(({ title, cases, isBlock, parts }) => {
    const margin = ' '.repeat(indent)
    const first = isBlock ? margin : `${margin}- `
    const inside = linesOf(parts, indent + 2)
    if (title === '…' && cases.length > 0) return [...cases.flatMap((text) => wrapped(text, first)), ...inside]
    const rest = cases.length > casesMax ? [`${cases.length - casesMax} more`] : []
    const shown = [...cases.slice(0, casesMax), ...rest].join(' | ')
    return [...wrapped(title, first), ...(shown === '' ? [] : wrapped(`(${shown})`, `${margin}    `)), ...inside]
  })
}

function wrapped(text, first) {
  const lines = []
  let line = first
  const rest = ' '.repeat(first.length)
  for (const word of text.replaceAll(/\s+/g, ' ').split(' ')) {
    const isStart = line.length === first.length && line.trim() === first.trim()
    if (!isStart && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = rest + word
    } else line = isStart ? line + word : `${line} ${word}`
  }
  return [...lines, line]
}

function grouped(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
