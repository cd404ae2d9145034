/**
 * The titles of the tests in one TypeScript file, in their order and under the blocks (`describe`) that contain them.
 */
import { parseSync } from '@swc/core'

/**
 * A test has no blocks and tests in it. `cases` are the rows of `test.each`, where the file writes them as literals; in
 * the title `…` is at their place.
 * @typedef {{ title: string, cases: string[], isBlock: boolean, parts: Part[] }} Part
 */

const unknown = '…'
const caseLengthMax = 60

/**
 * @param {string} text
 * @returns {Part[]}
 */
export function readTitles(text) {
  const module = parseSync(text, { syntax: 'typescript', target: 'es2023' })
  const constants = new Map()
  forEachNode(module.body, (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init !== null)
      constants.set(node.id.value, node.init)
    return true
  })
  return partsIn(module.body, constants)
}

function partsIn(nodes, constants) {
  const parts = []
  forEachNode(nodes, (node) => {
    const call = calledBy(node)
    if (call === undefined) return true
    const [title, body] = node.arguments.map(({ expression }) => expression)
    const format = readText(title) ?? unknown
    const isBlock = call.name === 'describe'
    const cases = call.table === undefined ? [] : listCases(format, resolveTable(call.table, constants))
    const general = call.table === undefined ? format : format.replaceAll(placeholder, unknown)
    parts.push({
      title: general === unknown && cases.length === 0 ? (tableName(call.table) ?? unknown) : general,
      cases,
      isBlock,
      parts: isBlock ? partsIn([body], constants) : [],
    })
    return false
  })
  return parts
}

/** `test(…)`, `it(…)`, `describe(…)`, and the same with `.each(table)` and other modifiers. */
function calledBy(node) {
  if (node.type !== 'CallExpression' || node.arguments.length < 2) return undefined
  const { callee } = node
  if (callee.type === 'Identifier') return named(callee, undefined)
  if (callee.type !== 'CallExpression' || callee.callee.type !== 'MemberExpression') return undefined
  const { object, property } = callee.callee
  return property.value === 'each' ? named(object, callee.arguments[0]?.expression) : undefined
}

function named({ type, value }, table) {
  return type === 'Identifier' && ['test', 'it', 'describe'].includes(value) ? { name: value, table } : undefined
}

const placeholder = /%[sdijp]|\$(?!\{)[\w.]+/g

/** The values at the placeholders of the title, one text per row; none if the file does not write them all. */
function listCases(format, rows) {
  const places = format.match(placeholder) ?? []
  const cases = rows.map((row) => {
    const values = row?.type === 'ArrayExpression' ? listElements(row) : [row]
    const shown = places.map((place, index) => valueAt(place, index, row, values))
    return shown.includes(undefined) ? undefined : shown.join(', ')
  })
  return places.length === 0 || cases.includes(undefined) ? [] : cases.map(shorten)
}

function valueAt(place, index, row, values) {
  if (place.startsWith('$')) return readText(readProperties(unwrap(row)).get(place.slice(1)))
  const text = readText(unwrap(values[index]))
  const isQuoted = place === '%j' && unwrap(values[index])?.type === 'StringLiteral'
  return isQuoted ? JSON.stringify(text) : text
}

const shorten = (text) => (text.length > caseLengthMax ? `${text.slice(0, caseLengthMax - 1)}…` : text)

/** The rows of a table that is an array, a constant of the file, or the keys or entries of one. */
function resolveTable(table, constants) {
  const node = unwrap(table)
  if (node.type === 'Identifier' && constants.has(node.value)) return resolveTable(constants.get(node.value), new Map())
  if (node.type === 'ArrayExpression') return listElements(node).map(unwrap)
  const isOfObject = node.type === 'CallExpression' && node.callee.object?.value === 'Object'
  if (!isOfObject || !['keys', 'entries'].includes(node.callee.property.value)) return []
  const object = unwrap(node.arguments[0].expression)
  const known = object.type === 'Identifier' ? unwrap(constants.get(object.value)) : object
  return [...readProperties(known).keys()].map((value) => ({ type: 'StringLiteral', value }))
}

/** `each of attacks` for a table `attacks`, `Object.keys(attacks)` or `attacks.map(…)`. */
function tableName(node) {
  if (node?.type === 'CallExpression') {
    const { object } = node.callee
    return tableName(object?.value === 'Object' ? node.arguments[0]?.expression : object)
  }
  if (node?.type === 'MemberExpression') return tableName(node.property)
  return node?.type === 'Identifier' ? `each of ${node.value}` : undefined
}

const listElements = ({ elements }) => elements.map((element) => element?.expression)

function readProperties(node) {
  const properties = node?.type === 'ObjectExpression' ? node.properties : []
  return new Map(properties.flatMap(({ key, value }) => (key === undefined ? [] : [[String(key.value), value]])))
}

/** The text of a literal; `…` replaces each expression in a template; a choice of two texts is `a | b`. */
function readText(node) {
  if (node?.type === 'StringLiteral') return node.value
  if (node?.type === 'NumericLiteral' || node?.type === 'BooleanLiteral') return String(node.value)
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ cooked }) => cooked).join(unknown)
  if (node?.type === 'ConditionalExpression') return [node.consequent, node.alternate].map(readText).join(' | ')
  if (node?.type !== 'BinaryExpression' || node.operator !== '+') return undefined
  return `${readText(node.left) ?? unknown}${readText(node.right) ?? unknown}`
}

function unwrap(node) {
  const isWrapped = ['TsConstAssertion', 'TsAsExpression', 'TsSatisfiesExpression', 'ParenthesisExpression']
  return isWrapped.includes(node?.type) ? unwrap(node.expression) : node
}

/** Calls `visit` with each node, outer ones first; where it returns false, not with the nodes inside. */
function forEachNode(node, visit) {
  if (Array.isArray(node)) {
    for (const one of node) forEachNode(one, visit)
    return
  }
  if (node === null || typeof node !== 'object') return
  if (typeof node.type === 'string' && !visit(node)) return
  for (const [name, child] of Object.entries(node)) if (name !== 'span') forEachNode(child, visit)
}
