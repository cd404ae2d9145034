/**
 * The mutants of one TypeScript file: single edits, each of which changes what the file does. Types, imports and
 * exports are left alone, and so are lines that only log or count.
 */
import { createHash } from 'node:crypto'
import { parseSync } from '@swc/core'

/**
 * @typedef {{ id: string, operator: string, line: number, start: number, end: number, replacement: string, was: string
 * }} Mutant
 */

const boundaries = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const swaps = { '===': '!==', '!==': '===', '&&': '||', '||': '&&', '??': '&&', '-': '+', '*': '/', '/': '*', '%': '*' }
const observers = /^(?:[\w.?]*\b)?(?:log|logger|metrics|console)\b/

/**
 * Each mutant replaces the bytes from `start` to `end` (UTF-8 offsets). Its id stays while the file's content stays.
 * @param {string} source
 * @returns {Mutant[]}
 */
export function listMutants(source) {
  // The empty statement in front fixes where the spans begin: a module's own span begins at its first token.
  const module = parseSync(`;${source}`, { syntax: 'typescript', target: 'es2023' })
  const bytes = Buffer.from(source)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const base = module.span.start + 1
  const found = []
  const readText = ({ start, end }) => bytes.subarray(start - base, end - base).toString()
  const add = (operator, { start, end }, replacement) => {
    const [from, to] = [start - base, end - base]
    const id = createHash('sha256').update(`${digest} ${from} ${to} ${replacement}`).digest('hex').slice(0, 12)
    const line = bytes.subarray(0, from).toString().split('\n').length
    found.push({ id, operator, line, start: from, end: to, replacement, was: bytes.subarray(from, to).toString() })
  }
  for (const statement of module.body.slice(1)) visit(statement, { add, readText, after: base })
  return found
}

/** The file with the mutant in it. */
export function withMutant(source, { start, end, replacement }) {
  const bytes = Buffer.from(source)
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(replacement), bytes.subarray(end)]).toString()
}

function visit(node, context) {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, context)
    return
  }
  if (node === null || typeof node !== 'object') return
  if (node.type?.startsWith('Import') || node.type?.startsWith('ExportAll')) return
  // Types do nothing at run time; an assertion wraps an expression that does.
  if (node.type?.startsWith('Ts') && node.expression === undefined) return
  if (node.type === 'ExpressionStatement' && observers.test(context.readText(node.span))) return
  operators[node.type]?.(node, context)
  for (const [name, child] of Object.entries(node)) {
    if (name !== 'span' && name !== 'typeAnnotation' && name !== 'typeParams' && name !== 'returnType')
      visit(child, context)
  }
}

/** A comparison and a `!` have operators of their own that come to the same. */
const isNegatedElsewhere = ({ type, operator }) =>
  (type === 'BinaryExpression' && /^[!=]==$/.test(operator)) || (type === 'UnaryExpression' && operator === '!')

const negate = ({ test }, { add, readText }) => {
  if (test && !isNegatedElsewhere(test)) add('condition negated', test.span, `!(${readText(test.span)})`)
}

const skipLocked = ' SKIP LOCKED'

/** In SQL: two processes then wait for each other's rows, and claim the same ones. */
function waitForLocked({ span }, { add, readText }) {
  const text = readText(span)
  for (let at = text.indexOf(skipLocked); at >= 0; at = text.indexOf(skipLocked, at + 1)) {
    const start = span.start + Buffer.byteLength(text.slice(0, at))
    add('SKIP LOCKED removed', { start, end: start + skipLocked.length }, '')
  }
}

const operators = {
  IfStatement: (node, context) => {
    negate(node, context)
    const leaves = /^(?:Return|Throw|Continue|Break)Statement$/
    const [only] = node.consequent.type === 'BlockStatement' ? node.consequent.stmts.slice(-1) : [node.consequent]
    // Without it, execution continues.
    if (only !== undefined && leaves.test(only.type)) context.add('early exit removed', only.span, ';')
  },
  ConditionalExpression: negate,
  WhileStatement: negate,
  DoWhileStatement: negate,
  BinaryExpression: (node, { add, readText }) => {
    const { operator, left, right } = node
    const between = { start: left.span.end, end: right.span.start }
    const glue = readText(between)
    if (!glue.includes(operator)) return
    const to = (other) => add(`${operator} to ${other}`, between, glue.replace(operator, other))
    if (operator in boundaries) to(boundaries[operator])
    else if (operator in swaps) to(swaps[operator])
    else if (operator === '+' && !isText(left) && !isText(right)) to('-')
  },
  UnaryExpression: ({ operator, argument, span }, { add, readText }) => {
    if (operator === '!') add('! removed', span, readText(argument.span))
  },
  BooleanLiteral: ({ value, span }, { add }) => add('constant swapped', span, String(!value)),
  NumericLiteral: ({ value, span }, { add }) => add('constant swapped', span, String(value + 1)),
  AwaitExpression: ({ argument, span }, { add, readText }) =>
    add('await removed', span, `(${readText(argument.span)})`),
  ArrayExpression: ({ elements }, { add }) => {
    if (elements.length > 1)
      for (const element of elements)
        if (element !== null) add('element removed', (element.spread ? whole(element) : element.expression).span, '')
  },
  TemplateElement: waitForLocked,
  StringLiteral: waitForLocked,
  ExpressionStatement: ({ span }, { add }) => add('statement removed', span, ';'),
}

const whole = ({ spread, expression }) => ({ span: { start: spread.start, end: expression.span.end } })

const isText = ({ type }) => type === 'StringLiteral' || type === 'TemplateLiteral'
