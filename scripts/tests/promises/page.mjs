/** Promises as text for a terminal of 80 columns. */

/**
 * @typedef {import('./titles.mjs').Part} Part
 * @typedef {import('./files.mjs').TestFile} TestFile
 */

const columns = 80
const casesMax = 8

/** @param {readonly TestFile[]} files */
export function renderPage(files) {
  const lines = []
  for (const [component, ofComponent] of Map.groupBy(files, ({ component }) => component)) {
    lines.push(component.toUpperCase(), '')
    for (const [noun, ofNoun] of Map.groupBy(ofComponent, ({ noun }) => noun)) {
      lines.push(`  ${noun}`)
      for (const { path, parts } of ofNoun) lines.push(`    ${path}`, ...formatLines(parts, 6))
      lines.push('')
    }
  }
  return lines.join('\n')
}

/** @param {readonly Part[]} parts */
export function countPromises(parts) {
  return parts.reduce((sum, part) => sum + (part.isBlock ? countPromises(part.parts) : 1), 0)
}

function formatLines(parts, indent) {
  return parts.flatMap(({ title, cases, isBlock, parts }) => {
    const margin = ' '.repeat(indent)
    const first = isBlock ? margin : `${margin}- `
    const inside = formatLines(parts, indent + 2)
    if (title === '…' && cases.length > 0) return [...cases.flatMap((text) => wrapText(text, first)), ...inside]
    const rest = cases.length > casesMax ? [`${cases.length - casesMax} more`] : []
    const shown = [...cases.slice(0, casesMax), ...rest].join(' | ')
    return [...wrapText(title, first), ...(shown === '' ? [] : wrapText(`(${shown})`, `${margin}    `)), ...inside]
  })
}

function wrapText(text, first) {
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
